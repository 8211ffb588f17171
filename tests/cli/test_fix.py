"""`replayable fix`: exit codes, what it prints where, and never a traceback."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any, Final

import pytest

from replayable import __version__, fix
from replayable.cli import main
from tests.cli.running import CLAUDE, HISTORIES, PLAIN, run, write
from tests.refusals import INVALID_SIGNATURE, SIGNED_ELSEWHERE

_KIMI: Final = HISTORIES / "broken-kimi-to-claude.json"


def _file(folder: Path, content: Any) -> str:
    return write(folder / "request.json", content)


def _stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))


# --- requests that come out -----------------------------------------------------------------------------------------


def test_fix(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The request is printed as JSON, each change as a line on standard error."""
    request = json.loads(_KIMI.read_text(encoding="utf-8"))["request"]
    expected = fix(request, model=CLAUDE)

    status = main(["fix", _file(tmp_path, request), "--model", CLAUDE])

    printed = capsys.readouterr()
    assert status == 0
    assert json.loads(printed.out) == expected.request
    assert printed.err.splitlines() == [str(change) for change in expected.changes]


@pytest.mark.parametrize("piped", [False, True])
def test_what_only_the_provider_sees(
    piped: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--error`, as an argument or on standard input, lets those repairs act that need a rejection."""
    _stdin(monkeypatch, INVALID_SIGNATURE.encode())

    error = "-" if piped else INVALID_SIGNATURE
    assert main(["fix", _file(tmp_path, SIGNED_ELSEWHERE), "--model", CLAUDE, "--error", error]) == 0
    printed = capsys.readouterr()
    assert [message["content"] for message in json.loads(printed.out)] == ["Hi", "Hello", "Bye"]
    assert "anthropic-strip-foreign-signed-reasoning: removed message 1, part 0" in printed.err


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("Rate limit reached", "nothing is known of this error"),
        (
            "prompt is too long: 210000 tokens > 200000 maximum",
            "no rule cures this error: The history is well",
        ),
        ("messages.1: Unexpected role", ""),
    ],
)
def test_an_error_that_nothing_answers(
    error: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The request comes out as it was, which is said, and is no success."""
    path = _file(tmp_path, PLAIN)

    assert main(["fix", path, "--model", CLAUDE, "--error", error]) == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out) == PLAIN
    assert told in printed.err
    assert f"{path}: nothing in it is known to provoke the error; it stays as it is" in printed.err


def test_an_error_that_nothing_answers_and_another_format(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What comes out in another format is not said to stay as it is."""
    parts = [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]
    path = _file(tmp_path, parts)
    options = ["--model", "ollama/qwen3", "--from", "openai_chat", "--to", "ollama_chat"]
    error = "json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string"

    assert main(["fix", path, *options, "--error", error]) == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out) == [{"role": "user", "content": "Hi"}]
    assert "nothing in it is known to provoke the error; only its format changes" in printed.err


@pytest.mark.parametrize("in_place", [False, True])
def test_an_error_and_many_requests(
    in_place: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is held against each: those that hold what provokes it are repaired, the others named, and that is no success."""
    lines = write(tmp_path / "a.jsonl", [SIGNED_ELSEWHERE, PLAIN])
    write(tmp_path / "b.json", SIGNED_ELSEWHERE)
    options = ["--model", CLAUDE, "--error", INVALID_SIGNATURE]

    if in_place:
        assert main(["fix", str(tmp_path), "--in-place", *options]) == 1
        out = (tmp_path / "a.jsonl").read_text("utf-8")
        assert len(json.loads((tmp_path / "b.json").read_text("utf-8"))) == 3
        assert (tmp_path / "b.json.bak").exists()
    else:
        assert main(["fix", lines, *options]) == 1
        out = capsys.readouterr().out
    first, second = out.splitlines()
    assert [message["content"] for message in json.loads(first)] == ["Hi", "Hello", "Bye"]
    assert json.loads(second) == PLAIN
    if in_place:
        assert f"{lines}:2: nothing in it is known to provoke the error" in capsys.readouterr().err


@pytest.mark.parametrize(("file", "error"), [("-", "-"), ("request.json", " "), ("request.json", "-")])
def test_an_error_without_text(file: str, error: str, tmp_path: Path) -> None:
    """Nothing on standard input, or both the request and the error there: said in one line."""
    _file(tmp_path, PLAIN)
    done = run("fix", file, "--model", CLAUDE, "--error", error, folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert b"error" in done.stderr


def test_an_empty_error_reads_nothing() -> None:
    """As a shell makes one of a variable that is not set: what stands on standard input is the request."""
    done = run("fix", "-", "--model", CLAUDE, "--error", "", stdin=json.dumps(PLAIN).encode())
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"--error is empty" in done.stderr


def test_unchanged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing to change: nothing on standard error."""
    assert main(["fix", _file(tmp_path, PLAIN), "--model", CLAUDE]) == 0
    assert capsys.readouterr() == (json.dumps(PLAIN, indent=2) + "\n", "")


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`-` reads standard input."""
    _stdin(monkeypatch, json.dumps(PLAIN).encode())

    assert main(["fix", "-", "--model", CLAUDE]) == 0
    assert json.loads(capsys.readouterr().out) == PLAIN


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings(encoding: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON in any of the Unicode encodings, a byte order mark included, is read."""
    messages = [{"role": "user", "content": "Blåbær 🫐"}]
    text = json.dumps(messages, ensure_ascii=False)

    assert main(["fix", _file(tmp_path, text.encode(encoding)), "--model", CLAUDE]) == 0
    assert json.loads(capsys.readouterr().out) == messages


def test_from_and_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The formats may be named."""
    messages = [{"role": "system", "content": "Be brief."}, *PLAIN]
    arguments = ["fix", _file(tmp_path, messages), "--model", CLAUDE]

    assert main([*arguments, "--from", "openai_chat", "--to", "openai_chat"]) == 0
    assert json.loads(capsys.readouterr().out) == messages


def test_bytes_are_printed_in_base64(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What boto3 takes as bytes is printed as it is sent."""
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    path = _file(tmp_path, [{"role": "user", "content": [image]}])

    assert main(["fix", path, "--model", "bedrock/us.anthropic.claude-sonnet-4-6"]) == 0
    assert json.loads(capsys.readouterr().out) == [
        {"role": "user", "content": [{"image": {"format": "png", "source": {"bytes": "iVBORw0KGgo="}}}]}
    ]


def test_lone_surrogates(tmp_path: Path) -> None:
    """A cut emoji can't be written as UTF-8: what is printed is JSON all the same."""
    messages = [{"role": "user", "content": "cut \ud83d"}, {"role": "user", "content": "whole 🫐"}]

    done = run("fix", _file(tmp_path, messages), "--model", CLAUDE)

    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout) == messages


def test_a_narrow_encoding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So it is on a terminal that knows few characters, for characters beyond the first 65,536 too."""
    messages = [{"role": "user", "content": "å 🫐 ☃"}]
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="latin-1")
    monkeypatch.setattr("sys.stdout", out)

    assert main(["fix", _file(tmp_path, messages), "--model", CLAUDE]) == 0
    out.flush()
    assert json.loads(raw.getvalue().decode("latin-1")) == messages


def test_change_lines_hold_no_content(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What anybody said stays out of standard error, whatever is wrong with the history."""
    secret = "s3cret"
    call = {"id": "a:b", "type": "function", "function": {"name": "f", "arguments": f'["{secret}"'}}
    request = {
        "messages": [
            {"role": "system", "content": [{"type": "text", "text": secret, "x": secret}]},
            {"role": "tool", "tool_call_id": "gone", "content": secret},
            {
                "role": "user",
                "content": [
                    {"type": "widget", "text": secret},
                    {"type": "image_url", "image_url": {"url": f"data:image/bmp;base64,{secret}"}},
                    {"type": "file", "file": {"file_id": secret, "filename": secret}},
                    {"type": "text", "text": ""},
                ],
            },
            {"role": "assistant", "content": secret, "reasoning_content": secret, "tool_calls": [call, call]},
            {"role": "user", "content": secret},
            {"role": "assistant", "content": None, "refusal": secret},
        ],
        "tools": [{"type": "custom", "custom": {"name": "c", "description": secret}}],
        "user": secret,
    }

    assert main(["fix", _file(tmp_path, request), "--model", CLAUDE]) == 0
    printed = capsys.readouterr()
    assert secret in printed.out
    assert len(printed.err.splitlines()) > 8
    assert secret not in printed.err


def test_change_lines_are_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ids and names that hold line breaks or escape codes do not break a line."""
    call = {"id": "a\nb\x1b[31m\u2028", "type": "function", "function": {"name": "f\r\n", "arguments": "{}"}}
    request = {
        "max_tokens": 5,
        "messages": [*PLAIN, {"role": "assistant", "content": None, "tool_calls": [call]}],
        "odd\nfield": 1,
    }

    assert main(["fix", _file(tmp_path, request), "--model", CLAUDE, "--from", "openai_chat"]) == 0
    lines = capsys.readouterr().err.removesuffix("\n").split("\n")
    assert lines
    assert all(line.isprintable() and line.startswith(("clean-", "provider-", "formats.")) for line in lines)


# --- the arguments --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["mend"], "invalid choice: 'mend'"),
        (["fix"], "the following arguments are required: FILE, --model"),
        (["fix", "-"], "the following arguments are required: --model"),
        (["fix", "-", "--model", "m", "--to", "smoke"], "argument --to: invalid choice: 'smoke'"),
        (["fix", "-", "--model", "m", "--from", "smoke"], "argument --from: invalid choice: 'smoke'"),
    ],
)
def test_wrong_arguments(arguments: list[str], error: str, capsys: pytest.CaptureFixture[str]) -> None:
    """They end the program with 2, the usage and what is wrong."""
    with pytest.raises(SystemExit) as caught:
        main(arguments)

    assert caught.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("usage: replayable")
    assert error in printed.err


def test_version() -> None:
    """`python -m replayable --version` prints the version."""
    done = run("--version")

    assert (done.returncode, done.stdout.decode().strip(), done.stderr) == (
        0,
        f"replayable {__version__}",
        b"",
    )
