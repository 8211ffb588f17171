"""Arguments of a call: on wires that carry them as JSON text (OpenAI's and those like it), and as an object (the others)."""

from __future__ import annotations

from typing import Any, Final

from ..json_value import parse_json, same_json
from ..messages import ToolCallPart
from ..tool_input import input_object
from .wire import MISSING, Wire, text_of_json

__all__ = [
    "ARGUMENTS",
    "arguments_text",
    "input_object",
    "is_free_text",
    "read_arguments",
    "written_arguments",
]

ARGUMENTS: Final = "$arguments"
"""Among a call's options: ``absent``, ``null``, or ``object`` where the arguments were no string."""


def read_arguments(wire: Wire, options: Wire) -> tuple[str | None, Any]:
    """Return the text of the field ``arguments``, and what it means; a form that is no text is noted among the options."""
    arguments = wire.get("arguments", MISSING)
    if isinstance(arguments, str):
        return arguments, parse_json(arguments)[1]
    options[ARGUMENTS] = "absent" if arguments is MISSING else "null" if arguments is None else "object"
    return None, None if arguments is MISSING else arguments


def written_arguments(part: ToolCallPart, options: Wire) -> Wire:
    """Return the field ``arguments`` in the form that it had; empty where it was absent."""
    form = options.get(ARGUMENTS)
    if form == "object" and part.raw_input is None and part.input is not None:
        return {"arguments": part.input}
    if form == "null" and part.input is None:
        return {"arguments": None}
    if form == "absent" and part.input is None:
        return {}
    return {"arguments": arguments_text(part)}


def arguments_text(part: ToolCallPart) -> str:
    """Return the arguments as text: letter by letter as they came, as long as that text still means ``input``."""
    if part.raw_input is not None:
        is_json, value = parse_json(part.raw_input)
        if (not is_json and part.input is None) or (is_json and same_json(value, part.input)):
            return part.raw_input
    return "{}" if part.input is None and part.raw_input is None else text_of_json(part.input, "input")


def is_free_text(part: ToolCallPart, api: str) -> bool:
    """Whether a call that another API made has a text for its input, as the custom tools of OpenAI have."""
    return isinstance(part.input, str) and part.raw_input is None and api not in (part.provider_options or {})
