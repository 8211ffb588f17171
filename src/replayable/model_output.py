"""The compact model-facing output of a tool, as text."""

from __future__ import annotations

from typing import Any, Final

from .json_value import json_text

__all__ = ["model_output_text"]

# Wrappers nest a level or two; deeper is data.
_DEPTH: Final = 16


def model_output_text(output: Any) -> str:
    """Return a ``model_output`` as text; empty when it holds none.

    A string as it is; numbers and booleans as JSON writes them; ``{"type": "text", "value"|"text": …}`` and ``{"value": …}``
    unwrapped; a list joined by newlines; anything else as compact JSON.
    """
    return _text(output, _DEPTH)


def _text(output: Any, depth: int) -> str:
    if output is None:
        return ""
    if isinstance(output, str):
        return output
    if depth and isinstance(output, list):
        return "\n".join(text for text in (_text(item, depth - 1) for item in output) if text)
    if depth and isinstance(output, dict):
        wrapped = output.get("value")
        if wrapped is None and output.get("type") == "text" and isinstance(output.get("text"), str):
            return str(output["text"])
        if "value" in output:
            return _text(wrapped, depth - 1)
    try:
        return json_text(output)
    except (RecursionError, ValueError):
        # Nested deeper than Python can follow, or a number of thousands of digits: nothing that a model could read.
        return ""
