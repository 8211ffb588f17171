"""The edge cases of each rule maker; what holds for all rules is among the properties."""

from __future__ import annotations

from typing import Any

import pytest

from replayable import (
    AssistantMessage,
    Message,
    ModelRef,
    OpaquePart,
    Prompt,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from replayable.compat.providers import COMMON_RULES, PROVIDERS

RULES = {rule.name: rule for row in PROVIDERS for rule in (*row.rules, *row.structure)} | {
    rule.name: rule for rule in COMMON_RULES
}
HI, BYE = UserMessage("Hi"), UserMessage("Bye")
CALL, RESULT = ToolCallPart(tool_call_id="a", tool_name="t", input={}), ToolResultPart(tool_call_id="a")


def applied(
    name: str, *messages: Message, model: Any = "claude-sonnet-4-5", **fields: Any
) -> tuple[Message, ...]:
    """What a rule makes of some messages; a rule that returns None changed nothing."""
    rule = RULES[name].apply_to_prompt
    assert rule is not None
    prompt = Prompt(messages=messages, model=ModelRef.of(model), **fields)
    return (rule(prompt) or prompt).messages


def answer(*content: TextPart | OpaquePart, **fields: Any) -> ToolMessage:
    """A tool message whose result is a list of parts."""
    return ToolMessage(parts=[ToolResultPart(tool_call_id="a", content=content, **fields)])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param((UserMessage(["", "Hi", " "]),), (HI,), id="blank texts go"),
        pytest.param((HI, UserMessage("")), (HI,), id="an empty user message after another goes"),
        pytest.param(
            (UserMessage(" "), AssistantMessage("Hi")),
            (UserMessage("(empty message)"), AssistantMessage("Hi")),
            id="an empty user message at the start stays",
        ),
        pytest.param(
            (HI, AssistantMessage("Hi"), UserMessage(()), AssistantMessage("Well?")),
            (HI, AssistantMessage("Hi"), UserMessage("(empty message)"), AssistantMessage("Well?")),
            id="an empty user message between answers stays",
        ),
        pytest.param((HI, AssistantMessage(""), BYE), (HI, BYE), id="an empty answer goes"),
        pytest.param(
            (HI, AssistantMessage("")), (HI, AssistantMessage()), id="the final answer may be empty"
        ),
        pytest.param((SystemMessage(" "), HI), (HI,), id="an empty system prompt goes"),
        pytest.param(
            (HI, AssistantMessage(parts=["", CALL]), answer(TextPart(""), TextPart("x"))),
            (HI, AssistantMessage(parts=[CALL]), answer(TextPart("x"))),
            id="beside a call, and inside a result",
        ),
        pytest.param(
            (HI, AssistantMessage(parts=[CALL]), answer(TextPart("\n"))),
            (HI, AssistantMessage(parts=[CALL]), answer()),
            id="a result of nothing but blank text stays a result",
        ),
    ],
)
def test_drop_empty(before: tuple[Message, ...], after: tuple[Message, ...]) -> None:
    """Blank texts and empty messages go, but no turn changes sides and no result is lost."""
    assert applied("anthropic-drop-empty", *before) == after


@pytest.mark.parametrize(
    "history",
    [
        (HI, AssistantMessage(parts=[ReasoningPart(signature="s"), CALL]), ToolMessage(parts=[RESULT])),
        (HI, AssistantMessage(parts=["x", ToolResultPart(content=(TextPart(""),), provider_executed=True)])),
        (
            HI,
            AssistantMessage(parts=[CALL]),
            ToolMessage(parts=[ToolResultPart(tool_call_id="a", output="")]),
        ),
    ],
)
def test_what_is_not_empty(history: tuple[Message, ...]) -> None:
    """Signed empty thinking, the provider's own results and an empty result are accepted, and stay."""
    rule = RULES["anthropic-drop-empty"].apply_to_prompt
    assert rule is not None
    assert rule(Prompt(messages=history)) is None


REMINDER = SystemMessage("Be brief.", id="r")
TAGGED = UserMessage("<system>\nBe brief.\n</system>", id="r")


