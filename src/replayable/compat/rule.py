"""A compat rule: one way in which a provider differs, with the provider's own words beside it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

from ..errors import ConfigurationError
from ..messages import Messages
from ..prompt import Prompt
from ..provider_error import ProviderError

__all__ = ["ApplyToPrompt", "CompatRule", "Evidence", "Example", "FixMessages"]

ApplyToPrompt: TypeAlias = Callable[[Prompt], Prompt | None]
FixMessages: TypeAlias = Callable[[Messages, ProviderError], Messages | None]

# Proxies strip backticks, so a pattern's own count as optional.
_BACKTICK: Final = re.compile(r"(?<!\\)`(?!\?)")


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
        error_patterns: Regular expressions of which one must occur in the rejection for ``fix`` to run. Anchor them to
            the provider's distinctive phrase; backticks in them count as optional.
        fix: Changes the stored messages after such a rejection; returns None for "unchanged". Pure. Positions in the
            error index the request that was sent, so ``fix`` repairs the whole kind, not one place. With a
            ``RuleMemory`` it also runs before later calls, then with an error without texts.
        needs: Facts (see ``replayable.facts``) of which the history must have one for the rule to run; None: always.
        evidence: The provider's own words.
        examples: Histories before and after.

    Raises:
        ConfigurationError: The rule has no name or nothing to do, ``fix`` has no patterns or patterns have no ``fix``,
            or a pattern is no regular expression.
    """

    name: str
    summary: str
    apply_to_prompt: ApplyToPrompt | None = None
    error_patterns: tuple[str, ...] = ()
    fix: FixMessages | None = None
    needs: int | None = None
    evidence: tuple[Evidence, ...] = ()
    examples: tuple[Example, ...] = ()

    def __post_init__(self) -> None:
        if not self.name:
            raise ConfigurationError("a compat rule needs a name")
        if self.apply_to_prompt is None and self.fix is None:
            raise ConfigurationError(
                f"rule {self.name!r} does nothing: give it apply_to_prompt, or error_patterns and fix"
            )
        if self.fix is not None and not self.error_patterns:
            raise ConfigurationError(
                f"rule {self.name!r} has a fix but no error_patterns that say when it runs"
            )
        if self.error_patterns and self.fix is None:
            raise ConfigurationError(f"rule {self.name!r} has error_patterns but no fix")
        for pattern in self.error_patterns:
            _compiled(self.name, pattern)

    def matches(self, error: ProviderError) -> bool:
        """Tell whether the rejection is of the kind that this rule repairs."""
        return any(error.matches(_compiled(self.name, pattern)) for pattern in self.error_patterns)


@cache
def _compiled(rule: str, pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(_BACKTICK.sub("`?", pattern))
    except re.error as error:
        raise ConfigurationError(f"rule {rule!r}: {pattern!r} is no regular expression: {error}") from None
