"""`ToolCallFilter`: which calls and results leave, by option, state, position and hook."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import pytest
from typing_extensions import override

from replayable import (
    AssistantMessage,
    ConfigurationError,
    FilePart,
    LLMRequestArgs,
    Message,
    OpaquePart,
    Pipeline,
    Processor,
    Prompt,
    ReasoningPart,
    TextPart,
    ToolCallFilter,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
    fix,
    messages_to_json,
)
from replayable.edits import replace
from replayable.formats import format_named
from replayable.messages import Messages, Part
from replayable.model_output import model_output_text
from replayable.prompt import with_messages

MODEL = "openai/gpt-4o"
USER = UserMessage("Go.")
DONE = AssistantMessage("Done.")


def call(tool_call_id: str | None, tool_name: str = "search", **fields: Any) -> ToolCallPart:
    """A call with a raw input that must never survive."""
    return ToolCallPart(tool_call_id=tool_call_id, tool_name=tool_name, input={"raw": "IN"}, **fields)


def result(tool_call_id: str | None, **fields: Any) -> ToolResultPart:
    """A result with a raw output that must never survive."""
    return ToolResultPart(tool_call_id=tool_call_id, **{"output": "OUT", **fields})


def turn(tool_call_id: str, tool_name: str = "search") -> tuple[Message, Message]:
    """A call and its result."""
    return AssistantMessage([call(tool_call_id, tool_name)]), ToolMessage([result(tool_call_id)])


def at_start(messages: Sequence[Any], *args: Any, **options: Any) -> Messages:
    """What the filter makes of the history that a run starts with."""
    return Pipeline([ToolCallFilter(*args, **options)]).start(messages, model=MODEL).messages


def test_without_exclude_every_call_and_result_goes() -> None:
    """None means all tools; messages left with nothing are removed."""
    assert at_start([USER, *turn("1"), *turn("2", "news"), DONE]) == (USER, DONE)


def test_an_empty_exclude_filters_nothing() -> None:
    """The same messages, the same objects."""
    history = (USER, *turn("1"), DONE)
    assert all(new is old for new, old in zip(at_start(history, []), history, strict=True))


def test_exclude_takes_the_named_tools_with_their_results() -> None:
    """Results belong to calls by id; other tools' parts in the same messages stay."""
    history = [
        USER,
        AssistantMessage(["Both.", call("1"), call("2", "news")]),
        ToolMessage([result("1"), result("2")]),
    ]
    assert at_start(history, ["search"]) == (
        USER,
        AssistantMessage(["Both.", call("2", "news")]),
        ToolMessage([result("2")]),
    )


@pytest.mark.parametrize(
    ("calls", "results"),
    [
        ([call("1")], [result("1")]),
        ([call("1")], []),
        ([call("1", state="partial")], []),
        ([call("1", state="awaiting-approval")], []),
        ([call("1", state="denied")], [result("1", is_error=True)]),
        ([call("1")], [result("1", is_error=True)]),
        ([call("1")], [result("1", synthesized=True)]),
        ([call("1", provider_executed=True), result("1", provider_executed=True)], []),
        ([call(None)], [result(None)]),
        ([call("")], [result("")]),
        ([call("1"), call("1")], [result("1"), result("1")]),
    ],
)
def test_every_state_counts(calls: list[Any], results: list[ToolResultPart]) -> None:
    """Finished, pending, partial, failed, waiting, denied, server-side, without id: all of it goes, text stays."""
    answers: list[Message] = [ToolMessage(results)] if results else []
    history = [USER, AssistantMessage(["Let me see.", *calls]), *answers, DONE]
    assert at_start(history, ["search"]) == (USER, AssistantMessage("Let me see."), DONE)


@pytest.mark.parametrize(
    "history",
    [
        [USER, ToolMessage([result("9", tool_name="search")]), DONE],
        [USER, ToolMessage([result("1")]), AssistantMessage([call("1")]), DONE],
        [USER, AssistantMessage([call("1")]), DONE, ToolMessage([result("1")])],
        [USER, *turn("1"), DONE, ToolMessage([result("1")])],
        [USER, ToolMessage([result("1"), result("1")]), AssistantMessage([call("1")]), DONE],
        [USER, AssistantMessage([call(None)]), DONE, ToolMessage([result(None)])],
        [USER, AssistantMessage([call("1"), result("1")]), DONE],
        [USER, AssistantMessage([call(None), result(None)]), DONE],
        [USER, AssistantMessage([result("9", tool_name="search")]), DONE],
    ],
    ids=[
        "call missing",
        "before its call",
        "far from its call",
        "twice",
        "twice before its call",
        "without id, far from its call",
        "in the answer",
        "in the answer, without id",
        "in an answer, call missing",
    ],
)
def test_results_go_wherever_they_stand(history: list[Message]) -> None:
    """With the call, or by the tool's name where the call is missing."""
    assert at_start(history, ["search"]) == (USER, DONE)


