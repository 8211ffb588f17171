"""The edge cases of each rule maker; what holds for all rules is among the properties."""

from __future__ import annotations

from typing import Any

import pytest

from replayable import (
    AssistantMessage,
    FilePart,
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
    fix,
)
from replayable.change_log import ChangeLog
from replayable.compat.providers import COMMON_RULES, PROVIDERS
from replayable.provider_error import ProviderError

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
            (HI, AssistantMessage(" ")), (HI, AssistantMessage()), id="the final answer may be empty"
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
        (HI, AssistantMessage("")),
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
            (AssistantMessage("x"),),
            id="whose it was is not known, but the wire of who reads has no such calls",
        ),
    ],
)
def test_foreign_server_tools(before: tuple[Message, ...], after: tuple[Message, ...]) -> None:
    """What another provider's server executed leaves whole: no call without its result, no result without its call."""
    assert applied("strip-foreign-provider-executed-tools", *before, model="openai/gpt-5") == after


def test_server_tools_of_the_reader_leave_where_its_other_api_has_no_words_for_them() -> None:
    """OpenAI's Chat API has none for what ran behind its Responses API."""
    message = AssistantMessage(
        parts=[SERVER_CALL, SERVER_RESULT, "x"], provider="openai", api="openai_responses"
    )
    name = "strip-foreign-provider-executed-tools"
    (left,) = applied(name, message, model=ModelRef.of("openai/gpt-5", api="openai_chat"))
    assert left.parts == (TextPart("x"),)
    assert applied(name, message, model=ModelRef.of("openai/gpt-5", api="openai_responses")) == (message,)


@pytest.mark.parametrize(
    "said", [TextPart("x"), FilePart(media_type="x/y"), OpaquePart(api="mastra", value={})]
)
def test_gpt_oss_thinks_beside_calls_or_says_something(said: TextPart | FilePart | OpaquePart) -> None:
    """A text tells of what it can't be shown."""
    message = AssistantMessage(parts=[ReasoningPart(text="Hm."), said, CALL])
    (left,) = applied("template-content-or-thinking", message, model="vllm/openai/gpt-oss-20b")
    assert left.parts == (said, CALL)


def test_server_tools_of_nobody_known_stay_where_there_are_such() -> None:
    """They may be the reader's own."""
    message = AssistantMessage(parts=[SERVER_CALL, SERVER_RESULT, "x"])
    name = "strip-foreign-provider-executed-tools"
    assert applied(name, message, model=ModelRef.of("openai/gpt-5", api="openai_responses")) == (message,)


@pytest.mark.parametrize(
    ("model", "noted"),
    [
        ("anthropic/claude-sonnet-5", {"anthropic": {"$type": "server_tool_use"}}),
        ("google/gemini-2.5-pro", {"gemini": {"$type": "executableCode"}}),
    ],
)
def test_server_calls_that_a_wire_has_no_words_for_leave(model: str, noted: dict[str, Any]) -> None:
    """It has words for those of its own servers, whose kind is noted."""
    name = "strip-foreign-provider-executed-tools"
    message = AssistantMessage(parts=[SERVER_CALL, SERVER_RESULT, "x"])
    assert applied(name, message, model=model) == (AssistantMessage("x"),)
    call = SERVER_CALL.model_copy(update={"provider_options": noted})
    own = AssistantMessage(parts=[call, SERVER_RESULT, "x"])
    assert applied(name, own, model=model) == (own,)


def test_words_behind_results_end_no_tool_loop() -> None:
    """They are one turn with the results: the loop's thinking is still looked at."""
    thought = ReasoningPart(text="Hm.", signature="c2ln")
    loop = (HI, AssistantMessage(parts=[thought, CALL]), ToolMessage(parts=[RESULT]), BYE)
    off = applied("anthropic-thinking-when-off", *loop, request={"thinking": {"type": "disabled"}})
    assert off == (HI, AssistantMessage(parts=[CALL]), *loop[2:])
    bare = (HI, AssistantMessage(parts=[CALL]), ToolMessage(parts=[RESULT]), BYE)
    fix = RULES["anthropic-thinking-in-open-loop"].fix
    assert fix is not None
    told = fix(bare, ProviderError())
    assert told is not None
    assert [message.role for message in told] == ["user", "assistant", "user", "user"]
    assert told[-1] is BYE


