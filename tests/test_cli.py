"""The `replayable` command: exit codes, what it prints where, and never a traceback."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from replayable import __version__, fix
from replayable.cli import main

_KIMI: Final = Path(__file__).parent / "histories" / "broken-kimi-to-claude.json"
_CLAUDE: Final = "anthropic/claude-sonnet-4-5"
_PLAIN: Final = [{"role": "user", "content": "Hi"}]


def _file(folder: Path, content: Any) -> str:
    path = folder / "request.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return str(path)


def _run(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "replayable", *arguments], input=stdin, capture_output=True, check=False
    )


def _stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))


# --- requests that come out -----------------------------------------------------------------------------------------


def test_fix(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The request is printed as JSON, each change as a line on standard error."""
    request = json.loads(_KIMI.read_text(encoding="utf-8"))["request"]
    expected = fix(request, model=_CLAUDE)

    status = main(["fix", _file(tmp_path, request), "--model", _CLAUDE])

    printed = capsys.readouterr()
    assert status == 0
    assert json.loads(printed.out) == expected.request
    assert printed.err.splitlines() == [str(change) for change in expected.changes]


def test_unchanged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing to change: nothing on standard error."""
    assert main(["fix", _file(tmp_path, _PLAIN), "--model", _CLAUDE]) == 0
    assert capsys.readouterr() == (json.dumps(_PLAIN, indent=2) + "\n", "")


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`-` reads standard input."""
    _stdin(monkeypatch, json.dumps(_PLAIN).encode())

    assert main(["fix", "-", "--model", _CLAUDE]) == 0
    assert json.loads(capsys.readouterr().out) == _PLAIN


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings(encoding: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON in any of the Unicode encodings, a byte order mark included, is read."""
    messages = [{"role": "user", "content": "Blåbær 🫐"}]
    text = json.dumps(messages, ensure_ascii=False)

    assert main(["fix", _file(tmp_path, text.encode(encoding)), "--model", _CLAUDE]) == 0
    assert json.loads(capsys.readouterr().out) == messages


def test_from_and_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The formats may be named."""
    messages = [{"role": "system", "content": "Be brief."}, *_PLAIN]
    arguments = ["fix", _file(tmp_path, messages), "--model", _CLAUDE]

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
    messages = [{"role": "user", "content": "cut \ud83d"}, {"role": "assistant", "content": "whole 🫐"}]

    done = _run("fix", _file(tmp_path, messages), "--model", _CLAUDE)

    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout) == messages


def test_a_narrow_encoding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So it is on a terminal that knows few characters, for characters beyond the first 65,536 too."""
    messages = [{"role": "user", "content": "å 🫐 ☃"}]
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="latin-1")
    monkeypatch.setattr("sys.stdout", out)

    assert main(["fix", _file(tmp_path, messages), "--model", _CLAUDE]) == 0
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

    assert main(["fix", _file(tmp_path, request), "--model", _CLAUDE]) == 0
    printed = capsys.readouterr()
    assert secret in printed.out
    assert len(printed.err.splitlines()) > 8
    assert secret not in printed.err


def test_change_lines_are_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ids and names that hold line breaks or escape codes do not break a line."""
    call = {"id": "a\nb\x1b[31m\u2028", "type": "function", "function": {"name": "f\r\n", "arguments": "{}"}}
    request = {
        "max_tokens": 5,
        "messages": [*_PLAIN, {"role": "assistant", "content": None, "tool_calls": [call]}],
        "odd\nfield": 1,
    }

    assert main(["fix", _file(tmp_path, request), "--model", _CLAUDE, "--from", "openai_chat"]) == 0
    lines = capsys.readouterr().err.removesuffix("\n").split("\n")
    assert lines
    assert all(line.isprintable() and line.startswith(("clean-", "provider-", "formats.")) for line in lines)


# --- unusable input -------------------------------------------------------------------------------------------------

