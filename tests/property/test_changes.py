"""The record of changes accounts for every difference, and tells nothing that anybody said."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from replayable import Message, ModelRef, Pipeline, clean_messages
from replayable.change_log import ChangeLog
from replayable.changes import Change
from replayable.messages import Messages

from .strategies import MODELS, broken_histories, histories


def recorded(before: Sequence[Message], after: Sequence[Message]) -> list[Change]:
    """The changes from one history to another."""
    log = ChangeLog(before)
    log.record(before, after, processor="test")
    return log.changes


def unaccounted(before: Sequence[Message], after: Sequence[Message], changes: Sequence[Change]) -> list[str]:
    """The messages that one history lacks of the other, and that no change speaks of."""
    kept = {id(message) for message in after}
    given_ones = {id(message) for message in before}
    told_before = {change.message_index for change in changes if change.action != "added"} | {
        change.message_index for change in changes if change.part_index is not None
    }
    told_after = {id(change.after) for change in changes}
    problems = [
        f"message {index} is gone"
        for index, message in enumerate(before)
        if id(message) not in kept and index not in told_before
    ]
    owner = {id(part): index for index, message in enumerate(before) for part in message.parts}
    for index, message in enumerate(after):
        told = (
            id(message) in given_ones
            or id(message) in told_after
            or any(id(part) in told_after for part in message.parts)
            or any(owner.get(id(part)) in told_before for part in message.parts)
            or not message.parts
        )
        if not told:
            problems.append(f"message {index} is new")
    return problems


@given(broken_histories(), st.sampled_from(("drop", "placeholder")))
def test_repairs_are_accounted_for(history: Messages, mode: str) -> None:
    """Nothing is recorded exactly when nothing changed; every message that changed is told of."""
    history = _own_objects(history)
    after = clean_messages(history, missing_results="drop" if mode == "drop" else "placeholder")
    changes = recorded(history, after)
    assert (changes == []) == (after is history)
    assert unaccounted(history, after, changes) == []


@given(broken_histories(), st.sampled_from(MODELS))
def test_the_whole_pipeline_is_accounted_for(history: Messages, model: object) -> None:
    """Across all processors and rules, every message that left is told of by its place in the history given."""
    history = _own_objects(history)
    prepared = Pipeline.default().prepare(history, model=ModelRef.of(model))
    kept = {id(message) for message in prepared.prompt.messages}
    told = {change.message_index for change in prepared.changes if change.action != "added"} | {
        change.message_index for change in prepared.changes if change.part_index is not None
    }
    assert [
        index for index, message in enumerate(history) if id(message) not in kept and index not in told
    ] == []


@given(histories(), st.data())
def test_any_edit_is_recorded(history: Messages, data: st.DataObject) -> None:
    """Whatever a rule does with the messages, something is recorded exactly when something differs."""
    pool: list[Message] = [*history, *(message.model_copy() for message in history)]
    after = data.draw(st.lists(st.sampled_from(pool), max_size=6)) if pool else []
    changes = recorded(history, after)
    same = len(after) == len(history) and all(new is old for new, old in zip(after, history, strict=True))
    assert (changes == []) == same


@given(broken_histories(), st.sampled_from(MODELS))
def test_a_change_is_one_line_without_what_was_said(history: Messages, model: object) -> None:
    """``str(change)`` is one printable line; texts, inputs and outputs do not stand in it."""
    secret = tuple(_with_secrets(message) for message in history)
    for change in Pipeline.default().prepare(secret, model=model).changes:
        line = str(change)
        assert line.isprintable()
        assert "SECRET" not in line


def _own_objects(history: Messages) -> Messages:
    """The same messages, each an object of its own: so each has one place."""
    return tuple(
        message.model_copy(update={"parts": tuple(part.model_copy() for part in message.parts)})
        for message in history
    )


def _with_secrets(message: Message) -> Message:
    secret: dict[str, dict[str, object]] = {
        "text": {"text": "SECRET"},
        "reasoning": {"text": "SECRET", "signature": "SECRET"},
        "file": {"data": "SECRET", "url": "SECRET", "filename": "SECRET"},
        "tool_call": {"input": {"SECRET": "SECRET"}, "raw_input": None},
        "tool_result": {"output": "SECRET", "content": None},
        "opaque": {"value": {"type": "x", "SECRET": "SECRET"}},
    }
    parts = tuple(part.model_copy(update=secret[part.type]) for part in message.parts)
    return message.model_copy(update={"parts": parts, "metadata": {"SECRET": "SECRET"}})
