"""Where nothing can be read or written: full disks, folders and files that forbid it, links, pipes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from replayable.cli import main
from tests.cli.running import CLAUDE, PLAIN, write

_CALL: Final = {"id": "call:1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
_BROKEN: Final = [*PLAIN, {"role": "assistant", "content": None, "tool_calls": [_CALL]}, *PLAIN]
_FULL: Final = Path("/dev/full")
# Root may read and write everything: the command gives that up, once it is loaded, for the user "nobody".
_AS_NOBODY: Final = (
    "import os, sys, replayable.cli.parser; from replayable.cli import main;"
    " os.geteuid() or os.seteuid(65534); sys.exit(main())"
)


def _run_as_nobody(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _AS_NOBODY, *arguments, "--model", CLAUDE],
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
    )


@pytest.fixture
def everybodys_folder() -> Iterator[Path]:
    """A folder that another user may enter, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)
    shutil.rmtree(folder)


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "r.json", "--model", CLAUDE),
        ("check", "r.json", "--model", CLAUDE, "--format", "json"),
        ("check", "r.json", "--model", CLAUDE, "--format", "github"),
        ("fix", "r.json", "--model", CLAUDE),
        ("fix", "r.jsonl", "--model", CLAUDE),
        ("fix", "r.json", "--model", CLAUDE, "--diff"),
        ("show", "r.json"),
        ("explain", "Rate limit reached"),
        ("rules",),
        ("check", "missing.json", "r.json", "--model", CLAUDE),
    ],
    ids=" ".join,
)
def test_a_full_disk(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """One line says that the output can't be written, and no file is blamed for it."""
    write(tmp_path / "r.json", _BROKEN)
    write(tmp_path / "r.jsonl", [_BROKEN] * 1000)
    with open(_FULL, "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "replayable", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            cwd=tmp_path,
            timeout=120,
        )

    told = done.stderr.decode().splitlines()
    assert done.returncode == 74
    assert told[-1] == "replayable: the output can't be written: No space left on device"
    assert not any("No space" in line for line in told[:-1])
    assert not any("Traceback" in line or "Exception" in line for line in told)


@pytest.mark.parametrize("name", ["r.json", "missing.json"])
def test_a_full_disk_for_errors(name: str, tmp_path: Path) -> None:
    """Where even that can't be said, the exit status says it."""
    write(tmp_path / "r.json", _BROKEN)
    with open(_FULL, "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "replayable", "fix", name, "--model", CLAUDE],
            stdout=subprocess.DEVNULL,
            stderr=full,
            check=False,
            cwd=tmp_path,
            timeout=120,
        )
    assert done.returncode == 74


@pytest.mark.parametrize("command", ["check", "fix", "show"])
def test_what_may_not_be_read(command: str, everybodys_folder: Path) -> None:
    """A file, or a folder: named, with the system's own words."""
    secret = everybodys_folder / "secret.json"
    write(secret, PLAIN)
    secret.chmod(0o000)
    closed = everybodys_folder / "closed"
    closed.mkdir()
    closed.chmod(0o311)

    for path in (secret, closed):
        done = _run_as_nobody(command, str(path))
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"replayable: {path}: can't be read: Permission denied\n"


def test_a_folder_that_may_not_be_written(everybodys_folder: Path) -> None:
    """In place nothing is done; otherwise only what would be kept aside can't be, which is said."""
    file = everybodys_folder / "r.jsonl"
    file.write_text(f"{json.dumps(_BROKEN)}\n{{bad\n", encoding="utf-8")
    everybodys_folder.chmod(0o555)

    done = _run_as_nobody("fix", str(file), "--in-place")
    assert done.returncode == 2
    why = f"can't be written: Permission denied (in the folder {everybodys_folder})"
    assert done.stderr == f"replayable: {file}: {why}\n"

    done = _run_as_nobody("fix", str(file))
    assert done.returncode == 2
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr.endswith(f"replayable: {file}: what is no request is not kept aside: it {why}\n")
    assert [path.name for path in everybodys_folder.iterdir()] == ["r.jsonl"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """What it leads to is repaired, and the copy of what stood there lies beside that."""
    (tmp_path / "kept").mkdir()
    file = tmp_path / "kept" / "r.json"
    before = write(file, _BROKEN) and file.read_text("utf-8")
    link = tmp_path / "link.json"
    link.symlink_to(file)

    assert main(["fix", str(link), "--model", CLAUDE, "--in-place"]) == 0
    assert link.is_symlink()
    assert file.read_text("utf-8") != before
    assert (tmp_path / "kept" / "r.json.bak").read_text("utf-8") == before
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["link.json"]


@pytest.mark.parametrize("command", ["check", "fix", "show"])
@pytest.mark.parametrize(("to", "why"), [("gone", "No such file"), ("r.json", "Too many levels")])
def test_a_link_that_leads_nowhere(
    command: str, to: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a folder, as a file that vanishes between the listing and the reading: told of, and the others go on."""
    (tmp_path / "r.json").symlink_to(tmp_path / to)
    write(tmp_path / "s.json", PLAIN)

    in_place = ["--in-place"] if command == "fix" else []
    assert main([command, str(tmp_path), "--model", CLAUDE, *in_place]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith(f"replayable: {tmp_path}/r.json: can't be read: {why}")
    assert printed.err.count("\n") == 1
    assert command == "fix" or printed.out


def test_a_pipe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is read as any file, and never replaced by one."""
    pipe = tmp_path / "r.jsonl"
    os.mkfifo(pipe)
    assert main(["fix", str(pipe), "--model", CLAUDE, "--in-place"]) == 2
    assert "is no regular file" in capsys.readouterr().err
    assert pipe.is_fifo()

    writer = subprocess.Popen(["sh", "-c", f"echo '{json.dumps(PLAIN)}' > {pipe}"])
    assert main(["fix", str(pipe), "--model", CLAUDE]) == 0
    assert json.loads(capsys.readouterr().out) == PLAIN
    writer.wait(60)


def test_closed_streams(tmp_path: Path) -> None:
    """As ``>&-`` and ``<&-`` leave them."""
    file = write(tmp_path / "r.json", _BROKEN)
    command = f"{sys.executable} -m replayable fix {file} --model {CLAUDE}"
    for closing, status in ((">&-", 0), ("2>&-", 0), (">&- 2>&-", 0)):
        done = subprocess.run(["sh", "-c", f"{command} {closing}"], capture_output=True, check=False)
        assert (done.returncode, b"Traceback" in done.stderr) == (status, False)
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m replayable fix - --model {CLAUDE} <&-"],
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"replayable: -: can't be read: standard input is closed\n"


def test_nothing_is_left_over_when_a_draft_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fills up while a file is written anew: the file stays as it was."""

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    file = tmp_path / "r.json"
    write(file, _BROKEN)
    before = file.read_bytes()
    monkeypatch.setattr("os.fsync", full)

    assert main(["fix", str(file), "--model", CLAUDE, "--in-place"]) == 2
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("r.json", before)]
