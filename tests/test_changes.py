"""The record of changes: found by comparing, told in one line, silent about what anybody said."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import pytest

from replayable import (
    AssistantMessage,
    Change,
    FilePart,
    Message,
    OpaquePart,
    Prompt,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolDefinition,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from replayable.change_log import ChangeLog
from replayable.changes import Action, describe
from replayable.edits import replace, with_parts
from replayable.prompt import ProviderTool, ToolChoice

CALL = ToolCallPart(tool_call_id="a", tool_name="t", input={})
RESULT = ToolResultPart(tool_call_id="a", output="ok")
THOUGHT = ReasoningPart(text="Hm.")
HI = TextPart("Hi")
U1, U2, U3 = UserMessage("1", id="u1"), UserMessage("2", id="u2"), UserMessage("3")
ASKS = AssistantMessage(parts=[THOUGHT, HI, CALL], id="s")
TOOL = ToolMessage(parts=[RESULT], id="t")

# action, message id, message index, part index, before, after
Told = tuple[Action, str | None, int | None, int | None, Any, Any]


def told(before: tuple[Message, ...], after: tuple[Message, ...]) -> list[Told]:
    """What the log says of two versions of a history."""
    log = ChangeLog(before)
    log.record(before, after, processor="p", rule="r")
    assert all((change.processor, change.rule) == ("p", "r") for change in log.changes)
    return [(c.action, c.message_id, c.message_index, c.part_index, c.before, c.after) for c in log.changes]


RENAMED_CALL = replace(CALL, tool_call_id="b")
RENAMED = with_parts(ASKS, [THOUGHT, HI, RENAMED_CALL])
WITHOUT_CALL = with_parts(ASKS, [THOUGHT, HI])
WITH_FILE = with_parts(U1, [FilePart(url="u")])
RELABELLED = replace(U1, metadata={"x": 1})
COPY = U1.model_copy()
SYSTEM, SAID = SystemMessage("Be brief."), UserMessage("<system>Be brief.</system>")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ((), (), []),
        ((U1, U2), (U1, U2), []),
        ((U1, U2), (U1,), [("removed", "u2", 1, None, U2, None)]),
        ((U1,), (U1, U2), [("added", "u2", 1, None, None, U2)]),
        ((U1, U2, U3), (U2, U3, U1), [("moved", "u1", 0, None, U1, U1)]),
        ((U1, TOOL, ASKS), (U1, ASKS, TOOL), [("moved", "s", 2, None, ASKS, ASKS)]),
        ((U1, ASKS), (U1, RENAMED), [("changed", "s", 1, 2, CALL, RENAMED_CALL)]),
        ((ASKS, U1), (WITHOUT_CALL, U1), [("removed", "s", 0, 2, CALL, None)]),
        ((U1,), (RELABELLED,), [("changed", "u1", 0, None, U1, RELABELLED)]),
        ((U1,), (COPY,), [("changed", "u1", 0, None, U1, COPY)]),
        # a part that became one of another type is one change
        ((U1,), (WITH_FILE,), [("changed", "u1", 0, 0, U1.parts[0], WITH_FILE.parts[0])]),
        # a message that another role says
        (
            (SYSTEM, U1),
            (SAID, U1),
            [
                ("changed", None, 0, 0, SYSTEM.parts[0], SAID.parts[0]),
                ("changed", None, 0, None, SYSTEM, SAID),
            ],
        ),
        # a result that left its message for a message of its own
        (
            (AssistantMessage(parts=[HI, CALL, RESULT]), U1),
            (AssistantMessage(parts=[HI, CALL]), ToolMessage(parts=[RESULT]), U1),
            [("moved", None, 0, 2, RESULT, RESULT)],
        ),
        # a message that was copied, not moved
        ((U1, U2), (U1, U2, COPY), [("added", "u1", 2, None, None, COPY)]),
        # one object in several places
        ((U1, U2, U1), (U2, U1), [("removed", "u1", 2, None, U1, None)]),
        ((U1, U2), (U1, U1, U2), [("added", "u1", 1, None, None, U1)]),
        ((U1,), (), [("removed", "u1", 0, None, U1, None)]),
    ],
)
def test_differences(before: tuple[Message, ...], after: tuple[Message, ...], expected: list[Told]) -> None:
    """Every difference is told once, with the place in the history that was handed in."""
    assert told(before, after) == expected


def test_places_are_the_callers_across_several_rules() -> None:
    """However many rules ran before, a change names the place that the message had at first."""
    first = (U1, U2, ASKS)
    log = ChangeLog(first)
    second = (U2, ASKS)
    log.record(first, second, processor="p", rule="one")
    third = (U2, RENAMED)
    log.record(second, third, processor="p", rule="two")
    fourth = (RENAMED,)
    log.record(third, fourth, processor="p", rule="three")
    fifth = (WITHOUT_CALL,)
    log.record(fourth, fifth, processor="p", rule="four")
    assert [(c.rule, c.action, c.message_index) for c in log.changes] == [
        ("one", "removed", 0),
        ("two", "changed", 2),
        ("three", "removed", 1),
        ("four", "removed", 2),
    ]


def test_a_message_that_was_added_has_the_place_where_it_stands() -> None:
    """A change of what an earlier rule added names the place among the messages as they are then."""
    added = UserMessage("Added")
    marked, without = replace(added, metadata={"x": 1}), UserMessage("Last")
    log = ChangeLog((U1, U2))
    versions = [(U1, U2), (U1, U2, added), (U2, added), (U2, marked), (U2,), (U2, without)]
    for number, (before, after) in enumerate(pairwise(versions)):
        log.record(before, after, processor="p", rule=str(number))
    assert [str(change) for change in log.changes] == [
        "p/0: added message 2: user message with text of 5 characters",
        "p/1: removed message 0 (id 'u1'): user message with text of 1 characters",
        "p/2: changed added message 1: user message with text of 5 characters: metadata",
        "p/3: removed added message 1: user message with text of 5 characters",
        "p/4: added message 1: user message with text of 4 characters",
    ]


def test_messages_behind_the_history_count_on() -> None:
    """What the caller's history was extended by has places too, also in a log for one prompt alone."""
    log = ChangeLog((U1,))
    log.record((U1,), (), processor="p")
    log.extend((U2,))
    log.extend((U3, ASKS))
    prompt = ChangeLog(outer=log)
    prompt.record((U2, U3, ASKS), (U2, RENAMED), processor="p")
    prompt.record((U2, RENAMED), (U2, WITHOUT_CALL), processor="p")
    assert [(c.action, c.message_index) for c in prompt.changes] == [
        ("removed", 2),
        ("changed", 3),
        ("removed", 3),
    ]
    assert len(log.changes) == 1


