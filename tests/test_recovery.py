"""Recovery after a rejection: one more request, with the repair in it, and a history that can be stored."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest

from replayable import (
    AssistantMessage,
    CleanMessages,
    CompatRule,
    ConfigurationError,
    Message,
    ModelRef,
    Pipeline,
    Prompt,
    ProviderError,
    ProviderHistoryCompat,
    ReasoningPart,
    RuleMemory,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
    check,
)
from replayable.messages import MessageBase, Messages
from tests.sdk_errors import WRAPPERS

USER = UserMessage("Where is Oslo?", id="u1")


def call(tool_call_id: str, **fields: Any) -> ToolCallPart:
    """A call of the search tool."""
    return ToolCallPart(tool_call_id=tool_call_id, tool_name="search", input={"q": "Oslo"}, **fields)


def result(tool_call_id: str, output: str = "In Norway.") -> ToolResultPart:
    """What the search tool answered."""
    return ToolResultPart(tool_call_id=tool_call_id, output=output)


@dataclass
class FakeProvider:
    """Rejects a prompt that it finds fault with, and counts."""

    finds_fault: Callable[[Prompt], bool]
    error: Any
    sent: list[Prompt] = field(default_factory=list)

    def send(self, prompt: Prompt) -> str:
        """Answer, or raise as an SDK would."""
        self.sent.append(prompt)
        if self.finds_fault(prompt):
            raise self.error if isinstance(self.error, Exception) else RuntimeError(str(self.error))
        return "answered"

    async def asend(self, prompt: Prompt) -> str:
        """Do the same, asynchronously."""
        await asyncio.sleep(0)
        return self.send(prompt)


def _has(kind: str) -> Callable[[Prompt], bool]:
    return lambda prompt: any(part.type == kind for message in prompt.messages for part in message.parts)


def _item_ids(prompt: Prompt) -> bool:
    return any("msg_1" in str(part.provider_options) for message in prompt.messages for part in message.parts)


def _odd_id(prompt: Prompt) -> bool:
    return any("functions.search:0" in str(part) for message in prompt.messages for part in message.parts)


def _long_id(prompt: Prompt) -> bool:
    return any("x" * 41 in str(part) for message in prompt.messages for part in message.parts)


def _colons(prompt: Prompt) -> bool:
    return any(_COLONS in str(part) for message in prompt.messages for part in message.parts)


@dataclass(frozen=True)
class Case:
    """A stored history that the provider rejects, what it says, and what must be stored afterwards."""

    rule: str
    # A gateway that nobody knows: so nothing was repaired before the call.
    model: str
    history: tuple[Message, ...]
    finds_fault: Callable[[Prompt], bool]
    sentence: str
    stored: tuple[Message, ...]


def _turn(message_id: str, tool_call_id: str) -> tuple[Message, ...]:
    return AssistantMessage([call(tool_call_id)], id=message_id), ToolMessage([result(tool_call_id)])


_LONG = "x" * 50
_COLONS = "functions.search:0"
_OPTIONS = {"openai_responses": {"id": "msg_1", "status": "completed"}}
CASES = [
    Case(
        "anthropic-tool-id-format",
        "mygateway/m",
        (
            USER,
            AssistantMessage(parts=[call("functions.search:0")], id="a1"),
            ToolMessage([result("functions.search:0")]),
        ),
        _odd_id,
        "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        (
            USER,
            AssistantMessage(parts=[call("functions_search_0_85c5207c10")], id="a1"),
            ToolMessage([result("functions_search_0_85c5207c10")]),
        ),
    ),
    Case(
        "anthropic-strip-foreign-signed-reasoning",
        "anthropic/claude-sonnet-4-5",
        (
            USER,
            AssistantMessage([ReasoningPart(text="Hm.", signature="s"), "Norway."], id="a1"),
            UserMessage("And?"),
        ),
        _has("reasoning"),
        "messages.1.content.0: Invalid `signature` in `thinking` block",
        (USER, AssistantMessage("Norway.", id="a1"), UserMessage("And?")),
    ),
    Case(
        "openai-orphan-item-id",
        "openai.responses/gpt-5",
        (
            USER,
            AssistantMessage([TextPart("Norway.", provider_options=_OPTIONS)], id="a1"),
            UserMessage("And?"),
        ),
        _item_ids,
        "Item 'msg_1' of type 'message' was provided without its required 'reasoning' item: 'rs_2'.",
        (
            USER,
            AssistantMessage(
                [TextPart("Norway.", provider_options={"openai_responses": {"status": "completed"}})], id="a1"
            ),
            UserMessage("And?"),
        ),
    ),
    Case(
        "openai-tool-call-id-length",
        "mygateway/m",
        (USER, AssistantMessage(parts=[call(_LONG)], id="a1"), ToolMessage([result(_LONG)])),
        _long_id,
        "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a"
        " string with length 50 instead.",
        (
            USER,
            AssistantMessage(parts=[call("x" * 29 + "_77cf12060d")], id="a1"),
            ToolMessage([result("x" * 29 + "_77cf12060d")]),
        ),
    ),
    Case(
        "openai-responses-call-id-format",
        "mygateway/m",
        (USER, AssistantMessage(parts=[call(_COLONS)], id="a1"), ToolMessage([result(_COLONS)])),
        _colons,
        "Invalid 'input[1].call_id': 'functions.search:0'. Expected an ID that contains letters, numbers, underscores, or"
        " dashes, but this value contained additional characters.",
        (
            USER,
            AssistantMessage(parts=[call("functions_search_0_85c5207c10")], id="a1"),
            ToolMessage([result("functions_search_0_85c5207c10")]),
        ),
    ),
    *(
        Case(
            "anthropic-unique-tool-ids",
            model,
            (USER, *_turn("a0", "call_0"), *_turn("a1", "call_0")),
            lambda prompt: str(prompt).count("ToolCallPart(tool_call_id='call_0',") > 1,
            "messages.3.content.0: `tool_use` ids must be unique",
            (USER, *_turn("a0", "call_0"), *_turn("a1", "call_0_1_15ae3265bc")),
        )
        for model in (
            "anthropic/claude-sonnet-5",
            "openrouter/anthropic/claude-sonnet-5",
            "bedrock/us.anthropic.claude-sonnet-5",
        )
    ),
]


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_a_known_rejection_is_repaired_and_retried_once(case: Case, wrapper: str) -> None:
    """Whatever wraps the error: exactly one more request, with the repair in it, and a history to store."""
    provider = FakeProvider(case.finds_fault, WRAPPERS[wrapper](case.sentence))
    run = Pipeline([ProviderHistoryCompat()]).start(case.history, model=case.model)
    assert run.call(provider.send) == "answered"
    assert len(provider.sent) == 2
    assert run.messages == case.stored
    assert run.repaired_message_ids == ("a1",)
    assert {change.rule for change in run.changes} == {case.rule}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_memory_spares_the_second_rejection(case: Case) -> None:
    """With a memory, kept as JSON too, the next run's first request is accepted, and its stored history is untouched."""
    memory = RuleMemory()
    provider = FakeProvider(case.finds_fault, case.sentence)
    Pipeline([ProviderHistoryCompat(memory=memory)]).start(case.history, model=case.model).call(provider.send)
    kept = RuleMemory(memory.to_dict())
    provider.sent.clear()
    run = Pipeline([ProviderHistoryCompat(memory=kept)]).start(case.history, model=case.model)
    assert run.call(provider.send) == "answered"
    assert len(provider.sent) == 1
    assert run.messages == case.history


