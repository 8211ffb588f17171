"""``clean_messages``: every sentence of its contract."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from replayable import (
    AssistantMessage,
    ConfigurationError,
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
    clean_messages,
)
from replayable.pairing import DENIED, NO_RESULT, is_paired

Mode = Literal["drop", "placeholder"]
History = tuple[Message, ...]


def call(tool_call_id: str | None, n: int = 0, **fields: Any) -> ToolCallPart:
    """A call of the tool ``t`` with the input ``{"n": n}``."""
    return ToolCallPart(**{"tool_call_id": tool_call_id, "tool_name": "t", "input": {"n": n}, **fields})


def result(tool_call_id: str | None, output: Any = "ok", **fields: Any) -> ToolResultPart:
    """A result."""
    return ToolResultPart(tool_call_id=tool_call_id, output=output, **fields)


def asks(*parts: ToolCallPart | ToolResultPart | ReasoningPart | TextPart | str, **fields: Any) -> Message:
    """An assistant message."""
    return AssistantMessage(parts, **fields)


def answers(*parts: ToolResultPart | OpaquePart, **fields: Any) -> Message:
    """A tool message."""
    return ToolMessage(parts, **fields)


def placeholder(tool_call_id: str | None, output: str = NO_RESULT) -> Message:
    """What answers a call without a result."""
    return answers(result(tool_call_id, output, tool_name="t", is_error=True, synthesized=True))


HELLO = UserMessage("Hello")
BYE = UserMessage("Bye")
SERVER_CALL = call("s", provider_executed=True)
SERVER_RESULT = result("s", provider_executed=True)

UNCHANGED: dict[str, History] = {
    "nothing at all": (),
    "no tools": (SystemMessage("Be brief."), HELLO, asks("Hi"), BYE),
    "a call and its result": (HELLO, asks("Let me see.", call("a")), answers(result("a")), asks("Done.")),
    "parallel calls, one message": (asks(call("a"), call("b")), answers(result("a"), result("b"))),
    "parallel calls, several messages": (
        asks(call("a"), call("b")),
        answers(result("a")),
        answers(result("b")),
    ),
    "results in any order": (asks(call("a"), call("b")), answers(result("b"), result("a"))),
    "the same id in different turns": (
        asks(call("a")),
        answers(result("a", "1")),
        asks(call("a", 1)),
        answers(result("a", "2")),
    ),
    "the same id in different turns, a user between": (
        asks(call("a")),
        answers(result("a")),
        HELLO,
        asks(call("a")),
        answers(result("a")),
    ),
    "no ids: by position": (
        asks(call(None), call(None, 1)),
        answers(result(None)),
        answers(result(None, "2")),
    ),
    "empty ids: by position": (asks(call(""), call("")), answers(result(""), result(""))),
    "a result without an id for a call with one": (asks(call("a")), answers(result(None))),
    "an id for one, position for the other": (
        asks(call("a"), call("b", 1)),
        answers(result(None), result("a")),
    ),
    "messages that arrived empty": (UserMessage(()), asks(), HELLO),
    "an error": (asks(call("a")), answers(result("a", "no", is_error=True))),
    "a denied call with an answer": (asks(call("a", state="denied")), answers(result("a", "no"))),
    "answered inline by the provider": (asks(SERVER_CALL, SERVER_RESULT, "Found."),),
    "answered inline, unmarked": (asks(SERVER_CALL, result("s"), "Found."),),
    "the provider's call without a result": (asks(SERVER_CALL), HELLO),
    "the client answered the provider's call": (asks(SERVER_CALL), answers(result("s")), HELLO),
    "the provider's and the client's call": (
        asks(SERVER_CALL, SERVER_RESULT, call("a")),
        answers(result("a")),
    ),
    "an unknown part between the results": (
        asks(call("a"), call("b")),
        answers(result("a"), OpaquePart(api="x", value=1)),
        answers(OpaquePart(api="x", value=2)),
        answers(result("b")),
    ),
    "an assistant first, assistants in a row": (
        asks("Hi"),
        asks(call("a")),
        answers(result("a")),
        asks("Well"),
    ),
}


@pytest.mark.parametrize("history", UNCHANGED.values(), ids=UNCHANGED)
@pytest.mark.parametrize("mode", ["drop", "placeholder"])
@pytest.mark.parametrize("open_ended", [False, True])
def test_paired_history_is_the_same_object(history: History, mode: Mode, open_ended: bool) -> None:
    """What is paired comes back as the very same object; a list stays the same list."""
    assert clean_messages(history, missing_results=mode, open_ended=open_ended) is history
    as_list = list(history)
    assert clean_messages(as_list, missing_results=mode, open_ended=open_ended) is as_list


# In both modes alike: nothing is missing.
REPAIRED: dict[str, tuple[History, History]] = {
    "a result without a call": (
        (HELLO, answers(result("a")), BYE),
        (HELLO, BYE),
    ),
    "a result without a call beside one with": (
        (asks(call("a")), answers(result("x"), result("a"), id="m")),
        (asks(call("a")), answers(result("a"), id="m")),
    ),
    "a result whose assistant message was cut off the front": (
        (answers(result("a")), asks("Done."), HELLO),
        (asks("Done."), HELLO),
    ),
    "a tool message without anything in it": (
        (HELLO, asks("Done."), answers(), BYE),
        (HELLO, asks("Done."), BYE),
    ),
    "late: after the user": (
        (asks(call("a")), HELLO, answers(result("a"))),
        (asks(call("a")), answers(result("a")), HELLO),
    ),
    "late: after the next assistant message": (
        (asks(call("a")), asks("Still waiting."), answers(result("a"))),
        (asks(call("a")), answers(result("a")), asks("Still waiting.")),
    ),
    "early: before its call": (
        (answers(result("a")), HELLO, asks(call("a"))),
        (HELLO, asks(call("a")), answers(result("a"))),
    ),
    "swapped": (
        (asks(call("a")), answers(result("b")), asks(call("b")), answers(result("a"))),
        (asks(call("a")), answers(result("a")), asks(call("b")), answers(result("b"))),
    ),
    "calls recorded one by one": (
        (asks(call("a")), asks(call("b")), answers(result("a")), answers(result("b"))),
        (asks(call("a")), answers(result("a")), asks(call("b")), answers(result("b"))),
    ),
    "moved results stand in the order of the calls": (
        (asks(call("a"), call("b"), call("c")), HELLO, answers(result("c"), result("a"), result("b"))),
        (asks(call("a"), call("b"), call("c")), *map(answers, map(result, "abc")), HELLO),
    ),
    "a moved result stands behind the one of the call before": (
        (
            asks(call("a"), call("b"), call("c")),
            answers(result("c")),
            answers(result("a")),
            HELLO,
            answers(result("b")),
        ),
        (
            asks(call("a"), call("b"), call("c")),
            answers(result("c")),
            answers(result("a")),
            answers(result("b")),
            HELLO,
        ),
    ),
    "inside the assistant message": (
        (asks("Let me see.", call("a"), result("a"), "Done."), HELLO),
        (asks("Let me see.", call("a"), "Done."), answers(result("a")), HELLO),
    ),
    "inside the next assistant message": (
        (asks(call("a")), asks(result("a"), "Done.")),
        (asks(call("a")), answers(result("a")), asks("Done.")),
    ),
    "an assistant message of nothing but results": (
        (asks(call("a")), asks(result("a")), HELLO),
        (asks(call("a")), answers(result("a")), HELLO),
    ),
    "a moved message keeps all that it says beside the result": (
        (asks(call("a")), HELLO, answers(result("a"), id="m", metadata={"x": 1}, provider_options={"y": {}})),
        (asks(call("a")), answers(result("a"), id="m", metadata={"x": 1}, provider_options={"y": {}}), HELLO),
    ),
    "two results: the first stays": (
        (asks(call("a")), answers(result("a", "1")), answers(result("a", "2"))),
        (asks(call("a")), answers(result("a", "1"))),
    ),
    "two results: a real one beats an error": (
        (asks(call("a")), answers(result("a", "1", is_error=True), result("a", "2"))),
        (asks(call("a")), answers(result("a", "2"))),
    ),
    "two results: an error beats a placeholder": (
        (asks(call("a")), placeholder("a"), answers(result("a", "2", is_error=True))),
        (asks(call("a")), answers(result("a", "2", is_error=True))),
    ),
    "a result that came after its placeholder was stored": (
        (asks(call("a")), placeholder("a"), HELLO, answers(result("a", "2"))),
        (asks(call("a")), answers(result("a", "2")), HELLO),
    ),
    "two results: the one in place beats the one elsewhere": (
        (
            answers(result("a", "0")),
            asks(call("a")),
            answers(result("a", "1")),
            HELLO,
            answers(result("a", "2")),
        ),
        (asks(call("a")), answers(result("a", "1")), HELLO),
    ),
    "the same call twice": (
        (asks(call("a"), call("a")), answers(result("a"))),
        (asks(call("a")), answers(result("a"))),
    ),
    "the same call twice, recorded twice with its result": (
        (asks(call("a"), call("a")), answers(result("a", "1")), answers(result("a", "1"))),
        (asks(call("a")), answers(result("a", "1"))),
    ),
    "the same call twice, one of them failed": (
        (asks(call("a"), call("a")), answers(result("a", "1", is_error=True), result("a", "2"))),
        (asks(call("a")), answers(result("a", "2"))),
    ),
    "the same call twice, with two outcomes": (
        (asks(call("a"), call("a")), answers(result("a", "1"), result("a", "2"))),
        (asks(call("a"), call("a-2")), answers(result("a", "1"), result("a-2", "2"))),
    ),
    "a call that lost its id": (
        (asks(call(None)), answers(result("a", "1")), HELLO),
        (asks(call("a")), answers(result("a", "1")), HELLO),
    ),
    "calls that lost their ids, by name and by position": (
        (
            asks(
                call("", tool_name="t"),
                call("b", tool_name="t"),
                call("", tool_name="u"),
                call("", tool_name="v"),
            ),
            answers(
                result("u1", "of u", tool_name="u"),
                result("b", "of b"),
                result("x", "of t"),
                result("x", "of v"),
            ),
        ),
        (
            asks(
                call("x", tool_name="t"),
                call("b", tool_name="t"),
                call("u1", tool_name="u"),
                call("x-2", tool_name="v"),
            ),
            answers(
                result("u1", "of u", tool_name="u"),
                result("b", "of b"),
                result("x", "of t"),
                result("x-2", "of v"),
            ),
        ),
    ),
    "a result of another call is none of the call that lost its id": (
        (asks(call(None)), answers(result("a", "1"), result(None, "2")), HELLO, asks(call("a"))),
        (asks(call(None)), answers(result(None, "2")), HELLO, asks(call("a")), answers(result("a", "1"))),
    ),
    "two calls share an id": (
        (asks(call("a", 1), call("a", 2)), answers(result("a", "1"), result("a", "2"))),
        (asks(call("a", 1), call("a-2", 2)), answers(result("a", "1"), result("a-2", "2"))),
    ),
    "true is not 1": (
        (asks(call("a", input={"n": 1}), call("a", input={"n": True})), answers(result("a"), result("a"))),
        (
            asks(call("a", input={"n": 1}), call("a-2", input={"n": True})),
            answers(result("a"), result("a-2")),
        ),
    ),
    "three calls share an id, and the next name is taken": (
        (
            asks(call("a", 1), call("a", 2), call("a-2"), call("a", 3)),
            answers(result("a-2", "x"), result("a", "1"), result("a", "2"), result("a", "3")),
        ),
        (
            asks(call("a", 1), call("a-3", 2), call("a-2"), call("a-4", 3)),
            answers(result("a-2", "x"), result("a", "1"), result("a-3", "2"), result("a-4", "3")),
        ),
    ),
    "raw arguments that are no JSON tell calls apart": (
        (
            asks(call("a", input=None, raw_input="{1"), call("a", input=None, raw_input="{2")),
            answers(result("a", "1"), result("a", "2")),
        ),
        (
            asks(call("a", input=None, raw_input="{1"), call("a-2", input=None, raw_input="{2")),
            answers(result("a", "1"), result("a-2", "2")),
        ),
    ),
    "an id reused, results late: to the nearest call before": (
        (
            asks(call("a", 1)),
            HELLO,
            asks(call("a", 2)),
            BYE,
            answers(result("a", "2")),
            answers(result("a", "1")),
        ),
        (
            asks(call("a", 1)),
            answers(result("a", "1")),
            HELLO,
            asks(call("a", 2)),
            answers(result("a", "2")),
            BYE,
        ),
    ),
    "more results without ids than calls": (
        (asks(call(None)), answers(result(None, "1")), answers(result(None, "2"))),
        (asks(call(None)), answers(result(None, "1"))),
    ),
    "a late result without an id": (
        (asks(call(None)), HELLO, answers(result(None))),
        (asks(call(None)), answers(result(None)), HELLO),
    ),
    "results without ids, matched by their tools' names": (
        (
            asks(call(None, tool_name="t"), call(None, tool_name="u")),
            HELLO,
            answers(result(None, "of u", tool_name="u"), result(None, "of t", tool_name="t")),
        ),
        (
            asks(call(None, tool_name="t"), call(None, tool_name="u")),
            answers(result(None, "of t", tool_name="t")),
            answers(result(None, "of u", tool_name="u")),
            HELLO,
        ),
    ),
}


@pytest.mark.parametrize(("before", "after"), REPAIRED.values(), ids=REPAIRED)
@pytest.mark.parametrize("mode", ["drop", "placeholder"])
def test_repaired(before: History, after: History, mode: Mode) -> None:
    """The history is repaired, and once repaired it stays the same object."""
    assert clean_messages(before, missing_results=mode) == after
    assert clean_messages(after, missing_results=mode) is after


# Before, with the call dropped, with a placeholder.
MISSING: dict[str, tuple[History, History, History]] = {
    "the text stays": (
        (asks("Let me see.", call("a")), HELLO),
        (asks("Let me see."), HELLO),
        (asks("Let me see.", call("a")), placeholder("a"), HELLO),
    ),
    "an emptied message goes": (
        (HELLO, asks(call("a"))),
        (HELLO,),
        (HELLO, asks(call("a")), placeholder("a")),
    ),
    "reasoning without state goes with its call": (
        (asks(ReasoningPart(text="Hm."), call("a")), HELLO),
        (HELLO,),
        (asks(ReasoningPart(text="Hm."), call("a")), placeholder("a"), HELLO),
    ),
    "signed reasoning stays": (
        (asks(ReasoningPart(text="Hm.", signature="s"), call("a")), HELLO),
        (asks(ReasoningPart(text="Hm.", signature="s")), HELLO),
        (asks(ReasoningPart(text="Hm.", signature="s"), call("a")), placeholder("a"), HELLO),
    ),
    "encrypted reasoning stays": (
        (asks(ReasoningPart(encrypted="e"), call("a")), HELLO),
        (asks(ReasoningPart(encrypted="e")), HELLO),
        (asks(ReasoningPart(encrypted="e"), call("a")), placeholder("a"), HELLO),
    ),
    "one of two": (
        (asks(call("a"), call("b")), answers(result("b"))),
        (asks(call("b")), answers(result("b"))),
        (asks(call("a"), call("b")), placeholder("a"), answers(result("b"))),
    ),
    "denied": (
        (asks("May I?", call("a", state="denied")), HELLO),
        (asks("May I?"), HELLO),
        (asks("May I?", call("a", state="denied")), placeholder("a", DENIED), HELLO),
    ),
    "broken off": (
        (asks("Let", call("a", state="partial", input=None, raw_input='{"q'), status="aborted"),),
        (asks("Let", status="aborted"),),
        (
            asks("Let", call("a", state="partial", input=None, raw_input='{"q'), status="aborted"),
            placeholder("a"),
        ),
    ),
    "without an id": (
        (asks("Well,", call(None), call(None, 1)), answers(result(None))),
        (asks("Well,", call(None)), answers(result(None))),
        (asks("Well,", call(None), call(None, 1)), answers(result(None)), placeholder(None)),
    ),
    "two calls share an id, one result": (
        (asks(call("a", 1), call("a", 2)), answers(result("a", "1"))),
        (asks(call("a", 1)), answers(result("a", "1"))),
        (asks(call("a", 1), call("a-2", 2)), answers(result("a", "1")), placeholder("a-2")),
    ),
    "an id reused, one result": (
        (asks(call("a", 1)), HELLO, asks(call("a", 2)), answers(result("a"))),
        (HELLO, asks(call("a", 2)), answers(result("a"))),
        (asks(call("a", 1)), placeholder("a"), HELLO, asks(call("a", 2)), answers(result("a"))),
    ),
}


@pytest.mark.parametrize(("before", "dropped", "replaced"), MISSING.values(), ids=MISSING)
def test_a_call_without_a_result(before: History, dropped: History, replaced: History) -> None:
    """The call is dropped, or answered by a placeholder; the function drops unless told otherwise."""
    assert clean_messages(before) == dropped
    assert clean_messages(before, missing_results="drop") == dropped
    assert clean_messages(dropped) is dropped
    assert clean_messages(before, missing_results="placeholder") == replaced
    assert clean_messages(replaced, missing_results="placeholder") is replaced


OPEN_ENDED: dict[str, tuple[History, History]] = {
    "what has no partner stays": (
        (answers(result("x")), asks(call("a")), HELLO, asks(result("y"))),
        (answers(result("x")), asks(call("a")), HELLO, asks(result("y"))),
    ),
    "partners are brought together": (
        (answers(result("x")), asks(call("a"), call("b")), HELLO, answers(result("b"))),
        (answers(result("x")), asks(call("a"), call("b")), answers(result("b")), HELLO),
    ),
    # The new name must not make a stranger's result the renamed call's own.
    "a new name is nobody's": (
        (asks(call("a", 1), call("a", 2)), answers(result("a", "1")), HELLO, answers(result("a-2", "x"))),
        (asks(call("a", 1), call("a-3", 2)), answers(result("a", "1")), HELLO, answers(result("a-2", "x"))),
    ),
}


@pytest.mark.parametrize(("before", "after"), OPEN_ENDED.values(), ids=OPEN_ENDED)
@pytest.mark.parametrize("mode", ["drop", "placeholder"])
def test_open_ended(before: History, after: History, mode: Mode) -> None:
    """Where the provider holds part of the history, nothing is dropped or made up for want of a partner."""
    assert clean_messages(before, missing_results=mode, open_ended=True) == after
    assert clean_messages(after, missing_results=mode, open_ended=True) is after


@pytest.mark.parametrize("mode", ["drop", "placeholder"])
def test_keep_unanswered_turns(mode: Mode) -> None:
    """A turn whose calls have no results at all stays where the provider takes it; a partly answered one does not."""
    asked, told = asks(call("a"), call("b")), UserMessage("It says 12.")
    unanswered: History = (asked, told)
    assert clean_messages(unanswered, missing_results=mode, keep_unanswered_turns=True) is unanswered
    assert clean_messages(unanswered, missing_results=mode) != unanswered

    half = (asked, ToolMessage(parts=[result("a")]), told)
    # The user's words answer the second turn, if any.
    again = (asked, asks(call("c")), told)
    settled: History = (*again[:1], UserMessage("One moment."), *again[1:])
    assert clean_messages(settled, missing_results=mode, keep_unanswered_turns=True) is settled
    assert clean_messages(again, missing_results=mode, keep_unanswered_turns=True)[-2:] == again[-2:]
    for history in (half, (told, asked), (asked, asks("Done.")), (asked, UserMessage(" "))):
        cleaned = clean_messages(history, missing_results=mode, keep_unanswered_turns=True)
        assert cleaned == clean_messages(history, missing_results=mode)
        assert is_paired(cleaned)


def test_untouched_messages_keep_their_identity() -> None:
    """Only what had to change is new."""
    history = (HELLO, asks("Hi"), asks(call("a")), answers(result("a")), asks("Well", call("b")), BYE)
    cleaned = clean_messages(history)
    assert cleaned == (*history[:4], asks("Well"), BYE)
    assert [new is old for new, old in zip(cleaned, history, strict=True)] == [True] * 4 + [False, True]


def test_a_moved_message_is_the_same_object() -> None:
    """A tool message with one result moves as it is."""
    late = answers(result("a"), id="m")
    cleaned = clean_messages((asks(call("a")), HELLO, late))
    assert cleaned[1] is late


def test_a_moved_part_keeps_its_messages_provenance() -> None:
    """A result that leaves a message of several keeps the stored message's id and date, and its other result stays."""
    stored = answers(result("b"), result("a"), id="m", metadata={"x": 1})
    cleaned = clean_messages((asks(call("a")), asks(call("b")), stored))
    assert cleaned == (
        asks(call("a")),
        answers(result("a"), id="m", metadata={"x": 1}),
        asks(call("b")),
        answers(result("b"), id="m", metadata={"x": 1}),
    )


