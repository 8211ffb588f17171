"""Every built-in row as a whole, behind the default pipeline, on any history."""

from __future__ import annotations

from typing import Final

from hypothesis import example, given, settings
from hypothesis import strategies as st

from replayable import ModelRef, Pipeline
from replayable.compat.processor import ProviderHistoryCompat
from replayable.compat.providers import PROVIDERS, providers_of
from replayable.messages import (
    AssistantMessage,
    Messages,
    SystemMessage,
    ToolMessage,
    UserMessage,
    messages_to_json,
)
from tests.compat.test_catalogue import model_of
from tests.recorded.row_targets import TARGETS, target_model

from .strategies import (
    CALLS_AND_TEXT,
    SERVER_ANSWERED,
    SERVER_CALL,
    SIGNED_BY_CLAUDE,
    continuations,
    histories,
    paired_histories,
    rows_of_ingredients,
)
from .test_rules import LOOKS_AT_ALL, REWRITES_USER_TEXT, TOUCHES_THE_END, contains_in_order, user_texts

# One for each row, and those of the matrix: within a row, the rules differ by a model's family and version.
MODELS: Final = [*(model_of(row) for row in PROVIDERS), *(target_model(*target) for target in TARGETS)]
PIPELINE: Final = Pipeline.default()
COMPAT: Final = ProviderHistoryCompat()

models = st.sampled_from(MODELS)


def prepared(history: Messages, model: ModelRef) -> Messages:
    """What is sent to a model."""
    return PIPELINE.prepare(history, model=model).prompt.messages


def rules_of(model: ModelRef) -> set[str]:
    """The names of a model's rules."""
    return {rule.name for row in providers_of(model) for rule in row.all_rules()}


class TestRows:
    """Whoever reads next, and whoever read before."""

    @settings(max_examples=600)
    @given(rows_of_ingredients(), models)
    @example(
        (UserMessage("Hello"), SystemMessage("Be brief."), AssistantMessage(""), UserMessage("Hello")),
        ModelRef.of("anthropic/claude-sonnet-5"),
    )
    @example(
        (AssistantMessage("Hi"), ToolMessage([]), SystemMessage("Be brief.")),
        ModelRef.of("anthropic/claude-opus-4-8"),
    )
    @example((SystemMessage("Be brief."), AssistantMessage([])), ModelRef.of("anthropic/claude-opus-4-8"))
    @example((SERVER_CALL, SERVER_ANSWERED), ModelRef.of("anthropic/claude-opus-4-8"))
    @example((AssistantMessage("Hi"), AssistantMessage("")), ModelRef.of("minimax.messages/MiniMax-M2"))
    @example((CALLS_AND_TEXT, AssistantMessage("Hi")), ModelRef.of("google/gemini-2.5-pro"))
    @example((CALLS_AND_TEXT, CALLS_AND_TEXT, UserMessage("")), ModelRef.of("google/gemini-2.5-pro"))
    @example((SIGNED_BY_CLAUDE, CALLS_AND_TEXT, UserMessage("Hello")), ModelRef.of("google/gemini-2.5-pro"))
    def test_no_rule_has_anything_left_to_change(self, history: Messages, model: ModelRef) -> None:
        """What a later rule does leaves nothing that an earlier one would have changed."""
        sent = PIPELINE.prepare(history, model=model).prompt
        left = [
            rule.name
            for rule in COMPAT.rules_for(model)
            if rule.apply_to_prompt is not None and rule.apply_to_prompt(sent) is not None
        ]
        assert left == [], model

    @given(histories(), models)
    def test_idempotent_and_deterministic(self, history: Messages, model: ModelRef) -> None:
        """What was prepared once stays as it is, and the same history gives the same again."""
        once = prepared(history, model)
        assert messages_to_json(prepared(once, model)) == messages_to_json(once), model
        assert messages_to_json(prepared(history, model)) == messages_to_json(once), model

    @given(histories(), models)
    def test_user_text_is_never_lost(self, history: Messages, model: ModelRef) -> None:
        """Everything that the user wrote is sent, in order."""
        if not rules_of(model) & REWRITES_USER_TEXT:
            assert contains_in_order(user_texts(prepared(history, model)), user_texts(history)), model

    @given(histories(), models, models)
    def test_one_after_the_other(self, history: Messages, first: ModelRef, then: ModelRef) -> None:
        """A history that was made fit for one model is made fit for the next: nothing is left to change there."""
        sent = prepared(prepared(history, first), then)
        assert messages_to_json(prepared(sent, then)) == messages_to_json(sent), (first, then)

    @given(paired_histories(), continuations(), models)
    def test_prefix_stable(self, history: Messages, new: Messages, model: ModelRef) -> None:
        """What was sent before is sent again, where none of the model's rules looks at what follows."""
        names = rules_of(model)
        if not history or history[-1].role in ("assistant", "system") or names & LOOKS_AT_ALL:
            return
        before = prepared(history, model)
        stable = max(len(before) - bool(names & TOUCHES_THE_END), 0)
        after = prepared((*history, *new), model)
        assert messages_to_json(after[:stable]) == messages_to_json(before[:stable]), model
