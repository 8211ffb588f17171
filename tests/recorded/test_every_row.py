"""No provider rejects a history that went through us: what one accepted is sent to others, and the oracle judges it."""

from __future__ import annotations

from collections import Counter
from typing import Final

import pytest

from replayable import HistoryFormatError, check, explain, fix
from replayable.compat.providers import PROVIDERS, providers_of
from tests.oracle import violations
from tests.recorded.row_judges import judges_of
from tests.recorded.row_targets import TARGETS, target_model
from tests.recorded.rows import rows
from tests.recorded.test_findings import served
from tests.recorded.wires import FORMATS, accepted_conversations

by_target = pytest.mark.parametrize("target", TARGETS, ids=lambda target: "/".join(target))


# Row id -> why its judge is not asked.
NOT_ASKED: Final = {
    "pydantic-ai-f0e3d95da438eb": "a part without a type, which OpenRouter took, stays as it is",
    "pydantic-ai-6b961679bf1a4e": "Mistral's API took an odd tool name, its package doesn't",
    "pydantic-ai-9d65865b830178": "Mistral's API took an odd tool name, its package doesn't",
}


@by_target
def test_what_others_accepted_suits_it(target: tuple[str, str, str]) -> None:
    """Every conversation that any provider accepted: the oracle has nothing against the outcome, nor have `check` and the
    target's other judges."""
    provider, name, api = target
    model, judges = target_model(*target), judges_of(*target)
    sent: Counter[str] = Counter()
    asked: Counter[str] = Counter({judge.name: 0 for judge in judges})
    rejected: dict[str, list[str]] = {}
    for row in accepted_conversations():
        outcome = fix(row.request, model=model, source=FORMATS[row.api], to=FORMATS[api]).request
        found = [str(fault) for fault in violations(outcome, api=api, provider=provider, model=name)]
        found += [str(finding) for finding in check(outcome, model=model, source=FORMATS[api])]
        for judge in judges:
            if row.id not in NOT_ASKED and (row.api != api or judge.reads_own_wire):
                asked[judge.name] += 1
                found += [f"{judge.name}: {error}" for error in judge.errors(outcome)]
        sent[row.api] += 1
        if found:
            rejected[row.id] = found
    print(
        f"sent to {provider}/{name}, by what they were written in: {dict(sent)}: {len(rejected)} rejected;"
        f" other judges asked: {dict(asked)}"
    )
    assert not rejected
    assert sent
    assert all(asked.values())


# The oracle's own fixtures are rejected in the test of each kind; these are rejected by providers.
UNREPAIRABLE = {
    # Reading raises `HistoryFormatError`: there is no list of messages.
    "huggingface.js-65de386d725849",
    "huggingface.js-8f4695dc69c7cf",
    "huggingface.js-1a8d19ebd52688",
    "huggingface_hub-ff182b13c40c31",
    "huggingface_hub-b3270bf07d9832",
    # A message is a string.
    "dd-trace-py-071095111884e8",
    "dd-trace-py-fc1d42e98b76b2",
    # A field of a content part that the API doesn't know.
    "pydantic-ai-db39d0d80c3e8b",
}


# It says nothing but "Internal server error".
SILENT = {"pydantic-ai-f80fcb71bd3272"}


def test_what_a_provider_refused_suits_it_after_the_repair() -> None:
    """Each refusal is explained, or found where it states no cause; after the repair the oracle has nothing against it."""
    counts: Counter[str] = Counter()
    unread: set[str] = set()
    unexplained: set[str] = set()
    broken: dict[str, list[str]] = {}
    for row in rows("rejected"):
        name, model = FORMATS[row.api], served(row)
        counts[f"{row.cause} rows"] += 1
        if explain(row.error, model=model) is None:
            unexplained.add(row.id)
        try:
            findings = check(row.request, model=model, source=name)
        except HistoryFormatError:
            unread.add(row.id)
            continue
        counts[f"{row.cause} found before the call"] += bool(findings)
        assert findings or row.id not in unexplained
        outcome = fix(row.request, model=model, source=name, to=name).request
        found = violations(outcome, api=row.api, provider=row.provider, model=row.model)
        if found and row.id not in UNREPAIRABLE:
            broken[row.id] = [str(fault) for fault in found]
    print(
        f"refused: {dict(counts)}; {len(unread)} unreadable, {len(unexplained)} unexplained, {len(broken)} left"
    )
    assert unread <= UNREPAIRABLE
    assert unexplained <= SILENT
    assert broken == {}


@by_target
def test_every_target_has_rules_or_a_reason(target: tuple[str, str, str]) -> None:
    """A target that no row recognises would be judged for nothing."""
    rowless = {"huggingface"}
    assert providers_of(target_model(*target)) or target[0] in rowless


def test_every_row_has_a_target() -> None:
    """A new row is sent what others accepted, too."""
    reached = {row.name for target in TARGETS for row in providers_of(target_model(*target))}
    assert {row.name for row in PROVIDERS} - reached == set()