def test_an_id_that_a_later_turn_uses_again_belongs_to_that_turn() -> None:
    """Each result follows the call of its own turn, not the first call of that id."""
    history = [USER, *turn("call_0"), *turn("call_0", "news"), DONE]
    assert at_start(history, ["search"]) == (USER, *turn("call_0", "news"), DONE)


@pytest.mark.parametrize(
    ("exclude", "kept"),
    [
        (["search"], (USER, *turn("call_0", "news"), DONE)),
        (["news"], (ToolMessage([result("call_0", tool_name="search")]), USER, DONE)),
    ],
)
def test_a_cut_call_s_result_is_not_taken_for_a_later_call_s(exclude: list[str], kept: Messages) -> None:
    """Where the later call of that id has its own result, the early one is judged by its tool's name."""
    orphan = ToolMessage([result("call_0", tool_name="search")])
    assert at_start([orphan, USER, *turn("call_0", "news"), DONE], exclude) == kept


def test_a_far_result_belongs_to_the_call_that_nobody_answers() -> None:
    """As when pairs are repaired: not to the latest call of that id, which has its own result."""
    waiting = AssistantMessage([call("call_0")])
    history = [USER, waiting, USER, *turn("call_0", "news"), DONE, ToolMessage([result("call_0")])]
    assert at_start(history, ["news"]) == (USER, waiting, USER, DONE, ToolMessage([result("call_0")]))


def test_of_two_calls_that_a_server_ran_without_ids_one_goes() -> None:
    """Results in the answer belong to its calls by position."""
    served: list[Part] = [
        call(None, "search", provider_executed=True),
        call(None, "news", provider_executed=True),
    ]
    served += [result(None, output=output, provider_executed=True) for output in ("one", "two")]
    assert at_start([USER, AssistantMessage(served)], ["search"]) == (
        USER,
        AssistantMessage([served[1], served[3]]),
    )


def test_a_message_that_arrived_empty_stays() -> None:
    """Only what the filter left with nothing is removed."""
    history = (USER, AssistantMessage([]), *turn("1"), ToolMessage([]), DONE)
    assert at_start(history) == (USER, AssistantMessage([]), ToolMessage([]), DONE)


def test_a_message_keeps_its_other_parts() -> None:
    """Text, reasoning, files and unknown parts stay, as the same objects."""
    others = (
        ReasoningPart(text="Hm.", signature="s"),
        TextPart("Let me see."),
        FilePart(media_type="image/png", data="aGk="),
        OpaquePart(api="anthropic", value={"type": "new"}),
    )
    kept = at_start(
        [USER, AssistantMessage([*others[:2], call("1"), *others[2:]], id="a1"), ToolMessage([result("1")])]
    )
    assert kept == (USER, AssistantMessage(others, id="a1"))
    assert all(new is old for new, old in zip(kept[1].parts, others, strict=True))


def test_a_result_without_id_does_not_answer_a_server_s_call() -> None:
    """It belongs to the client's own call by position, whatever else stands in the message."""
    served: list[Part] = [
        call("srv", "weather", provider_executed=True),
        result("srv", provider_executed=True),
    ]
    history = [
        USER,
        AssistantMessage([*served, call("a"), call("b")]),
        ToolMessage([result("a"), result(None)]),
    ]
    assert at_start(history, ["search"]) == (USER, AssistantMessage(served))


