"""What every format needs: checked access to wire objects, and the result of encoding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..changes import Change
from ..errors import HistoryFormatError
from ..messages import Part
from ..prompt import Prompt

__all__ = [
    "Encoded",
    "Wire",
    "as_list",
    "as_object",
    "fault",
    "found",
    "optional_text",
    "options_of",
    "rest",
    "text_at",
]

Wire: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """A request in one wire format.

    Args:
        request: A whole request, or a bare list of messages when the prompt came from one.
        changes: What the wire could not express, and what it demanded.
        system: The system prompt that belongs beside a bare list on a wire that keeps it out of the list (Anthropic's
            top-level ``system``); None otherwise.
    """

    request: Any
    changes: tuple[Change, ...] = ()
    system: Any = None


def found(value: Any) -> str:
    """Describe what stands on the wire: the type, and a short scalar's value."""
    if value is None:
        return "null"
    if isinstance(value, bool | int | float):
        return f"{type(value).__name__} {value!r}"[:60]
    if isinstance(value, str):
        return f"string {value!r}" if len(value) <= 40 else f"string of {len(value)} characters"
    if isinstance(value, Mapping):
        return f"object with keys {', '.join(sorted(map(str, value))[:8])}" if value else "empty object"
    if isinstance(value, Sequence):
        return f"list of {len(value)}"
    return type(value).__name__


def fault(path: str, value: Any, expected: str, remedy: str = "") -> HistoryFormatError:
    """Return the error for a value that is not what its place wants."""
    if not remedy and hasattr(value, "model_dump"):
        remedy = "turn SDK objects into plain dicts first: .model_dump(exclude_none=True)"
    return HistoryFormatError(path=path, found=found(value), expected=expected, remedy=remedy)


def as_object(value: Any, path: str, expected: str = "an object") -> Wire:
    """Return a wire object.

    Raises:
        HistoryFormatError: It is something else.
    """
    if isinstance(value, dict):
        return value
    raise fault(path, value, expected)


def as_list(value: Any, path: str, expected: str = "a list") -> list[Any]:
    """Return a wire list.

    Raises:
        HistoryFormatError: It is something else.
    """
    if isinstance(value, list):
        return value
    raise fault(path, value, expected)


def text_at(wire: Wire, key: str) -> str:
    """Return a string that must be there.

    Raises:
        HistoryFormatError: It is missing or something else.
    """
    value = wire.get(key)
    if isinstance(value, str):
        return value
    if key not in wire:
        raise HistoryFormatError(path=key, found="nothing", expected="a string")
    raise fault(key, value, "a string")


def optional_text(wire: Wire, key: str) -> str | None:
    """Return a string, or None where it is missing or null.

    Raises:
        HistoryFormatError: It is something else.
    """
    value = wire.get(key)
    if value is None or isinstance(value, str):
        return value
    raise fault(key, value, "a string")


def rest(wire: Wire, known: frozenset[str]) -> Wire:
    """Return the fields that are not known."""
    return {key: value for key, value in wire.items() if key not in known}


def options_of(node: Part | Any, api: str) -> Wire:
    """Return what one API's wire says beyond the model's fields; an empty dict when nothing."""
    options = node.provider_options
    found_options = options.get(api) if options else None
    return found_options if isinstance(found_options, dict) else {}


def sent(options: Wire) -> Wire:
    """Return the options that are wire fields: replayable's own notes start with ``$``."""
    return {key: value for key, value in options.items() if not key.startswith("$")}


def wire_model(prompt: Prompt) -> str | None:
    """Return the model id that the request must name; None when the request may keep what it has."""
    ref = prompt.model
    if ref is None or ref.model is None:
        return None
    current = (prompt.request or {}).get("model")
    return None if current is not None and current in (ref.model, ref.raw) else ref.model