def test_async_send_recovers_too() -> None:
    """`acall` does what `call` does."""
    case = CASES[1]
    provider = FakeProvider(case.finds_fault, WRAPPERS["SDK exception"](case.sentence))
    run = Pipeline.default().start(case.history, model=case.model)
    assert asyncio.run(run.acall(provider.asend)) == "answered"
    assert len(provider.sent) == 2


@pytest.mark.parametrize(
    "text",
    [
        "Error code: 400 - {'error': {'message': 'temperature must be at most 1'}}",
        "Error code: 429 - rate limit exceeded",
        "prompt is too long: 215000 tokens > 200000 maximum",
        "Invalid API key",
        "",
    ],
)
def test_an_unrelated_error_reaches_the_caller_unchanged(text: str) -> None:
    """One request only, the very same exception object, the history as it was."""
    error = RuntimeError(text)
    provider = FakeProvider(lambda _prompt: True, error)
    run = Pipeline.default().start(CASES[1].history, model="anthropic/claude-sonnet-4-5")
    with pytest.raises(RuntimeError) as caught:
        run.call(provider.send)
    assert caught.value is error
    assert len(provider.sent) == 1
    assert run.messages == CASES[1].history
    assert run.repaired_message_ids == ()


@pytest.mark.parametrize("max_retries", [1, 5])
def test_a_rejection_that_the_repair_does_not_cure_ends_after_one_retry(max_retries: int) -> None:
    """The retries are bounded, and the memory forgets a rule that was no cure."""
    case = CASES[1]
    memory = RuleMemory()
    provider = FakeProvider(lambda _prompt: True, WRAPPERS["SDK exception"](case.sentence))
    run = Pipeline([ProviderHistoryCompat(memory=memory)], max_retries=max_retries).start(
        case.history, model=case.model
    )
    with pytest.raises(Exception, match="Invalid"):
        run.call(provider.send)
    assert len(provider.sent) == 2
    assert memory.to_dict() == {}


