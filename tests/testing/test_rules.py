"""``check_rule``: silent on every built-in rule, and telling of every way in which a rule can be wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from replayable import (
    AssistantMessage,
    CompatRule,
    ConfigurationError,
    Evidence,
    Example,
    Message,
    ModelRef,
    Prompt,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from replayable.edits import drop_parts, map_messages, map_parts, with_parts
from replayable.edits import replace as with_fields
from replayable.facts import CALLS, REASONING, RESULTS, USER
from replayable.messages import Messages, Part
from replayable.prompt import with_messages
from replayable.testing import RuleFault, check_rule
from tests.compat.test_catalogue import RULES

HISTORY = (
    UserMessage("a\tb"),
    AssistantMessage(["Well.", ToolCallPart(tool_call_id="x", tool_name="t", input={})]),
    ToolMessage([ToolResultPart(tool_call_id="x", output="4")]),
    UserMessage("c"),
)
EVIDENCE = Evidence(
    text="tab at {i} is not allowed", link="https://example.com/errors", pattern="is not allowed"
)


def spaced(message: Message, part: Part) -> Part:
    """Tabs as spaces."""
    return (
        with_fields(part, text=part.text.replace("\t", " "))
        if part.type == "text" and "\t" in part.text
        else part
    )


def without_tabs(messages: Messages) -> Messages | None:
    """What a good rule does."""
    return map_parts(messages, spaced, needs=USER)


def of(change: Callable[[Messages], Any], **fields: Any) -> CompatRule:
    """A rule that makes one change of the messages, before a call and after a rejection."""

    def apply(prompt: Prompt) -> Any:
        changed = change(prompt.messages)
        return with_messages(prompt, changed) if isinstance(changed, tuple) else changed

    given = {"evidence": (EVIDENCE,), "summary": "Tabs become spaces."} | fields
    return CompatRule(
        name="house-tabs", apply_to_prompt=apply, fix=lambda messages, error: change(messages), **given
    )


GOOD = of(
    without_tabs,
    needs=USER,
    examples=(Example(title="tab", before=HISTORY, after=(UserMessage("a b"), *HISTORY[1:])),),
)


def faults(rule: CompatRule, **options: Any) -> str:
    """What is found wrong."""
    given: dict[str, Any] = {"histories": [HISTORY], "rewrites_user_text": True} | options
    with pytest.raises(RuleFault) as caught:
        check_rule(rule, **given)
    assert str(caught.value) == "\n- ".join(["rule 'house-tabs':", *caught.value.faults])
    return str(caught.value)


# Those of all other rules are too many.
SOME_EXAMPLES = [example.before for rule, _ in RULES.values() for example in rule.examples][::7]


@pytest.mark.parametrize(("rule", "model"), [pytest.param(*given, id=name) for name, given in RULES.items()])
def test_built_in_rules_have_it_all(rule: CompatRule, model: ModelRef) -> None:
    """Each on its own examples, and on other rules'."""
    rewrites = rule.name == "azure-system-reminder-transform"
    check_rule(rule, model=model, histories=SOME_EXAMPLES, rewrites_user_text=rewrites)


def test_a_good_rule_passes() -> None:
    """On histories of any form, and on what the provider took."""
    wire = [{"role": "user", "content": "a\tb"}]
    check_rule(
        GOOD, histories=[HISTORY, wire, {"messages": wire}], rewrites_user_text=True, accepted=[HISTORY[1:]]
    )


numbers = count()


def shouted(messages: Messages) -> Messages:
    """Something else at each call."""
    return (UserMessage(f"{next(numbers)}"), *messages)


def now_and_then(messages: Messages) -> Messages | None:
    """Nothing, then something."""
    return shouted(messages) if next(numbers) % 2 else None


def mutated(messages: Messages) -> Messages | None:
    """A note in what the caller owns."""
    for message in messages:
        if message.metadata is not None:
            message.metadata["seen"] = True
    return None


def fails(messages: Messages) -> Messages | None:
    """No messages at all."""
    raise KeyError("x")


def copied(messages: Messages) -> Messages:
    """The same in other objects."""
    return tuple(message.model_copy() for message in messages)