def test_an_answer_to_be_continued_is_continued_without_thinking() -> None:
    """Thinking can't be put in front of it; where the model continues no answer, a user message does away with the need."""
    asked = {"model": "", "thinking": {"type": "enabled", "budget_tokens": 2000}, "max_tokens": 4000}
    request = {
        **asked,
        "messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "In"}],
    }
    older = fix(request, model="anthropic/claude-sonnet-4-5").request
    assert (older["thinking"], older["messages"]) == ({"type": "disabled"}, request["messages"])
    newer = fix(request, model="anthropic/claude-opus-4-6").request
    assert (newer["thinking"], newer["messages"][-1]["role"]) == (asked["thinking"], "user")
    # Behind a loop it is no other.
    looped = (HI, AssistantMessage(parts=[CALL]), ToolMessage(parts=[RESULT]), AssistantMessage("In"))
    assert _mode_of(looped, "claude-sonnet-4-5") == "disabled"
    assert _mode_of(looped, "claude-opus-4-6") == "enabled"
    assert _mode_of(looped[:3], "claude-opus-4-6") == "disabled"
    # What Claude's own server ran is gone on with by every model.
    assert _mode_of((HI, AssistantMessage(parts=[SERVER_CALL])), "claude-opus-4-6") == "disabled"


def _mode_of(messages: tuple[Message, ...], model: str) -> str:
    """What a request that thinks says of it in the end."""
    request = {"thinking": {"type": "enabled", "budget_tokens": 2000}}
    prompt = Prompt(messages=messages, api="anthropic", request=request, model=ModelRef.of(model))
    apply_to_prompt = RULES["anthropic-thinking-in-open-loop"].apply_to_prompt
    assert apply_to_prompt is not None
    return str(((apply_to_prompt(prompt) or prompt).request or {})["thinking"]["type"])


def test_an_answer_to_be_continued_is_followed_by_a_user_message_after_the_rejection() -> None:
    """Behind a loop that is told as text, too: the request thinks still."""
    repair = RULES["anthropic-thinking-in-open-loop"].fix
    assert repair is not None
    loop = (AssistantMessage(parts=[CALL]), ToolMessage(parts=[RESULT]))
    for before in ((), loop):
        told = repair((HI, *before, AssistantMessage("In")), ProviderError())
        assert told is not None
        assert [message.role for message in told[-2:]] == ["assistant", "user"]
        assert not any(part.type == "tool_call" for message in told for part in message.parts)


def test_a_servers_calls_of_one_id() -> None:
    """Each of them is looked at, not only the last one."""
    twice = (AssistantMessage(parts=[SERVER_CALL]), AssistantMessage(parts=[SERVER_CALL, SERVER_RESULT, "x"]))
    assert applied("anthropic-server-tool-pairs", *twice) == (AssistantMessage("x"),)


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


def test_an_item_that_the_provider_named_is_replayed_by_value() -> None:
    """The answer that the error names loses its item ids although its reasoning is there; others keep theirs."""

    def options(item_id: str) -> dict[str, Any]:
        deep: Any = 1
        for _ in range(2_000):
            deep = [{"x": deep}]
        return {"openai_responses": {"id": item_id}, "openai": {"deep": deep}}

    def thinks(item_id: str, **fields: Any) -> AssistantMessage:
        return AssistantMessage(
            parts=[ReasoningPart(id="rs_1", text="Hm."), TextPart("x", provider_options=options(item_id))],
            **fields,
        )

    fix = RULES["openai-orphan-item-id"].fix
    assert fix is not None
    first, second = thinks("msg_1"), thinks("msg_2")
    error = ProviderError.of(
        "Item 'msg_2' of type 'message' was provided without its required 'reasoning' item: 'rs_1'."
    )
    out = fix((HI, first, second), error)
    assert out is not None
    assert out[:2] == (HI, first)
    kept = [sorted((part.provider_options or {}).get("openai_responses", {})) for part in out[2].parts]
    assert kept == [[], []]


