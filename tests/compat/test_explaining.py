"""``explain``: what a rejection means; and silence about errors that are not about the history."""

from __future__ import annotations

import pytest

from replayable import ProviderError, explain
from replayable.compat.catalogue import catalogue
from replayable.compat.processor import ProviderHistoryCompat
from replayable.compat.rule import CompatRule
from tests.recorded.rows import rows

UNRELATED = (
    "Rate limit reached for gpt-5 in organization org-1 on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000.",
    "Incorrect API key provided: sk-1. You can find your API key at https://platform.openai.com/account/api-keys.",
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    "The model `gpt-9` does not exist or you do not have access to it.",
    "Overloaded",
    "Internal server error",
    "Error code: 400",
    "temperature: range: 0..1",
    "400 status code (no body)",
    "Provider returned error: rate limited upstream, please retry shortly",
    '{"error": {"message": "Provider returned error", "code": 429}}',
    '{"error": {"message": "Provider returned error", "code": 502, "metadata": {"provider_name": "x"}}}',
)


def test_a_repairable_rejection() -> None:
    """Cause, remedy, the rule, and the provider's words with their source."""
    found = explain("messages.3.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
    assert found is not None
    assert (found.rule, found.words.startswith("messages.{i}.content.{j}.tool_use.id")) == (
        "anthropic-tool-id-format",
        True,
    )
    assert found.link.startswith("https://")
    assert "repaired by anthropic-tool-id-format" in str(found)


def test_pairing_is_explained_by_what_repairs_it() -> None:
    """The words of unpaired calls name the processor that repairs them."""
    found = explain({"error": {"message": "Not the same number of function calls and responses"}})
    assert found is not None
    assert (found.entry, found.rule) == ("mistral-call-response-count", "clean-messages")


@pytest.mark.parametrize("model", [None, "anthropic/claude-sonnet-5", "openai/gpt-5"])
def test_the_common_cause_is_told_before_a_rare_one(model: str | None) -> None:
    """A lost result, not the text behind a call that a rule repairs after the same words."""
    found = explain(
        "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: a", model=model
    )
    assert found is not None
    assert found.rule == "clean-messages"


def test_context_length_is_explained_and_not_repaired() -> None:
    """A prompt that is too long has an explanation without a rule."""
    found = explain("prompt is too long: 213462 tokens > 200000 maximum")
    assert found is not None
    assert (found.entry, found.rule) == ("ctx-anthropic", None)
    assert "no rule repairs it" in str(found)


@pytest.mark.parametrize("text", UNRELATED)
def test_other_errors_mean_nothing(text: str) -> None:
    """Parameters, keys, limits and servers' trouble are no matter of the history."""
    assert explain(text) is None
    assert reacting(text) == []


def test_recorded_errors_of_other_kinds_mean_nothing() -> None:
    """None of the recorded refusals for other reasons is explained, or answered by a rule."""
    explained = {row.id: explain(row.error) for row in rows("unrelated_errors")}
    assert {name: found for name, found in explained.items() if found is not None} == {}
    answered = {row.id: reacting(row.error or "") for row in rows("unrelated_errors")}
    assert {name: found for name, found in answered.items() if found} == {}


def test_context_length_matches_no_rule() -> None:
    """No rule answers any of the words for a prompt that is too long."""
    known = [entry for entry in catalogue() if entry.treatment == "none"]
    assert known
    for entry in known:
        assert reacting(entry.evidence.text) == [], entry.evidence.entry


def reacting(text: str) -> list[str]:
    """The rules that would answer a rejection."""
    error = ProviderError.of(text)
    everybody: tuple[CompatRule, ...] = ProviderHistoryCompat().reactive_rules()
    return [rule.name for rule in everybody if rule.matches(error)]


def test_entries_are_unique() -> None:
    """A rule, or a fault, has one record of a kind; a kind may be answered by several rules."""
    told = [
        (entry.evidence.entry, entry.repaired_by, entry.evidence.pattern)
        for entry in catalogue()
        if entry.evidence.entry is not None
    ]
    assert sorted(told, key=str) == sorted(set(told), key=str)
