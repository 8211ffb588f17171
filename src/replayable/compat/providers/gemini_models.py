"""What a Gemini model's name tells: its version, by which the rules differ."""

from __future__ import annotations

import re
from typing import Final

from ...model_ref import ModelRef

__all__ = ["gemini_version", "is_vertex"]

# gemini-2.5-flash, gemini-3-pro-preview, models/gemini-1.5-flash-002; gemini-pro was the first.
_VERSION: Final = re.compile(r"gemini-(\d{1,3})(?:\.(\d{1,3}))?")
_FIRST: Final = re.compile(r"gemini-(?:pro|ultra)(?![\w-]*latest)\b")
_MAX_NAME: Final = 200


def gemini_version(model: ModelRef) -> tuple[int, int] | None:
    """Return the major and minor version of a Gemini model; None where its name does not say it."""
    name = (model.model or "")[:_MAX_NAME]
    match = _VERSION.search(name)
    if match is not None:
        return int(match[1]), int(match[2] or 0)
    return (1, 0) if _FIRST.search(name) else None


def is_vertex(model: ModelRef) -> bool:
    """Whether Vertex serves the model, whose checks are not those of Google's own API."""
    return model.provider == "vertex"