def test_files_and_unknown_parts_stay() -> None:
    """Whatever stands beside a dropped call or result stays."""
    unknown = OpaquePart(api="x", value={})
    image = FilePart(media_type="image/png", data="QQ==")
    history = (AssistantMessage(parts=[image, call("a")]), HELLO, answers(result("x"), unknown))
    assert clean_messages(history) == (AssistantMessage(parts=[image]), HELLO, answers(unknown))


@pytest.mark.parametrize(
    ("value", "calls"),
    [(float("nan"), 1), (10**5000, 2)],
    ids=["NaN", "a number of 5,000 digits"],
)
def test_inputs_that_are_hard_to_compare(value: float, calls: int) -> None:
    """NaN is like NaN; a number that Python refuses to print raises nothing: such calls count as different."""
    history = (
        asks(call("a", input={"n": value}), call("a", input={"n": value})),
        answers(result("a"), result("a")),
    )
    assert len(clean_messages(history)[0].parts) == calls


def test_keep_pending() -> None:
    """For a stored history: a call that broke off, waits for approval or was made last may yet be answered."""
    waiting = asks(call("a", state="awaiting-approval"))
    broken_off = asks(call("b", state="partial"))
    lost = asks("Hm.", call("c"))
    last = asks(call("d"))
    history = (waiting, HELLO, broken_off, HELLO, lost, HELLO, last)
    assert clean_messages(history, keep_pending=True) == (
        waiting,
        HELLO,
        broken_off,
        HELLO,
        asks("Hm."),
        HELLO,
        last,
    )