@pytest.mark.parametrize("name", list(RULES))
def test_no_rule_follows_deep_nesting(name: str) -> None:
    """Options, inputs and outputs that nest deeper than Python's recursion raise nothing, before a call or after one."""
    deep: Any = {}
    for _ in range(2_000):
        deep = {"x": [deep]}
    options = {"openai_chat": deep, "anthropic": deep, "openai": {"itemId": "x", "deep": deep}}
    history = (
        SystemMessage("Be brief.", metadata=deep, provider_options=options),
        UserMessage(["", TextPart("<system-reminder>x</system-reminder>", provider_options=options)]),
        AssistantMessage(
            parts=[
                ReasoningPart(text="Hm.", provider_options=options),
                ToolCallPart(
                    tool_call_id="a:" + "b" * 80, tool_name="t", input=deep, provider_options=options
                ),
                ToolCallPart(tool_call_id="s", tool_name="t", input=deep, provider_executed=True),
                OpaquePart(api="anthropic", value=deep),
            ],
            provider="deepseek",
            provider_options=options,
        ),
        ToolMessage(parts=[ToolResultPart(tool_call_id="a:" + "b" * 80, output=deep)]),
        SystemMessage("Be kind."),
    )
    rule = RULES[name]
    log = ChangeLog(history)
    if rule.apply_to_prompt is not None:
        prompt = Prompt(messages=history, model=ModelRef.of("claude-sonnet-4-5"))
        log.record(history, (rule.apply_to_prompt(prompt) or prompt).messages, processor="p")
    if rule.fix is not None:
        log.record(history, rule.fix(history, ProviderError()) or history, processor="p")
    assert all(str(change) for change in log.changes)


@pytest.mark.parametrize("said", [(), ("Use it.",)])
def test_tool_changes_leave_with_the_system_message_that_held_them(said: tuple[str, ...]) -> None:
    """A user's message may not hold them; what else the system message says stays."""
    change = OpaquePart(
        api="anthropic", value={"type": "tool_addition", "tool": {"type": "tool_reference", "name": "t"}}
    )
    told = tuple(UserMessage(f"<system>\n{text}\n</system>") for text in said)
    assert applied("anthropic-system-position", HI, SystemMessage([*said, change])) == (HI, *told)


@pytest.mark.parametrize("missing", ["", None])
def test_calls_of_glm_have_ids(missing: str | None) -> None:
    """Z.ai takes results by position, but a call without an id is nobody's."""
    call = {"id": missing, "type": "function", "function": {"name": "clock", "arguments": "{}"}}
    request: dict[str, Any] = {
        "messages": [
            {"role": "user", "content": "What time is it?"},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": missing, "content": "12:00"},
        ]
    }
    asked, answered = fix(request, model="zhipu/glm-4.6").request["messages"][1:]
    assert asked["tool_calls"][0]["id"] == answered["tool_call_id"] == "call_0_67d80dd9d7"
    call["id"] = "c1"
    del request["messages"][2]["tool_call_id"]
    assert fix(request, model="zhipu/glm-4.6").request is request


def test_converse_takes_tool_changes_in_a_system_message() -> None:
    """Its role `system` is for these alone: whatever else such a message says stays with it, another API's goes."""
    own = OpaquePart(api="bedrock", value={"toolAddition": {"tool": {"name": "t"}}})
    other = OpaquePart(api="anthropic", value={"type": "tool_addition", "tool": {"name": "t"}})
    before, model = (HI, AssistantMessage("Hello")), "bedrock/us.anthropic.claude-sonnet-5"
    for change, after in (
        (own, (SystemMessage(["Use it.", own]),)),
        (other, (UserMessage("<system>\nUse it.\n</system>"),)),
    ):
        history = (*before, SystemMessage(["Use it.", change]), BYE)
        left = applied("bedrock-system-position", *history, model=model, api="bedrock")
        assert left == (*before, *after, BYE)
