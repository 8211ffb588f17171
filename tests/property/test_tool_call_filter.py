"""Properties of the filter on valid and broken histories."""

from __future__ import annotations

from typing import Any
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from replayable import Message, Pipeline, ToolCallFilter, messages_to_json, tool_call_filter
from replayable.edits import replace, with_parts
from replayable.messages import Messages, Part, validate_messages
from tests.property.checker import violations
from tests.property.strategies import broken_histories, paired_histories

filters = st.builds(
    ToolCallFilter,
    st.none() | st.lists(st.sampled_from(["search", "weather", "news"]), max_size=2),
    filter_after_tool_steps=st.none() | st.integers(0, 3),
    preserve_model_output=st.booleans(),
)
histories = paired_histories() | broken_histories()


def filtered(tool_filter: ToolCallFilter, history: Messages) -> Messages:
    """What the filter makes of the history that a run starts with."""
    return Pipeline([tool_filter]).start(history, model="openai/gpt-4o").messages


def _others(messages: Messages) -> list[int]:
    return [
        id(part)
        for message in messages
        for part in message.parts
        if part.type not in ("tool_call", "tool_result")
    ]


def _is_tool(message: Message) -> bool:
    return any(part.type in ("tool_call", "tool_result") for part in message.parts)


@given(filters, histories)
def test_nothing_but_tools_goes(tool_filter: ToolCallFilter, history: Messages) -> None:
    """All other parts stay, as the same objects in the same order; messages without tools stay whole."""
    before = messages_to_json(history)
    kept = filtered(tool_filter, history)
    assert _others(kept) == _others(history)
    untouched = {id(message) for message in kept}
    assert all(id(message) in untouched for message in history if not _is_tool(message))
    assert messages_to_json(history) == before


@given(filters, paired_histories())
def test_turn_by_turn_is_as_by_all_rules(tool_filter: ToolCallFilter, history: Messages) -> None:
    """Where the history is paired each turn is read by itself; what leaves is what leaves by the rules for any history."""
    by_turn = filtered(tool_filter, history)
    with mock.patch.object(
        tool_call_filter, "_uses_by_turn", lambda messages, end: tool_call_filter._all_uses(messages)
    ):
        by_all_rules = filtered(tool_filter, history)
    assert by_turn == by_all_rules
    assert (by_turn is history) == (by_all_rules is history)


@given(filters, paired_histories())
def test_pairs_stay_pairs(tool_filter: ToolCallFilter, history: Messages) -> None:
    """A paired history comes out paired."""
    assert violations(filtered(tool_filter, history)) == []


@given(filters, histories)
def test_idempotent(tool_filter: ToolCallFilter, history: Messages) -> None:
    """Filtering twice is filtering once: the second time nothing changes."""
    once = filtered(tool_filter, history)
    assert filtered(tool_filter, once) == once


@given(histories)
def test_without_exclude_no_tool_is_left(history: Messages) -> None:
    """Every call and every result goes, broken ones too."""
    assert not any(_is_tool(message) for message in filtered(ToolCallFilter(), history))


@given(histories)
def test_sparing_more_steps_than_there_are_changes_nothing(history: Messages) -> None:
    """What no step is older than stays: the same objects."""
    kept = filtered(ToolCallFilter(filter_after_tool_steps=1000), history)
    assert [id(message) for message in kept] == [id(message) for message in history]


@given(st.integers(0, 3), st.none() | st.lists(st.sampled_from(["search", "weather"]), max_size=2), histories)
def test_the_most_recent_steps_are_kept(count: int, exclude: list[str] | None, history: Messages) -> None:
    """What stands from the first call of the Nth last step on stays; before it no call of a filtered tool does."""
    start = _start_of_recent_steps(history, count)
    kept = filtered(ToolCallFilter(exclude, filter_after_tool_steps=count), history)
    calls = [part for message in kept for part in message.parts if part.type == "tool_call"]
    assert [id(part) for part in calls] == [
        id(part)
        for index, message in enumerate(history)
        for part in message.parts
        if part.type == "tool_call"
        and (index >= start or (exclude is not None and part.tool_name not in exclude))
    ]


def _start_of_recent_steps(history: Messages, count: int) -> int:
    """Backwards from the end: a step is a stretch of answers of which some call, with no other role in between."""
    start = len(history)
    for _ in range(count):
        calls = [index for index in range(start) if _calls(history[index])]
        if not calls:
            return 0
        start = calls[-1]
        for index in range(start - 1, -1, -1):
            if history[index].role != "assistant":
                break
            if _calls(history[index]):
                start = index
    return start


def _calls(message: Message) -> bool:
    return any(part.type == "tool_call" for part in message.parts)


@given(histories)
def test_no_raw_input_or_output_survives(history: Messages) -> None:
    """Only compact outputs do, as texts, beside all other parts in their order."""
    marked = validate_messages([_marked(message) for message in history])
    kept = filtered(ToolCallFilter(preserve_model_output=True), marked)
    told = [part for message in kept for part in message.parts if id(part) not in set(_others(marked))]
    assert all(part.type == "text" and part.text.endswith(" result:\ncompact") for part in told)
    assert [part for part in _others(kept) if part in set(_others(marked))] == _others(marked)
    assert "raw of the tool" not in messages_to_json(kept)


def _marked(message: Message) -> Message:
    raw: dict[str, Any] = {"provider_options": {"anthropic": {"x": "raw of the tool"}}}
    parts: list[Part] = []
    for part in message.parts:
        if part.type == "tool_call":
            part = replace(part, input={"x": "raw of the tool"}, raw_input="raw of the tool", **raw)
        elif part.type == "tool_result":
            part = replace(part, output="raw of the tool", content=None, model_output="compact", **raw)
        parts.append(part)
    return with_parts(message, parts)


@given(paired_histories(), st.none() | st.lists(st.sampled_from(["search", "weather"]), max_size=2))
def test_preserved_texts_leave_pairs_paired(history: Messages, exclude: list[str] | None) -> None:
    """No text comes between calls and their results."""
    marked = validate_messages([_marked(message) for message in history])
    assert violations(filtered(ToolCallFilter(exclude, preserve_model_output=True), marked)) == []
