"""``ProviderHistoryCompat`` before a call: which rules run, in which order, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from replayable import (
    AssistantMessage,
    CompatRule,
    ConfigurationError,
    Message,
    ModelRef,
    Pipeline,
    Prompt,
    ProviderHistoryCompat,
    ReasoningPart,
    SystemMessage,
    TextPart,
    UserMessage,
)
from replayable.compat.provider import Provider
from replayable.compat.providers import COMMON, PROVIDERS
from replayable.edits import map_parts, replace
from replayable.facts import FILES
from replayable.messages import Part
from replayable.prompt import with_messages

HI = UserMessage("Hi")
MODELS = (
    "openai/gpt-4o",
    "openai.responses/gpt-5",
    "anthropic/claude-sonnet-4-5",
    "google/gemini-2.5-flash",
    "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "bedrock/amazon.nova-pro-v1:0",
    "cohere/command-a-03-2025",
    "mistral/mistral-large-latest",
    "deepseek/deepseek-chat",
    "ollama/qwen3:4b",
)


def appending(name: str, text: str, **fields: Any) -> CompatRule:
    """A rule that appends to every text of the user that has no such end."""

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        def change(message: Message, part: Part) -> Part:
            if message.role != "user" or part.type != "text" or text in part.text:
                return part
            return replace(part, text=part.text + text)

        messages = map_parts(prompt.messages, change, needs=-1)
        return None if messages is None else with_messages(prompt, messages)

    return CompatRule(name=name, summary="Appends.", apply_to_prompt=apply_to_prompt, **fields)


def prepared(compat: ProviderHistoryCompat, *messages: Message, model: Any = None) -> tuple[Message, ...]:
    """What the processor alone makes of some messages."""
    return Pipeline([compat]).prepare(messages, model=model).prompt.messages


def test_additional_rules_run_in_their_order_after_the_built_in_ones() -> None:
    """Built-in rules first, then additional ones in the order given, for every model."""
    compat = ProviderHistoryCompat(additional_rules=[appending("x-b", "b"), appending("x-a", "a")])
    assert [rule.name for rule in compat.rules_for("cerebras/x")][-3:] == [
        "chat-some-message",
        "x-b",
        "x-a",
    ]
    for model in (None, "a-house-nobody-knows/m", "cerebras/x"):
        assert prepared(compat, HI, model=model) == (UserMessage("Hiba"),)


def test_empties_that_an_additional_rule_leaves_are_dropped() -> None:
    """After an additional rule that changed something, the provider's structural rules run once more."""

    def silence(prompt: Prompt) -> Prompt | None:
        messages = map_parts(
            prompt.messages,
            lambda message, part: (
                replace(part, text="") if part.type == "text" and part.text == "x" else part
            ),
            needs=-1,
        )
        return None if messages is None else with_messages(prompt, messages)

    compat = ProviderHistoryCompat(
        additional_rules=[CompatRule(name="x-silence", summary="Silences.", apply_to_prompt=silence)]
    )
    history = (HI, AssistantMessage("x"), HI)
    assert prepared(compat, *history, model="claude-sonnet-4-5") == (HI, HI)
    assert prepared(compat, *history, model="a-house-nobody-knows/m") == (HI, AssistantMessage(""), HI)


def test_needs_are_honoured() -> None:
    """A rule does not run where none of the facts that it needs occurs."""
    compat = ProviderHistoryCompat(additional_rules=[appending("x-files", "!", needs=FILES)])
    prompt = Prompt(messages=(HI,))
    assert Pipeline([compat]).prepare(prompt).prompt is prompt


def test_models_are_honoured() -> None:
    """A rule does not run before a call to a model that it is not for, and is asked so of each model once."""
    asked: list[str | None] = []

    def is_gpt(model: ModelRef) -> bool:
        asked.append(model.model)
        return model.maker == "openai"

    rule = appending("x-gpt", "!", models=is_gpt)
    row = Provider(name="x", recognise=lambda model: True, rules=(rule,))
    own, additional = ProviderHistoryCompat(providers=[row]), ProviderHistoryCompat(additional_rules=[rule])
    for name in ("gpt-5", "claude-sonnet-4-5"):
        expected = (UserMessage("Hi!"),) if name == "gpt-5" else (HI,)
        assert prepared(additional, HI, model=name) == expected
        assert (rule in own.rules_for(name), rule in additional.rules_for(name)) == (name == "gpt-5",) * 2
        pipeline = Pipeline([own])
        prompt = pipeline.prepare([HI], model=name).prompt
        assert prompt.messages == expected
        asked.clear()
        assert pipeline.prepare(with_messages(prompt, (HI,))).prompt.messages == expected
        assert asked == []


@pytest.mark.parametrize("row", [COMMON, *PROVIDERS], ids=lambda row: row.name)
def test_built_in_rules_are_for_the_models_that_they_change_something_for(row: Provider) -> None:
    """What a rule says of its models only spares calls that would change nothing."""
    models = [ModelRef(), *map(ModelRef.of, MODELS)]
    for rule in row.all_rules():
        for model in models:
            if rule.apply_to_prompt is None or rule.models is None or rule.models(model):
                continue
            for example in rule.examples:
                assert rule.apply_to_prompt(Prompt(messages=example.before, model=model)) is None