def test_a_copy_of_a_log_knows_its_places() -> None:
    """A log that is copied before anybody asked for the changes tells the same ones."""
    log = ChangeLog((U1, U2))
    log.record((U1, U2), (U1, RELABELLED), processor="p")
    log.record((U1, RELABELLED), (U1,), processor="p")
    copied = pickle.loads(pickle.dumps(log))
    assert list(map(str, copied.changes)) == list(map(str, log.changes))


def test_the_same_messages_are_no_version() -> None:
    """Two tuples of the same objects differ in nothing, so nothing is recorded."""
    log = ChangeLog((U1, U2))
    log.record((U1, U2), [U1, U2], processor="p")
    assert len(log) == 0


def test_the_request_around_the_messages() -> None:
    """Tools, tool choice and the rest of the request are told beside the messages."""
    tools = (ToolDefinition(name="t"),)
    before, after = (
        Prompt(messages=(U1,), request={"a": 1}),
        Prompt(messages=(U1,), request={"a": 1}, tools=tools),
    )
    log = ChangeLog(before.messages)
    log.record(before, after, processor="p")
    assert log.changes == [
        Change(processor="p", action="changed", before={"tools": None}, after={"tools": tools})
    ]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            Change(
                processor="p",
                rule="r",
                action="removed",
                message_id="m",
                message_index=3,
                part_index=1,
                before=CALL,
            ),
            "p/r: removed message 3, part 1 (id 'm'): tool call 't' (id 'a')",
        ),
        (
            Change(processor="p", action="changed", before=ToolChoice(type="tool", tool_name="t"), after={}),
            "p: changed: ToolChoice -> ",
        ),
        (
            Change(processor="p", action="added", message_index=0, after=TOOL),
            "p: added message 0: tool message with tool result (id 'a')",
        ),
        (
            Change(
                processor="p",
                action="changed",
                message_index=0,
                part_index=2,
                before=CALL,
                after=RENAMED_CALL,
            ),
            "p: changed message 0, part 2: tool call 't' (id 'a'): tool_call_id 'a' -> 'b'",
        ),
        (
            Change(processor="p", action="changed", message_index=0, before=U1, after=RELABELLED),
            "p: changed message 0: user message with text of 1 characters: metadata",
        ),
        (
            Change(
                processor="p", action="changed", message_index=0, before=U1.parts[0], after=FilePart(url="u")
            ),
            "p: changed message 0: text of 1 characters -> file of unknown type",
        ),
        (
            Change(processor="formats.x", action="removed", before={"top_k": 1, "seed": 2}),
            "formats.x: removed: seed, top_k",
        ),
    ],
)
def test_a_change_is_one_line(change: Change, line: str) -> None:
    """The line names the source, the place, ids, tools and fields."""
    assert str(change) == line


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (TextPart("abc"), "text of 3 characters"),
        (ReasoningPart(text="ab"), "reasoning of 2 characters"),
        (ReasoningPart(signature="x"), "reasoning without text"),
        (FilePart(media_type="image/png"), "file image/png"),
        (FilePart(media_type="a\nb"), r"file 'a\nb'"),
        (OpaquePart(api="anthropic", value={"type": "x"}), "anthropic part 'x'"),
        (OpaquePart(api="a\nb\ud83d", value=1), r"'a\nb\ud83d' part None"),
        (ToolCallPart(tool_call_id="x" * 200, tool_name="t\n"), "tool call 't\\n' (id '" + "x" * 76 + "...)"),
        (UserMessage(), "user message with no parts"),
        (
            ProviderTool(api="anthropic", value={"type": "web_search_20250305"}),
            "anthropic tool 'web_search_20250305'",
        ),
        (ProviderTool(api="gemini", value={"googleSearch": {}}), "gemini tool 'googleSearch'"),
        (ProviderTool(api="x", value=1), "x tool ''"),
        (ToolChoice(type="tool", tool_name="t"), "ToolChoice"),
        ({"a\nb": 1}, r"'a\nb'"),
        (5, "int"),
        (None, "NoneType"),
    ],
)
def test_names_cannot_break_the_line(value: object, expected: str) -> None:
    """What comes from outside is quoted where it would break the line, and cut where it would run on."""
    assert describe(value) == expected


def test_deep_values_can_be_compared_and_told() -> None:
    """Inputs and options that nest deeper than Python compares raise nothing; they count as different."""

    def deep() -> dict[str, Any]:
        value: Any = 1
        for _ in range(100_000):
            value = [value]
        return {"x": value}

    before = AssistantMessage(
        parts=[replace(CALL, input=deep()), replace(CALL, input=deep())], metadata=deep()
    )
    after = AssistantMessage(
        parts=[*before.parts, replace(CALL, input=deep()), replace(CALL, input=deep())], metadata=deep()
    )
    log = ChangeLog((before,))
    log.record((before,), (after,), processor="p")
    assert [str(change) for change in log.changes] == [
        "p: added message 0, part 2: tool call 't' (id 'a')",
        "p: added message 0, part 3: tool call 't' (id 'a')",
        "p: changed message 0: assistant message with tool call 't' (id 'a'), tool call 't' (id 'a'): metadata",
    ]
    change = Change(processor="p", action="changed", before=before.parts[0], after=before.parts[1])
    assert str(change) == "p: changed: tool call 't' (id 'a'): input"
