"""Which answer of a tool its model reads: the compact one that the tool made for it, where there is one."""

from __future__ import annotations

from typing import Any, Final

from .._node import replace
from ..messages import ToolResultPart
from .ai_sdk.results import TYPED_OUTPUTS, read_output

__all__ = ["model_facing"]

_FORM: Final = "$content"
"""Each format's note of the form of an answer: of the one that is not sent."""


def model_facing(part: ToolResultPart) -> ToolResultPart:
    """Return a result whose answer is its ``model_output``; the same object where it has none.

    Stored messages keep the raw output and the compact one; a request shows the model the compact one alone. What is typed as
    the AI SDK types it (``{"type": "text" | "json" | "content" | …, "value": …}``) is read as such.
    """
    given = part.model_output
    if given is None:
        return part
    changes: dict[str, Any] = {"output": given, "content": None, "model_output": None}
    if isinstance(given, dict) and given.get("type") in TYPED_OUTPUTS and "value" in given:
        changes["output"] = None
        read_output(given, "ai_sdk", changes, {})
    options = {
        api: {key: value for key, value in fields.items() if key != _FORM}
        for api, fields in (part.provider_options or {}).items()
    }
    return replace(part, **changes, provider_options=options or None)
