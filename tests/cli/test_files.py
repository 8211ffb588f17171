"""Files of lines, directories, and repairs in place."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from replayable import fix
from replayable.cli import main
from replayable.cli.reports import JSON_FIELDS
from tests.cli.running import CLAUDE, PLAIN, write

_CALL: Final = {"id": "call:1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
_BROKEN: Final = [*PLAIN, {"role": "assistant", "content": None, "tool_calls": [_CALL]}, *PLAIN]


def _lines(path: Path) -> list[object]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_lines_in_and_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each line is repaired; a bad one is told of by its number and kept aside; a good one stays as it was."""
    good = '{"messages":  [{"role": "user", "content": "Hi"}]}'
    file = tmp_path / "r.jsonl"
    file.write_bytes(f"{good}\n{{bad\n\n{json.dumps(_BROKEN)}".encode())

    assert main(["fix", str(file), "--model", CLAUDE, "--from", "openai_chat", "--to", "anthropic"]) == 2
    printed = capsys.readouterr()
    first, second = printed.out.splitlines()
    assert json.loads(first)["messages"] == PLAIN
    assert json.loads(second) == fix(_BROKEN, model=CLAUDE).request
    assert (
        f"{file}:2: is not JSON: Expecting property name enclosed in double quotes, column 2" in printed.err
    )
    assert (tmp_path / "r.jsonl.rejected").read_bytes() == b"{bad\n"


def test_in_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was good stays byte for byte, what stood there is kept, and a second time there is nothing to do."""
    good = json.dumps(PLAIN, separators=(", ", ":"))
    file = tmp_path / "r.jsonl"
    before = f"{good}\n{{bad\n{json.dumps(_BROKEN)}\n"
    file.write_text(before, encoding="utf-8")

    assert main(["fix", str(tmp_path), "--model", CLAUDE, "--in-place"]) == 2
    assert file.read_text("utf-8").splitlines()[0] == good
    assert _lines(file)[1:] == [fix(_BROKEN, model=CLAUDE).request]
    assert (tmp_path / "r.jsonl.bak").read_text("utf-8") == before
    assert (tmp_path / "r.jsonl.rejected").read_text("utf-8") == "{bad\n"
    assert f"repaired; what stood there is in {file}.bak" in capsys.readouterr().err

    written = file.stat()
    assert main(["fix", str(file), "--model", CLAUDE, "--in-place"]) == 0
    assert file.stat() == written
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.jsonl", "r.jsonl.bak", "r.jsonl.rejected"]


def test_a_bad_file_stays(tmp_path: Path) -> None:
    """Nothing is written into a file that is no request, nor beside it."""
    file = write(tmp_path / "r.json", b"\x00\xff")

    assert main(["fix", file, "--model", CLAUDE, "--in-place"]) == 2
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("r.json", b"\x00\xff")]


def test_diff(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each change before and after, in place of the request."""
    assert main(["fix", write(tmp_path / "r.json", _BROKEN), "--model", CLAUDE, "--diff"]) == 0
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert '    -   "tool_call_id": "call:1",' in lines
    assert '    +   "tool_call_id": "call_1_' in printed.out
    # What stands in a heading is not said again below it.
    assert [line for line in lines[1:] if not line.startswith("    ")] == [
        "message 1",
        "  changed part 0 by anthropic-tool-id-format",
        "added message 2",
        "  added by clean-messages",
        "  changed part 0 by anthropic-tool-id-format",
    ]
    assert printed.err == ""
    assert "$" not in printed.out


def test_lines_of_findings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A finding names the line on which its part begins, odd keys and strings before it notwithstanding."""
    request = {"x.y": ['"]\n', {"[": 1}], "messages": _BROKEN}
    file = write(tmp_path / "r.json", json.dumps(request, indent=1).encode("utf-16"))
    lines = json.dumps(request, indent=1).splitlines()

    assert main(["check", file, "--model", CLAUDE, "--format", "json", "--from", "openai_chat"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert {item["path"] for item in told} == {"messages[1].tool_calls[0]"}
    assert {lines[item["line"]].strip() for item in told} == {'"id": "call:1",'}


def test_annotations(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """GitHub gets a command for each finding and for what can't be read, its properties escaped."""
    file = write(tmp_path / "a,b:100%.jsonl", [_BROKEN, 5])

    assert main(["check", file, "--model", CLAUDE, "--format", "github"]) == 2
    *annotations, _ = capsys.readouterr().out.splitlines()
    name = f"{tmp_path}/a%2Cb%3A100%25.jsonl"
    assert {line.partition(",title=")[0] for line in annotations} == {
        f"::error file={name},line=1",
        f"::error file={name},line=2",
    }
    assert any("title=not a request::the input: expected" in line for line in annotations)


def test_several_requests_share_no_standard_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two files need `--in-place`."""
    file = write(tmp_path / "r.json", PLAIN)

    assert main(["fix", file, file, "--model", CLAUDE]) == 2
    assert "say --in-place" in capsys.readouterr().err


_LIMITED: Final = """
import resource, sys
from replayable.cli import main
resource.setrlimit(resource.RLIMIT_DATA, (int(sys.argv.pop(1)),) * 2)
sys.exit(main())
"""
# One such request alone needs 24 million bytes, Python and pydantic included.
_LIMIT: Final = 40_000_000


@pytest.mark.parametrize(
    "arguments",
    [
        ("check",),
        ("check", "--format", "json"),
        ("check", "--format", "github"),
        ("fix",),
        ("fix", "--in-place"),
        ("fix", "--diff"),
        ("show",),
    ],
    ids=" ".join,
)
def test_a_long_file_in_flat_memory(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """A file of lines with faults goes through half the memory that it has bytes, half of which Python takes."""
    turns = [{"role": "user", "content": "x" * 50_000}, _BROKEN[1]]
    line = json.dumps(turns * 8) + "\n"
    file = tmp_path / "r.jsonl"
    with open(file, "w", encoding="utf-8") as stream:
        for _ in range(200):
            stream.write(line)
        stream.write("{bad\n")
    assert file.stat().st_size > 2 * _LIMIT

    done = subprocess.run(
        [sys.executable, "-c", _LIMITED, str(_LIMIT), *arguments, str(file), "--model", CLAUDE],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
        timeout=300,
    )

    assert done.returncode == 2
    assert b"memory" not in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["check", "fix", "show"])
def test_a_request_that_memory_can_not_hold(command: str, tmp_path: Path) -> None:
    """It is told of in words."""
    file = write(tmp_path / "r.json", [{"role": "user", "content": "x" * 2 * _LIMIT}])
    done = subprocess.run(
        [sys.executable, "-c", _LIMITED, str(_LIMIT), command, file, "--model", CLAUDE],
        capture_output=True,
        check=False,
        timeout=300,
    )

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == f"replayable: {file}: too large for this machine's memory\n"


_TYPES: Final = {"string": str, "integer": int, "integer or null": int | None}


def test_the_fields_of_a_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON has the fields that the reference names, of the types that it names; none found is an empty list."""
    requests = [_BROKEN, [*_BROKEN, {"role": "tool", "tool_call_id": "gone", "content": "x"}]]
    file = write(tmp_path / "r.jsonl", requests)

    assert main(["check", file, "--model", CLAUDE, "--format", "json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert {item["line"] for item in told} == {1, 2}
    for item in told:
        assert list(item) == list(JSON_FIELDS)
        for name, (kind, _) in JSON_FIELDS.items():
            assert isinstance(item[name], _TYPES[kind]), name

    assert main(["check", write(tmp_path / "s.json", PLAIN), "--model", CLAUDE, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
