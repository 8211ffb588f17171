"""The rule makers, each alone: what it changes, and that it then leaves the outcome alone."""

from __future__ import annotations

from typing import Any

import pytest

from replayable import (
    AssistantMessage,
    CompatRule,
    Evidence,
    FilePart,
    Message,
    ModelRef,
    OpaquePart,
    Prompt,
    ProviderError,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolChoice,
    ToolDefinition,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from replayable._node import replace
from replayable.compat.rules.arguments import arguments_as_object
from replayable.compat.rules.cleanup import full_cleanup
from replayable.compat.rules.content import (
    blank_messages,
    content_as_text,
    content_present,
    files_as_text,
    results_not_blank,
)
from replayable.compat.rules.making import for_models, message_rule
from replayable.compat.rules.placeholders import BRIDGE, CONTINUE, NO_OUTPUT, OPENING
from replayable.compat.rules.prefill import no_trailing_space
from replayable.compat.rules.reasoning_fields import (
    drop_reasoning_where,
    reasoning_in_field,
    require_reasoning,
)
from replayable.compat.rules.roles import assistant_between, last_user, leading_user, merge_runs, some_user
from replayable.compat.rules.system_messages import (
    developer_as_system,
    later_system_to_user,
    one_leading_system,
    system_into_user,
)
from replayable.compat.rules.tool_call_ids import unique_over_history
from replayable.compat.rules.tool_declarations import declare_used_tools
from replayable.compat.rules.tool_names import speaker_names, tool_names
from replayable.compat.rules.tool_results import files_after_results
from replayable.compat.rules.wire_fields import only_known_fields

CHAT = "openai_chat"
HI, BYE = UserMessage("Hi"), UserMessage("Bye")
ANSWER = AssistantMessage("Hello")
IMAGE = FilePart(media_type="image/png", data="AAAA")
SAID = Evidence(text="No.", link="https://example.org", pattern=r"field '([\w.]+)' is bad|No\.")
FIELDS: dict[str, Any] = {"summary": "Mends.", "evidence": (SAID,)}


def call(tool_call_id: str = "c1", name: str = "search", **fields: Any) -> ToolCallPart:
    """A call."""
    return ToolCallPart(tool_call_id=tool_call_id, tool_name=name, **{"input": {}, **fields})


def result(tool_call_id: str = "c1", output: Any = "Found.", **fields: Any) -> ToolResultPart:
    """Its result."""
    return ToolResultPart(tool_call_id=tool_call_id, output=output, **fields)


def calling(*calls: ToolCallPart) -> AssistantMessage:
    """An assistant message of calls."""
    return AssistantMessage(parts=calls)


def results(*parts: ToolResultPart) -> ToolMessage:
    """A tool message."""
    return ToolMessage(parts=parts)


def chat(**options: Any) -> dict[str, Any]:
    """What OpenAI's Chat wire says of a message or part."""
    return {CHAT: options}


def has_calls(message: AssistantMessage) -> bool:
    """Whether it makes calls."""
    return any(part.type == "tool_call" for part in message.parts)


CASES: dict[str, tuple[CompatRule, list[Message], list[Message]]] = {
    "arguments: empty": (
        arguments_as_object("x-a", **FIELDS),
        [HI, calling(call(input=None, raw_input=""))],
        [HI, calling(call())],
    ),
    "arguments: cut": (
        arguments_as_object("x-a", **FIELDS),
        [calling(call(input=None, raw_input='{"q": "Os'), call("c2", input=[1]), call("c3", input="{}"))],
        [calling(call(input={"raw_arguments": '{"q": "Os'}), call("c2", input={"input": [1]}), call("c3"))],
    ),
    "content: null becomes empty": (
        content_present("x-a", "assistant", "tool", api=CHAT, beside_calls=True, **FIELDS),
        [
            HI,
            AssistantMessage(provider_options=chat(**{"$content": "null", "n": 1})),
            AssistantMessage(parts=[call()], provider_options=chat(**{"$content": "absent"})),
            ToolMessage(parts=[result(output=None)], provider_options=chat(**{"$content": "null"})),
        ],
        [
            HI,
            AssistantMessage("", provider_options=chat(n=1)),
            calling(call()),
            results(result(output=None)),
        ],
    ),
    "content: blank results say so": (
        results_not_blank("x-a", **FIELDS),
        [calling(call(), call("c2")), results(result(output=" "), result("c2", output=[TextPart("")]))],
        [calling(call(), call("c2")), results(result(output=NO_OUTPUT), result("c2", output=NO_OUTPUT))],
    ),
    "content: blank answers go": (
        blank_messages("x-a", "assistant", **FIELDS),
        [HI, AssistantMessage(" "), AssistantMessage(parts=[" ", call()])],
        [HI, AssistantMessage(parts=[" ", call()])],
    ),
    "content: one text": (
        content_as_text("x-a", "system", "assistant", "tool", api=CHAT, **FIELDS),
        [
            SystemMessage(["a", "b"]),
            UserMessage(["a", "b"]),
            AssistantMessage(parts=["a", call(), "b"]),
            results(result(output=[TextPart("a"), IMAGE])),
            AssistantMessage("a", provider_options=chat(**{"$content": "list"})),
        ],
        [
            SystemMessage("a\nb"),
            UserMessage(["a", "b"]),
            AssistantMessage(parts=["a\nb", call()]),
            results(result(output="a\n[image/png omitted: not supported here]")),
            AssistantMessage("a"),
        ],
    ),
    "content: one text beside images": (
        content_as_text("x-a", "user", "tool", api=CHAT, keeps=lambda part: part.data == "AAAA", **FIELDS),
        [
            UserMessage([IMAGE, "a", FilePart(data="BBBB"), "b"]),
            UserMessage(["a", IMAGE]),
            results(result(output=[TextPart("a"), IMAGE, TextPart("b")])),
            results(result(output=[TextPart("a"), IMAGE])),
        ],
        [
            UserMessage([IMAGE, "a\n[file omitted: not supported here]\nb"]),
            UserMessage(["a", IMAGE]),
            results(result(output=[TextPart("a\nb"), IMAGE])),
            results(result(output=[TextPart("a"), IMAGE])),
        ],
    ),
    "content: no files": (
        files_as_text("x-a", refused=lambda part, message: part.type == "file", **FIELDS),
        [UserMessage(["Look", IMAGE]), results(result(output=[IMAGE, TextPart("x")]))],
        [
            UserMessage(["Look", "[image/png omitted: not supported here]"]),
            results(result(output=[TextPart("[image/png omitted: not supported here]"), TextPart("x")])),
        ],
    ),
    "files after results": (
        files_after_results("x-a", moves=lambda item: item.type == "file", **FIELDS),
        [calling(call(), call("c2")), results(result(output=[IMAGE])), results(result("c2")), HI],
        [
            calling(call(), call("c2")),
            results(result(output=[TextPart("[image/png: see the next user message]")])),
            results(result("c2")),
            UserMessage([IMAGE]),
            HI,
        ],
    ),
    "roles: merge": (
        merge_runs("x-a", "user", "assistant", **FIELDS),
        [
            HI,
            BYE,
            AssistantMessage(parts=[ReasoningPart(text="a"), "a"], provider="deepseek"),
            AssistantMessage(parts=[ReasoningPart(text="b"), call()], provider="groq"),
        ],
        [
            UserMessage(["Hi", "Bye"]),
            AssistantMessage(
                parts=[ReasoningPart(text="a"), "a", ReasoningPart(text="b", provider="groq"), call()],
                provider="deepseek",
            ),
        ],
    ),
    "roles: a user first": (
        leading_user("x-a", **FIELDS),
        [SystemMessage("s"), ANSWER, HI],
        [SystemMessage("s"), UserMessage(OPENING), ANSWER, HI],
    ),
    "roles: some user": (
        some_user("x-a", **FIELDS),
        [SystemMessage("s"), UserMessage(" "), ANSWER],
        [SystemMessage("s"), UserMessage(OPENING), UserMessage(" "), ANSWER],
    ),
    "roles: a user last": (
        last_user("x-a", ends_well=lambda message: False, **FIELDS),
        [HI, ANSWER],
        [HI, ANSWER, UserMessage(CONTINUE)],
    ),
    "roles: a bridge": (
        assistant_between("x-a", **FIELDS),
        [HI, calling(call()), results(result()), BYE],
        [HI, calling(call()), results(result()), AssistantMessage(BRIDGE), BYE],
    ),
    "system: one": (
        one_leading_system("x-a", **FIELDS),
        [SystemMessage("a"), SystemMessage("b"), HI, SystemMessage("c")],
        [SystemMessage("a\n\nb"), HI, SystemMessage("c")],
    ),
    "system: later ones as user": (
        later_system_to_user("x-a", **FIELDS),
        [
            SystemMessage("a"),
            HI,
            SystemMessage("c", provider_options=chat(role="developer")),
            SystemMessage(" "),
        ],
        [SystemMessage("a"), HI, UserMessage("<system>\nc\n</system>")],
    ),
    "system: into the user's": (
        system_into_user("x-a", **FIELDS),
        [SystemMessage("a"), HI, ANSWER, SystemMessage("b")],
        [UserMessage(["a", "Hi"]), ANSWER, UserMessage("b")],
    ),
    "system: developer": (
        developer_as_system("x-a", **FIELDS),
        [SystemMessage("a", provider_options=chat(role="developer")), HI],
        [SystemMessage("a"), HI],
    ),
    "reasoning: required": (
        require_reasoning(
            "x-a", of=has_calls, text="", api=CHAT, field="reasoning_content", **FIELDS
        ),
        [HI, calling(call()), AssistantMessage(parts=[ReasoningPart(text="Hm"), call()]), ANSWER],
        [
            HI,
            AssistantMessage(
                parts=[
                    ReasoningPart(text="", provider_options=chat(**{"$field": "reasoning_content"})),
                    call(),
                ]
            ),
            AssistantMessage(parts=[ReasoningPart(text="Hm"), call()]),
            ANSWER,
        ],
    ),
    "reasoning: another field": (
        reasoning_in_field("x-a", api=CHAT, field="reasoning", **FIELDS),
        [
            AssistantMessage(
                parts=[
                    ReasoningPart(text="a", provider_options=chat(**{"$field": "reasoning_content"})),
                    ReasoningPart(encrypted="e", provider_options=chat(**{"$field": "reasoning_details"})),
                    "a",
                ]
            )
        ],
        [
            AssistantMessage(
                parts=[ReasoningPart(text="a", provider_options=chat(**{"$field": "reasoning"})), "a"]
            )
        ],
    ),
    "reasoning: not beside calls": (
        drop_reasoning_where("x-a", has_calls, **FIELDS),
        [
            AssistantMessage(parts=[ReasoningPart(text="a"), call()]),
            AssistantMessage(parts=[ReasoningPart(text="a"), "b"]),
        ],
        [calling(call()), AssistantMessage(parts=[ReasoningPart(text="a"), "b"])],
    ),
    "ids: unique": (
        unique_over_history("x-a", **FIELDS),
        [calling(call()), results(result()), calling(call()), results(result())],
        [
            calling(call()),
            results(result()),
            calling(call("c1_1_c8c9d2e1f0")),
            results(result("c1_1_c8c9d2e1f0")),
        ],
    ),
    "names: of speakers": (
        speaker_names("x-a", api=CHAT, pattern=r"[^\s]+", **FIELDS),
        [UserMessage("Hi", provider_options=chat(name="Ola N"))],
        [UserMessage("Hi", provider_options=chat(name="Ola_N_000000"))],
    ),
    "prefill: no white space at the end": (
        no_trailing_space("x-a", **FIELDS),
        [HI, AssistantMessage(["So \n", " "])],
        [HI, AssistantMessage("So")],
    ),
    "fields: unknown ones": (
        only_known_fields("x-a", api=CHAT, known=frozenset({"name"}), **FIELDS),
        [
            UserMessage("Hi", provider_options=chat(name="o", x=1)),
            AssistantMessage(
                parts=[
                    ReasoningPart(text="a", provider_options=chat(**{"$field": "reasoning"})),
                    "b",
                    OpaquePart(
                        api=CHAT,
                        value={"type": "refusal", "refusal": "No"},
                        provider_options=chat(**{"$field": "refusal"}),
                    ),
                ],
                provider_options=chat(annotations=[]),
            ),
        ],
        [UserMessage("Hi", provider_options=chat(name="o")), AssistantMessage(["b", "No"])],
    ),
}  # fmt: skip
# Where the outcome holds a digest, the test compares the rest.
DIGESTS = {"ids: unique", "names: of speakers"}


@pytest.mark.parametrize("name", CASES)
def test_maker(name: str) -> None:
    """Before a call and after a rejection the same change; a second time none; a healthy history is left alone."""
    rule, before, after = CASES[name]
    assert rule.apply_to_prompt is not None
    assert rule.fix is not None
    prompt = Prompt(messages=tuple(before))
    changed = rule.apply_to_prompt(prompt)
    assert changed is not None
    if name in DIGESTS:
        assert _shape(changed.messages) == _shape(tuple(after))
    else:
        assert changed.messages == tuple(after)
    assert rule.fix(prompt.messages, ProviderError.of("No.")) == changed.messages
    assert rule.apply_to_prompt(changed) is None
    healthy = Prompt(messages=(HI, ANSWER, BYE))
    assert rule.apply_to_prompt(healthy) is None


def _shape(messages: tuple[Message, ...]) -> list[Any]:
    """Roles, and which ids are equal."""
    seen: dict[Any, int] = {}
    return [
        (
            message.role,
            [seen.setdefault(getattr(part, "tool_call_id", None), len(seen)) for part in message.parts],
        )
        for message in messages
    ]


def test_last_user_lets_no_empty_answer_stand() -> None:
    """It was well as the last message alone, and is refused where another one follows."""
    rule = last_user("x-a", **FIELDS)
    said, empty, blank = AssistantMessage("Hi"), AssistantMessage(""), AssistantMessage([])
    assert rule.apply_to_prompt is not None
    for history, kept in (((said, empty), (said,)), ((said, blank, empty), (said,)), ((empty,), ())):
        changed = rule.apply_to_prompt(Prompt(messages=history))
        assert changed is not None
        assert changed.messages == (*kept, UserMessage("Continue."))


def test_last_user_may_end_well() -> None:
    """An ending that the provider takes is left alone; an empty history, too."""
    rule = last_user("x-a", ends_well=lambda message: message.role == "assistant", **FIELDS)
    assert rule.apply_to_prompt is not None
    assert rule.apply_to_prompt(Prompt(messages=(HI, ANSWER))) is None
    assert rule.apply_to_prompt(Prompt()) is None


def test_some_user_fills_an_empty_history() -> None:
    """Where nothing is left, a user message is."""
    rule = some_user("x-a", **FIELDS)
    assert rule.apply_to_prompt is not None
    filled = rule.apply_to_prompt(Prompt())
    assert filled is not None
    assert filled.messages == (UserMessage(OPENING),)


def test_a_refused_field_goes_from_every_message() -> None:
    """The rejection names one field, even a known one; all unknown ones go with it, and nothing else."""
    rule = only_known_fields("x-a", api=CHAT, known=frozenset({"x", "y"}), **FIELDS)
    assert rule.fix is not None
    messages = tuple(UserMessage("Hi", provider_options=chat(x=n, y=n, z=n)) for n in range(3))
    assert rule.fix(messages, ProviderError.of("field 'messages.0.x' is bad")) == tuple(
        UserMessage("Hi", provider_options=chat(y=n)) for n in range(3)
    )
    healthy = tuple(UserMessage("Hi", provider_options=chat(y=n)) for n in range(3))
    assert rule.fix(healthy, ProviderError.of("field 'messages.0.x' is bad")) is None


def test_tool_names_are_the_same_everywhere() -> None:
    """Calls, results, declared tools and the choice are renamed together; valid names stay, and no two become one."""
    rule = tool_names("x-a", **FIELDS)
    assert rule.apply_to_prompt is not None
    prompt = Prompt(
        messages=(
            calling(call(name="a.b"), call("c2", name="a_b"), call("c3", name="a:b")),
            results(result(tool_name="a.b")),
        ),
        tools=(ToolDefinition(name="a.b"), ToolDefinition(name="a_b")),
        tool_choice=ToolChoice(type="tool", tool_name="a.b"),
    )
    changed = rule.apply_to_prompt(prompt)
    assert changed is not None
    new, same, other = [part.tool_name for part in changed.messages[0].parts if part.type == "tool_call"]
    assert same == "a_b"
    assert len({new, same, other}) == 3
    assert [tool.name for tool in changed.tools or () if tool.type == "function"] == [new, "a_b"]
    assert changed.tool_choice == ToolChoice(type="tool", tool_name=new)
    assert [part.tool_name for part in changed.messages[1].parts if part.type == "tool_result"] == [new]
    assert rule.apply_to_prompt(changed) is None


def test_a_name_that_nobody_declares_has_more_room() -> None:
    """Where a wire checks what is declared alone, an odd name of an earlier call stays, unless a tool is declared by it."""
    rule = tool_names("x-a", undeclared=r".{1,9}", **FIELDS)
    assert rule.apply_to_prompt is not None
    history = (calling(call(name="a.b"), call("c2", name="ls -l")),)
    prompt = Prompt(messages=history)
    assert rule.apply_to_prompt(prompt) is None
    changed = rule.apply_to_prompt(replace(prompt, tools=(ToolDefinition(name="a.b"),)))
    assert changed is not None
    names = [part.tool_name for part in changed.messages[0].parts if part.type == "tool_call"]
    assert names == [tool.name for tool in changed.tools or () if tool.type == "function"] + ["ls -l"]
    assert rule.apply_to_prompt(Prompt(messages=(calling(call(name="x" * 10 + ".")),))) is not None


def test_used_tools_are_declared() -> None:
    """Tools that the history calls are declared where none are; declared ones are left alone, and so is a bare list of messages."""
    rule = declare_used_tools("x-a", **FIELDS)
    assert rule.apply_to_prompt is not None
    history = (calling(call(), call("c2"), call("c3", name="map")),)
    assert rule.apply_to_prompt(Prompt(messages=history)) is None
    prompt = Prompt(messages=history, request={})
    changed = rule.apply_to_prompt(prompt)
    assert changed is not None
    assert [tool.name for tool in changed.tools or () if tool.type == "function"] == ["search", "map"]
    assert rule.apply_to_prompt(changed) is None
    assert rule.apply_to_prompt(Prompt(messages=(HI,), request={})) is None


def test_full_cleanup() -> None:
    """Everything at once, after a rejection without detail only."""
    rule = full_cleanup("x-a", summary="Cleans.", evidence=(SAID,))
    assert rule.apply_to_prompt is None
    assert rule.fix is not None
    error = ProviderError.of("No.")
    broken = (
        SystemMessage("s"),
        AssistantMessage(parts=[ReasoningPart(text="Hm"), call(input="x")]),
        results(result(), result("z")),
        HI,
        HI,
        AssistantMessage(""),
        SystemMessage("t"),
    )
    cleaned = rule.fix(broken, error)
    assert cleaned == (
        SystemMessage("s"),
        UserMessage(OPENING),
        calling(call(input={"input": "x"})),
        results(result()),
        UserMessage(["Hi", "Hi", "<system>\nt\n</system>"]),
    )
    assert rule.fix(cleaned, error) is None
    assert rule.matches(error)
    assert not rule.matches(
        ProviderError.of({"error": {"message": "No.", "detail": "the model is overloaded"}})
    )


def test_rules_for_some_models() -> None:
    """A condition on the model holds before a call, for fallbacks too; after a rejection the provider has spoken."""
    rule = message_rule(
        "x-a",
        lambda messages: None if BYE in messages else (*messages, BYE),
        when=for_models(lambda model: model.model == "m"),
        **FIELDS,
    )
    assert rule.apply_to_prompt is not None
    assert rule.fix is not None
    for model, changes in (("x/m", True), ("x/n", False), (["x/n", "x/m"], True), (None, False)):
        prompt = Prompt(messages=(HI,), model=None if model is None else ModelRef.of(model))
        assert (rule.apply_to_prompt(prompt) is not None) is changes
    assert rule.fix((HI,), ProviderError.of("No.")) == (HI, BYE)
