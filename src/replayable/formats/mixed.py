"""Histories that somebody put together: in one list stand messages of several APIs, or in one message parts of several.

Whoever switches the API and keeps one list has Claude's ``tool_use`` among OpenAI's ``tool_calls``. The list's own reader
reads what it knows; what only another API has is read by that one's reader, so that no call loses its result. Written for
a model, all of it takes the form of the one API; for nobody, the list goes back as it came.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, partial, wraps
from itertools import chain, groupby
from typing import Any, Final

from .._node import build, fields_of, make, replace, wire_of
from ..errors import HistoryFormatError
from ..facts import OPAQUE, WIRE_FIELDS, facts_of
from ..messages import (
    ContentPart,
    Message,
    Messages,
    OpaquePart,
    Part,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
)
from ..prompt import Adopted, Prompt, facts_of_prompt, remember_list
from .format import Decode, Format
from .wire import LIST, Wire, as_list, kind_of, options_of, sdk_object

__all__ = ["reads_other_apis"]

# Fields of a message that hold calls, on the wires that have them.
_CALLS: Final = ("tool_calls", "function_call")
_HELD: Final = frozenset({*_CALLS, "content", "parts"})
"""What holds all that a message says, on one wire or another."""
# APIs whose parts are told by their type or their only field, and what holds them.
_HOLDERS: Final = {
    "openai_chat": "content",
    "openai_responses": "content",
    "anthropic": "content",
    "gemini": "parts",
    "bedrock": "content",
    "ai_sdk": "content",
}
_place: Final = re.compile(r"\[(\d+)\]").search


def reads_other_apis(api: str) -> Callable[[Decode], Decode]:
    """Make the decoder of an API read what in a list is of another API by that one's decoder."""

    def decorate(decode: Decode) -> Decode:
        @wraps(decode)
        def decode_all(request: Any, *, provider: str | None = None, model: str | None = None) -> Prompt:
            own = partial(decode, provider=provider, model=model)
            try:
                prompt = own(request)
            except HistoryFormatError:
                wire, wires, field = _list_in(request, api)
                homes = [_home(message, api) for message in wires]
                if all(home == api for home in homes):
                    raise
            else:
                # On a history of one API this is all that is asked.
                if not facts_of_prompt(prompt) & (OPAQUE | WIRE_FIELDS):
                    return prompt
                wire, wires, field = _list_in(request, api)
                if not (wires and _holds_others(prompt.messages, wires, api)):
                    return prompt
                homes = [_home(message, api) for message in wires]
            outside = own([] if wire is None else {**wire, field: []})
            messages, adopted, are_held = _read_each(wires, field, homes, api, own)
            fields = {**fields_of(outside), "messages": (*outside.messages, *messages)}
            fields["server_state"] = outside.server_state or are_held
            return remember_list(build(Prompt, fields, request, wire_of(outside)[1]), wires, adopted)

        return decode_all

    return decorate


def _list_in(request: Any, api: str) -> tuple[Wire | None, list[Any], str]:
    """A request (None for a bare list), the list of messages in it, and its field; an empty list where there is none."""
    if isinstance(request, LIST):
        return None, as_list(request, ""), ""
    wire = request if isinstance(request, dict) else sdk_object(request) or {}
    field = _formats()[api].marks.turns[0]
    wires = wire.get(field)
    return wire, as_list(wires, field) if isinstance(wires, LIST) else [], field


def _read_each(
    wires: list[Any], path: str, homes: list[str], api: str, own: Callable[[Any], Prompt]
) -> tuple[Messages, tuple[Adopted, ...], bool | None]:
    """Read a list of messages of several APIs.

    Args:
        wires: The list.
        path: Where it stands.
        homes: The API of each message.
        api: The API whose list it is.
        own: That API's decoder.

    Returns:
        The messages; which of them another decoder read, or a part of them; whether the server holds more.
    """
    messages: list[Message] = []
    adopted: list[Adopted] = []
    are_held: bool | None = None
    for home, group in groupby(range(len(wires)), homes.__getitem__):
        places = list(group)
        stretch = wires[places[0] : places[-1] + 1]
        try:
            read = (own if home == api else _formats()[home].decode)(stretch)
        except HistoryFormatError as error:
            raise _moved(error, path, places[0]) from None
        are_held = are_held or read.server_state
        for message in read.messages:
            understood = list(_understood(message, home))
            before = message if home == api else wire_of(message)[0]
            if home != api or understood != [message]:
                adopted.append(Adopted(before, understood[0]))
            messages += understood
    return tuple(messages), tuple(adopted), are_held


def _moved(error: HistoryFormatError, path: str, start: int) -> HistoryFormatError:
    """The error of a stretch of the list, with its place in the whole."""
    place = _place(error.path)
    if place is None:
        return error
    return HistoryFormatError(
        path=f"{path}[{start + int(place[1])}]{error.path[place.end() :]}",
        found=error.found,
        expected=error.expected,
        remedy=error.remedy,
    )


def _formats() -> dict[str, Format]:
    # Not above: the registry imports every reader, and each of them this.
    from .registry import FORMATS

    return FORMATS


