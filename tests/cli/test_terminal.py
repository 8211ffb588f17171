"""The command in a real terminal: colours, widths, what is pasted; and none of it where no person reads."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

import pytest

from tests.cli.running import CLAUDE, PLAIN, run, write

_COLOUR: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_CALL: Final = {"id": "call:1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
_BROKEN: Final = [*PLAIN, {"role": "assistant", "content": None, "tool_calls": [_CALL]}, *PLAIN]
_ORPHAN: Final = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'"
_WITHOUT_RICH: Final = (
    "import sys; sys.modules['rich'] = None; from replayable.cli import main; sys.exit(main())"
)


def _type(
    width: int,
    *arguments: str,
    keys: bytes = b"",
    start: tuple[str, ...] = ("-m", "replayable"),
    environment: Mapping[str, str] = MappingProxyType({}),
) -> tuple[int, str]:
    """Run the command in a terminal of so many columns; the keys are pressed once it says that it reads."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    ours_too = ("NO_COLOR", "FORCE_COLOR", "COLUMNS")
    inherited = {name: value for name, value in os.environ.items() if name not in ours_too}
    process = subprocess.Popen(
        [sys.executable, *start, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        env={**inherited, "TERM": "xterm-256color", **environment},
    )
    os.close(theirs)
    shown = b""
    try:
        while True:
            try:
                chunk = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not chunk:
                break
            shown += chunk
            if keys and b"press Ctrl-D" in shown:
                time.sleep(0.2)  # it says so before it changes the mode
                while keys:
                    keys = keys[os.write(ours, keys[:1000]) :]
        return process.wait(60), shown.decode().replace("\r\n", "\n")
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def _plain(shown: str) -> str:
    return _COLOUR.sub("", shown)


@pytest.mark.parametrize("width", [60, 200])
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("rules", "--provider", "anthropic"), {"anthropic-tool-id-format"}),
        (
            ("explain", _ORPHAN),
            {"cause", "repair"},
        ),
        (("explain", "Rate limit reached"), {"Nothing", "known"}),
        (("fix", "r.json", "--model", CLAUDE, "--diff"), {"anthropic-tool-id-format", "message", "changed"}),
    ],
    ids=["rules", "explain", "explain nothing", "diff"],
)
def test_other_commands_within_the_width(
    arguments: tuple[str, ...], words: set[str], width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So are rules, explanations and differences, which are no tables."""
    write(tmp_path / "r.json", _BROKEN)
    monkeypatch.chdir(tmp_path)
    status, shown = _type(width, *arguments)

    assert status == (1 if "Rate limit reached" in arguments else 0)
    assert "\x1b[" in shown
    # The terminal itself wraps what is to be copied.
    lines = [line for line in _plain(shown).splitlines() if "replayable fix" not in line]
    assert max(map(len, lines)) <= width
    assert words <= set(_plain(shown).split())


@pytest.mark.parametrize("arguments", [("check",), ("fix", "--diff"), ("show",)], ids=" ".join)
def test_no_colours_where_nobody_wants_them(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """``NO_COLOR`` leaves the colours out (bold stays), whatever ``FORCE_COLOR`` says; a dumb terminal gets plain lines."""
    file = write(tmp_path / "r.json", _BROKEN)
    command = (*arguments, file, "--model", CLAUDE)
    assert re.search(r"\x1b\[3\dm", _type(100, *command)[1])
    for environment in ({"NO_COLOR": "1"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}):
        _, shown = _type(100, *command, environment=environment)
        assert not re.search(r"\x1b\[[0-9;]*3\dm", shown)
        assert "\x1b[1m" in shown
    _, shown = _type(100, *command, environment={"TERM": "dumb"})
    assert "\x1b" not in shown
    assert "pip install" not in shown, "it is installed, and would change nothing here"


@pytest.mark.parametrize("width", [60, 200])
@pytest.mark.parametrize("command", ["check", "show"])
def test_colours_within_the_width(command: str, width: int, tmp_path: Path) -> None:
    """Faults are red; no line is wider than the terminal; every word is there."""
    file = write(tmp_path / "r.json", _BROKEN)
    status, shown = _type(width, command, file, "--model", CLAUDE)

    assert status == (1 if command == "check" else 0)
    assert "\x1b[31m" in shown
    # The terminal itself wraps a command that is to be copied.
    lines = [line for line in _plain(shown).splitlines() if not line.startswith("to repair: ")]
    assert max(map(len, lines)) <= width
    assert {"clean-messages:", "call-without-result"} <= set(_plain(shown).split())
    if command == "check":
        assert f"to repair: replayable fix {file} --model {CLAUDE}\n" in _plain(shown)
    assert ("┃" in shown) == (command == "check" and width == 200)


@pytest.mark.parametrize("command", ["check", "show"])
def test_no_colours_when_piped(command: str, tmp_path: Path) -> None:
    """A pipe gets plain lines, whatever the environment says of the terminal."""
    file = write(tmp_path / "r.json", _BROKEN)
    done = run(command, file, "--model", CLAUDE, TERM="xterm-256color", FORCE_COLOR="1")

    assert b"call-without-result" in done.stdout
    assert b"\x1b" not in done.stdout + done.stderr


def test_without_rich_it_says_what_to_install(tmp_path: Path) -> None:
    """The same words without colours."""
    file = write(tmp_path / "r.json", _BROKEN)
    status, shown = _type(200, "check", file, "--model", CLAUDE, start=("-c", _WITHOUT_RICH))

    assert status == 1
    assert "\x1b" not in shown
    assert "call-without-result" in shown
    assert "pip install rich (it is all that the extra replayable[cli] adds)" in shown


def test_what_is_pasted_is_read_whole() -> None:
    """A request on one line, longer than a terminal's own 4,095 bytes."""
    text = json.dumps([{"role": "user", "content": "x" * 20_000}])

    status, shown = _type(80, "check", "-", "--model", CLAUDE, keys=text.encode() + b"\n\x04")

    assert status == 0
    assert "nothing found in 1 request" in shown


def test_escape_codes_of_others_do_nothing(tmp_path: Path) -> None:
    """What a message says reaches no terminal as a command."""
    file = write(tmp_path / "r.json", [{"role": "user", "content": "a\x1b]0;title\x07b\x9b31m"}])

    status, shown = _type(80, "show", file)

    assert status == 0
    assert "a\\x1b]0;title\\x07b\\x9b31m" in _plain(shown)


@pytest.mark.parametrize(
    ("arguments", "end"),
    [
        (("check",), signal.SIGINT),
        (("fix",), signal.SIGINT),
        (("fix", "--diff"), signal.SIGINT),
        (("fix", "--in-place"), signal.SIGINT),
        (("fix", "--in-place"), signal.SIGTERM),
        (("fix", "--in-place"), signal.SIGHUP),
        (("show",), signal.SIGINT),
    ],
)
def test_interrupted_at_work(arguments: tuple[str, ...], end: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C, a cancelled job or a closed connection ends it with one line and the signal's status.

    The file is left as it was, and nothing beside it.
    """
    line = json.dumps(_BROKEN) + "\n"
    file = tmp_path / "r.jsonl"
    file.write_text(line * 100_000, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "replayable", *arguments, str(file), "--model", CLAUDE],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout is not None
    process.stdout.readline()  # it is at work
    process.send_signal(end)
    told, _ = process.communicate(timeout=60)

    assert process.returncode == 128 + end
    assert told.count(b"replayable: interrupted\n") == 1
    assert b"Traceback" not in told
    assert [path.name for path in tmp_path.iterdir()] == ["r.jsonl"]
    assert file.stat().st_size == len(line) * 100_000


@pytest.mark.parametrize("arguments", [("explain",), ("check", "-", "--model", CLAUDE)])
@pytest.mark.parametrize("wait", [0.15, 1.5], ids=["while it loads", "while it reads"])
def test_interrupted_before_any_input(arguments: tuple[str, ...], wait: float) -> None:
    """Ctrl-C while it loads, or waits for what is pasted, ends it in one line."""
    code = "import sys; from replayable.cli import main; print('ready', flush=True); sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)

    assert process.returncode == 130
    assert told == b"replayable: interrupted\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("check",),
        ("check", "--format", "json"),
        ("check", "--format", "github"),
        ("fix", "--diff"),
        ("show",),
    ],
    ids=" ".join,
)
def test_nobody_reads_any_more(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """`| head` ends it without a word."""
    file = write(tmp_path / "r.jsonl", [_BROKEN] * 3000)
    process = subprocess.Popen(
        [sys.executable, "-m", "replayable", *arguments, file, "--model", CLAUDE],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr is not None
    told = process.stderr.read()
    process.stderr.close()

    assert (process.wait(60), told) == (141, b"")


def test_nobody_reads_the_request_any_more(tmp_path: Path) -> None:
    """`fix … | head` tells the changes so far and no more."""
    file = write(tmp_path / "r.jsonl", [_BROKEN] * 3000)
    done = subprocess.run(
        [
            "bash",
            "-c",
            f"{sys.executable} -m replayable fix {file} --model {CLAUDE} | head -n 1; exit ${{PIPESTATUS[0]}}",
        ],
        capture_output=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 141
    assert json.loads(done.stdout)
    assert all(b": clean-messages: " in line or b"/" in line for line in done.stderr.splitlines())


def test_progress_of_long_work(tmp_path: Path) -> None:
    """A bar at a terminal while it works, gone when it is done, with the report whole and above it."""
    said = [{"role": "user", "content": "x" * 2000}]
    file = write(tmp_path / "r.jsonl", [*[said] * 2500, _BROKEN])

    status, shown = _type(100, "check", file, "--model", CLAUDE)

    assert status == 1
    assert re.search(r"━.*\d\.\d/5\.1 MB", _plain(shown))
    # The last thing that it does to its line is to empty it; what came before stands whole.
    assert shown.rindex("━") < shown.rindex("\x1b[2K") < shown.rindex("request")
    assert re.search(r"[\r\n] *where +message 1, part 0 ", _plain(shown))

    done = run("check", file, "--model", CLAUDE, TERM="xterm-256color")
    assert done.returncode == 1
    assert b"\x1b" not in done.stdout + done.stderr
    assert "━".encode() not in done.stdout + done.stderr


def test_no_progress_of_short_work(tmp_path: Path) -> None:
    """What is read at once has no bar."""
    file = write(tmp_path / "r.jsonl", [PLAIN] * 1000)

    status, shown = _type(100, "check", file, "--model", CLAUDE)

    assert status == 0
    assert "━" not in shown