HISTORY = (USER, *turn("1"), *turn("2", "news"), DONE, USER, *turn("3"), DONE)


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({"filter_after_tool_steps": 0}, (USER, DONE, USER, DONE)),
        ({"filter_after_tool_steps": 1}, (USER, DONE, USER, *turn("3"), DONE)),
        ({"filter_after_tool_steps": 2}, (USER, *turn("2", "news"), DONE, USER, *turn("3"), DONE)),
        ({"filter_after_tool_steps": 3}, HISTORY),
        ({"filter_after_tool_steps": 99}, HISTORY),
        (
            {"exclude": ["search"], "filter_after_tool_steps": 1},
            (USER, *turn("2", "news"), DONE, USER, *turn("3"), DONE),
        ),
        (
            {"exclude": ["news"], "filter_after_tool_steps": 1},
            (USER, *turn("1"), DONE, USER, *turn("3"), DONE),
        ),
        ({"exclude": ["news"], "filter_after_tool_steps": 2}, HISTORY),
    ],
)
def test_the_most_recent_steps_are_kept(options: dict[str, Any], kept: Messages) -> None:
    """Steps without tools don't count; with `exclude` the steps of all tools do, and other tools are never filtered."""
    assert at_start(HISTORY, **options) == kept


@pytest.mark.parametrize(
    "asking",
    [
        [AssistantMessage([call("1"), call("2")])],
        [AssistantMessage([call("1")]), AssistantMessage([call("2")])],
        [AssistantMessage([call("1")]), AssistantMessage("And"), AssistantMessage([call("2")])],
    ],
    ids=["one message", "neighbouring messages", "text in between"],
)
def test_parallel_calls_are_one_step(asking: list[Message]) -> None:
    """One assistant turn's worth of calls is a step, however the wire spreads it."""
    history = (USER, *asking, ToolMessage([result("1")]), ToolMessage([result("2")]), DONE)
    assert at_start(history, filter_after_tool_steps=1) == history


def test_neighbouring_answers_whose_tools_a_server_ran_are_steps() -> None:
    """What a server ran has its result in the answer: the next answer is a step of its own, whoever runs its tools."""

    def searched(name: str) -> AssistantMessage:
        parts: list[Part] = [call(name, provider_executed=True), result(name, provider_executed=True)]
        return AssistantMessage([*parts, TextPart(name)])

    first, second, third = searched("1"), searched("2"), AssistantMessage([call("3")])
    history = (USER, first, second, third, ToolMessage([result("3")]), DONE)
    for count in (1, 2, 3):
        kept = at_start(history, filter_after_tool_steps=count)
        texts = [AssistantMessage(name) for name in ("1", "2")[: 3 - count]]
        assert kept == (USER, *texts, *history[1 + len(texts) :])


def _run(tool_filter: ToolCallFilter) -> list[list[str]]:
    """Three steps of a run on a history with one; the ids of the calls in each prompt."""
    run = Pipeline([tool_filter]).start([USER, *turn("old"), USER], model=MODEL)
    seen = []
    for name in ("n1", "n2", "n3"):
        prompt = run.prompt().prompt
        parts = [part for message in prompt.messages for part in message.parts]
        seen.append([str(part.tool_call_id) for part in parts if part.type == "tool_call"])
        run.extend(turn(name))
    return seen


@pytest.mark.parametrize(
    ("options", "prompts"),
    [
        ({}, [[], ["n1"], ["n1", "n2"]]),
        ({"filter_after_tool_steps": 0}, [[], [], []]),
        ({"filter_after_tool_steps": 1}, [["old"], ["n1"], ["n2"]]),
        ({"filter_after_tool_steps": 2}, [["old"], ["old", "n1"], ["n1", "n2"]]),
        ({"transient": True}, [[], ["n1"], ["n1", "n2"]]),
        ({"transient": True, "filter_after_tool_steps": 1}, [["old"], ["n1"], ["n2"]]),
    ],
)
def test_in_a_running_loop(options: dict[str, Any], prompts: list[list[str]]) -> None:
    """By default the loop's own calls stay; with N, stored history and the current run count alike."""
    assert _run(ToolCallFilter(**options)) == prompts


def test_transient_leaves_the_history_as_it_is() -> None:
    """Only the outgoing prompt is filtered, and the change is listed."""
    history = (USER, *turn("1"), DONE, USER)
    run = Pipeline([ToolCallFilter(transient=True)]).start(history, model=MODEL)
    prepared = run.prompt()
    assert prepared.prompt.messages == (USER, DONE, USER)
    assert run.messages == history
    assert [(change.processor, change.action) for change in prepared.changes] == [
        ("tool-call-filter", "removed")
    ] * 2