def test_a_remembered_rule_that_no_longer_cures_is_forgotten() -> None:
    """It ran before the call, and the provider says the same: nobody has to send again for that."""
    case = CASES[1]
    memory = RuleMemory()
    for remembered in (True, False):
        run = Pipeline([ProviderHistoryCompat(memory=memory)], max_retries=0).start(
            case.history, model=case.model
        )
        run.prompt()
        run.recover(case.sentence)
        assert bool(memory.to_dict()) is remembered


def test_a_call_in_flight_is_cured_by_what_another_ones_rejection_taught() -> None:
    """It went out before anybody knew: its own rejection is no proof that the rule is no cure."""
    case = CASES[1]
    memory = RuleMemory()
    pipeline = Pipeline([ProviderHistoryCompat(memory=memory)])
    first, second = (pipeline.start(case.history, model=case.model) for _ in range(2))
    for run in (first, second):
        assert case.finds_fault(run.prompt().prompt)
    for run in (first, second):
        assert run.recover(case.sentence)
        assert not case.finds_fault(run.prompt().prompt)
        assert run.messages == case.stored
    assert memory.rules_for(first.model) == (case.rule,)


def test_threads_may_note_cures_at_once() -> None:
    """None undoes what another one has noted."""
    memory = RuleMemory()
    model = ModelRef.of("mygateway/m")
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda number: memory.note(model, f"rule {number}"), range(3_000)))
    finally:
        sys.setswitchinterval(usual)
    assert len(memory.rules_for(model)) == 3_000


def test_max_retries_zero_never_retries() -> None:
    """Then a rejection is the caller's at once; the repair is kept for the next turn."""
    case = CASES[1]
    run = Pipeline([ProviderHistoryCompat()], max_retries=0).start(case.history, model=case.model)
    assert run.recover(case.sentence) is False
    assert run.messages == case.stored


def test_the_same_rule_may_fire_again_in_a_later_step() -> None:
    """Fresh reasoning in a later step may be refused again; each step has its own retry."""
    case = CASES[1]
    run = Pipeline([ProviderHistoryCompat()]).start(case.history, model=case.model)
    assert run.recover(case.sentence) is True
    assert run.recover(case.sentence) is False
    run.extend(
        [AssistantMessage([ReasoningPart(text="New.", signature="s2"), "Bergen."]), UserMessage("And?")]
    )
    assert run.recover(case.sentence) is True


