"""Gemini: Google's own API and Vertex, whose checks differ, as do those of Gemini 3 and of what came before it."""

from __future__ import annotations

from typing import Final

from ...model_ref import ModelRef
from ..provider import Provider
from .gemini_parts import PART_RULES, owns_reasoning
from .gemini_turns import ROLES, TURN_RULES

__all__ = ["GEMINI"]


def _recognise(model: ModelRef) -> bool:
    return model.api == "gemini" or (model.api is None and model.provider in ("google", "vertex"))


GEMINI: Final = Provider(
    name="gemini",
    recognise=_recognise,
    owns_reasoning=owns_reasoning,
    rules=(ROLES, *PART_RULES),
    structure=TURN_RULES,
)
