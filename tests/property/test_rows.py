"""Every built-in row as a whole, behind the default pipeline, on any history."""

from __future__ import annotations

from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from replayable import ModelRef, Pipeline
from replayable.compat.providers import PROVIDERS, providers_of
from replayable.messages import Messages, messages_to_json
from tests.compat.test_catalogue import model_of

from .strategies import continuations, histories, paired_histories
from .test_rules import LOOKS_AT_ALL, REWRITES_USER_TEXT, TOUCHES_THE_END, contains_in_order, user_texts

MODELS: Final = [model_of(row) for row in PROVIDERS]
PIPELINE: Final = Pipeline.default()

models = st.sampled_from(MODELS)


def prepared(history: Messages, model: ModelRef) -> Messages:
    """What is sent to a model."""
    return PIPELINE.prepare(history, model=model).prompt.messages


def rules_of(model: ModelRef) -> set[str]:
    """The names of a model's rules."""
    return {rule.name for row in providers_of(model) for rule in row.all_rules()}


class TestRows:
    """Whoever reads next, and whoever read before."""

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