def test_thinking_goes_by_whole_turns_and_proven_turns_stay() -> None:
    """A turn with unproven thinking loses all of it; a turn that Anthropic is known to have made keeps its own."""
    proven = AssistantMessage(
        [ReasoningPart(text="P", signature="p"), "One."], provider="anthropic", api="anthropic"
    )
    mixed = [
        AssistantMessage(
            [ReasoningPart(text="A", signature="a"), call("c1")], provider="anthropic", api="anthropic"
        ),
        ToolMessage([result("c1")]),
        AssistantMessage([ReasoningPart(text="B", signature="b"), "Two."], api="anthropic"),
    ]
    run = Pipeline([ProviderHistoryCompat()]).start(
        [USER, proven, USER, *mixed, USER], model="anthropic/claude-sonnet-4-5"
    )
    assert run.recover(CASES[1].sentence)
    assert run.messages == (
        USER,
        proven,
        USER,
        AssistantMessage([call("c1")], provider="anthropic", api="anthropic"),
        ToolMessage([result("c1")]),
        AssistantMessage("Two.", api="anthropic"),
        USER,
    )


def test_thinking_that_the_provider_refuses_although_it_is_its_own_goes_too() -> None:
    """Another account's or model's signature is refused as well: then all thinking goes."""
    proven = AssistantMessage(
        [ReasoningPart(text="P", signature="p"), "One."], provider="anthropic", api="anthropic"
    )
    run = Pipeline([ProviderHistoryCompat()]).start([USER, proven, USER], model="anthropic/claude-sonnet-4-5")
    assert run.recover(CASES[1].sentence)
    assert run.messages == (USER, AssistantMessage("One.", provider="anthropic", api="anthropic"), USER)


UNPAIRED = [
    "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: c1. Each `tool_use` block",
    "messages.48.content.1: unexpected `tool_use_id` found in `tool_result` blocks: c1.",
    "messages.4.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: c1",
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    "No tool call found for function call output with call_id c1.",
    "No tool output found for function call c1.",
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    "Please ensure that the number of function response parts is equal to the number of function call parts",
    "Expected toolResult blocks at messages.2.content for the following Ids: c1",
    "The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous turn.",
    "Not the same number of function calls and responses",
    "Invalid request: tool_call_id  is not found",
    "invalid params, tool result's tool id(c1) not found (2013)",
    "invalid params, tool call result does not follow tool call (2013)",
    "Missing corresponding tool call for tool response message.",
    "Tool results are missing for tool calls: c1",
]
DANGLING = (USER, AssistantMessage([call("c1")], id="a1"), UserMessage("Never mind."))


@pytest.mark.parametrize("sentence", UNPAIRED)
def test_a_pairing_rejection_repairs_the_stored_history(sentence: str) -> None:
    """Every provider's wording leads to repaired pairs that can be stored."""
    for wrapper in ("plain string", "SDK exception", "LiteLLM, two hops"):
        run = Pipeline([CleanMessages("placeholder")]).start(DANGLING, model="mygateway/m")
        assert run.recover(WRAPPERS[wrapper](sentence)), wrapper
        assert [message.role for message in run.messages] == ["user", "assistant", "tool", "user"]
        assert run.messages[2].parts[0].model_dump(include={"tool_call_id", "synthesized", "is_error"}) == {
            "tool_call_id": "c1",
            "synthesized": True,
            "is_error": True,
        }


def test_the_removal_of_a_pending_call_is_never_persisted() -> None:
    """What waits for approval, broke off, or is the last thing said may still get its result."""
    waiting = AssistantMessage([call("c1", state="awaiting-approval"), call("c2")])
    history = (USER, waiting, UserMessage("Well?"), AssistantMessage([call("c3")]))
    run = Pipeline([CleanMessages("drop")]).start(history, model="openai/gpt-4o")
    assert run.recover(UNPAIRED[3])
    assert run.messages == (
        USER,
        AssistantMessage([call("c1", state="awaiting-approval")]),
        UserMessage("Well?"),
        AssistantMessage([call("c3")]),
    )