def test_transient_finds_the_runs_own_calls_behind_an_earlier_filter() -> None:
    """What an earlier processor replaced is told by its place."""
    run = Pipeline([ToolCallFilter(["news"], transient=True), ToolCallFilter(transient=True)]).start(
        [USER, *turn("old")], model=MODEL
    )
    run.extend(
        [AssistantMessage([call("n1"), call("n2", "news")]), ToolMessage([result("n1"), result("n2")])]
    )
    assert [message.role for message in run.prompt().prompt.messages] == ["user", "assistant", "tool"]


class _Renames(Processor):
    """Gives the messages of one role a new id."""

    id = "renames"

    def __init__(self, role: str) -> None:
        self.role = role

    @override
    def process_llm_request(self, args: LLMRequestArgs) -> Prompt | None:
        messages = [
            replace(message, id="new") if message.role == self.role else message
            for message in args.prompt.messages
        ]
        return with_messages(args.prompt, messages)


@pytest.mark.parametrize("role", ["user", "assistant", "tool"])
def test_transient_finds_the_runs_own_calls_behind_a_processor_that_changed_some(role: str) -> None:
    """The first of the run's own calls stays, whichever of its messages an earlier processor replaced."""
    run = Pipeline([_Renames(role), ToolCallFilter(transient=True)]).start([USER, *turn("old")], model=MODEL)
    run.extend([*turn("n1"), *turn("n2")])
    parts = [part for message in run.prompt().prompt.messages for part in message.parts]
    assert [part.tool_call_id for part in parts if part.type == "tool_call"] == ["n1", "n2"]


def test_a_call_of_the_history_leaves_with_the_result_that_the_run_brought() -> None:
    """Pairs leave together, although one half is the run's own."""
    run = Pipeline([ToolCallFilter(transient=True)]).start([USER, AssistantMessage([call("1")])], model=MODEL)
    run.extend([ToolMessage([result("1")]), DONE, *turn("2")])
    assert run.prompt().prompt.messages == (USER, DONE, *turn("2"))


def test_model_output_is_preserved_where_the_call_stood() -> None:
    """A finished result with a compact output leaves it as text; raw input and output are gone."""
    compact = {"type": "text", "value": "sunny"}
    history = [
        USER,
        AssistantMessage(["Look:", call("1"), call("2", "news"), "Well."], id="a1"),
        ToolMessage([result("1", model_output=compact), result("2")]),
    ]
    kept = at_start(history, preserve_model_output=True)
    assert kept == (USER, AssistantMessage(["Look:", "search result:\nsunny", "Well."], id="a1"))
    assert "IN" not in messages_to_json(kept)
    assert "OUT" not in messages_to_json(kept)


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (call("1"), result("1")),
        (call("1"), result("1", model_output="")),
        (call("1"), result("1", model_output="x", is_error=True)),
        (call("1"), result("1", model_output="x", synthesized=True)),
        (call("1", state="partial"), result("1", model_output="x")),
        (call("1", state="awaiting-approval"), result("1", model_output="x")),
        (call("1", state="denied"), result("1", model_output="x")),
    ],
)
def test_what_is_not_finished_or_has_no_output_leaves_nothing(
    asked: ToolCallPart, answer: ToolResultPart
) -> None:
    """Failed, pending, made-up and empty outputs are not preserved."""
    assert at_start(
        [USER, AssistantMessage([asked]), ToolMessage([answer]), DONE], preserve_model_output=True
    ) == (
        USER,
        DONE,
    )


def test_with_exclude_only_filtered_tools_are_preserved() -> None:
    """Another tool's call and result stay whole."""
    history = [
        USER,
        *turn("1", "news"),
        AssistantMessage([call("2")]),
        ToolMessage([result("2", model_output=7)]),
    ]
    assert at_start(history, ["search"], preserve_model_output=True) == (
        USER,
        *turn("1", "news"),
        AssistantMessage("search result:\n7"),
    )


def test_the_output_of_a_result_without_its_call_becomes_an_answer() -> None:
    """A tool message can't hold text, so the text stands in an answer of its own; other parts stay where they are."""
    other = OpaquePart(api="ai_sdk", value={"type": "tool-approval-response"})
    orphan = result("9", tool_name="search", model_output="sunny")
    assert at_start([USER, ToolMessage([orphan, other], id="t1")], preserve_model_output=True) == (
        USER,
        ToolMessage([other], id="t1"),
        AssistantMessage("search result:\nsunny", id="t1"),
    )


