"""The input of a tool call where a provider takes nothing but an object."""

from __future__ import annotations

from typing import Any

from .json_value import parse_json
from .messages import ToolCallPart

__all__ = ["input_object"]


def input_object(part: ToolCallPart) -> dict[str, Any]:
    """Return a call's input as an object: itself, the object that its text means, else what it is inside of one."""
    if isinstance(part.input, dict):
        return part.input
    if part.input is None:
        raw = (part.raw_input or "").strip()
        return {} if raw in ("", "null") else {"raw_arguments": part.raw_input}
    if isinstance(part.input, str):
        # Encoded twice, by somebody who took the text for a value.
        value = parse_json(part.input)[1]
        if isinstance(value, dict):
            return value
        if not part.input.strip():
            return {}
    return {"input": part.input}
