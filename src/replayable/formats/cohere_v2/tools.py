"""The tool choice of a Cohere chat request; its tools are declared as OpenAI's are."""

from __future__ import annotations

from typing import Any, Final

from ..._node import build, defaults
from ...prompt import ToolChoice
from ..wire import Wire, options_of
from .names import API

__all__ = ["decode_tool_choice", "encode_tool_choice"]

_CHOICES: Final = {"REQUIRED": "required", "NONE": "none"}
_WIRE_CHOICES: Final = {"required": "REQUIRED", "none": "NONE", "tool": "REQUIRED"}


def decode_tool_choice(given: Any) -> ToolChoice | None:
    """Read the field ``tool_choice``; None when it says nothing that is known."""
    if not isinstance(given, str) or given.upper() not in _CHOICES:
        return None
    fields = defaults(ToolChoice) | {
        "type": _CHOICES[given.upper()],
        "provider_options": {API: {"$wire": given}},
    }
    return build(ToolChoice, fields)


def encode_tool_choice(choice: ToolChoice | None, *, has_tools: bool) -> tuple[Wire, bool]:
    """Return the field that says the tool choice, and whether it says all of it.

    Cohere has no way to name a tool, or to ask for one call at a time: https://docs.cohere.com/reference/chat.
    """
    if choice is None:
        return {}, True
    given = options_of(choice, API).get("$wire")
    # What was read goes back as it was, as long as it still says what the choice says.
    if given is not None and decode_tool_choice(given) == choice:
        return {"tool_choice": given}, True
    if not has_tools:
        return {}, choice.type in ("auto", "none")
    complete = choice.type != "tool" and choice.allowed is None and choice.parallel is not False
    written = _WIRE_CHOICES.get(choice.type)
    return ({} if written is None else {"tool_choice": written}), complete
