"""What ``--help`` says."""

from __future__ import annotations

import shlex
from typing import Final

import pytest

from replayable.cli import main
from replayable.cli.parser import make_parser

COMMANDS: Final = ("check", "explain", "fix", "rules", "show")


def _help(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as caught:
        main([*arguments, "--help"])
    assert caught.value.code == 0
    return capsys.readouterr().out


def test_all_commands_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    """With what each does, and the exit statuses of all."""
    told = _help(capsys)
    assert all(f"\n    {command} " in told for command in COMMANDS)
    assert "74 when the output can't be written" in " ".join(told.split())


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("width", ["60", "200"])
def test_examples_are_commands(
    command: str, width: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each stands on a line of its own, whatever the width, and its arguments are taken."""
    monkeypatch.setenv("COLUMNS", width)
    told = _help(capsys, command)
    _, _, below = told.partition("examples:\n\n")
    examples, _, status = below.partition("\n\n")
    assert "Exit status: 0" in " ".join(status.split())
    assert examples.startswith("  ")
    for example in examples.splitlines():
        _, found, rest = f" {example.strip()}".partition(f" replayable {command} ")
        assert found
        words = shlex.split(rest, comments=False)
        end = next((index for index, word in enumerate(words) if word in ("<", ">", "|")), len(words))
        make_parser().parse_args([command, *words[:end]])