def _home(wire: Any, api: str) -> str:
    """The API that has messages of this role and shape: the list's own if it does, or if none does."""
    from .detect import Seen

    message = wire if isinstance(wire, dict) else sdk_object(wire)
    if message is None or not isinstance(message.get("role", ""), str):
        return api
    seen = Seen([message], "")
    # Calls beside content go with it; a message of nothing else is of the API that has such calls.
    calls = {field for field in _CALLS if message.get(field)} if not message.get("content") else set()
    formats = _formats()
    return next(
        (
            name
            for name in (api, *formats)
            if calls <= formats[name].marks.fields and seen.fits(formats[name])
        ),
        api,
    )


# --- parts --------------------------------------------------------------------------------------------------------


def _holds_others(messages: Messages, wires: list[Any], api: str) -> bool:
    """Whether a reader left something that another one may know."""
    facts = OPAQUE | (WIRE_FIELDS if _may_have_fields(wires, _left_beside(api)) else 0)
    return any(_is_left(message, api) for message in messages if facts_of(message) & facts)


def _may_have_fields(wires: list[Any], fields: frozenset[str]) -> bool:
    try:
        return not fields.isdisjoint(chain.from_iterable(map(dict.keys, wires)))
    except TypeError:
        # An SDK's object is among them.
        return True


@cache
def _left_beside(api: str) -> frozenset[str]:
    """The fields that hold what a message says on some wire, but not on this one."""
    marks = _formats()[api].marks
    own = {shape.partition(":")[0] for shape in marks.shapes}
    return _HELD - own - marks.fields


def _is_left(message: Message, api: str) -> bool:
    facts = facts_of(message)
    if facts & WIRE_FIELDS and any(options_of(message, api).get(field) for field in _HELD):
        return True
    return bool(facts & OPAQUE) and any(
        _home_of_part(item, api) for part in message.parts for item in (part, *_content(part))
    )


def _content(part: Part) -> tuple[ContentPart, ...]:
    return part.content or () if part.type == "tool_result" else ()


def _home_of_part(part: Part, api: str) -> str | None:
    """The other API that has such parts, of one that the list's own API does not know."""
    value = part.value if part.type == "opaque" and part.api == api else None
    if not isinstance(value, dict):
        return None
    formats = _formats()
    if _is_marked(value, formats[api]):
        return None
    return next((name for name in _HOLDERS if _is_marked(value, formats[name])), None)


def _is_marked(item: Wire, known: Format) -> bool:
    """Whether a part of some content is one by which a format is recognised."""
    kind, marks = kind_of(item), known.marks
    if kind and kind in marks.types:
        return True
    if not kind and not marks.keys.isdisjoint(item):
        return True
    return marks.more is not None and any(marks.more({"content": [item]}))


def _understood(message: Message, api: str) -> Iterator[Message]:
    """The messages that a message is when other readers have read what its own one left; itself when that is nothing."""
    if not _is_left(message, api):
        yield message
        return
    options = options_of(message, api)
    parts = [new for part in message.parts for new in _read_part(part, message, api)]
    taken = [field for field in _CALLS if message.role == "assistant" and options.get(field)]
    for field in taken:
        parts += _read({"role": "assistant", field: options[field]}, "openai_chat")
    if [*message.parts] == parts:
        yield message
        return
    rest = {key: value for key, value in options.items() if key not in taken}
    others = {name: value for name, value in (message.provider_options or {}).items() if name != api}
    left = ({api: rest} if rest else {}) | others or None
    if message.role == "assistant":
        made_on = next((part_api for part in parts if (part_api := _sealed_by(part, api))), message.api)
        yield replace(message, parts=tuple(parts), provider_options=left, api=made_on)
        return
    # Results stand in messages of their own.
    for is_result, stretch in groupby(parts, lambda part: part.type == "tool_result"):
        if is_result and message.role != "tool":
            yield make(ToolMessage, parts=tuple(stretch))
        else:
            yield replace(message, parts=tuple(stretch), provider_options=left)
            left = None


def _sealed_by(part: Part, api: str) -> str | None:
    """The other API whose server thought or ran this: it alone can tell whether that is its own."""
    piece = wire_of(part)[1]
    is_sealed = part.type == "reasoning" or (
        isinstance(part, ToolCallPart | ToolResultPart) and part.provider_executed
    )
    return piece.api if is_sealed and piece is not None and piece.api != api else None


def _read_part(part: Part, message: Message, api: str) -> list[Part]:
    """What the reader of another API makes of a part; the part itself where none knows it."""
    if part.type == "tool_result" and part.content:
        return _read_content(part, message, api)
    home = _home_of_part(part, api)
    if home is None or part.type != "opaque":
        return [part]
    if message.role == "assistant":
        role = "model" if home == "gemini" else "assistant"
    else:
        role = "tool" if home == "ai_sdk" else "user"
    return _read({"role": role, _HOLDERS[home]: [part.value]}, home) or [part]


def _read_content(result: ToolResultPart, message: Message, api: str) -> list[Part]:
    items = [new for item in result.content or () for new in _read_part(item, message, api)]
    if [*(result.content or ())] == items:
        return [result]
    # The result of one API around that of another: what is inside says all of it.
    inner = [item for item in items if item.type == "tool_result"]
    if inner:
        return [
            item if item.tool_call_id else replace(item, tool_call_id=result.tool_call_id) for item in inner
        ]
    return [replace(result, content=tuple(items))]


def _read(wire: Wire, api: str) -> list[Part]:
    """Read a message; nothing where it is malformed, or unknown there too."""
    try:
        parts = [part for message in _formats()[api].decode([wire]).messages for part in message.parts]
    except HistoryFormatError:
        return []
    return [] if any(isinstance(part, OpaquePart) for part in parts) else parts
