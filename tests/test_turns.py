"""A turn with tools: its calls, its run of tool messages, and which result answers which call."""

from __future__ import annotations

import pytest

from replayable import AssistantMessage, Message, ToolCallPart, ToolMessage, ToolResultPart, UserMessage
from replayable.turns import client_calls, client_results, loop_start, match_results, run_end


def calls(*given: tuple[str | None, str]) -> list[ToolCallPart]:
    """Calls by id and tool name."""
    return [ToolCallPart(tool_call_id=tool_call_id, tool_name=name) for tool_call_id, name in given]


def results(*given: tuple[str | None, str | None]) -> list[ToolResultPart]:
    """Results by id and tool name."""
    return [ToolResultPart(tool_call_id=tool_call_id, tool_name=name) for tool_call_id, name in given]


@pytest.mark.parametrize(
    ("made", "given", "expected"),
    [
        ([], [], []),
        ([("a", "t")], [("a", None)], [0]),
        ([("a", "t"), ("b", "t")], [("b", None), ("a", None)], [1, 0]),
        # a stranger's result
        ([("a", "t")], [("x", None), ("a", None)], [None, 0]),
        # calls that share an id: in order; one result too many is a rival for the last of them
        ([("a", "t"), ("a", "t")], [("a", None), ("a", None)], [0, 1]),
        ([("a", "t"), ("a", "t")], [("a", None), ("a", None), ("a", None)], [0, 1, 1]),
        # without ids: by position
        ([(None, "t"), ("", "t")], [("", None), (None, None)], [0, 1]),
        ([(None, "t")], [(None, None), (None, None)], [0, None]),
        # by the tool's name before position
        ([(None, "t"), (None, "u")], [(None, "u"), (None, "t")], [1, 0]),
        ([(None, "t"), (None, "u")], [(None, None), (None, "t")], [1, 0]),
        ([(None, "t"), (None, "u")], [(None, "x"), (None, "y")], [0, 1]),
        # what an id answers is taken
        ([("a", "t"), ("b", "t")], [(None, None), ("a", None)], [1, 0]),
        ([("a", "t"), (None, "t")], [(None, "t"), ("a", "t")], [1, 0]),
    ],
)
def test_match_results(
    made: list[tuple[str | None, str]],
    given: list[tuple[str | None, str | None]],
    expected: list[int | None],
) -> None:
    """By id first, in order where several share one; without an id by the tool's name, then by position."""
    assert match_results(calls(*made), results(*given)) == expected


def test_what_the_client_answers() -> None:
    """Calls and results of the provider's own server are left out; places count all parts."""
    own, server = calls(("a", "t"))[0], ToolCallPart(tool_call_id="s", tool_name="t", provider_executed=True)
    message = AssistantMessage(parts=["Hi", server, own])
    assert list(client_calls(message)) == [(2, own)]
    assert list(client_calls(AssistantMessage(parts=[server]))) == []
    result = ToolResultPart(tool_call_id="a")
    answer = ToolMessage(parts=[ToolResultPart(tool_call_id="s", provider_executed=True), result])
    assert list(client_results(answer)) == [(1, result)]


def test_run_end() -> None:
    """The run is all tool messages directly after the given one."""
    tool = ToolMessage(parts=results(("a", None)))
    history: list[Message] = [AssistantMessage("Hi"), tool, tool, UserMessage("Hi"), tool]
    assert [run_end(history, index) for index in range(len(history))] == [3, 3, 3, 5, 5]


def test_loop_start() -> None:
    """The user opens a loop; what the user says directly behind results does not."""
    tool, asked, answer = ToolMessage(parts=results(("a", None))), UserMessage("Hi"), AssistantMessage("Hi")
    assert loop_start([asked, asked, answer, tool, asked, asked, answer]) == 2
    assert loop_start([asked, answer, tool, asked, answer, asked]) == 6
    assert loop_start([answer, tool]) == 0