@pytest.mark.parametrize("mode", ["keep", "", None, 1])
def test_an_unknown_mode_is_a_configuration_error(mode: Any) -> None:
    """A misspelt mode raises, also where nothing is missing."""
    with pytest.raises(ConfigurationError, match="missing_results must be 'drop' or 'placeholder'"):
        clean_messages((), missing_results=mode)


def test_the_placeholder_claims_nothing() -> None:
    """The placeholder says neither that the tool ran nor that it was cancelled, and is marked as ours."""
    made = clean_messages((asks(call("a")),), missing_results="placeholder")[1]
    assert made == ToolMessage(
        parts=[
            ToolResultPart(
                tool_call_id="a",
                tool_name="t",
                output="No result of this tool call was recorded; whether the tool ran is not known.",
                is_error=True,
                synthesized=True,
            )
        ]
    )


def test_is_paired_says_no_where_it_does_not_know() -> None:
    """The quick look answers yes only for plain pairs."""
    assert is_paired((asks(call("a")), answers(result("a")))) is True
    assert is_paired((asks(call(None)), answers(result(None)))) is False
    assert is_paired((asks(call("a")),)) is False
    assert is_paired((asks(call("a")), HELLO, answers(result("a")))) is False
    assert is_paired((asks(call("a")), answers(result("a"), result("a")))) is False


def test_an_empty_id_names_no_server_call_either() -> None:
    """A result without an id doesn't answer the provider's own call that has none: with no call left for it, it goes."""
    client = ToolCallPart(tool_call_id="a", tool_name="search", input={})
    server = ToolCallPart(tool_call_id="", tool_name="search", input={}, provider_executed=True)
    asking = AssistantMessage([client, server])
    answer = ToolResultPart(tool_call_id="a", output="ok")
    history = [asking, ToolMessage([answer, ToolResultPart(tool_call_id="", output="ok")])]
    assert clean_messages(history) == (asking, ToolMessage([answer]))
