"""What every format needs: checked access to wire objects, and the result of encoding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar

from pydantic import BaseModel

from .._node import Node, NodeT, Piece, build, defaults, remember
from ..changes import Change
from ..errors import HistoryFormatError
from ..json_value import json_text
from ..messages import Part, TextPart
from ..prompt import Prompt

__all__ = [
    "LIST",
    "MISSING",
    "Encoded",
    "Wire",
    "as_list",
    "as_object",
    "content_of",
    "fault",
    "found",
    "kind_of",
    "list_of_messages",
    "message_reader",
    "optional_text",
    "options_of",
    "read_each",
    "rest",
    "sdk_object",
    "sent",
    "target_model",
    "text_at",
    "text_of_json",
    "text_part",
    "wire_model",
    "with_extras",
]

Wire: TypeAlias = dict[str, Any]
T = TypeVar("T")

_TEXT: Final = defaults(TextPart)

LIST: Final = (list, tuple)
"""What may stand for a list of JSON: where the SDKs' types say ``Iterable``, a tuple is sent as well."""
MISSING: Final = object()
"""Stands for a field that is not there, where ``None`` would mean that it is null."""


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
    if value is MISSING:
        return "nothing"
    if value is None:
        return "null"
    if isinstance(value, int) and value.bit_length() > 64:
        # Python refuses to write numbers of thousands of digits.
        return "a large int"
    if isinstance(value, bool | int | float):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, str):
        return f"string {value!r}" if len(value) <= 40 else f"string of {len(value)} characters"
    if isinstance(value, Mapping):
        return f"object with keys {', '.join(sorted(map(_key, value))[:8])}" if value else "empty object"
    if isinstance(value, Sequence):
        return f"list of {len(value)}"
    return type(value).__name__


def _key(key: Any) -> str:
    """A key as it is, unless it would break the line or run on."""
    if not isinstance(key, str):
        return found(key)
    return key if key.isprintable() and len(key) <= 40 else found(key)


def fault(path: str, value: Any, expected: str, remedy: str = "") -> HistoryFormatError:
    """Return the error for a value that is not what its place wants."""
    return HistoryFormatError(path=path, found=found(value), expected=expected, remedy=remedy)


def as_object(value: Any, path: str, expected: str = "an object") -> Wire:
    """Return a wire object; of an SDK's object, what that SDK would send.

    Raises:
        HistoryFormatError: It is something else.
    """
    if isinstance(value, dict):
        return value
    wire = sdk_object(value)
    if wire is None:
        raise fault(path, value, expected)
    return wire


def sdk_object(value: Any) -> Wire | None:
    """Return the wire object of an SDK's answer that the caller put into the history as it came; None for anything else.

    The SDKs of OpenAI, Anthropic, Google, Mistral, Cohere and Ollama all answer with pydantic models, and send those back
    by the fields that were set, under the names of the API.
    """
    if not isinstance(value, BaseModel) or isinstance(value, Node):
        return None
    # What OpenAI's and Anthropic's parsed answers have beyond the wire.
    parsed = getattr(value, "__api_exclude__", None)
    try:
        wire = value.model_dump(
            mode="json", by_alias=True, exclude_unset=True, exclude=parsed, warnings=False
        )
    except (ValueError, TypeError, RecursionError):
        return None
    return wire if isinstance(wire, dict) else None


def message_reader(readers: Mapping[str, Callable[[Wire], NodeT]]) -> Callable[[Any], NodeT]:
    """Return what reads a message by its role; of an SDK's object, by the wire object that it is sent as, and then what is
    read remembers the SDK's own.

    Args:
        readers: Role -> what reads the messages of that role. It raises a ``HistoryFormatError`` for any other role.
    """
    expected = f"one of the roles {', '.join(readers)}"

    def read(value: Any) -> NodeT:
        if not isinstance(value, dict):
            wire = as_object(value, "", "a message (an object with role and content)")
            return remember(read(wire), value)
        try:
            read_role = readers[value["role"]]
        except (KeyError, TypeError):
            # A list, say, is no key.
            raise fault("role", value.get("role", MISSING), expected) from None
        return read_role(value)

    return read


def as_list(value: Any, path: str, expected: str = "a list") -> list[Any]:
    """Return a wire list.

    Raises:
        HistoryFormatError: It is something else. What can be walked only once, a generator, is no history to be replayed.
    """
    if isinstance(value, list):
        return value
    if isinstance(value, tuple):
        return list(value)
    raise fault(path, value, expected)


