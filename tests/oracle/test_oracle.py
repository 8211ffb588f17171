"""The oracle is strict where a provider rejects, and silent where recorded traffic shows acceptance."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.oracle import MALFORMED, Violation, violations
from tests.oracle.case import Case
from tests.oracle.cases import CASES

_HERE = Path(__file__).parent
_RECORDED = _HERE.parents[2] / "shared" / "recorded"
_ENTRY = re.compile(r'"([a-z]+-[a-z0-9-]+)"')
# Names of models have the form of an entry.
_MODELS = {
    "deepseek-r1",
    "deepseek-reasoner",
    "deepseek-v4",
    "command-a",
    "gpt-oss",
    "mistral-small-latest",
    "qwen-qwq",
}
# The server had not stored the previous response: the request cannot show it.
_SERVER_STATE = {"rig-92386d9a990114", "pydantic-ai-240b7bfca75a08"}
_ODD_VALUES: tuple[Any, ...] = (None, True, 7, "", "\n", [], {}, [None], [[]], {"type": []}, {"role": {}})


def _judge(case: Case, request: Any) -> list[Violation]:
    return violations(request, api=case.api, provider=case.provider, model=case.model)


def _judge_row(row: dict[str, Any]) -> list[Violation]:
    return violations(row["request"], api=row["api"], provider=row["provider"], model=row["model"])


def _recorded(name: str) -> Iterator[dict[str, Any]]:
    path = _RECORDED / name
    if path.exists():
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def _disturbed(value: Any) -> Iterator[Any]:
    """The value with each of its nodes in turn replaced by each odd value."""
    yield from _ODD_VALUES
    if isinstance(value, dict):
        for key, item in value.items():
            yield {name: other for name, other in value.items() if name != key}
            yield from ({**value, key: changed} for changed in _disturbed(item))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from ([*value[:index], changed, *value[index + 1 :]] for changed in _disturbed(item))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_bad_request_gives_exactly_its_entry(case: Case) -> None:
    """A request with one fault gives that fault's entry at its place, and nothing else."""
    found = [(violation.entry, violation.path) for violation in _judge(case, case.bad)]
    assert found == [(case.entry, path) for path in (case.path, *case.also)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_good_neighbour_gives_nothing(case: Case) -> None:
    """The nearest acceptable request gives no violation."""
    assert _judge(case, case.good) == []


def test_every_rule_has_an_example() -> None:
    """Each entry that the rules name has a case, and each case an entry that the rules name."""
    rules = [
        path.read_text(encoding="utf-8")
        for path in sorted(_HERE.glob("*.py"))
        if not path.name.startswith(("case", "test_", "undecidable"))
    ]
    prefixes = {case.entry.partition("-")[0] for case in CASES}
    named = {name for rule in rules for name in _ENTRY.findall(rule) if name.partition("-")[0] in prefixes}
    shown = {case.entry for case in CASES} - {MALFORMED}
    assert named - _MODELS == shown


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_malformed_requests_are_judged_without_an_error(case: Case) -> None:
    """Whatever stands at any place of a request, the oracle answers with a list of violations."""
    for request in _disturbed(case.bad):
        if isinstance(request, dict):
            found = _judge(case, request)
            assert all(isinstance(violation, Violation) for violation in found)


def test_unknown_api_is_refused() -> None:
    """An API without rules is an error of the caller, not a clean bill."""
    with pytest.raises(ValueError, match="unknown api 'smoke_signals'; known: anthropic_messages, "):
        violations({}, api="smoke_signals", provider="openai", model=None)


def test_message_quotes_the_provider() -> None:
    """A violation is a whole value: entry, path, and the provider's sentence in short."""
    request = {"messages": [{"role": "user", "content": [{"type": "text", "text": ""}]}]}
    assert violations(request, api="anthropic_messages", provider="anthropic", model="claude-sonnet-4-5") == [
        Violation(
            entry="anthropic-empty-text-block",
            path="messages[0].content[0].text",
            message="text content blocks must be non-empty",
        )
    ]


def test_accepted_traffic_gives_nothing() -> None:
    """No request that a provider answered with 200 gives a violation; nor does any of the good examples."""
    accepted = [(case.title, _judge(case, case.good)) for case in CASES]
    accepted += [(row["id"], _judge_row(row)) for row in _recorded("accepted.jsonl.gz")]
    print(
        f"oracle: {len(accepted)} accepted requests, {sum(bool(found) for _, found in accepted)} false alarms"
    )
    assert {name: found for name, found in accepted if found} == {}


def test_rejected_traffic_gives_violations() -> None:
    """Each request that was refused for the structure or shape of its history gives a violation."""
    rejected = [(case.title, _judge(case, case.bad)) for case in CASES]
    rejected += [
        (row["id"], _judge_row(row))
        for row in _recorded("rejected.jsonl.gz")
        if row["cause"] in ("history_structure", "history_shape")
    ]
    print(f"oracle: {len(rejected)} rejected requests, {sum(not found for _, found in rejected)} unseen")
    unseen = {name for name, found in rejected if not found}
    assert unseen == _SERVER_STATE & {name for name, _ in rejected}
