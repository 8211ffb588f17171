"""The catalogue of rejections: each kind that is known, with what repairs it or why nothing does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from .evidence import Evidence, KnownRejection
from .known_rejections import KNOWN_REJECTIONS
from .pairing_faults import CALL_WITHOUT_RESULT, PAIRING_FAULTS, REPEATED_CALL_ID, PairingFault
from .provider import Provider
from .providers import COMMON_RULES, PROVIDERS
from .rule import CompatRule

__all__ = ["Entry", "Treatment", "catalogue"]

Treatment: TypeAlias = Literal["before the call", "after the rejection", "both", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One kind of rejection.

    Args:
        evidence: The provider's words and how they are recognised.
        answer: What answers it: a rule, ``clean_messages`` (the fault that it repairs), or the reason why nothing does.
        row: The row in whose rules it was found; None where it holds for everybody.
    """

    evidence: Evidence
    answer: CompatRule | PairingFault | KnownRejection
    row: str | None = None

    @property
    def repaired_by(self) -> str | None:
        """The name of the rule that repairs it, ``clean-messages``, or None."""
        match self.answer:
            case CompatRule():
                return self.answer.name
            case PairingFault():
                return "clean-messages"
            case KnownRejection():
                return None

    @property
    def treatment(self) -> Treatment:
        """When the repair acts."""
        match self.answer:
            case CompatRule():
                if self.answer.fix is None:
                    return "before the call"
                return "both" if self.answer.apply_to_prompt is not None else "after the rejection"
            case PairingFault():
                return "both"
            case KnownRejection():
                return "none"


def catalogue(providers: tuple[Provider, ...] = PROVIDERS) -> tuple[Entry, ...]:
    """Return every entry: the rules' in the order of the rows, then pairing and the rules for rarer causes of the same
    rejections, then what nothing repairs, last resorts at the end. Where the words of one kind contain those of another,
    the more telling one stands first."""
    ruled = {
        (rule.name, evidence): Entry(evidence=evidence, answer=rule, row=row)
        for row, rules in ((None, COMMON_RULES), *((row.name, row.all_rules()) for row in providers))
        for rule in rules
        for evidence in rule.evidence
    }
    paired = [
        Entry(evidence=evidence, answer=fault) for fault in PAIRING_FAULTS for evidence in fault.evidence
    ]
    known = [
        Entry(evidence=evidence, answer=rejection, row=row)
        for row, rejections in (
            (None, KNOWN_REJECTIONS),
            *((row.name, row.known_rejections) for row in providers),
        )
        for rejection in rejections
        for evidence in rejection.evidence
    ]
    last = [entry for entry in ruled.values() if _is_last_resort(entry)]
    first = [entry for entry in ruled.values() if not _is_last_resort(entry)]
    # A rule may answer a rarer cause of the very rejection that a lost result, or an id given twice in a turn, provokes.
    provoked = {said.entry for fault in (CALL_WITHOUT_RESULT, REPEATED_CALL_ID) for said in fault.evidence}
    rarer = [entry for entry in first if entry.evidence.entry in provoked - {None}]
    return (*(entry for entry in first if entry not in rarer), *paired, *rarer, *known, *last)


def _is_last_resort(entry: Entry) -> bool:
    return isinstance(entry.answer, CompatRule) and entry.answer.last_resort
