"""Content of model messages: the parts of ``content``, each of which is one part of ours."""

from __future__ import annotations

from typing import Any, Final

from ..._node import build, defaults, piece_of
from ...messages import OpaquePart, Part, TextPart, ToolCallPart
from ..wire import Wire, options_of, rest, text_at, with_extras
from .files import read_file
from .names import ABSENT, LEGACY
from .reasoning import read_reasoning
from .results import read_result

__all__ = ["ASIDES_OF_CONTENT", "read_part", "read_text", "write_call", "write_text"]

ASIDES_OF_CONTENT: Final = frozenset({"tool-approval-request", "tool-approval-response"})
"""Parts that no model reads: they are between the user and the SDK."""

_TEXT: Final = frozenset({"type", "text"})


def read_text(wire: Wire, api: str, notes: Wire) -> TextPart:
    """Read a text part.

    Raises:
        HistoryFormatError: It has no text.
    """
    options = {**rest(wire, _TEXT), **notes}
    fields = {
        "type": "text",
        "text": text_at(wire, "text"),
        "provider_options": {api: options} if options else None,
    }
    return build(TextPart, fields, wire, piece_of(api))


def write_text(part: TextPart, api: str) -> Wire:
    """Write a text part."""
    return with_extras({"type": "text", "text": part.text}, options_of(part, api))


def read_part(
    wire: Wire, role: str, api: str, notes: Wire, states: dict[str, Any], own_calls: set[str]
) -> Part:
    """Read one part of a model message.

    Args:
        wire: The part.
        role: The message's role.
        api: The format.
        notes: Notes to keep with it.
        states: What became of the calls that needed the user's approval, by call id.
        own_calls: The ids of the calls in the same message that the client has to answer.

    Raises:
        HistoryFormatError: It is of a known type but not of its shape.
    """
    kind = wire.get("type")
    if kind == "text" and role != "tool":
        return read_text(wire, api, notes)
    if kind in ("file", "image") and role != "tool":
        file = read_file(wire, api, notes)
        if file is not None:
            return file
    if role == "assistant":
        if kind in ("reasoning", "redacted-reasoning"):
            return read_reasoning(wire, api, notes)[0]
        if kind == "tool-call":
            return _read_call(wire, api, notes, states)
    if kind == "tool-result" and role in ("assistant", "tool"):
        # In an answer stands what the provider's server ran, unless its call says otherwise.
        result = read_result(wire, api, notes, provider_executed=role == "assistant")
        own = role == "assistant" and result.tool_call_id in own_calls
        return read_result(wire, api, notes, provider_executed=False) if own else result
    options = {api: notes} if notes else None
    return build(
        OpaquePart,
        {"type": "opaque", "api": api, "value": wire, "provider_options": options},
        wire,
        piece_of(api),
    )


def _read_call(wire: Wire, api: str, notes: Wire, states: dict[str, Any]) -> ToolCallPart:
    legacy = "args" in wire and "input" not in wire
    key = "args" if legacy else "input"
    options = {**rest(wire, frozenset({"type", "toolCallId", "toolName", key, "providerExecuted"})), **notes}
    if legacy:
        options[LEGACY] = True
    if key not in wire:
        options[ABSENT] = [key]
    executed = wire.get("providerExecuted")
    if executed is not True and "providerExecuted" in wire:
        options["providerExecuted"] = executed
    call_id = text_at(wire, "toolCallId")
    fields = {
        **defaults(ToolCallPart),
        "tool_call_id": call_id,
        "tool_name": text_at(wire, "toolName"),
        "input": wire.get(key),
        "state": states.get(call_id, "complete"),
        "provider_executed": executed is True,
        "provider_options": {api: options} if options else None,
    }
    return build(ToolCallPart, fields, wire, piece_of(api))


def write_call(call: ToolCallPart, api: str, *, legacy: bool) -> Wire:
    """Write a ``tool-call`` part.

    Args:
        call: The call.
        api: The format.
        legacy: Whether to write ``args`` rather than ``input``, where the part does not remember.
    """
    options = options_of(call, api)
    key = "args" if options.get(LEGACY, legacy and not options) else "input"
    wire: Wire = {"type": "tool-call", "toolCallId": call.tool_call_id, "toolName": call.tool_name}
    value = call.raw_input if call.input is None and call.raw_input else call.input
    if value is not None or key not in options.get(ABSENT, ()):
        # A call from a wire that takes calls without arguments.
        foreign = api not in (call.provider_options or {}) and call.provider_options is not None
        wire[key] = {} if value is None and foreign else value
    if call.provider_executed:
        wire["providerExecuted"] = True
    return with_extras(wire, options)