def test_pairs_that_the_provider_holds_are_left_alone() -> None:
    """With state on the server a result may have its call there, but no call of the request has its result there."""
    held = (ToolMessage([result("c0")]), AssistantMessage("Norway."), UserMessage("And?"))
    run = Pipeline.default().start(Prompt(messages=held, server_state=True), model="openai.responses/gpt-5")
    assert run.prompt().prompt.messages is run.messages
    assert run.recover(UNPAIRED[6]) is False

    run = Pipeline.default().start(
        Prompt(messages=DANGLING, server_state=True), model="openai.responses/gpt-5"
    )
    added = set(map(id, run.prompt().prompt.messages)) - set(map(id, DANGLING))
    assert len(added) == 1
    assert run.messages == DANGLING


@pytest.mark.parametrize(
    ("model", "stays"),
    [
        ("google/gemini-2.5-flash", True),
        ("google/gemini-3-pro-preview", False),
        (["google/gemini-2.5-flash", "openai/gpt-5"], False),
    ],
)
def test_unanswered_turns_where_the_provider_takes_them(model: Any, stays: bool) -> None:
    """Gemini before 3 takes calls that nobody answered: nothing is changed, and nothing is found."""
    history = (USER, AssistantMessage([call("c1")]), UserMessage("It says 12."))
    prepared = Pipeline.default().prepare(history, model=model)
    assert (prepared.prompt.messages is history) is stays
    assert (check(history, model=model) == []) is stays


def test_custom_rules_of_both_kinds() -> None:
    """A rule of one's own changes the prompt before a call, another the history after a rejection."""

    def shout(prompt: Prompt) -> Prompt | None:
        first = prompt.messages[0]
        louder = UserMessage("WHERE IS OSLO?", id="u1")
        if first == louder:
            return None
        return prompt.model_copy(update={"messages": (louder, *prompt.messages[1:])})

    def forget(messages: Messages, error: ProviderError) -> Messages | None:
        return messages[:1] if len(messages) > 1 and error.status in (400, None) else None

    compat = ProviderHistoryCompat(
        additional_rules=[
            CompatRule(name="house-shout", summary="Shouts.", apply_to_prompt=shout),
            CompatRule(name="house-forget", summary="Forgets.", error_patterns=("too `quiet`",), fix=forget),
        ]
    )
    run = Pipeline([compat]).start(
        [USER, AssistantMessage("Norway.", id="a1"), UserMessage("And?")], model="house/m"
    )
    assert run.prompt().prompt.messages[0] == UserMessage("WHERE IS OSLO?", id="u1")
    assert run.messages[0] is USER
    assert run.recover("sorry, too quiet for us")
    assert run.messages == (USER,)
    assert [change.rule for change in run.changes] == ["house-forget", "house-forget", "house-shout"]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({}, "does nothing"),
        ({"fix": lambda messages, error: None}, "no error_patterns"),
        ({"error_patterns": ("x",), "apply_to_prompt": lambda prompt: None}, "no fix"),
        ({"error_patterns": ("(",), "fix": lambda messages, error: None}, "no regular expression"),
        ({"name": "", "apply_to_prompt": lambda prompt: None}, "needs a name"),
    ],
)
def test_a_rule_that_cannot_work_is_refused_at_construction(fields: dict[str, Any], says: str) -> None:
    """A fix without patterns, patterns without a fix, and the like, are configuration errors."""
    with pytest.raises(ConfigurationError, match=says):
        CompatRule(**{"name": "house-rule", "summary": "None.", **fields})


def test_a_fix_that_changes_nothing_asks_for_no_retry() -> None:
    """Returning the same messages is no repair."""
    rule = CompatRule(
        name="house-same", summary="Nothing.", error_patterns=("no",), fix=lambda messages, error: messages
    )
    run = Pipeline([ProviderHistoryCompat(additional_rules=[rule])]).start([USER], model="house/m")
    assert run.recover("no") is False


