"""Properties of the filter on valid and broken histories."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from replayable import Message, Pipeline, ToolCallFilter, messages_to_json
from replayable.messages import Messages
from tests.property.checker import violations
from tests.property.strategies import broken_histories, paired_histories

filters = st.builds(
    ToolCallFilter,
    st.none() | st.lists(st.sampled_from(["search", "weather", "news"]), max_size=2),
    filter_after_tool_steps=st.none() | st.integers(0, 3),
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