def list_of_messages(request: Any) -> tuple[Wire | None, list[Any], str]:
    """Return a request body (None for a bare list of messages), its messages, and their path.

    Raises:
        HistoryFormatError: It is neither.
    """
    if isinstance(request, LIST):
        return None, as_list(request, ""), ""
    wire = as_object(request, "", "a request (an object with messages) or a list of messages")
    return wire, as_list(wire.get("messages", MISSING), "messages", "a list of messages"), "messages"


def read_each(items: Iterable[Any], path: str, read: Callable[[Any], T]) -> list[T]:
    """Read every item of a list; an error names its place.

    Raises:
        HistoryFormatError: What ``read`` raised.
    """
    values: list[T] = []
    try:
        for item in items:
            values.append(read(item))  # an error leaves what was read before it, which tells its place
    except HistoryFormatError as error:
        raise error.under(f"{path}[{len(values)}]") from None
    return values


def content_of(wire: Wire, read: Callable[[Any], Any], noun: str) -> tuple[tuple[Any, ...], str | None]:
    """Return the parts of a message's ``content``, and its form where that does not follow from them.

    Args:
        wire: The message.
        read: Reads one item of the list.
        noun: What the API calls the items.

    Raises:
        HistoryFormatError: It is not content.
    """
    content = wire.get("content")
    if isinstance(content, str):
        return (text_part(content),), None
    if content is None:
        return (), "null" if "content" in wire else "absent"
    items = as_list(content, "content", f"a string or a list of {noun}s")
    parts = tuple(read_each(items, "content", read))
    plain = len(parts) == 1 and parts[0].type == "text" and parts[0].provider_options is None
    return parts, "list" if plain or not parts else None


def text_part(
    text: str, options: dict[str, Wire] | None = None, wire: object = None, piece: Piece | None = None
) -> TextPart:
    """Return a text part, the commonest of all, without validation; what it remembers as for ``build``."""
    fields = _TEXT.copy()
    fields["text"] = text
    if options is not None:
        fields["provider_options"] = options
    return build(TextPart, fields, wire, piece)


def kind_of(wire: Wire) -> str:
    """Return the ``type`` of a wire object; empty when it has none."""
    kind = wire.get("type")
    return kind if isinstance(kind, str) else ""


def text_at(wire: Wire, key: str) -> str:
    """Return a string that must be there.

    Raises:
        HistoryFormatError: It is missing or something else.
    """
    value = wire.get(key, MISSING)
    if isinstance(value, str):
        return value
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
    if known.issuperset(wire):
        return {}
    return {key: value for key, value in wire.items() if key not in known}


def options_of(node: Part | Any, api: str) -> Wire:
    """Return what one API's wire says beyond the model's fields; an empty dict when nothing."""
    options = node.provider_options
    found_options = options.get(api) if options else None
    return found_options if isinstance(found_options, dict) else {}


def sent(options: Wire) -> Wire:
    """Return the options that are wire fields: replayable's own notes start with ``$``."""
    return {key: value for key, value in options.items() if not str(key).startswith("$")}


def with_extras(wire: Wire, options: Wire) -> Wire:
    """Return a written wire object with the fields that its API's options hold beside; what was written counts."""
    extra = sent(options)
    return {**wire, **extra, **wire} if extra else wire


def text_of_json(value: Any, field: str) -> str:
    """Return JSON text of a value that goes to a wire as text.

    Raises:
        HistoryFormatError: A decoded request is borrowed, not searched: it held something that JSON has no words for.
    """
    try:
        return json_text(value)
    except TypeError as error:
        problem = str(error)
    except ValueError:
        problem = "something that JSON can't hold"
    except RecursionError:
        problem = "a value that nests too deep"
    raise HistoryFormatError(path=field, found=problem, expected="a JSON value")


def target_model(prompt: Prompt) -> str | None:
    """Return the model id that a request for another API names: the bare one, without a gateway's or library's prefix."""
    ref = prompt.model
    return (prompt.request or {}).get("model") if ref is None or ref.model is None else ref.model


def wire_model(prompt: Prompt, field: str = "model") -> str | None:
    """Return the model id that the request must name in a field; None when the request may keep what it has."""
    ref = prompt.model
    if ref is None or ref.model is None:
        return None
    current = (prompt.request or {}).get(field)
    return None if current is not None and current in (ref.model, ref.raw) else ref.model