def once_more(messages: Messages) -> Messages:
    """One message more each time."""
    return (*messages, UserMessage("Go on."))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        pytest.param(fails, "it raises KeyError: 'x'", id="raises"),
        pytest.param(mutated, "it changes what it was given", id="mutates"),
        pytest.param(shouted, "it gives different things for the same history", id="not deterministic"),
        pytest.param(now_and_then, "it gives different things for the same history", id="now and then"),
        pytest.param(copied, "it returns a copy of what it was given: return None", id="copy"),
        pytest.param(lambda messages: list(messages), "it returns list: return a Prompt", id="no prompt"),
        pytest.param(
            lambda messages: copied(without_tabs(messages) or ()) if without_tabs(messages) else None,
            "it copies messages that it does not change",
            id="copies within a change",
        ),
        pytest.param(once_more, "it changes its own outcome once more", id="not idempotent"),
        pytest.param(
            lambda messages: drop_parts(messages, lambda _, part: part.type == "tool_result", needs=RESULTS),
            "it tears calls from their results",
            id="drops results",
        ),
        pytest.param(
            lambda messages: map_messages(
                messages,
                lambda message: (
                    with_parts(message, [part for part in message.parts if part.type != "tool_call"])
                    if message.role == "assistant" and any(part.type == "tool_call" for part in message.parts)
                    else message
                ),
            ),
            "it tears calls from their results",
            id="drops calls",
        ),
    ],
)
def test_what_a_rule_must_not_do(change: Callable[[Messages], Any], fault: str) -> None:
    """Each told before a call, and what to do instead."""
    history = (with_metadata(HISTORY[0]), *HISTORY[1:])
    told = faults(of(change), histories=[history])
    assert f"before a call: {fault}" in told


def with_metadata(message: Message) -> Message:
    """The message with something that can be mutated."""
    return with_fields(message, metadata={"a": 1})


def test_both_ways_are_looked_at() -> None:
    """After a rejection, too: the plain one, and each that the rule quotes."""
    told = faults(replace(of(once_more), apply_to_prompt=None))
    assert "histories[0], after a rejection: it changes its own outcome once more" in told
    assert "histories[0], after 'tab at {i} is not allowed': it changes its own outcome once more" in told


def test_a_beginning_is_a_history_too() -> None:
    """What goes wrong when the conversation is short is found, and told once."""
    rule = of(lambda messages: fails(messages) if len(messages) == 2 else None)
    told = faults(rule)
    assert "- the first 2 messages of histories[0], before a call: it raises KeyError: 'x'" in told
    assert told.count("before a call") == 1


def test_user_text() -> None:
    """It stays, unless the author says that rewriting it is what the rule is for."""
    assert "something that the user wrote is gone" in faults(GOOD, rewrites_user_text=False)
    check_rule(GOOD, histories=[HISTORY], rewrites_user_text=True)


def test_needs() -> None:
    """A fact that does not occur keeps the rule from being called: then it must have nothing to do."""
    assert "it has something to do where none of the facts in needs occurs" in faults(
        of(without_tabs, needs=REASONING)
    )
    told = faults(replace(GOOD, needs=REASONING), histories=[])
    assert "example tab: it holds none of the facts in needs" in told


def test_accepted_is_sacred() -> None:
    """What the provider took is not changed before a call; after a rejection it has spoken."""
    assert "accepted[0]: the rule changes it, though the provider has accepted it" in faults(
        GOOD, accepted=[HISTORY]
    )
    check_rule(replace(GOOD, apply_to_prompt=None), accepted=[HISTORY], rewrites_user_text=True)


def test_examples() -> None:
    """Before becomes after."""
    (example,) = GOOD.examples
    wrong = replace(GOOD, examples=(replace(example, after=HISTORY),))
    assert "example tab: what the rule makes of it is not its after" in faults(wrong)
    idle = replace(GOOD, examples=(Example(before=HISTORY[1:], after=HISTORY[1:]),))
    assert "example 0: the rule does not change it" in faults(idle)


def test_evidence() -> None:
    """A rule quotes a provider, says where, and knows those words again."""
    assert "it quotes no provider" in faults(replace(GOOD, fix=None, evidence=()))
    assert "a link to where they were seen" in faults(
        replace(GOOD, evidence=(replace(EVIDENCE, link="seen"),))
    )
    told = faults(replace(GOOD, evidence=(replace(EVIDENCE, pattern="is forbidden"),)))
    assert "no pattern of it finds any of the words that it quotes" in told


def test_a_rule_tried_on_nothing_is_no_pass() -> None:
    """There must be an example or a history."""
    with pytest.raises(ConfigurationError, match="nothing to try rule 'house-tabs' on"):
        check_rule(of(without_tabs, needs=CALLS))