def test_changes_name_their_rules() -> None:
    """Each change tells the processor and the rule that made it."""
    compat = ProviderHistoryCompat(additional_rules=[appending("x-a", "a")])
    history = (
        HI,
        AssistantMessage(parts=[ReasoningPart(text="Hm."), "x"]),
        SystemMessage("s"),
        UserMessage("Well?"),
    )
    changes = Pipeline([compat]).prepare(history, model="claude-sonnet-4-5").changes
    assert [(change.processor, change.rule, change.message_index) for change in changes] == [
        ("provider-history-compat", "anthropic-strip-foreign-reasoning-content", 1),
        # its text, and the message's role
        ("provider-history-compat", "anthropic-system-position", 2),
        ("provider-history-compat", "anthropic-system-position", 2),
        ("provider-history-compat", "x-a", 0),
        ("provider-history-compat", "x-a", 2),
        ("provider-history-compat", "x-a", 3),
    ]


FOREIGN = AssistantMessage(
    parts=[ReasoningPart(text="Simple."), ReasoningPart(encrypted="e"), "4"],
    provider="deepseek",
    api="openai_chat",
)


def test_foreign_reasoning_is_dropped_unless_told_otherwise() -> None:
    """By default reasoning that the provider would not take back leaves."""
    assert prepared(ProviderHistoryCompat(), HI, FOREIGN, model="claude-sonnet-4-5") == (
        HI,
        AssistantMessage("4", provider="deepseek", api="openai_chat"),
    )


def test_foreign_reasoning_as_text() -> None:
    """On request its readable part is told as text, in its place; the provider's own stays as it is."""
    compat = ProviderHistoryCompat(foreign_reasoning="as_text")
    own = AssistantMessage(parts=[ReasoningPart(text="Hm.", signature="s"), "x"], provider="anthropic")
    assert prepared(compat, HI, FOREIGN, HI, own, HI, model="claude-sonnet-4-5") == (
        HI,
        AssistantMessage(
            parts=[TextPart("<thinking>\nSimple.\n</thinking>"), "4"], provider="deepseek", api="openai_chat"
        ),
        HI,
        own,
        HI,
    )


def test_a_model_without_a_policy_keeps_reasoning() -> None:
    """Where no row says anything about reasoning, it stays, ``as_text`` or not."""
    for compat in (ProviderHistoryCompat(), ProviderHistoryCompat(foreign_reasoning="as_text")):
        assert prepared(compat, HI, FOREIGN, model="a-house-nobody-knows/m") == (HI, FOREIGN)


def test_rules_of_fallbacks_apply() -> None:
    """The prompt is one that the model and all its fallbacks accept; shared rules run once."""
    compat = ProviderHistoryCompat()
    both = [rule.name for rule in compat.rules_for(["openai/gpt-5", "claude-sonnet-4-5", "azure/gpt-4o"])]
    assert len(both) == len(set(both))
    assert set(both) >= {"openai-tool-call-id-length", "anthropic-tool-id-format"}
    assert [rule.name for rule in compat.rules_for(ModelRef())] == [
        rule.name for rule in compat.rules_for("a-house-nobody-knows/m")
    ]


def test_own_rows() -> None:
    """The rows can be chosen; without any, only the rules for every model are left."""
    none = ProviderHistoryCompat(providers=())
    assert none.rules_for("claude-sonnet-4-5") == ProviderHistoryCompat().rules_for(None)
    some = ProviderHistoryCompat(providers=[row for row in PROVIDERS if row.name == "cerebras"])
    assert "cerebras-strip-reasoning-content" in [rule.name for rule in some.rules_for("cerebras/x")]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"additional_rules": [appending("x-a", "a"), appending("x-a", "b")]},
            "additional_rules holds several rules named x-a",
        ),
        (
            {"additional_rules": ["anthropic-tool-id-format"]},
            "additional_rules must hold CompatRule objects, found str",
        ),
        ({"providers": ["anthropic"]}, "providers must hold Provider objects, found str"),
        ({"foreign_reasoning": "keep"}, "foreign_reasoning must be 'drop' or 'as_text', not 'keep'"),
    ],
)
def test_configuration_errors(fields: dict[str, Any], message: str) -> None:
    """What cannot work raises at construction and says why."""
    with pytest.raises(ConfigurationError, match=message):
        ProviderHistoryCompat(**fields)


def test_foreign_reasoning_as_text_for_several_models() -> None:
    """With fallbacks, what any of them would not take back is told as text."""
    compat = ProviderHistoryCompat(foreign_reasoning="as_text")
    signed = AssistantMessage(parts=[ReasoningPart(text="Hm.", signature="s"), "x"], provider="anthropic")
    assert prepared(compat, HI, signed, model=["claude-sonnet-4-5", "cerebras/x"]) == (
        HI,
        AssistantMessage(parts=[TextPart("<thinking>\nHm.\n</thinking>"), "x"], provider="anthropic"),
    )
