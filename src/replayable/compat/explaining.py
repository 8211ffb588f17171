"""``explain``: what a rejection means, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..model_ref import ModelRef
from ..provider_error import ProviderError
from .catalogue import Entry, catalogue
from .evidence import KnownRejection
from .provider import Provider
from .providers import PROVIDERS, providers_of
from .rule import CompatRule

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What a rejection means.

    Args:
        entry: The name of this kind of rejection in the catalogue; None for words of no catalogued kind.
        rule: What repairs it: the name of a rule, or ``clean-messages``; None when nothing does.
        cause: What in the history provoked it.
        remedy: What the repair does, or what is left to the caller.
        words: The provider's words, with ``{i}`` and the like where they vary.
        link: Where that was seen.
    """

    entry: str | None
    rule: str | None
    cause: str
    remedy: str
    words: str
    link: str

    def __str__(self) -> str:
        repair = f"repaired by {self.rule}" if self.rule is not None else "no rule repairs it"
        return f"{self.cause} ({repair}) {self.remedy}".strip()


def explain(
    error: Any, *, model: Any = None, providers: Sequence[Provider] | None = None
) -> Explanation | None:
    """Say what a rejection means: its cause in the history, and the remedy.

    Args:
        error: What an SDK raised, an error body, a ``ProviderError`` or its text.
        model: The model that the request was for, as ``ModelRef.of`` accepts it: where providers share their words, its
            own provider's are meant.
        providers: The rows whose words are known; the built-in ones unless given.

    Returns:
        The explanation; None for an error that is not about the history (parameters, authentication, rate limits, a
        server's own trouble), or that nobody has catalogued.
    """
    rows = PROVIDERS if providers is None else tuple(providers)
    rejection = ProviderError.of(error)
    found = [entry for entry in catalogue(rows) if _means(entry, rejection)]
    if not found:
        return None
    ref = ModelRef.of(model)
    own = {row.name for row in providers_of(ref, rows)}
    return _explained(next((entry for entry in found if _is_of(entry, ref, own)), found[0]))


def _means(entry: Entry, rejection: ProviderError) -> bool:
    rule = entry.answer
    if isinstance(rule, CompatRule) and (rule.last_resort or entry.evidence.pattern is None):
        # What a last resort answers says nothing else; a rule's own patterns belong to all its evidence.
        return rule.matches(rejection)
    return entry.evidence.matches(rejection) is not None


def _is_of(entry: Entry, model: ModelRef, rows: set[str]) -> bool:
    if entry.evidence.provider is not None:
        return entry.evidence.provider == model.provider
    return entry.row in rows if entry.row is not None else entry.evidence.api in (model.api, None)


def _explained(entry: Entry) -> Explanation:
    answer, evidence = entry.answer, entry.evidence
    remedy = f"{answer.reason} {answer.remedy}" if isinstance(answer, KnownRejection) else answer.summary
    return Explanation(
        entry=evidence.entry,
        rule=entry.repaired_by,
        cause=evidence.cause,
        remedy=remedy,
        words=evidence.text,
        link=evidence.link,
    )
