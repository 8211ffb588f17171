"""A provider of one's own: one file, and no other change."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import pytest

from replayable import (
    PROVIDERS,
    AssistantMessage,
    CleanMessages,
    ConfigurationError,
    Dialect,
    ModelRef,
    Pipeline,
    Provider,
    ProviderHistoryCompat,
    ToolCallPart,
    UserMessage,
    check,
    fix,
)
from replayable.compat.providers import dialect_of
from replayable.compat.providers.anthropic import ANTHROPIC
from replayable.compat.providers.deepseek import DEEPSEEK

ACME = '''
"""Acme: Anthropic's API, without its rule for ids, and no blank user turns."""

from replayable import CompatRule, Evidence, explain
from replayable.compat.providers.anthropic import ANTHROPIC
from replayable.edits import map_parts
from replayable.messages import TextPart
from replayable.prompt import with_messages


def shout(prompt):
    messages = map_parts(
        prompt.messages,
        lambda message, part: TextPart("HI") if part.type == "text" and part.text == "hi" else part,
        needs=-1,
    )
    return None if messages is None else with_messages(prompt, messages)


ACME = ANTHROPIC.based(
    "acme",
    recognise=lambda model: model.provider == "acme",
    without=["anthropic-tool-id-format"],
    add=[
        CompatRule(
            name="acme-shout",
            summary="Acme wants loud greetings.",
            apply_to_prompt=shout,
            evidence=(Evidence(text="Speak up.", link="https://acme.example", pattern="Speak up", entry="acme-whisper"),),
        )
    ],
)
'''


@pytest.fixture
def acme(tmp_path: Path) -> Provider:
    """The row, read from its one file."""
    path = tmp_path / "acme.py"
    path.write_text(ACME, "utf-8")
    spec = importlib.util.spec_from_file_location("acme", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    row: Provider = module.ACME
    return row


def test_one_file_makes_a_provider(acme: Provider) -> None:
    """Its models go through its rules, are checked by them, and its words are explained."""
    from replayable import explain

    providers = [acme, *PROVIDERS]
    compat = ProviderHistoryCompat(providers=providers)
    names = [rule.name for rule in compat.rules_for("acme/m-1")]
    assert "acme-shout" in names
    assert "anthropic-tool-id-format" not in names
    assert "anthropic-drop-empty" in names
    history = [UserMessage("hi"), AssistantMessage(" "), UserMessage("Well?")]
    prepared = Pipeline([compat]).prepare(history, model="acme/m-1").prompt.messages
    assert prepared == (UserMessage("HI"), UserMessage("Well?"))
    assert [found.rule for found in check(history, model="acme/m-1", providers=providers)] == [
        "acme-shout",
        "anthropic-drop-empty",
    ]
    found = explain("Speak up, please.", providers=providers)
    assert found is not None
    assert found.rule == "acme-shout"


ANSWER_WITH_REASONING = {
    "model": "claude-sonnet-5",
    "max_tokens": 99,
    "tools": [{"name": "now", "input_schema": {"type": "object"}}],
    "messages": [
        {"role": "user", "content": "When?"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "I look.", "signature": "c2ln"},
                {"type": "tool_use", "id": "toolu_1", "name": "now", "input": {}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "12:00"}]},
    ],
}


@pytest.mark.parametrize("others", [[], ["deepseek/deepseek-v4-flash"]], ids=["alone", "with a fallback"])
def test_its_dialect_is_written(others: list[str]) -> None:
    """The encoder writes the row's own wire: its field of reasoning, its field of the limit; and check agrees."""
    dialect = replace(DEEPSEEK.dialect, output_limit="max_completion_tokens")
    acme = DEEPSEEK.based("acme", recognise=lambda model: model.provider == "acme", dialect=dialect)
    providers = [acme, *PROVIDERS]
    processors = [CleanMessages(), ProviderHistoryCompat(providers=providers)]
    model = ModelRef.of(["acme/deepseek-v4-flash", *others])
    request = fix(ANSWER_WITH_REASONING, model=model, to="openai_chat", processors=processors).request
    assert request["messages"][1]["reasoning_content"] == "I look."
    assert request["max_completion_tokens"] == 99
    assert check(request, model="acme/deepseek-v4-flash", providers=providers) == []
    # Nobody else's run of the same model is told of them.
    request = fix(ANSWER_WITH_REASONING, model=model, to="openai_chat").request
    assert request["max_tokens"] == 99


def test_calls_that_it_takes_without_results_stay() -> None:
    """What the row says of calls without results holds before a call, too: nothing is added to them."""
    call = ToolCallPart(tool_call_id="call_1", tool_name="now", input={})
    history = [UserMessage("When?"), AssistantMessage(parts=[call]), UserMessage("Well?")]
    for lax in (
        Provider(name="lax", recognise=lambda model: model.provider == "lax", takes_unpaired=lambda _: True),
        Provider(
            name="lax", recognise=lambda model: model.provider == "lax", takes_unanswered_turns=lambda _: True
        ),
    ):
        providers = [lax, *PROVIDERS]
        pipeline = Pipeline(
            [CleanMessages(missing_results="placeholder"), ProviderHistoryCompat(providers=providers)]
        )
        assert pipeline.prepare(history, model="lax/m-1").changes == ()
        assert check(history, model="lax/m-1", providers=providers) == []
        assert Pipeline.default().prepare(history, model="lax/m-1").changes
        assert check(history, model="lax/m-1")


def test_a_run_in_another_pipeline_asks_that_ones_rows() -> None:
    """A prompt that one pipeline made is another's like any other."""
    acme = DEEPSEEK.based("acme", recognise=lambda model: model.provider == "acme")
    own = Pipeline([ProviderHistoryCompat(providers=[acme, *PROVIDERS])])
    prompt = own.prepare([UserMessage("hi")], model="acme/m-1").prompt
    assert dialect_of(prompt.model) is DEEPSEEK.dialect
    assert own.prepare(prompt).prompt is prompt
    assert dialect_of(Pipeline.default().prepare(prompt).prompt.model) == Dialect()


def test_others_are_as_they_were(acme: Provider) -> None:
    """No other model sees its rules."""
    compat = ProviderHistoryCompat(providers=[acme, *PROVIDERS])
    assert compat.rules_for("claude-sonnet-4-5") == ProviderHistoryCompat().rules_for("claude-sonnet-4-5")


def test_based_on_names_that_are_there() -> None:
    """Leaving out a rule that the row does not have is refused."""
    with pytest.raises(ConfigurationError, match="'anthropic' has no rules named x-y"):
        ANTHROPIC.based("acme", recognise=lambda model: False, without=["x-y"])


def test_rules_are_switched_off_by_name() -> None:
    """A switched-off rule neither runs before a call nor answers a rejection; a wrong name is refused."""
    compat = ProviderHistoryCompat(without_rules=["anthropic-tool-id-format"])
    assert "anthropic-tool-id-format" not in [rule.name for rule in compat.rules_for("claude-sonnet-4-5")]
    assert "anthropic-tool-id-format" not in [rule.name for rule in compat.reactive_rules()]
    with pytest.raises(ConfigurationError, match="no built-in rules named x-y"):
        ProviderHistoryCompat(without_rules=["x-y"])
    with pytest.raises(ConfigurationError, match="must be a list of names"):
        ProviderHistoryCompat(without_rules="anthropic-tool-id-format")
