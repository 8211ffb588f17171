"""What every subcommand does with a good request and a bad one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from replayable import check
from replayable.checking import prompt_for
from replayable.cli import main
from tests.cli.running import CLAUDE, HISTORIES, PLAIN, write

_CALL: Final = {"id": "call:1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
BROKEN: Final = {"messages": [*PLAIN, {"role": "assistant", "content": None, "tool_calls": [_CALL]}, *PLAIN]}


def test_check_tells_what_check_finds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each finding with its rule, its place, the provider's words and the repair; the exit code is 1."""
    file = write(tmp_path / "request.json", BROKEN)

    assert main(["check", file, "--model", CLAUDE, "--format", "json"]) == 1
    told = json.loads(capsys.readouterr().out)

    expected = check(BROKEN, model=CLAUDE)
    assert [(item["rule"], item["message"], item["part"], item["says"], item["repair"]) for item in told] == [
        (
            finding.rule,
            finding.message_index,
            finding.part_index,
            finding.evidence[0].text,
            finding.summary,
        )
        for finding in expected
    ]
    assert {item["path"] for item in told} == {"messages[1].tool_calls[0]"}


@pytest.mark.parametrize("path", sorted(HISTORIES.glob("good-*.json")), ids=lambda path: path.stem)
def test_show_tells_all_that_was_said(path: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A conversation in any format is shown, every text of it."""
    history = json.loads(path.read_text("utf-8"))
    request = history["request"]

    assert main(["show", write(tmp_path / "request.json", request), "--full"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    texts = [
        part.text
        for message in prompt_for(request, model="openai/gpt-5").messages
        for part in message.parts
        if part.type in ("text", "reasoning")
    ]
    assert texts
    for line in "\n".join(texts).splitlines():
        assert line in printed.out


def test_explain(capsys: pytest.CaptureFixture[str]) -> None:
    """The cause, the words and the repair of an error that is known."""
    error = "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message."

    assert main(["explain", error, "--model", CLAUDE]) == 0
    assert "clean-messages" in capsys.readouterr().out


def test_explain_what_nobody_knows(capsys: pytest.CaptureFixture[str]) -> None:
    """It says so."""
    assert main(["explain", "The moon is too bright."]) == 1
    assert capsys.readouterr().out.startswith("Nothing is known of this error.")


def test_rules(capsys: pytest.CaptureFixture[str]) -> None:
    """The rules of one provider, or an error that names those that there are."""
    assert main(["rules", "--provider", "anthropic"]) == 0
    assert "anthropic-tool-id-format" in capsys.readouterr().out

    assert main(["rules", "--provider", "anthropc"]) == 2
    assert "there are: anthropic, " in capsys.readouterr().err