def test_such_an_answer_stands_behind_the_results_around_it() -> None:
    """It does not part the other results from their calls."""
    asked = AssistantMessage([call("1", "news"), call("2", "news")])
    orphan = result("9", tool_name="search", model_output="sunny")
    history = [USER, asked, ToolMessage([result("1"), orphan]), ToolMessage([result("2")]), DONE]
    assert at_start(history, ["search"], preserve_model_output=True) == (
        USER,
        asked,
        ToolMessage([result("1")]),
        ToolMessage([result("2")]),
        AssistantMessage("search result:\nsunny"),
        DONE,
    )


def test_the_output_of_a_result_in_an_answer_stays_in_that_answer() -> None:
    """Without its call it leaves the text where it stood itself; without a name it is a tool's all the same."""
    orphan = result("9", provider_executed=True, model_output="sunny")
    history = [USER, AssistantMessage(["Look:", orphan, "Well."], id="a1")]
    assert at_start(history, preserve_model_output=True) == (
        USER,
        AssistantMessage(["Look:", "tool result:\nsunny", "Well."], id="a1"),
    )


@pytest.mark.parametrize(
    "answers",
    [
        [result("1", is_error=True, model_output="failed"), result("1", model_output="sunny")],
        [result("1", synthesized=True, model_output="?"), result("1", model_output="sunny")],
        [result("1"), result("1", model_output="sunny")],
        [result("1", model_output="sunny"), result("1", model_output="rain")],
    ],
    ids=["failed", "synthesized", "no compact output", "two"],
)
def test_of_several_results_the_first_finished_one_is_preserved(answers: list[ToolResultPart]) -> None:
    """A real one beats a failed and a made-up one."""
    history = [USER, AssistantMessage([call("1")]), ToolMessage(answers)]
    assert at_start(history, preserve_model_output=True) == (USER, AssistantMessage("search result:\nsunny"))


def test_a_turn_s_own_result_is_preserved_rather_than_an_earlier_one_of_that_id() -> None:
    """Weak ids repeat: an answer whose call was cut says nothing about a later call."""
    history = [
        ToolMessage([result("call_0", tool_name="news", model_output="old")]),
        AssistantMessage([call("call_0")]),
        ToolMessage([result("call_0", model_output="new")]),
    ]
    assert at_start(history, ["search"], preserve_model_output=True) == (
        history[0],
        AssistantMessage("search result:\nnew"),
    )


@pytest.mark.parametrize(
    ("options", "texts"),
    [
        ({}, [["1"], ["1"], ["1"]]),
        ({"transient": True}, [["1"], ["1"], ["1"]]),
        ({"filter_after_tool_steps": 0}, [["1"], ["1", "n1"], ["1", "n1", "n2"]]),
        ({"filter_after_tool_steps": 1, "transient": True}, [[], ["1"], ["1", "n1"]]),
    ],
)
def test_outputs_are_preserved_in_a_running_loop(options: dict[str, Any], texts: list[list[str]]) -> None:
    """What leaves at a step leaves its text at that step; what stays stays whole."""
    run = Pipeline([ToolCallFilter(preserve_model_output=True, **options)]).start(
        [USER, *_told("1")], model=MODEL
    )
    seen = []
    for name in ("n1", "n2", "n3"):
        parts = [part for message in run.prompt().prompt.messages for part in message.parts]
        seen.append([part.text.removeprefix("search result:\n") for part in parts if part.type == "text"][1:])
        run.extend(_told(name))
    assert seen == texts


def _told(tool_call_id: str) -> tuple[Message, Message]:
    return AssistantMessage([call(tool_call_id)]), ToolMessage(
        [result(tool_call_id, model_output=tool_call_id)]
    )


@pytest.mark.parametrize(
    "output",
    ["\ud83d", [[["deep"]]], {"value": {"value": "x"}}, 10**5000, float("nan"), True, {"type": "text"}],
    ids=["surrogate", "lists", "wrappers", "digits", "nan", "boolean", "empty text"],
)
def test_odd_outputs_raise_nothing(output: Any) -> None:
    """Whatever a model output holds, the pair leaves; what says anything is told as text."""
    text = model_output_text(output)
    kept = at_start(
        [USER, AssistantMessage([call("1")]), ToolMessage([result("1", model_output=output)]), DONE],
        preserve_model_output=True,
    )
    assert kept == (USER, *([AssistantMessage(f"search result:\n{text}")] if text else []), DONE)


