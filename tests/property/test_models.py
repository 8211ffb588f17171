"""The message models: what goes out comes back, and copies remember no wire."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

from hypothesis import given

from replayable import Message, TextPart, messages_from_json, messages_to_json, validate_messages
from replayable._node import Node, build, piece_of, wire_of
from replayable.facts import facts_of, ids_of
from replayable.messages import Messages

from .strategies import histories, json_values


@given(histories())
def test_json_round_trip(history: Messages) -> None:
    """JSON text and back is the same history; the text of it is the same text."""
    text = messages_to_json(history)
    back = messages_from_json(text)
    assert messages_to_json(back) == text
    assert [type(message) for message in back] == [type(message) for message in history]
    assert [message.created_at for message in back] == [message.created_at for message in history]


@given(histories())
def test_copies_are_equal(history: Messages) -> None:
    """Pickle, copy, deepcopy and model_copy give the same history, with the same facts."""
    for other in (
        pickle.loads(pickle.dumps(history)),
        copy.deepcopy(history),
        tuple(copy.copy(message) for message in history),
        tuple(message.model_copy() for message in history),
    ):
        assert messages_to_json(other) == messages_to_json(history)
        assert [(facts_of(message), ids_of(message)) for message in other] == [
            (facts_of(message), ids_of(message)) for message in history
        ]


@given(histories())
def test_plain_dicts_validate(history: Messages) -> None:
    """The history as plain dicts validates to the same history; models keep their identity, among dicts too."""
    plain = json.loads(messages_to_json(history))
    assert messages_to_json(validate_messages(plain)) == messages_to_json(history)
    mixed = [
        message if index % 2 else given_dict
        for index, (message, given_dict) in enumerate(zip(history, plain, strict=True))
    ]
    validated = validate_messages(mixed)
    assert all(validated[index] is history[index] for index in range(1, len(history), 2))
    assert messages_to_json(validated) == messages_to_json(history)


@given(histories())
def test_copies_forget_the_wire(history: Messages) -> None:
    """No copy remembers the wire object that its original was read from."""
    piece = piece_of("anthropic")
    for message in history:
        wire: dict[str, Any] = {"role": "anything"}
        read = build(type(message), dict(message.__dict__), wire, piece)
        assert wire_of(read) == (wire, piece)
        for other in _copies(read):
            assert wire_of(other) == (None, None)
            assert messages_to_json([other]) == messages_to_json([message])


def _copies(message: Message) -> list[Message]:
    return [
        copy.copy(message),
        copy.deepcopy(message),
        message.model_copy(),
        message.model_copy(update={"id": message.id}),
        pickle.loads(pickle.dumps(message)),
    ]


@given(json_values())
def test_json_values_are_kept_as_they_are(value: Any) -> None:
    """Metadata and options take any JSON value, and give back the same text."""
    part = TextPart("a", provider_options={"anthropic": {"x": value}})
    assert isinstance(part, Node)
    assert json.dumps(part.provider_options) == json.dumps({"anthropic": {"x": value}})
