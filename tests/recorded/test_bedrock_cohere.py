"""Recorded requests that go to Bedrock or Cohere, or come from there: valid there, and nothing lost silently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final

import pytest

from replayable import fix
from tests.judges.converse_model import converse_errors
from tests.judges.sdk_types import anthropic_errors, openai_chat_errors
from tests.recorded.conversation import differences, read
from tests.recorded.rows import Row
from tests.recorded.test_cross import unexplained
from tests.recorded.wires import FORMATS, accepted

_MODELS: Final = {
    "openai_chat": "openai/gpt-4o",
    "anthropic_messages": "anthropic/claude-sonnet-4-5",
    "bedrock_converse": "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "cohere_v2": "cohere/command-a-03-2025",
}
# The SDK of Cohere takes what it does not know, and so is no judge.
_JUDGES: Final[dict[str, Callable[[Any], list[str]]]] = {
    "openai_chat": openai_chat_errors,
    "anthropic_messages": anthropic_errors,
    "bedrock_converse": converse_errors,
}
_PAIRS: Final = [
    (source, target)
    for source in _MODELS
    for target in _MODELS
    if source != target and {source, target} & {"bedrock_converse", "cohere_v2"}
]


@cache
def _all() -> tuple[Row, ...]:
    return tuple(row for row in accepted() if row.api in _MODELS)


def _rows(api: str) -> Iterator[Row]:
    """Every request of an API; of the commonest one every third recorded one, which keeps this quick."""
    rows = (row for row in _all() if row.api == api)
    for number, row in enumerate(rows):
        if api != "openai_chat" or number % 3 == 0 or row.id.startswith("good-"):
            yield row


@pytest.mark.parametrize(("source", "target"), _PAIRS)
def test_over_and_back(source: str, target: str) -> None:
    """What goes over is what the target's judge takes; it says the same there and back, or each difference is listed."""
    tried, told = 0, Counter[str]()
    for row in _rows(source):
        tried += 1
        there = fix(row.request, model=_MODELS[target], source=FORMATS[source], to=FORMATS[target])
        assert _JUDGES.get(target, lambda _: [])(there.request) == [], row.id
        here, over = read(row.request, source), read(there.request, target)
        found = differences(here, over, blank_as_absent=True)
        told.update(difference.kind for difference in found)
        assert unexplained(found, there.changes) == [], row.id
        back = fix(there.request, model=_MODELS[source], source=FORMATS[target], to=FORMATS[source])
        assert _JUDGES.get(source, lambda _: [])(back.request) == [], row.id
        changes = (*there.changes, *back.changes)
        home = read(back.request, source)
        assert unexplained(differences(over, home, blank_as_absent=True), back.changes) == [], row.id
        assert unexplained(differences(here, home, blank_as_absent=True), changes) == [], row.id
    print(f"{tried} requests of {source} went to {target} and back; listed differences: {dict(told)}")
    assert tried