def _history_behind(
    model: str, history: Sequence[MessageBase], sentence: str, memory: RuleMemory | None = None
) -> Messages:
    """What a rejection makes of a history, in the request that is sent again."""
    provider = FakeProvider(lambda prompt: not provider.sent[1:], sentence)
    processors = [CleanMessages(missing_results="placeholder"), ProviderHistoryCompat(memory=memory)]
    assert Pipeline(processors).start(history, model=model).call(provider.send) == "answered"
    return provider.sent[-1].messages


CALLED = (AssistantMessage(parts=[call("call_1")]), ToolMessage([result("call_1")]))
OTHER_ROW_SPOKE = {
    "calls told as text": (
        [USER, *CALLED, UserMessage("And Bergen?")],
        "After the (optional) system message(s), user and assistant roles should be alternating.",
        (
            USER,
            AssistantMessage('[Called the tool search with {"q":"Oslo"}]'),
            UserMessage(["[The tool search returned]\nIn Norway.", "And Bergen?"]),
        ),
    ),
    "a developer's message within": (
        [
            USER,
            AssistantMessage("In Norway."),
            SystemMessage("Be brief.", provider_options={"openai_chat": {"role": "developer"}}),
            UserMessage("And Bergen?"),
        ],
        "invalid params, chat content has invalid message role: developer (2013)",
        (
            USER,
            AssistantMessage("In Norway."),
            UserMessage("<system>\nBe brief.\n</system>"),
            UserMessage("And Bergen?"),
        ),
    ),
    "an empty answer at the end": (
        [USER, AssistantMessage("In Norway."), USER, USER, AssistantMessage("")],
        '{"error":{"code":"1214","message":"The messages parameter is illegal. Please check the documentation."}}',
        (USER, AssistantMessage("In Norway."), UserMessage(["Where is Oslo?", "Where is Oslo?"], id="u1")),
    ),
}


@pytest.mark.parametrize("case", OTHER_ROW_SPOKE)
def test_the_retry_is_in_the_order_of_who_spoke(case: str) -> None:
    """Behind a gateway that hides who serves, the words say it: the retry has the structure that their row asks for, too."""
    history, sentence, retried = OTHER_ROW_SPOKE[case]
    assert _history_behind("mygateway/m", history, sentence) == retried


def test_a_remembered_repair_is_followed_by_that_order() -> None:
    """What cured a model runs before its next call as it ran after the rejection."""
    history, sentence, retried = OTHER_ROW_SPOKE["calls told as text"]
    memory = RuleMemory()
    _history_behind("mygateway/m", history, sentence, memory)
    prompt = Pipeline([ProviderHistoryCompat(memory=memory)]).prepare(history, model="mygateway/m").prompt
    assert prompt.messages == retried


def test_a_gateway_that_writes_another_wire_orders_it_itself() -> None:
    """OpenRouter puts instructions where Anthropic wants them: what Anthropic said of something else leaves them alone."""
    history = [USER, *_turn("a0", "call_0"), SystemMessage("Be brief."), *_turn("a1", "call_0"), USER]
    retried = _history_behind(
        "openrouter/anthropic/claude-sonnet-5", history, "messages.3.content.0: `tool_use` ids must be unique"
    )
    assert list(retried[:4]) == history[:4]
    assert retried[4] != history[4]


def test_ids_of_a_form_that_another_turn_repeats_are_of_that_form() -> None:
    """Two calls of one turn with one id get two ids that the provider takes, not a suffix to one that it takes."""
    calls = [ToolCallPart(tool_call_id="call_1", tool_name=name, input={}) for name in ("search", "now")]
    history = [
        USER,
        AssistantMessage(parts=calls),
        ToolMessage([result("call_1"), result("call_1", "12:00")]),
    ]
    sentence = "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9."
    ids = [
        part.tool_call_id
        for message in _history_behind("mygateway/m", history, sentence)
        for part in message.parts
        if part.type in ("tool_call", "tool_result")
    ]
    assert ids[:2] == ids[2:]
    assert len(set(ids)) == 2
    assert all(name and len(name) == 9 and name.isalnum() for name in ids)
