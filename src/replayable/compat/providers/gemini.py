"""Gemini: Google's own API and Vertex, whose checks differ, as do those of Gemini 3 and of what came before it."""

from __future__ import annotations

from typing import Final

from ...model_ref import ModelRef
from ..provider import Provider
from .gemini_models import gemini_version
from .gemini_parts import PART_RULES, owns_reasoning
from .gemini_turns import API, ROLES, TURN_RULES

__all__ = ["GEMINI"]


def _recognise(model: ModelRef) -> bool:
    return model.api == "gemini" or (model.api is None and model.provider in ("google", "vertex"))


def _takes_unanswered_turns(model: ModelRef) -> bool:
    """Recorded up to 2.5: the user's next words follow the calls, often with what the tool returned."""
    version = gemini_version(model)
    return version is not None and version < (3, 0)


GEMINI: Final = Provider(
    name="gemini",
    recognise=_recognise,
    api=API,
    owns_reasoning=owns_reasoning,
    takes_unanswered_turns=_takes_unanswered_turns,
    rules=(ROLES, *PART_RULES),
    structure=TURN_RULES,
)
