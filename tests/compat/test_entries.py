"""Every kind of rejection in the catalogue: explained, found before the call where the request shows it, and repaired."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from replayable import (
    PROVIDERS,
    CompatRule,
    Evidence,
    HistoryFormatError,
    ModelRef,
    Pipeline,
    Prompt,
    ProviderHistoryCompat,
    check,
    explain,
    fix,
    formats,
)
from replayable.compat.catalogue import Entry, catalogue
from tests.oracle import MALFORMED, violations
from tests.oracle.case import Case
from tests.oracle.cases import CASES
from tests.recorded.wires import FORMATS
from tests.sdk_errors import WRAPPERS

_SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "evidence" / "errors.json"
ERRORS: list[dict[str, Any]] = json.loads(_SHARED.read_text("utf-8")) if _SHARED.is_file() else []
"""The catalogue of rejections from which the rules were made, where it lies beside the repository."""

# One text for two causes, which only the request tells apart: the first rule that finds something to repair answers it.
SAME_WORDS = {"bedrock-prefill-reasoning-only": "anthropic-no-prefill"}


# Images that are too large to stand in an example: the oracle's cases of them are sent below.
SHOWN_BY_CASES = {"anthropic-image-5mb", "anthropic-image-many-2000px", "anthropic-could-not-process-image"}


def _instead(match: re.Match[str]) -> str:
    """The first of several alternatives, else a number."""
    return match[1] or "1"


def sentences(evidence: Evidence) -> list[str]:
    """The provider's words with something in place of what varies: one for each wording that the pattern knows."""
    wordings = [
        re.sub(r"\{(?:(\w+)\|)?[^{}]*\}", _instead, wording) for wording in evidence.text.split(" | ")
    ]
    pattern = re.compile(re.sub(r"(?<!\\)`(?!\?)", "`?", evidence.pattern or "(?!)"))
    return [wording for wording in wordings if pattern.search(wording)]


RULED = [entry for entry in catalogue() if isinstance(entry.answer, CompatRule) and entry.evidence.pattern]


def rules_of(entry: str) -> set[str | None]:
    """What repairs a kind of rejection."""
    return {known.repaired_by for known in catalogue() if known.evidence.entry == entry}


@pytest.mark.parametrize(
    "entry", catalogue(), ids=lambda entry: entry.evidence.entry or entry.evidence.text[:40]
)
def test_the_words_are_explained_however_they_are_wrapped(entry: Entry) -> None:
    """Whatever SDK, gateway or proxy hands a rejection on, `explain` names its kind and what repairs it."""
    if entry.evidence.pattern is None:
        return
    assert sentences(entry.evidence)
    for sentence in sentences(entry.evidence):
        for name, wrap in WRAPPERS.items():
            found = explain(wrap(sentence))
            assert found is not None, (name, sentence)
            assert found.entry == SAME_WORDS.get(str(entry.evidence.entry), entry.evidence.entry), (
                name,
                sentence,
            )


@pytest.mark.parametrize("entry", RULED, ids=lambda entry: f"{entry.repaired_by}: {entry.evidence.text[:30]}")
def test_a_rejection_changes_the_history_and_the_retry_carries_the_change(entry: Entry) -> None:
    """Behind a gateway that hides who serves: rejected once, repaired by a rule of that kind, sent again."""
    rule = entry.answer
    assert isinstance(rule, CompatRule)
    if rule.fix is None:
        return
    # Rules without an example of their own share their words with one that has.
    examples = rule.examples or [
        example
        for other in RULED
        if other.evidence.entry == entry.evidence.entry and isinstance(other.answer, CompatRule)
        for example in other.answer.examples
    ]
    assert examples or entry.evidence.entry in SHOWN_BY_CASES
    for example in examples:
        for sentence in sentences(entry.evidence):
            sent: list[Any] = []

            def send(prompt: Any, sent: list[Any] = sent, sentence: str = sentence) -> str:
                sent.append(prompt.messages)
                if len(sent) == 1:
                    raise ValueError(f"Error code: 400 - {{'error': {{'message': {sentence!r}}}}}")
                return "answered"

            run = Pipeline([ProviderHistoryCompat()]).start(example.before, model="mygateway/m")
            assert run.call(send) == "answered"
            assert sent[0] == example.before
            assert sent[1] == run.messages != example.before
            answering = _answering(sentence)
            assert answering & {change.rule for change in run.changes}
            assert {change.rule for change in run.changes} <= answering | _structure_beside(answering)


def _answering(sentence: str) -> set[str | None]:
    """The rules that answer a rejection."""
    return {known.repaired_by for known in RULED if sentence in sentences(known.evidence)} | {
        known.repaired_by for known in RULED if re.search(known.evidence.pattern or "(?!)", sentence)
    }


def _structure_beside(rules: set[str | None]) -> set[str | None]:
    """What the rows of some rules ask of the order and shape of messages."""
    return {
        beside.name
        for row in PROVIDERS
        if rules & {rule.name for rule in row.all_rules()}
        for beside in row.structure
    }


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error["id"])
def test_every_known_rejection_has_an_entry(error: dict[str, Any]) -> None:
    """The recorded sample of each kind is explained as that kind, plain and wrapped."""
    assert rules_of(error["id"]), "no entry"
    for name, wrap in WRAPPERS.items():
        found = explain(wrap(error["sample"]))
        assert found is not None, name
        assert found.entry == SAME_WORDS.get(error["id"], error["id"]), name