_DEEP: Final = 100_000
_EXPECTED: Final = "a request (an object with a list of messages) or a list of messages"


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (
            b"",
            "is not JSON: Expecting value: line 1 column 1 (char 0); give one request, or one list of messages",
        ),
        (
            b'{"messages": [',
            "is not JSON: Expecting value: line 1 column 15 (char 14); give one request, or one list of messages",
        ),
        (
            b'{"role": "user"}\n{"role": "user"}',
            "is not JSON: Extra data: line 2 column 1 (char 17); give one request, or one list of messages",
        ),
        (
            b'"\xff\xfe\x00binary"',
            "is not text: byte 1 is not UTF-8; save the request as JSON in UTF-8",
        ),
        (
            b'[{"role": "user", "content": NaN}]',
            "is not JSON: it holds NaN, which only Python takes for JSON; give one request, or one list of messages",
        ),
        (
            b'[{"role": "user", "content": "", "x": 1e999}]',
            "holds a number that JSON can't hold (NaN or an infinite one)",
        ),
        (b"[" * _DEEP + b"]" * _DEEP, "nests too deep to be a request"),
        (
            b"null",
            f"the input: expected {_EXPECTED}, found null",
        ),
        (
            b'"Hi"',
            f"the input: expected {_EXPECTED}, found string 'Hi'",
        ),
        (
            b'{"messages": 5}',
            "messages: expected what one of the formats has there, found int 5",
        ),
        (
            b'[{"role": "user", "content": 5}]',
            "[0].content: expected a string or a list of blocks, found int 5",
        ),
        (
            b'{"messages": [{"role": "user"}, {"role": "bot"}]}',
            "messages[1].role: expected what one of the formats has there, found string 'bot'",
        ),
    ],
    ids=[
        "empty",
        "cut",
        "two",
        "binary",
        "NaN",
        "infinite",
        "deep",
        "null",
        "string",
        "no list",
        "content",
        "role",
    ],
)
def test_unusable_input(
    content: bytes, error: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line on standard error says where and what; nothing on standard output; the exit code is 2."""
    _stdin(monkeypatch, content)

    assert main(["fix", "-", "--model", _CLAUDE]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    # What each format expects there may follow.
    line, _, _ = printed.err.partition("; the formats: ")
    assert line.removesuffix("\n") == f"replayable: -: {error}"
    assert printed.err.count("\n") == 1


def test_a_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The system's own words say why a file can't be read."""
    name = str(tmp_path / "missing.json")

    assert main(["fix", name, "--model", _CLAUDE]) == 2
    assert capsys.readouterr() == ("", f"replayable: {name}: can't be read: No such file or directory\n")


def test_a_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A directory is no file."""
    assert main(["fix", str(tmp_path), "--model", _CLAUDE]) == 2
    assert capsys.readouterr() == ("", f"replayable: {tmp_path}: can't be read: Is a directory\n")


@pytest.mark.parametrize("name", ["nul\0byte", "cut \ud83d", "line\nbreak", "x" * 5000])
def test_odd_file_names(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A name that can't be a file's is an error like others, on one line."""
    assert main(["fix", name, "--model", _CLAUDE]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("replayable: ")
    assert "can't be read: " in printed.err
    assert printed.err.count("\n") == 1


def test_numbers_too_long_for_python(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Python refuses numbers of thousands of digits."""
    _stdin(monkeypatch, b"[" + b"9" * 5000 + b"]")

    assert main(["fix", "-", "--model", _CLAUDE]) == 2
    assert capsys.readouterr().err.startswith("replayable: -: is not JSON: Exceeds the limit")


def test_unprintable_findings(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What an error quotes from the input stays on one printable line."""
    _stdin(monkeypatch, json.dumps([{"role": "a\n\ud83d\x1b"}, {"messages": 1}]).encode())
    assert main(["fix", "-", "--model", _CLAUDE]) == 2
    _stdin(monkeypatch, json.dumps({"a\n\ud83d\x1b": 1, "messages": {"b\nc": 1}}).encode())
    assert main(["fix", "-", "--model", _CLAUDE]) == 2

    lines = capsys.readouterr().err.removesuffix("\n").split("\n")
    assert len(lines) == 2
    assert all(line.isprintable() for line in lines)


def test_no_traceback() -> None:
    """Nor as a process of its own: deep nesting that the reader takes, but the writer may not, included."""
    for depth in (500, 900, 3000, _DEEP):
        nested = b'[{"role":"user","content":[{"type":"x","v":' + b"[" * depth + b"]" * depth + b"}]}]"
        done = _run("fix", "-", "--model", "openai/gpt-4o", stdin=nested)
        assert done.returncode in (0, 2)
        assert b"Traceback" not in done.stderr
        if done.returncode == 0:
            assert json.loads(done.stdout) == json.loads(nested)


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
    done = _run("--version")

    assert (done.returncode, done.stdout.decode().strip(), done.stderr) == (
        0,
        f"replayable {__version__}",
        b"",
    )
