"""Accepted requests of every API sent to every other one: typed as the target's SDK says, and nothing lost silently."""

from __future__ import annotations

from collections import Counter
from typing import Final

import pytest

from replayable import Fixed, fix
from tests.recorded.conversation import read
from tests.recorded.explained import conversation_differences, unexplained
from tests.recorded.rows import Row
from tests.recorded.targets import TARGETS, Target
from tests.recorded.wires import FORMATS, accepted_conversations

# Row id -> why Mistral's own package is not asked.
_NOT_ASKED: Final = {
    "pydantic-ai-f0e3d95da438eb": "a part without a type, which OpenRouter took, stays as it is"
}


def _send(row: Row, target: Target) -> Fixed:
    return fix(
        row.request, model=f"{target.provider}/{target.model}", source=FORMATS[row.api], to=target.format
    )


def _errors(row: Row, target: Target, fixed: Fixed) -> list[str]:
    """What the target's types and the oracle have against a converted request; what its own API took is not asked about."""
    if row.api == target.api and (
        target.name != "mistral" or row.provider == "mistral" or row.id in _NOT_ASKED
    ):
        return []
    errors = [] if target.judge is None else target.judge(fixed.request)
    return [*errors, *(target.violations(fixed.request) if target.oracle else ())]


def _told(counts: Counter[tuple[str, str]], different: Counter[tuple[str, str]]) -> str:
    """The matrix: how many requests were sent from the API of the row to the column, and how many came out different."""
    lines = ["".join(f"{name:>19}" for name in ("", *(target.name for target in TARGETS)))]
    for api in FORMATS:
        cells = [f"{counts[api, target.name]} ({different[api, target.name]})" for target in TARGETS]
        lines.append("".join(f"{cell:>19}" for cell in (api, *cells)))
    return "\n".join(lines)


def test_every_request_suits_every_api() -> None:
    """Each one validates and says the same, or its difference is listed."""
    counts: Counter[tuple[str, str]] = Counter()
    different: Counter[tuple[str, str]] = Counter()
    faults: list[str] = []
    for row in accepted_conversations():
        before = read(row.request, row.api)
        for target in TARGETS:
            fixed = _send(row, target)
            counts[row.api, target.name] += 1
            faults += [f"{row.id} -> {target.name}: {error}" for error in _errors(row, target, fixed)]
            found = conversation_differences(before, read(fixed.request, target.api))
            different[row.api, target.name] += bool(found)
            faults += [f"{row.id} -> {target.name}: {one}" for one in unexplained(found, fixed.changes)]
            # Without a listed change of a message there is no difference at all.
            listed = any(
                change.message_index is not None or change.rule == "fields-left-out"
                for change in fixed.changes
            )
            faults += [f"{row.id} -> {target.name}: unlisted {one}" for one in found if not listed]
    print(f"\nrequests sent (of them different, as listed)\n{_told(counts, different)}")
    assert faults == []
    assert all(
        counts[api, target.name] for api in ("openai_chat", "anthropic_messages") for target in TARGETS
    )


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_there_and_back_keeps_the_conversation(target: Target) -> None:
    """What went to another API and comes back says what it said there, and what it said at first."""
    tried = 0
    for row in accepted_conversations():
        home = next(target for target in TARGETS if target.api == row.api)
        there = _send(row, target)
        back = fix(there.request, model=f"{home.provider}/{home.model}", source=target.format, to=home.format)
        after = read(back.request, row.api)
        changes = (*there.changes, *back.changes)
        said_there = read(there.request, target.api)
        assert unexplained(conversation_differences(said_there, after), back.changes) == [], row.id
        assert unexplained(conversation_differences(read(row.request, row.api), after), changes) == [], row.id
        tried += 1
    print(f"{tried} requests went to {target.name} and back")
    assert tried
