"""What differs between the families of models behind Bedrock's Converse API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ...model_ref import ModelRef

__all__ = ["API", "keeps_results_apart", "made_by", "made_by_others", "made_by_unknown"]

API: Final = "bedrock"

# "Conversation blocks and tool result blocks cannot be provided in the same turn."
_RESULTS_APART: Final = ("cohere", "meta", "mistral")


def _is_served_here(model: ModelRef) -> bool:
    return model.api == API or (model.api is None and model.provider == "bedrock")


def made_by(*makers: str) -> Callable[[ModelRef], bool]:
    """Return the recognition of models of some makers, spoken to over Converse."""
    return lambda model: model.maker in makers and _is_served_here(model)


def made_by_others(*makers: str) -> Callable[[ModelRef], bool]:
    """Return the recognition of models of known makers, save some."""
    return lambda model: model.maker is not None and model.maker not in makers and _is_served_here(model)


def made_by_unknown(model: ModelRef) -> bool:
    """Tell whether a model does not say who made it, as an inference profile's ARN."""
    return model.maker is None and _is_served_here(model)


keeps_results_apart: Final = made_by(*_RESULTS_APART)
"""Whether a message with results may hold nothing else; Claude and Nova take both in one (recorded)."""
