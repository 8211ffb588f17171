"""Every documented kind of message, item, part and block of each API: to every other format, and back."""

from __future__ import annotations

import json
import pickle
import re
from base64 import b64decode
from collections.abc import Iterator
from typing import Any, Final

import pytest

from replayable.formats import FORMATS, Encoded, detect, format_named
from tests.formats.documented import HISTORIES

_MARK: Final = re.compile(r"@@[A-Za-z0-9]+")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/]{6,}={0,2}")


def _format(name: str) -> str:
    return "openai_chat" if name == "mistral" else name


_EACH: Final = pytest.mark.parametrize("name", HISTORIES)
_EACH_PAIR: Final = pytest.mark.parametrize(
    ("name", "other"), [(name, other) for name in HISTORIES for other in FORMATS if other != _format(name)]
)


def _text(value: Any) -> str:
    """All that a value says: as JSON, of bytes and of base64 what they hold."""
    text = json.dumps(
        value, default=lambda item: item.decode("latin1") if isinstance(item, bytes) else repr(item)
    )
    return text + " ".join(_decoded(found) for found in _BASE64.findall(text))


def _decoded(text: str) -> str:
    try:
        return b64decode(text).decode("latin1")
    except ValueError:
        return ""


def _marks(value: Any) -> set[str]:
    return set(_MARK.findall(_text(value)))


def _paths(value: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each mark, and the names of the fields that it stands in."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _paths(item, (*above, str(key)))
    elif isinstance(value, list):
        for item in value:
            yield from _paths(item, above)
    else:
        yield from ((mark, above) for mark in _marks(value))


@_EACH
def test_it_is_recognised_and_goes_back(name: str) -> None:
    """As the very object; written anew from a copy that remembers no wire, it says the same to the letter."""
    history, codec = HISTORIES[name], format_named(_format(name))
    assert detect(history) == codec.name

    prompt = codec.decode(history)
    anew = codec.encode(pickle.loads(pickle.dumps(prompt)))

    assert codec.encode(prompt).request is history
    assert anew.changes == ()
    assert json.loads(_plain(anew.request)) == json.loads(_plain(history))


def _plain(value: Any) -> str:
    return json.dumps(value, default=lambda item: {"bytes": item.decode("latin1")})


def _left_out(encoded: Encoded) -> set[str]:
    """The names of the fields that the changes list; a file's name has a name of its own in each API."""
    names = {
        field.rpartition(".")[2]
        for change in encoded.changes
        if change.rule == "fields-left-out" and isinstance(change.before, dict)
        for field in change.before
    }
    return names | {"displayName", "name"} if "filename" in names else names


def _lost(given: Any, encoded: Encoded) -> list[tuple[str, tuple[str, ...]]]:
    """The marks that are neither in what was written nor told of, each with the fields that it stood in."""
    kept = _marks([encoded.system, encoded.request])
    kept |= _marks([[repr(change.before), repr(change.after)] for change in encoded.changes])
    fields = _left_out(encoded)
    return [
        (mark, path) for mark, path in _paths(given) if mark not in kept and not fields.intersection(path)
    ]


@_EACH_PAIR
def test_nothing_is_lost_silently(name: str, other: str) -> None:
    """What another format does not say stands in the changes: as the part that left, or as the field that did."""
    source, target = format_named(_format(name)), format_named(other)

    over = target.encode(source.decode(HISTORIES[name]))
    back = source.encode(target.decode(over.request))

    assert _lost(HISTORIES[name], over) == []
    assert _lost(over.request, back) == []


@_EACH_PAIR
def test_each_change_of_a_part_has_its_place(name: str, other: str) -> None:
    """Even where calls got ids that they had not, so that their messages are new ones."""
    prompt = format_named(_format(name)).decode(HISTORIES[name])

    for change in format_named(other).encode(prompt).changes:
        if change.rule in ("not-supported-here", "provider-executed-tool", "foreign-reasoning"):
            assert change.message_index is not None
            assert change.message_index < len(prompt.messages)


@_EACH
def test_what_a_server_ran_has_ids_where_they_are_needed(name: str) -> None:
    """Gemini's code has none; the AI SDK and Mastra know each call by its id."""
    prompt = format_named(_format(name)).decode(HISTORIES[name])
    for other in ("ai_sdk", "mastra"):
        read = format_named(other).decode(format_named(other).encode(prompt).request)
        parts = [part for message in read.messages for part in message.parts]
        calls = [part for part in parts if part.type in ("tool_call", "tool_result")]
        assert calls
        assert all(part.tool_call_id for part in calls)
