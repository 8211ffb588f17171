"""A provider row: how its models are recognised, its wire dialect, its rules in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ..messages import AssistantMessage, ReasoningPart
from ..model_ref import ModelRef
from .rule import CompatRule

__all__ = ["Dialect", "OwnsReasoning", "Provider", "ReasoningField"]

ReasoningField: TypeAlias = Literal["reasoning_content", "reasoning", "reasoning_details"]

OwnsReasoning: TypeAlias = Callable[[AssistantMessage, ReasoningPart], bool]
"""Whether the provider takes this reasoning back: it made it, and nothing that it checks is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """Where wires that share one API differ.

    Args:
        reasoning_field: The field of an OpenAI-Chat-like assistant message in which reasoning goes back; None where the
            API has none.
    """

    reasoning_field: ReasoningField | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """One provider. To add one, make one of these.

    Args:
        name: The provider's name.
        recognise: Whether a model is served here. Must accept any ``ModelRef`` and never raise.
        dialect: Its wire's ways.
        owns_reasoning: Which reasoning it takes back; None: no policy.
        rules: What its API asks for, in order.
        structure: Rules about the order and shape of messages, and the dropping of empties: after ``rules``, and again
            after any additional rule that changed something.
    """

    name: str
    recognise: Callable[[ModelRef], bool]
    dialect: Dialect = field(default_factory=Dialect)
    owns_reasoning: OwnsReasoning | None = None
    rules: tuple[CompatRule, ...] = ()
    structure: tuple[CompatRule, ...] = ()
