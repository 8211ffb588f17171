"""A compat rule: one way in which a provider differs, with the provider's own words beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from ..errors import ConfigurationError
from ..messages import Messages
from ..model_ref import ModelRef
from ..prompt import Prompt
from ..provider_error import ProviderError
from .evidence import Evidence, compiled

__all__ = ["ApplyToPrompt", "CompatRule", "Evidence", "Example", "FixMessages"]

ApplyToPrompt: TypeAlias = Callable[[Prompt], Prompt | None]
FixMessages: TypeAlias = Callable[[Messages, ProviderError], Messages | None]


# What may be about the request's content: not keys, money, limits or a server's own trouble.
_OF_THE_REQUEST: Final = (None, 400, 422)


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
        apply_to_prompt: Changes the prompt before it is sent; returns None for "unchanged". Pure. That it would change a
            prompt means that the provider would reject it: ``check`` has no other source.
        error_patterns: Regular expressions of which one, or a ``pattern`` of the ``evidence``, must occur in the
            rejection for ``fix`` to run. Anchor them to the provider's distinctive phrase; backticks in them count as
            optional.
        fix: Changes the stored messages after such a rejection; returns None for "unchanged". Pure. Positions in the
            error index the request that was sent, so ``fix`` repairs the whole kind, not one place. With a
            ``RuleMemory`` it also runs before later calls, then with an error without texts.
        needs: Facts (see ``replayable.facts``) of which the history must have one for the rule to run; None: always.
        models: Tells of a model whether the rule runs before a call to it or to one of its fallbacks; None: for any. Pure: it
            may be asked once for many calls.
        last_resort: For rejections that say nothing beyond the patterns: the rule runs when no other one knows a repair
            and the rejection holds no further words and no status of another trouble, once, and is never remembered.
        evidence: The provider's own words.
        examples: Histories before and after.

    Raises:
        ConfigurationError: The rule has no name or nothing to do, ``fix`` has no patterns or ``error_patterns`` have no
            ``fix``, or a pattern is no regular expression.
    """

    name: str
    summary: str
    apply_to_prompt: ApplyToPrompt | None = None
    error_patterns: tuple[str, ...] = ()
    fix: FixMessages | None = None
    needs: int | None = None
    models: Callable[[ModelRef], bool] | None = None
    last_resort: bool = False
    evidence: tuple[Evidence, ...] = ()
    examples: tuple[Example, ...] = ()

    def __post_init__(self) -> None:
        if not self.name:
            raise ConfigurationError("a compat rule needs a name")
        if self.apply_to_prompt is None and self.fix is None:
            raise ConfigurationError(
                f"rule {self.name!r} does nothing: give it apply_to_prompt, or error_patterns and fix"
            )
        if self.fix is not None and not self.patterns:
            raise ConfigurationError(
                f"rule {self.name!r} has a fix but no error_patterns that say when it runs"
            )
        if self.error_patterns and self.fix is None:
            raise ConfigurationError(f"rule {self.name!r} has error_patterns but no fix")
        for pattern in self.error_patterns:
            compiled(self.name, pattern)

    @property
    def patterns(self) -> tuple[str, ...]:
        """The patterns of the rejections that this rule answers: its own, and those of its evidence."""
        return (
            *self.error_patterns,
            *(evidence.pattern for evidence in self.evidence if evidence.pattern is not None),
        )

    def matches(self, error: ProviderError) -> bool:
        """Tell whether the rejection is of the kind that this rule repairs."""
        found = [pattern for pattern in self.patterns if error.matches(compiled(self.name, pattern))]
        return bool(found) and (
            not self.last_resort
            or (
                error.status in _OF_THE_REQUEST
                and error.says_nothing_but(tuple(compiled(self.name, pattern) for pattern in found))
            )
        )