# Faults that stop the reading of the request: it raises `HistoryFormatError` with the place.
UNREADABLE = {"vllm-mistral-tool-calls-iterable"}
# Shapes of single parts that no rule mends.
EXPLAINED_ONLY = {"recorded-openai-unknown-parameter", "recorded-openai-function-name"}
# How many pages a document has stands inside it: a rule acts once the provider has counted them.
AFTER_REJECTION_ONLY = {"anthropic-pdf-pages"}
# Here a rule of another kind comes first, and leaves nothing to do for the one that answers the rejection.
FOUND_BY = {
    "anthropic-invalid-thinking-signature": {"anthropic-strip-foreign-reasoning-content"},
    "anthropic-thinking-empty": {"anthropic-strip-foreign-reasoning-content"},
    "anthropic-unknown-block-type": {"of-another-api"},
    "bedrock-mixed-conversation-tool-result": {"clean-messages"},
    "ollama-content-array": {"of-another-api"},
}


# Accepted as they are, but results are put directly behind their calls for every provider.
TIDIED = {"azure-responses-call-without-output-input[1].call_id"}


def model_of(case: Case) -> ModelRef:
    """The model that a case is about, as the rows recognise it."""
    return ModelRef.of(ModelRef.of({"provider": case.provider, "model": case.model}), api=FORMATS[case.api])


def named_by_check(case: Case) -> set[str]:
    """The rules that `check` names for a bad request."""
    return {finding.rule for finding in check(case.bad, model=model_of(case), source=FORMATS[case.api])}


def judged(case: Case, request: Any) -> list[str]:
    """What the oracle has against a request."""
    found = violations(request, api=case.api, provider=case.provider, model=case.model)
    return [f"{violation.entry} {violation.path}" for violation in found]


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case.api in FORMATS and case.entry != MALFORMED],
    ids=lambda case: case.title,
)
def test_a_broken_request_is_found_and_repaired(case: Case) -> None:
    """The oracle rejects it raw and `check` names a rule of that kind; after the repair both are content."""
    name = FORMATS[case.api]
    model = model_of(case)
    assert judged(case, case.bad)
    if case.entry in UNREADABLE:
        with pytest.raises(HistoryFormatError):
            check(case.bad, model=model, source=name)
        return
    found = named_by_check(case)
    if case.entry in EXPLAINED_ONLY | AFTER_REJECTION_ONLY:
        return
    assert case.title in TIDIED or check(case.good, model=model, source=name) == []
    assert found
    rules = rules_of(case.entry)
    if rules:
        # A provider that says one thing for every fault has rules for the faults.
        named = rules if case.entry != "zhipu-1214" else {rule for rule in found if rule.startswith("zhipu-")}
        assert found & (named | FOUND_BY.get(case.entry, set()))
    fixed = fix(case.bad, model=model, source=name, to=name).request
    assert judged(case, fixed) == []
    assert check(fixed, model=model, source=name) == []


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case.api in FORMATS and rules_of(case.entry) and case.entry not in UNREADABLE],
    ids=lambda case: case.title,
)
def test_a_hidden_provider_accepts_the_retry(case: Case) -> None:
    """Behind a gateway that nobody knows: after the first rejection the provider accepts what is sent, however many
    faults of that kind the history has."""
    wire = formats.FORMATS[FORMATS[case.api]]
    words = [
        sentence
        for entry in RULED
        if entry.repaired_by in named_by_check(case) and entry.evidence.entry == case.entry
        for sentence in sentences(entry.evidence)
    ] or [
        sentence
        for known in catalogue()
        if known.evidence.entry == case.entry
        for sentence in sentences(known.evidence)
    ]
    assert words
    for text in words:
        sent: list[Prompt] = []

        def send(prompt: Prompt, sent: list[Prompt] = sent, text: str = text) -> str:
            sent.append(prompt)
            if len(sent) == 1:
                raise ValueError(text)
            return "answered"

        run = Pipeline.default().start(wire.decode(case.bad), model=ModelRef.of("mygateway/m", api=wire.name))
        try:
            run.call(send)
        except ValueError:
            # What pairing repairs before each call was never sent: no second try.
            assert judged(case, wire.encode(sent[0]).request) == [], text
        else:
            assert run.changes
            assert judged(case, wire.encode(sent[1]).request) == [], text


def test_recorded_rejections_are_found_or_explained() -> None:
    """Of the recorded refusals that state a cause in the history, each gives a finding or an explanation."""
    path = _SHARED.parents[1] / "recorded" / "rejected.jsonl.gz"
    silent: dict[str, str] = {}
    if path.is_file():
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                if row["error"] is None:
                    continue
                if explain(row["error"]) is None:
                    silent[row["id"]] = row["error"]
    # It says nothing but "Internal server error".
    assert set(silent) <= {"pydantic-ai-f80fcb71bd3272"}
