"""Marks in the texts of a history, by which a checker sees what became of each, without knowing any format."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Iterable, Iterator
from typing import Any, Final

from replayable import Change

__all__ = ["lost", "plain"]

_MARK: Final = re.compile(r"@@[A-Za-z0-9]+|mark_\d+_")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/]{6,}={0,2}")
# Our name of a field -> what the wires call it.
_NAMES: Final = {"filename": {"displayName", "name"}, "encrypted": {"encrypted_content", "data"}}


def plain(value: Any) -> str:
    """JSON text of a request, with bytes marked as such."""
    return json.dumps(value, default=lambda item: {"bytes": item.decode("latin1")})


def lost(given: Any, request: Any, changes: Iterable[Change]) -> list[tuple[str, tuple[str, ...]]]:
    """The marks that are neither in what was written nor told of in the changes, each with the fields that it stood in."""
    changes = tuple(changes)
    kept = _marks([request, [[repr(change.before), repr(change.after)] for change in changes]])
    fields = _left_out(changes)
    return [
        (mark, path) for mark, path in _paths(given) if mark not in kept and not fields.intersection(path)
    ]


def _left_out(changes: Iterable[Change]) -> set[str]:
    """The names of the fields that the changes list."""
    names = {
        field.rpartition(".")[2]
        for change in changes
        if change.rule == "fields-left-out" and isinstance(change.before, dict)
        for field in change.before
    }
    return names.union(*(_NAMES.get(name, ()) for name in names))


def _marks(value: Any) -> set[str]:
    """The marks in all that a value says: as JSON, and of bytes and base64 in what they hold."""
    text = json.dumps(
        value, default=lambda item: item.decode("latin1") if isinstance(item, bytes) else repr(item)
    )
    return set(_MARK.findall(text + " ".join(_decoded(found) for found in _BASE64.findall(text))))


def _decoded(text: str) -> str:
    try:
        return b64decode(text).decode("latin1")
    except ValueError:
        return ""


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
