"""A compat rule: one way in which a provider differs, with the provider's own words beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from ..errors import ConfigurationError
from ..messages import Messages
from ..prompt import Prompt

__all__ = ["ApplyToPrompt", "CompatRule", "Evidence", "Example"]

ApplyToPrompt: TypeAlias = Callable[[Prompt], Prompt | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Why a rule exists: what the provider said.

    Args:
        text: The provider's own words, with ``{i}`` and the like where they vary.
        link: Where that was seen, or the provider's document.
        status: The HTTP status; None for a document.
        date: When it was seen or read, ISO 8601; None when unknown.
    """

    text: str
    link: str
    status: int | None = None
    date: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A history before and after the rule; run as a test, shown in the docs."""

    before: Messages
    after: Messages
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompatRule:
    """One repair for one way in which a provider differs.

    Args:
        name: ``<provider>-<what>``.
        summary: What it does, in one sentence.
        apply_to_prompt: Changes the prompt before it is sent; returns None for "unchanged". Pure.
        needs: Facts (see ``replayable.facts``) of which the history must have one for the rule to run; None: always.
        evidence: The provider's own words.
        examples: Histories before and after.

    Raises:
        ConfigurationError: The rule has no name, or nothing to do.
    """

    name: str
    summary: str
    apply_to_prompt: ApplyToPrompt | None = None
    needs: int | None = None
    evidence: tuple[Evidence, ...] = ()
    examples: tuple[Example, ...] = ()

    def __post_init__(self) -> None:
        if not self.name:
            raise ConfigurationError("a compat rule needs a name")
        if self.apply_to_prompt is None:
            raise ConfigurationError(f"rule {self.name!r} does nothing: give it apply_to_prompt")
