"""What is known about a message."""

from __future__ import annotations

from typing import Any

import pytest

from replayable import (
    AssistantMessage,
    FilePart,
    Message,
    OpaquePart,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from replayable import facts as f
from replayable.facts import facts_of, facts_of_all, ids_of, survey


def call(tool_call_id: str | None = "a", **fields: Any) -> ToolCallPart:
    """A complete call with an object as its input, unless told otherwise."""
    return ToolCallPart(**{"tool_call_id": tool_call_id, "tool_name": "t", "input": {}, **fields})


def result(tool_call_id: str | None = "a", **fields: Any) -> ToolResultPart:
    """A result with an output, unless told otherwise."""
    output = {} if "content" in fields else {"output": "Yes."}
    return ToolResultPart(**{"tool_call_id": tool_call_id, **output, **fields})


A, T = f.ASSISTANT, f.TOOL
HELLO, ASKS, ANSWERS = UserMessage("Hi"), AssistantMessage([call()]), ToolMessage([result()])
PAIR = f.ASSISTANT | f.CALLS | f.TOOL | f.RESULTS
# Behind the place where pairing fails nobody looks for messages in a row.
UNKNOWN = f.UNPAIRED | f.IN_A_ROW


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (SystemMessage("Hi"), f.SYSTEM),
        (UserMessage("Hi"), f.USER),
        (UserMessage(), f.USER | f.BLANK),
        (UserMessage(" \n\u2003"), f.USER | f.BLANK),
        (UserMessage(["Hi", ""]), f.USER | f.BLANK | f.SEVERAL),
        (UserMessage([FilePart(url="u")]), f.USER | f.FILES),
        (UserMessage([OpaquePart(api="x", value=1)]), f.USER | f.OPAQUE),
        (AssistantMessage([ReasoningPart(), "Hi"]), A | f.REASONING | f.SEVERAL),
        (AssistantMessage([call()]), A | f.CALLS),
        (AssistantMessage([call("a.b")]), A | f.CALLS | f.ODD_IDS),
        (AssistantMessage([call("x" * 40)]), A | f.CALLS),
        (AssistantMessage([call("x" * 41)]), A | f.CALLS | f.LONG_IDS),
        (AssistantMessage([call(None)]), A | f.CALLS | f.ODD_IDS | f.IRREGULAR),
        (AssistantMessage([call("")]), A | f.CALLS | f.ODD_IDS | f.IRREGULAR),
        (AssistantMessage([call(), call()]), A | f.CALLS | f.IRREGULAR),
        (AssistantMessage([call(tool_name="get-weather")]), A | f.CALLS),
        (AssistantMessage(["Hm.", call()]), A | f.CALLS),
        (AssistantMessage([call(), "Hm."]), A | f.CALLS | f.BEHIND_CALLS),
        (AssistantMessage([call(), FilePart(url="u")]), A | f.CALLS | f.FILES | f.BEHIND_CALLS),
        (AssistantMessage([call(provider_executed=True), "Hm."]), A | f.SERVER_TOOLS | f.SEVERAL),
        (AssistantMessage([call(tool_name="get weather")]), A | f.CALLS | f.ODD_NAMES),
        (AssistantMessage([call(tool_name="t" * 65)]), A | f.CALLS | f.ODD_NAMES),
        (AssistantMessage([call(tool_name="a.b", provider_executed=True)]), A | f.SERVER_TOOLS),
        (ToolMessage([result(tool_name="1st")]), T | f.RESULTS | f.ODD_NAMES),
        (AssistantMessage([call(state="partial")]), A | f.CALLS | f.UNSETTLED),
        (AssistantMessage([call(input=None)]), A | f.CALLS | f.NOT_AN_OBJECT),
        (AssistantMessage([call(provider_executed=True), call()]), A | f.SERVER_TOOLS | f.CALLS),
        (AssistantMessage([result(provider_executed=True)]), A | f.SERVER_TOOLS),
        (AssistantMessage([result()]), A | f.IRREGULAR),
        (ToolMessage([result()]), T | f.RESULTS),
        (ToolMessage([result(), result()]), T | f.RESULTS | f.IRREGULAR),
        (ToolMessage([result(None)]), T | f.RESULTS | f.ODD_IDS | f.IRREGULAR),
        (ToolMessage([result(content=(FilePart(url="u"),))]), T | f.RESULTS | f.FILES | f.SEVERAL),
        (ToolMessage([result(content=(TextPart(" "),))]), T | f.RESULTS | f.BLANK | f.SEVERAL),
        (ToolMessage([result(content=())]), T | f.RESULTS | f.SILENT_RESULTS | f.SEVERAL),
        (ToolMessage([result(output=None)]), T | f.RESULTS | f.SILENT_RESULTS),
        (ToolMessage([result(output=" ")]), T | f.RESULTS | f.SILENT_RESULTS),
        (ToolMessage([result(output={})]), T | f.RESULTS),
        (AssistantMessage([result(output="", provider_executed=True)]), A | f.SERVER_TOOLS),
        (
            AssistantMessage([result(content=(TextPart(""),), provider_executed=True)]),
            A | f.SERVER_TOOLS | f.SEVERAL,
        ),
        (ToolMessage(), T | f.BLANK | f.IRREGULAR),
    ],
)
def test_facts(message: Message, expected: int) -> None:
    """Each fact holds exactly where its description says; asked twice, the answer is the same."""
    assert facts_of(message) == expected
    assert facts_of(message) == expected


