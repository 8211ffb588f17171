"""A provider of one's own: one file, and no other change."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from replayable import (
    PROVIDERS,
    AssistantMessage,
    ConfigurationError,
    Pipeline,
    Provider,
    ProviderHistoryCompat,
    UserMessage,
    check,
)
from replayable.compat.providers.anthropic import ANTHROPIC

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
