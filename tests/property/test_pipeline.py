"""The default pipeline, for several models, on any history."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from replayable import (
    CleanMessages,
    Message,
    ModelRef,
    Pipeline,
    Prompt,
    ProviderHistoryCompat,
    clean_messages,
)
from replayable.messages import Messages, messages_to_json

from .checker import violations
from .strategies import MODELS, broken_histories, continuations, deeply_nested, histories, paired_histories
from .test_rules import contains_in_order, user_texts

DEFAULT = Pipeline.default()
models = st.sampled_from(MODELS)


def rewrites_user_text(model: object) -> bool:
    """Azure's rule renames a tag inside what the user wrote."""
    return any(candidate.provider == "azure" for candidate in ModelRef.of(model).candidates())


@given(histories(), models)
def test_idempotent_and_pure(history: Messages, model: object) -> None:
    """The second time the prompt comes back as the same object without a change; the input is what it was."""
    before = messages_to_json(history)
    once = DEFAULT.prepare(history, model=model)
    twice = DEFAULT.prepare(once.prompt, model=model)
    assert twice.prompt is once.prompt
    assert twice.changes == ()
    assert messages_to_json(history) == before


@given(histories(), models)
def test_output_is_paired_and_changes_are_told(history: Messages, model: object) -> None:
    """What is sent is paired, and something is told exactly when something changed."""
    prompt = Prompt(messages=history, model=ModelRef.of(model))
    prepared = DEFAULT.prepare(prompt)
    assert violations(prepared.prompt.messages) == []
    assert (prepared.prompt is prompt) == (prepared.changes == ())
    assert all("\n" not in str(change) for change in prepared.changes)


@given(histories(), models)
def test_user_text_is_never_lost(history: Messages, model: object) -> None:
    """Everything that the user wrote is sent, in order."""
    out = DEFAULT.prepare(history, model=model).prompt.messages
    if not rewrites_user_text(model):
        assert contains_in_order(user_texts(out), user_texts(history))


@given(histories(), continuations(), models)
def test_prefix_stable(history: Messages, new: Messages, model: object) -> None:
    """What was sent before is sent again when the history has grown.

    Not where a provider's rule depends on what comes last: an empty final answer, a final system message, nothing at all;
    nor for the last message where a provider wants what follows in the same one.
    """
    cleaned = clean_messages(history, missing_results="placeholder")
    if not cleaned or cleaned[-1].role in ("assistant", "system"):
        return
    before = DEFAULT.prepare(history, model=model).prompt.messages
    after = DEFAULT.prepare((*history, *new), model=model).prompt.messages
    # Where roles must alternate, two messages of one role in a row become one.
    stable = len(before) - (new[:1] != () and new[0].role == before[-1].role) if before else 0
    assert messages_to_json(after[:stable]) == messages_to_json(before[:stable])


@given(paired_histories())
def test_nothing_changes_for_a_model_without_rules(history: Messages) -> None:
    """A paired history goes to a model that nobody knows as it is."""
    prompt = Prompt(messages=history, model=ModelRef.of("a-house-nobody-knows/some-model"))
    server_tools = any(
        part.type in ("tool_call", "tool_result") and part.provider_executed
        for message in history
        for part in message.parts
    )
    if not server_tools:
        assert DEFAULT.prepare(prompt).prompt is prompt


@given(broken_histories(), models)
def test_server_state_leaves_partners_to_the_provider(history: Messages, model: object) -> None:
    """Where the provider holds part of the history, processors run all the same: idempotent and without an error."""
    prompt = Prompt(messages=history, model=ModelRef.of(model), server_state=True)
    once = DEFAULT.prepare(prompt)
    assert DEFAULT.prepare(once.prompt).prompt is once.prompt


@given(broken_histories(), models, st.sampled_from(("drop", "as_text")))
def test_deep_nesting_raises_nothing(history: Messages, model: object, foreign_reasoning: str) -> None:
    """Inputs and metadata that nest deeper than Python's recursion go through, and their changes can be told."""
    deep = tuple(_deepened(message) for message in history)
    pipeline = Pipeline(
        [
            CleanMessages(),
            ProviderHistoryCompat(foreign_reasoning="as_text" if foreign_reasoning == "as_text" else "drop"),
        ]
    )
    prepared = pipeline.prepare(deep, model=model)
    assert violations(prepared.prompt.messages) == []
    assert all(str(change) for change in prepared.changes)


def _deepened(message: Message) -> Message:
    parts = tuple(
        part.model_copy(update={"input": deeply_nested(3_000), "raw_input": None})
        if part.type == "tool_call"
        else part.model_copy(update={"output": deeply_nested(3_000), "content": None})
        if part.type == "tool_result"
        else part
        for part in message.parts
    )
    return message.model_copy(update={"parts": parts, "metadata": deeply_nested(3_000)})
