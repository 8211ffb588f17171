"""Input that is no request: one line says where and what, the exit code is 2, and never a traceback."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Final

import pytest

from replayable.cli import main
from tests.cli.running import CLAUDE, run, write

READERS: Final = ("check", "fix", "show")
"""The commands that read requests."""


def _stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))


_DEEP: Final = 100_000
_EXPECTED: Final = "a request (an object with a list of messages) or a list of messages"


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize(
    ("content", "error"),
    [
        (
            b" \n",
            " is empty: give one request, or one list of messages",
        ),
        (
            b'{"messages": [',
            " is not JSON: Expecting value: line 1 column 15 (char 14); give one request, or one list of messages",
        ),
        (
            b'{"role": "user"}\n{"role": "user"}',
            (
                " is not JSON: Extra data: line 2 column 1 (char 17); give one request, or one list of messages;"
                " for one on each line, say --jsonl"
            ),
        ),
        (
            b'"\xff\xfe\x00binary"',
            " is not text: byte 1 is not UTF-8; save the request as JSON in UTF-8",
        ),
        (
            b'[{"role": "user", "content": NaN}]',
            " is not JSON: it holds NaN, which only Python takes for JSON; give one request, or one list of messages",
        ),
        (
            b'[{"role": "user", "content": "", "x": 1e999}]',
            " holds a number that is too large: 1e999",
        ),
        (b"[" * _DEEP + b"]" * _DEEP, " nests too deep to be a request"),
        (
            b"null",
            f" the input: expected {_EXPECTED}, found null",
        ),
        (
            b'"Hi"',
            f" the input: expected {_EXPECTED}, found string 'Hi'",
        ),
        (
            b'{"x": "\\n",\n"messages": 5}',
            "2: messages: expected what one of the formats has there, found int 5",
        ),
        (
            b'[\n{"role": "user",\r\n"content": 5}]',
            "3: [0].content: expected a string or a list of blocks, found int 5",
        ),
        (
            b'{"messages": [{"role": "user"},\n {"role": "bot"}]}',
            "2: messages[1].role: expected what one of the formats has there, found string 'bot'",
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
    command: str,
    content: bytes,
    error: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One line on standard error says where and what; nothing on standard output; the exit code is 2."""
    _stdin(monkeypatch, content)

    assert main([command, "-", "--model", CLAUDE]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    # What each format expects there may follow.
    line, _, _ = printed.err.partition("; the formats: ")
    assert line.removesuffix("\n") == f"replayable: -:{error}"
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", "is empty: each line holds one request, or one list of messages"),
        (b"\n \r\n", "is empty: each line holds one request, or one list of messages"),
        ("[]\n".encode("utf-16"), "looks like UTF-16: lines are read in UTF-8, convert it first"),
        ("[]\n".encode("utf-32-le"), "looks like UTF-32-LE: lines are read in UTF-8, convert it first"),
    ],
    ids=["empty", "blank", "UTF-16", "UTF-32"],
)
def test_a_file_of_no_lines(
    command: str, content: bytes, error: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is no pass; in encodings whose lines bytes don't show, nothing is read by half."""
    file = write(tmp_path / "r.jsonl", content)

    assert main([command, file, "--model", CLAUDE]) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", f"replayable: {file}: {error}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["r.jsonl"]


@pytest.mark.parametrize("command", READERS)
def test_binary_lines(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each is told of by its number; a good one between them is read."""
    file = write(tmp_path / "r.jsonl", b"\xfe\xfd\n[]\n\x80abc\n")

    assert main([command, file, "--model", CLAUDE]) == 2
    told = capsys.readouterr().err.splitlines()
    for line in (1, 3):
        assert any(entry.startswith(f"replayable: {file}:{line}: is not text: byte 0") for entry in told)


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize(
    ("content", "count"),
    [(b"\xef\xbb\xbf[]\r\n[]\r\n", 2), (b"[]\n\n[]\n\n[]", 3)],
    ids=["BOM and CRLF", "no end"],
)
def test_ends_of_lines(
    command: str, content: bytes, count: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A byte order mark, line ends of Windows, blank lines and a missing last end are no faults."""
    said = content.replace(b"[]", json.dumps([{"role": "user", "content": "Hi"}]).encode())
    file = write(tmp_path / "r.jsonl", said)

    assert main([command, file, "--model", CLAUDE]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert f"in {count} requests" in printed.out or printed.out.count("Hi") == count


def test_a_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The system's own words say why a file can't be read."""
    name = str(tmp_path / "missing.json")

    assert main(["fix", name, "--model", CLAUDE]) == 2
    assert capsys.readouterr() == ("", f"replayable: {name}: can't be read: No such file or directory\n")


def test_a_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A directory without requests is told of."""
    assert main(["fix", str(tmp_path), "--model", CLAUDE]) == 2
    assert capsys.readouterr() == (
        "",
        f"replayable: {tmp_path}: holds no file whose name ends in .json, .jsonl, .ndjson\n",
    )


@pytest.mark.parametrize("name", ["nul\0byte", "cut \ud83d", "line\nbreak", "x" * 5000])
def test_odd_file_names(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A name that can't be a file's is an error like others, on one line."""
    assert main(["fix", name, "--model", CLAUDE]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("replayable: ")
    assert "can't be read: " in printed.err
    assert printed.err.count("\n") == 1


def test_numbers_too_long_for_python(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Python refuses numbers of thousands of digits; its advice to programs is not passed on."""
    _stdin(monkeypatch, b"[" + b"9" * 5000 + b"]")

    assert main(["fix", "-", "--model", CLAUDE]) == 2
    told = capsys.readouterr().err
    assert told.startswith("replayable: -: is not JSON: Exceeds the limit")
    assert "sys." not in told


def test_unprintable_findings(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What an error quotes from the input stays on one printable line."""
    _stdin(monkeypatch, json.dumps([{"role": "a\n\ud83d\x1b"}, {"messages": 1}]).encode())
    assert main(["fix", "-", "--model", CLAUDE]) == 2
    _stdin(monkeypatch, json.dumps({"a\n\ud83d\x1b": 1, "messages": {"b\nc": 1}}).encode())
    assert main(["fix", "-", "--model", CLAUDE]) == 2

    lines = capsys.readouterr().err.removesuffix("\n").split("\n")
    assert len(lines) == 2
    assert all(line.isprintable() for line in lines)


def test_no_traceback() -> None:
    """Nor as a process of its own: deep nesting that the reader takes, but the writer may not, included."""
    for depth in (500, 900, 3000, _DEEP):
        nested = b'[{"role":"user","content":[{"type":"x","v":' + b"[" * depth + b"]" * depth + b"}]}]"
        done = run("fix", "-", "--model", "openai/gpt-4o", stdin=nested)
        assert done.returncode in (0, 2)
        assert b"Traceback" not in done.stderr
        if done.returncode == 0:
            assert json.loads(done.stdout) == json.loads(nested)


@pytest.mark.parametrize("data", [b"", b" \n"])
def test_explain_without_words(data: bytes) -> None:
    """It asks for them."""
    done = run("explain", stdin=data)

    assert done.returncode == 2
    assert done.stderr.startswith(b"replayable: no error text was given")
    assert done.stdout == b""


@pytest.mark.parametrize(
    "data", [b"\x00\xff\xfe\x80" * 1000, b"a" * 30_000_000, b"[" * _DEEP], ids=["binary", "huge", "deep"]
)
def test_explain_what_is_no_error(data: bytes) -> None:
    """It knows nothing of it, and says so; the text is capped before it is searched."""
    done = run("explain", "-", stdin=data)

    assert done.returncode == 1
    assert done.stdout.startswith(b"Nothing is known of this error.")
    assert done.stderr == b""


def test_rules_reads_no_input() -> None:
    """Whatever stands on standard input."""
    done = run("rules", "--provider", "zhipu", stdin=b"\xff\x00")

    assert done.returncode == 0
    assert done.stdout.startswith(b"zhipu\n")
    assert done.stderr == b""
