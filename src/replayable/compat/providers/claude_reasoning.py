"""Whose reasoning Claude takes back, wherever it is served: its signatures hold on every cloud."""

from __future__ import annotations

from typing import Final

from ...messages import AssistantMessage, ReasoningPart
from ...model_ref import ModelRef

__all__ = ["is_claudes", "is_known_claudes", "is_signed", "may_be_claudes"]

# Over whose wires Claude's own signatures come.
_WIRES: Final = ("anthropic", "bedrock", None)
_CLOUDS: Final = ("azure", "bedrock", "vertex")


def is_signed(message: AssistantMessage, part: ReasoningPart) -> bool:
    """Reasoning of these wires that somebody signed: "messages.{i}.content.{j}.thinking.signature: Field required"."""
    if not part.signature and not part.encrypted:
        return False
    # A stamped provider is judged by `may_be_claudes`; without one, another wire's reasoning is another provider's.
    return _maker_of(message, part) is not None or message.api in _WIRES


def may_be_claudes(message: AssistantMessage, part: ReasoningPart) -> bool:
    """Reasoning that Claude made, as far as anybody can tell: one without a provider stays until it is refused."""
    return _maker_of(message, part) in (None, "anthropic")


def is_known_claudes(message: AssistantMessage, part: ReasoningPart) -> bool:
    """Reasoning that Claude is known to have made."""
    return _maker_of(message, part) == "anthropic"


def is_claudes(message: AssistantMessage, part: ReasoningPart) -> bool:
    """What Claude takes back: signed, and not by somebody else."""
    return is_signed(message, part) and may_be_claudes(message, part)


def _maker_of(message: AssistantMessage, part: ReasoningPart) -> str | None:
    """Who made some reasoning: ``anthropic`` also for Claude on other clouds, whose signatures hold everywhere."""
    provider = part.provider or message.provider
    if provider is None:
        return None
    made_by = ModelRef.of({"provider": provider, "model": message.model})
    if made_by.provider in _CLOUDS and made_by.maker == "anthropic":
        return "anthropic"
    return made_by.provider