def test_facts_of_all() -> None:
    """The facts of a history are those of its messages together, and whether its calls are answered."""
    assert facts_of_all([]) == 0
    assert facts_of_all([HELLO, ASKS, ANSWERS]) == f.USER | PAIR
    assert facts_of_all([HELLO, ASKS]) == f.USER | f.ASSISTANT | f.CALLS | f.UNPAIRED


@pytest.mark.parametrize(
    ("history", "expected"),
    [
        ((), (0, 0)),
        ((HELLO, ASKS, ANSWERS), (f.USER | PAIR, 3)),
        # calls whose results may yet come
        ((HELLO, ASKS), (f.USER | f.ASSISTANT | f.CALLS | f.UNPAIRED, 1)),
        ((ASKS, ANSWERS, ASKS, HELLO), (f.USER | PAIR | UNKNOWN, 2)),
        # two that one message may hold, also where the second is new to a survey
        ((HELLO, ASKS, ANSWERS, HELLO), (f.USER | PAIR | f.IN_A_ROW, 4)),
        ((HELLO, HELLO), (f.USER | f.IN_A_ROW, 2)),
        ((ASKS, ANSWERS, AssistantMessage("Rain.")), (PAIR, 3)),
        ((AssistantMessage("Rain."), AssistantMessage("Snow.")), (A | f.IN_A_ROW, 2)),
        ((SystemMessage("Hi"), SystemMessage("Ho")), (f.SYSTEM, 2)),
        # what no later message mends
        ((ANSWERS, ASKS), (PAIR | UNKNOWN, 0)),
        ((ASKS, ANSWERS, ANSWERS, HELLO), (f.USER | PAIR | UNKNOWN, 0)),
        ((AssistantMessage([call(None)]),), (A | f.CALLS | f.ODD_IDS | f.IRREGULAR | f.UNPAIRED, 0)),
    ],
)
def test_survey(history: tuple[Message, ...], expected: tuple[int, int]) -> None:
    """A survey tells the facts, and up to where a history is paired whatever comes."""
    assert survey(history) == expected


def test_ids() -> None:
    """The ids are the client's: of its calls in an assistant message, of its results in a tool message."""
    assert ids_of(AssistantMessage([call("a"), call("s", provider_executed=True), call(None)])) == ("a", None)
    assert ids_of(AssistantMessage([result("a")])) == ()
    assert ids_of(ToolMessage([result("a"), result("s", provider_executed=True)])) == ("a",)
    assert ids_of(UserMessage("Hi")) == ()


def test_facts_do_not_follow_a_dict_that_changes() -> None:
    """Facts are read once: a caller who changes the content of an input changes no fact."""
    arguments: dict[str, Any] = {}
    message = AssistantMessage([call(input=arguments)])
    before = facts_of(message)
    arguments["x"] = 1
    assert facts_of(message) == before == facts_of(AssistantMessage([call(input=arguments)]))
