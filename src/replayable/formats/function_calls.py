"""Calls on the wires that wrap each in ``{"id": …, "type": "function", "function": {"name": …, "arguments": …}}``."""

from __future__ import annotations

from typing import Any, Final

from .._node import build, defaults, piece_of
from ..errors import HistoryFormatError
from ..messages import ToolCallPart
from .arguments import ARGUMENTS, read_arguments
from .wire import MISSING, Wire, as_object, optional_text, options_of, rest, text_at, with_extras

__all__ = ["read_function_call", "written_function_call"]

_TYPE: Final = "$type"
"""Among a call's options: its type, where that was not ``function``; ``absent`` where the wire had none."""
_CALL: Final = frozenset({"id", "type", "function"})
_FUNCTION: Final = frozenset({"name", "arguments"})


def read_function_call(value: Any, api: str, *, objects: bool = False) -> ToolCallPart:
    """Read a call.

    Args:
        value: The call.
        api: The format.
        objects: Whether arguments are usually objects here; then ``$arguments`` notes a ``text``, else an ``object``.

    Raises:
        HistoryFormatError: It is none.
    """
    wire = as_object(value, "", "a tool call (an object with id and function)")
    options = {} if _CALL.issuperset(wire) else rest(wire, _CALL)
    tool_call_id = optional_text(wire, "id")
    if tool_call_id is None and "id" in wire:
        options["id"] = None
    if wire.get("type") != "function":
        options[_TYPE] = wire.get("type", "absent")
    try:
        function = as_object(wire.get("function", MISSING), "")
        name = text_at(function, "name")
    except HistoryFormatError as error:
        raise error.under("function") from None
    if not _FUNCTION.issuperset(function):
        options["function"] = rest(function, _FUNCTION)
    raw, arguments = read_arguments(function, options)
    if objects and raw is not None:
        options[ARGUMENTS] = "text"
    elif objects and isinstance(arguments, dict):
        del options[ARGUMENTS]
    fields = defaults(ToolCallPart).copy()
    fields["tool_call_id"], fields["tool_name"] = tool_call_id, name
    fields["input"], fields["raw_input"] = arguments, raw
    if options:
        fields["provider_options"] = {api: options}
    return build(ToolCallPart, fields, wire, piece_of(api))


def written_function_call(part: ToolCallPart, api: str, arguments: Wire) -> Wire:
    """Write a call; ``arguments`` is the field of that name, empty for none."""
    options = options_of(part, api)
    wire: Wire = {} if part.tool_call_id is None else {"id": part.tool_call_id}
    kind = options.get(_TYPE, "function")
    if kind != "absent":
        wire["type"] = kind
    wire["function"] = {**options.get("function", {}), "name": part.tool_name, **arguments}
    return with_extras(wire, options)