@pytest.mark.parametrize(
    "options",
    [{}, {"exclude": ["search"], "preserve_model_output": True}, {"filter_after_tool_steps": 1}],
)
def test_long_histories_and_wide_messages_take_linear_time(options: dict[str, Any]) -> None:
    """A guard against quadratic work, with a generous bound: each takes a fraction of a second."""
    numbers = [str(number) for number in range(10_000)]
    long = [message for number in numbers for message in turn(number)]
    wide = [AssistantMessage([call(n) for n in numbers]), ToolMessage([result(n) for n in numbers])]
    strays = [
        *(AssistantMessage([call("same"), call(None)]) for _ in numbers),
        DONE,
        *(ToolMessage([result("same"), result(None)]) for _ in numbers),
    ]
    start = time.process_time()
    for history in (long, wide, strays):
        at_start(history, **options)
    assert time.process_time() - start < 20


def test_filtered_history_is_unchanged_by_the_filter() -> None:
    """Filtering twice is filtering once."""
    once = at_start(HISTORY, ["search"], filter_after_tool_steps=1)
    twice = at_start(once, ["search"], filter_after_tool_steps=1)
    assert all(new is old for new, old in zip(twice, once, strict=True))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"exclude": "search"}, "list of tool names"),
        ({"exclude": [1]}, "list of tool names"),
        ({"exclude": ["search", None]}, "list of tool names"),
        ({"exclude": b"search"}, "list of tool names"),
        ({"exclude": 0}, "list of tool names"),
        ({"exclude": {"search": True}}, "list of tool names"),
        ({"exclude": iter(["search"])}, "list of tool names"),
        ({"filter_after_tool_steps": -1}, "0 or more"),
        ({"filter_after_tool_steps": True}, "whole number"),
        ({"filter_after_tool_steps": 1.5}, "whole number"),
    ],
)
def test_bad_configuration_is_refused(options: dict[str, Any], says: str) -> None:
    """The message says what is wanted."""
    with pytest.raises(ConfigurationError, match=says):
        ToolCallFilter(**options)


@pytest.mark.parametrize("exclude", [["search"], ("search",), {"search"}, frozenset({"search"})])
def test_names_may_come_in_any_collection(exclude: Any) -> None:
    """A list, a tuple or a set say the same."""
    assert at_start([USER, *turn("1"), *turn("2", "news")], exclude) == (USER, *turn("2", "news"))


def _invocation(number: int, name: str) -> dict[str, Any]:
    answer = {"rain": True}
    about = {"state": "result", "toolCallId": f"c{number}", "toolName": name, "args": {}, "result": answer}
    return {"type": "tool-invocation", "toolInvocation": about}


def test_a_stored_mastra_message_with_several_steps_differs_in_the_touched_parts_only() -> None:
    """One stored message stays one, under its id; what was not filtered is the very same object."""
    step = {"type": "step-start"}
    parts = [
        step,
        _invocation(1, "search"),
        step,
        _invocation(2, "news"),
        step,
        {"type": "text", "text": "Rain."},
    ]
    asked = {
        "id": "m1",
        "role": "user",
        "createdAt": "2026-01-01T00:00:00.000Z",
        "content": {"format": 2, "parts": [{"type": "text", "text": "Weather and news?"}]},
    }
    stored = {
        "id": "m2",
        "role": "assistant",
        "createdAt": "2026-01-01T00:00:01.000Z",
        "content": {"format": 2, "parts": parts},
    }
    mastra = format_named("mastra")
    filtered = at_start(mastra.decode([asked, stored]).messages, ["search"])
    request = fix(
        [asked, stored], model=MODEL, source="mastra", to="mastra", processors=[ToolCallFilter(["search"])]
    ).request
    assert len(filtered) < len(mastra.decode([asked, stored]).messages)
    assert request[0] is asked
    assert {key: value for key, value in request[1].items() if key != "content"} == {
        key: value for key, value in stored.items() if key != "content"
    }
    assert [part for part in request[1]["content"]["parts"] if part["type"] != "step-start"] == [
        parts[3],
        parts[5],
    ]
    assert any(part is parts[3] for part in request[1]["content"]["parts"])