@pytest.mark.parametrize(
    ("before", "after", "model"),
    [
        pytest.param((REMINDER, HI), (REMINDER, HI), "claude-sonnet-4-5", id="leading: the system prompt"),
        pytest.param((HI, REMINDER, BYE), (HI, TAGGED, BYE), "claude-sonnet-4-5", id="later"),
        pytest.param(
            (HI, REMINDER), (HI, REMINDER), "claude-opus-4-8", id="a model that takes it at the end"
        ),
        pytest.param(
            (HI, REMINDER, AssistantMessage("x")),
            (HI, REMINDER, AssistantMessage("x")),
            "claude-opus-4-8",
            id="and before an answer",
        ),
        pytest.param((HI, REMINDER, BYE), (HI, TAGGED, BYE), "claude-opus-4-8", id="but not before a user"),
        pytest.param(
            (HI, SystemMessage(" "), AssistantMessage("x"), SystemMessage(), BYE),
            (HI, AssistantMessage("x"), BYE),
            "claude-sonnet-4-5",
            id="one that says nothing goes, untagged",
        ),
    ],
)
def test_system_position(before: tuple[Message, ...], after: tuple[Message, ...], model: str) -> None:
    """A later system message becomes a tagged user message in its place, where the model takes none there."""
    assert applied("anthropic-system-position", *before, model=model) == after


SERVER_CALL = ToolCallPart(tool_call_id="s", tool_name="web", provider_executed=True)
SERVER_RESULT = ToolResultPart(tool_call_id="s", output="x", provider_executed=True)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            (AssistantMessage(parts=[SERVER_CALL, SERVER_RESULT, "It snowed."], provider="xai"),),
            (AssistantMessage("It snowed.", provider="xai"),),
            id="inline",
        ),
        pytest.param(
            (
                HI,
                AssistantMessage(parts=[SERVER_CALL, CALL], provider="xai"),
                ToolMessage(parts=[RESULT, ToolResultPart(tool_call_id="s", output="the client's")]),
                BYE,
            ),
            (HI, AssistantMessage(parts=[CALL], provider="xai"), ToolMessage(parts=[RESULT]), BYE),
            id="an answer that does not say whose it is leaves with its call",
        ),
        pytest.param(
            (
                AssistantMessage(parts=[SERVER_CALL, "x"], provider="xai"),
                AssistantMessage(parts=[CALL], provider="openai"),
                ToolMessage(parts=[RESULT, SERVER_RESULT]),
            ),
            (
                AssistantMessage("x", provider="xai"),
                AssistantMessage(parts=[CALL], provider="openai"),
                ToolMessage(parts=[RESULT, SERVER_RESULT]),
            ),
            id="another message's results are not judged by it",
        ),
        pytest.param(
            (AssistantMessage(parts=[SERVER_CALL, SERVER_RESULT, "x"]),),
            (AssistantMessage(parts=[SERVER_CALL, SERVER_RESULT, "x"]),),
            id="whose it was is not known",
        ),
    ],
)
def test_foreign_server_tools(before: tuple[Message, ...], after: tuple[Message, ...]) -> None:
    """What another provider's server executed leaves whole: no call without its result, no result without its call."""
    assert applied("strip-foreign-provider-executed-tools", *before, model="openai/gpt-5") == after


def test_mirrors_of_stripped_reasoning_leave_too() -> None:
    """What repeats the stripped reasoning in the wire's own fields goes with it; other fields stay."""
    message = AssistantMessage(
        parts=[ReasoningPart(text="Hm."), "4"],
        provider="deepseek",
        api="openai_chat",
        provider_options={"openai_chat": {"reasoning_content": "Hm.", "refusal": None}},
    )
    assert applied("anthropic-strip-foreign-reasoning-content", HI, message) == (
        HI,
        AssistantMessage(
            "4", provider="deepseek", api="openai_chat", provider_options={"openai_chat": {"refusal": None}}
        ),
    )


def test_long_ids_are_shortened_and_nothing_else() -> None:
    """Beside an id that is too long, ids that are missing or empty stay so: for both call and result."""
    long = "x" * 41

    def turn(*ids: str | None) -> tuple[Message, ...]:
        return (
            AssistantMessage(parts=[ToolCallPart(tool_call_id=name, tool_name="t") for name in ids]),
            ToolMessage(parts=[ToolResultPart(tool_call_id=name) for name in ids]),
        )

    out = applied(
        "openai-tool-call-id-length", *turn(long), *turn(None, ""), *turn("a:b"), model="openai/gpt-5"
    )
    short = out[0].parts[0]
    assert short.type == "tool_call"
    assert len(short.tool_call_id or "") == 40
    assert out == (*turn(short.tool_call_id), *turn(None, ""), *turn("a:b"))
