"""A guard that reads only what is new says what one says that reads all of it."""

from __future__ import annotations

import copy
import json
import marshal
import sys
from array import array
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from operator import is_
from types import MappingProxyType
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import override

from replayable import (
    APIErrorArgs,
    ErrorRepair,
    HistoryFormatError,
    LLMRequestArgs,
    ModelRef,
    Processor,
    Prompt,
)
from replayable.formats import Format, format_named
from replayable.integrations import _known_histories
from replayable.integrations._guard import Guard
from replayable.integrations._known_histories import KnownHistories
from replayable.messages import Messages
from replayable.prompt import facts_of_prompt
from tests.bench import shapes
from tests.property.strategies import histories

ANTHROPIC: Final = format_named("anthropic")
CHAT: Final = format_named("openai_chat")
GEMINI: Final = format_named("gemini")
READERS: Final = {
    "openai_chat": "openai/gpt-5",
    "openai_responses": "openai/gpt-5",
    "anthropic": "anthropic/claude-sonnet-5",
    "gemini": "google/gemini-2.5-pro",
    "bedrock": "bedrock/us.anthropic.claude-sonnet-5",
}
"""Format of each guarded SDK -> a model that reads it."""
ORDINARY: Final = {
    "openai_chat": shapes.ordinary,
    "openai_responses": shapes.ordinary_responses,
    "anthropic": shapes.ordinary_anthropic,
    "gemini": shapes.ordinary_gemini,
    "bedrock": shapes.ordinary_bedrock,
}


def _part(request: dict[str, Any], format: Format, end: int | None = None, start: int = 0) -> dict[str, Any]:
    """The same request with some of its messages, all of it made anew as a client's layers do."""
    field = format.marks.turns[0]
    return copy.deepcopy({**request, field: request[field][start:end]})


def _assert_same(read: Prompt, request: Any, format: Format) -> None:
    plain = format.decode(request)
    assert repr(read) == repr(plain)
    assert facts_of_prompt(read) == facts_of_prompt(plain)
    assert format.encode(read).request == request


class _Counted:
    """A format that tells how many messages it read."""

    def __init__(self, format: Format) -> None:
        self.read: list[int] = []

        def decode(request: Any, *, provider: str | None = None, model: str | None = None) -> Prompt:
            wires = request if isinstance(request, list) else request[format.marks.turns[0]]
            self.read.append(len(wires))
            return format.decode(request, provider=provider, model=model)

        self.format = replace(format, decode=decode)


@pytest.mark.parametrize("name", READERS)
def test_only_what_is_new_is_read(name: str) -> None:
    """As an agent's history grows, and when the same is sent again."""
    counted = _Counted(format_named(name))
    request = ORDINARY[name](60)
    wires = request[counted.format.marks.turns[0]]
    ends = [end for end in _turn_ends(wires) if 20 <= end < 40]
    known = KnownHistories()
    for end in (*ends, ends[-1]):
        sent = _part(request, counted.format, end)
        _assert_same(known.read(counted.format, sent)[0], sent, format_named(name))
    news = [end - former for former, end in zip([0, *ends], [*ends, ends[-1]], strict=True)]
    assert counted.read == news


def _turn_ends(wires: Sequence[Any]) -> list[int]:
    """Where an answer comes next."""
    return [end for end in range(1, len(wires)) if _asks(wires[end - 1]) and not _asks(wires[end])]


def _asks(wire: Any) -> bool:
    return wire.get("role") in ("user", "tool") or wire.get("type") == "function_call_output"


@given(histories(), st.data())
def test_reading_again_is_reading(history: Messages, data: st.DataObject) -> None:
    """Whatever was read before: longer and shorter, edited, of another conversation, with other fields beside."""
    name = data.draw(st.sampled_from(sorted(READERS)))
    format, model = format_named(name), ModelRef.of(READERS[name], api=name)
    try:
        request = format.encode(Prompt(messages=history, request={})).request
    except HistoryFormatError:
        return
    count = len(request[format.marks.turns[0]])
    guard = Guard()
    for _ in range(data.draw(st.integers(2, 5))):
        start = data.draw(st.sampled_from((0, 0, 0, 1)))
        sent = _part(request, format, data.draw(st.integers(0, count)), start)
        if data.draw(st.booleans()):
            sent.pop("system", None)
        sent["model"] = model.model
        plain, reading = Guard().start(format, sent, model), guard.start(format, sent, model)
        if plain is None or reading is None:
            assert plain is reading
            continue
        expected, given_back = plain.request(), reading.request()
        assert repr(given_back) == repr(expected)
        assert (given_back is sent) == (expected is sent)
        assert repr(reading.run.changes) == repr(plain.run.changes)


@pytest.mark.parametrize("name", READERS)
def test_what_is_changed_in_place_is_read_anew(name: str) -> None:
    """In the caller's own objects, which the guard had seen before."""
    format = format_named(name)
    request = _part(ORDINARY[name](12), format, 9)
    known = KnownHistories()
    known.read(format, request)
    for path in list(_texts(request[format.marks.turns[0]])):
        _change(request[format.marks.turns[0]], path)
        _assert_same(known.read(format, request)[0], request, format)


BESIDE: dict[str, dict[str, Any]] = {
    "openai_chat": {"tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}]},
    "openai_responses": {"instructions": "Be brief.", "tools": [{"type": "function", "name": "f"}]},
    "anthropic": {"system": "Be brief.", "tools": [{"name": "f", "input_schema": {"type": "object"}}]},
    "gemini": {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [{"functionDeclarations": [{"name": "f"}]}],
    },
    "bedrock": {
        "system": [{"text": "Be brief."}],
        "toolConfig": {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": {}}}}]},
    },
}


@pytest.mark.parametrize("name", READERS)
def test_what_stands_beside_is_read_when_it_changes(name: str) -> None:
    """The system prompt and the tools stay, are changed in place, hold what can't be copied, and are left out."""
    counted = _Counted(format_named(name))
    list_name = counted.format.marks.turns[0]
    request, known = ORDINARY[name](100), KnownHistories()
    beside = copy.deepcopy(BESIDE[name])

    def send(end: int, **more: Any) -> None:
        wires = _part(request, counted.format, end)[list_name]
        sent = {**request, **beside, **more, list_name: wires}
        _assert_same(known.read(counted.format, sent)[0], sent, format_named(name))

    ends = iter(_turn_ends(request[list_name]))
    for path in [None, None, *_texts(beside), None]:
        if path is not None:
            _change(beside, path)
        send(next(ends))
    send(next(ends), metadata=object())
    send(next(ends), metadata=None)
    beside.clear()
    send(next(ends))
    assert max(counted.read[1:]) < 8


@pytest.mark.parametrize("id", ["a.b", "toolu_1"])
def test_what_is_changed_is_the_callers_own(id: str) -> None:
    """Python takes True for 1, and dicts in another order for equal: what needs a change goes out as the caller has it."""
    guard, model = Guard(), ModelRef.of(READERS["anthropic"], api="anthropic")
    for given_input in (
        {"a": 1, "b": 0.0},
        {"a": True, "b": 0.0},
        {"b": 0.0, "a": True},
        {"b": -0.0, "a": True},
    ):
        call = {"type": "tool_use", "id": id, "name": "f", "input": given_input}
        result = {"type": "tool_result", "tool_use_id": id, "content": "4 degrees"}
        request = {
            "messages": [
                {"role": "user", "content": "Hi"},
                {"role": "assistant", "content": [call]},
                {"role": "user", "content": [result]},
            ]
        }
        guarded = guard.start(ANTHROPIC, request, model)
        assert guarded is not None
        sent = guarded.request()
        assert (sent is request) == (id == "toolu_1")
        assert repr(sent["messages"][1]["content"][0]["input"]) == repr(given_input)


@pytest.mark.parametrize("rejected", [False, True])
def test_what_only_equals_what_was_read_may_not_be_read(
    rejected: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """It goes out as it is, as it would have gone without the former request, and its rejection is the provider's."""
    guard, model = Guard(), ModelRef.of(READERS["anthropic"], api="anthropic")
    call = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "No.", "is_error": True}
    messages: list[Any] = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    ]
    assert guard.start(ANTHROPIC, {"messages": copy.deepcopy(messages)}, model) is not None
    messages[2]["content"][0] = MappingProxyType(result)
    if not rejected:
        messages.append({"role": "assistant", "content": [{**call, "id": "toolu_2"}]})
    request = {"messages": messages}
    guarded = guard.start(ANTHROPIC, request, model)
    assert guarded is not None
    assert guarded.request() is request
    assert not guarded.recover("messages.1.content.0: Invalid `signature` in `thinking` block")
    assert "messages[2].content[0]" in caplog.text
    assert guard.start(ANTHROPIC, request, model) is None


@pytest.mark.parametrize("name", READERS)
def test_a_conversation_that_needs_changes_is_read_once_a_call(name: str) -> None:
    """Whole, and by a run of its own: its first call alone is read twice."""
    counted = _Counted(format_named(name))
    field = counted.format.marks.turns[0]
    request = _part(ORDINARY[name](12), counted.format)
    end = next(index for index in range(9, 0, -1) if _calls(request[field][index])) + 1
    guard = Guard()
    for _ in range(3):
        call = guard.start(
            counted.format, _part(request, counted.format, end), ModelRef.of(READERS[name], api=name)
        )
        assert call is not None
        assert call.request() is not call.given
    assert counted.read == [end] * 4


class _Noting(Processor):
    """Repairs after a rejection what it noted when it was asked before."""

    id = "noting"

    @override
    def process_llm_request(self, args: LLMRequestArgs) -> None:
        args.state["asked"] = True

    @override
    def process_api_error(self, args: APIErrorArgs) -> ErrorRepair | None:
        return ErrorRepair(messages=args.messages[1:], retry=True) if args.state.get("asked") else None


def test_a_repair_after_a_rejection_begins_with_what_the_caller_sent() -> None:
    """By processors that remember nothing but what they noted in this run; what it leaves alone is the caller's own."""
    model = ModelRef.of(READERS["anthropic"], api="anthropic")
    request: dict[str, Any] = {**_part(shapes.ordinary_anthropic(12), ANTHROPIC, 9), "model": model.model}
    call = Guard([_Noting()]).start(ANTHROPIC, request, model)
    assert call is not None
    assert call.request() is request
    assert call.recover("Something is wrong.")
    repaired = call.request()
    assert len(repaired["messages"]) == 8
    assert all(map(is_, repaired["messages"], request["messages"][1:]))


def test_a_callers_later_edit_reaches_no_other_conversation() -> None:
    """What was read belongs to the guard: objects that the caller still holds don't matter any more."""
    known = KnownHistories()
    first = _part(shapes.ordinary_anthropic(12), ANTHROPIC, 7)
    again = copy.deepcopy(first)
    known.read(ANTHROPIC, first)
    for path in list(_texts(first["messages"])):
        _change(first["messages"], path)
    _assert_same(known.read(ANTHROPIC, again)[0], again, ANTHROPIC)


@pytest.mark.parametrize("name", READERS)
def test_a_layer_behind_the_guard_reaches_no_other_conversation(name: str) -> None:
    """What went out may be written into (a handler of botocore's does so): the next request knows nothing of it."""
    format, model = format_named(name), ModelRef.of(READERS[name], api=name)
    field = format.marks.turns[0]
    # Its last call has no result, which the guard puts there.
    request = _part(ORDINARY[name](12), format)
    end = next(index for index in range(9, 0, -1) if _calls(request[field][index]))
    guard = Guard()
    expected = ""
    for _ in range(3):
        sent = _part(request, format, end + 1)
        call = guard.start(format, sent, model)
        assert call is not None
        given_out = call.request()
        assert given_out is not sent
        assert (expected or repr(given_out)) == repr(given_out)
        expected = repr(given_out)
        for path in list(_texts(given_out[field])):
            _change(given_out[field], path)


def test_a_request_that_is_no_dict_goes_out_as_written() -> None:
    """Of a stored history, say: nothing of it was remembered."""
    mastra = format_named("mastra")
    stored = [
        {"id": "1", "role": "user", "content": {"format": 2, "parts": [{"type": "text", "text": "Hi"}]}}
    ]
    call = Guard().start(mastra, stored, ModelRef())
    assert call is not None
    assert call.request() is stored


def _calls(wire: Any) -> bool:
    return any(
        mark in repr(wire)
        for mark in ("tool_calls", "'function_call'", "tool_use", "functionCall", "toolUse'")
    )


class _Undecided(bytearray):
    """What answers ``==`` as numpy's arrays do."""

    __hash__ = None

    @override
    def __eq__(self, other: object) -> bool:
        raise ValueError("The truth value of an array is ambiguous")


@pytest.mark.parametrize("value", [array("d", [21.5]), _Undecided(b"1.5")])
def test_what_lends_its_memory_is_no_bytes(value: Any) -> None:
    """An array (or a number of numpy's) in a call's input goes out as it came, also in a message that is written anew."""
    call = {"type": "tool_use", "id": "a.b", "name": "f", "input": {"x": value}}
    result = {"type": "tool_result", "tool_use_id": "a.b", "content": "4 degrees"}
    request = {
        "messages": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ]
    }
    known = KnownHistories()
    known.read(ANTHROPIC, json.loads(json.dumps(request, default=lambda _: 21.5)))
    _assert_same(known.read(ANTHROPIC, request)[0], request, ANTHROPIC)
    guarded = Guard().start(ANTHROPIC, request, ModelRef.of(READERS["anthropic"], api="anthropic"))
    assert guarded is not None
    sent = guarded.request()
    assert sent is not request
    assert sent["messages"][1]["content"][0]["input"]["x"] is value


def test_what_is_no_plain_value_is_read_each_time() -> None:
    """Objects that can't be compared by content; the answer is the format's own."""

    class Text(str):
        __slots__ = ()

    request = {"messages": [{"role": "user", "content": Text("Hi")}]}
    known = KnownHistories()
    for _ in range(2):
        _assert_same(known.read(CHAT, request)[0], request, CHAT)
    # Too deep to be copied, and deep enough for a copy that can't be compared.
    for depth in (sys.getrecursionlimit() * 5, 1500):
        deep: Any = "Hi"
        for _ in range(depth):
            deep = [deep]
        request = {"messages": [{"role": "user", "content": "Hi", "x": deep}]}
        assert known.read(CHAT, request)[0].messages[0].role == "user"


@pytest.mark.parametrize(
    "request_", [[], {"messages": []}, {"messages": None}, {"messages": [3]}, "Hi", None]
)
def test_odd_requests_fare_as_with_the_format(request_: Any) -> None:
    """The same prompt, or the same error at the same place."""
    assert _outcome(lambda: KnownHistories().read(CHAT, request_)[0]) == _outcome(
        lambda: CHAT.decode(request_)
    )


def test_a_fault_is_named_by_its_place_in_the_whole() -> None:
    """Also when only the end was read."""
    request = _part(shapes.ordinary_anthropic(12), ANTHROPIC, 7)
    known = KnownHistories()
    known.read(ANTHROPIC, request)
    request["messages"] += [{"role": "assistant", "content": "Well."}, {"role": "user", "content": 3}]
    with pytest.raises(HistoryFormatError, match=r"messages\[8\]"):
        known.read(ANTHROPIC, request)


def test_a_result_belongs_to_calls_further_back_by_position() -> None:
    """Gemini's calls without ids: what stands between is no end of them."""
    call = {"functionCall": {"name": "f", "args": {}}}
    contents = [
        {"role": "user", "parts": [{"text": "Hi"}]},
        {"role": "model", "parts": [call]},
        {"role": "user", "parts": [{"text": "Wait."}]},
        {"role": "model", "parts": [{"text": "I do."}]},
        {"role": "user", "parts": [{"functionResponse": {"id": "x", "name": "f", "response": {}}}]},
    ]
    known = KnownHistories()
    for end in (3, 5):
        request = {"contents": contents[:end]}
        _assert_same(known.read(GEMINI, request)[0], request, GEMINI)


def test_calls_without_ids_are_read_once() -> None:
    """The next calls put an end to what belonged to the former by position."""
    counted = _Counted(GEMINI)
    turn = [
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]},
    ]
    known = KnownHistories()
    for times in (1, 2, 3):
        request = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}, *turn * times]}
        _assert_same(known.read(counted.format, request)[0], request, GEMINI)
    assert counted.read == [3, 2, 2]


def test_a_text_goes_on_behind_results() -> None:
    """On Anthropic's wire, where both are the user's: it is known what it follows."""
    call = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "4 degrees"}
    messages = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
        {"role": "user", "content": [result, {"type": "text", "text": "And?"}]},
    ]
    known = KnownHistories()
    for end in (3, 4):
        request = {"messages": messages[:end]}
        _assert_same(known.read(ANTHROPIC, request)[0], request, ANTHROPIC)


def test_each_format_reads_its_own() -> None:
    """The same messages in two of them."""
    known = KnownHistories()
    for format in (CHAT, ANTHROPIC, CHAT):
        request = {"messages": [{"role": role, "content": "Hi"} for role in ("user", "assistant", "user")]}
        _assert_same(known.read(format, request)[0], request, format)


def test_an_answer_goes_on_behind_what_was_known_of_it() -> None:
    """Two items of one answer, the latter of which came later."""
    responses = format_named("openai_responses")
    items = [
        {"role": "user", "content": "Hi"},
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"},
    ]
    known = KnownHistories()
    for end in (2, 3):
        request = {"input": items[:end]}
        _assert_same(known.read(responses, request)[0], request, responses)


def test_a_server_call_may_be_answered_later() -> None:
    """Ids of Anthropic's server tools on OpenAI's wire: the client's answer tells who ran the call."""
    call = {"id": "srvtoolu_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "user", "content": "And?"},
        {"role": "assistant", "content": "Well."},
        {"role": "tool", "tool_call_id": "srvtoolu_1", "content": "4 degrees"},
    ]
    known = KnownHistories()
    for end in (3, 5):
        request = {"messages": messages[:end]}
        _assert_same(known.read(CHAT, request)[0], request, CHAT)


def test_a_server_call_may_have_been_answered_before() -> None:
    """A result of the client's that stands before its call tells who ran it, too."""
    call = {"id": "srvtoolu_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Hi"},
        {"role": "tool", "tool_call_id": "srvtoolu_1", "content": "4 degrees"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
    ]
    known = KnownHistories()
    for end in (2, 3):
        request = {"messages": messages[:end]}
        _assert_same(known.read(CHAT, request)[0], request, CHAT)


def test_what_the_server_holds_is_told_each_time() -> None:
    """A reference among the items that were known before."""
    responses = format_named("openai_responses")
    items: list[Any] = [
        {"role": "user", "content": "Hi"},
        {"type": "item_reference", "id": "msg_1"},
        {"role": "user", "content": "Go on."},
        {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"},
    ]
    known = KnownHistories()
    for end in (3, 4):
        request = {"input": items[:end]}
        read, _ = known.read(responses, request)
        _assert_same(read, request, responses)
        assert read.server_state


def test_each_conversation_is_known_by_itself() -> None:
    """Several that begin alike, in turn; the one that was sent for longest ago is forgotten first."""
    counted = _Counted(ANTHROPIC)
    begin = _part(shapes.ordinary_anthropic(12), ANTHROPIC, 5)["messages"]
    more = [{"role": "assistant", "content": "Well."}, {"role": "user", "content": "And?"}]

    def send(known: KnownHistories, question: str, times: int) -> None:
        messages = [*begin[:4], {"role": "user", "content": question}, *more * times]
        known.read(counted.format, {"messages": messages})

    roomy = KnownHistories()
    for times in (0, 1, 2):
        for question in "ABC":
            send(roomy, question, times)
    assert counted.read == [5, 5, 5, 2, 2, 2, 2, 2, 2]
    counted.read.clear()
    size = 1.1 * len(marshal.dumps([*begin[:4], {"role": "user", "content": "A"}]))
    narrow = KnownHistories(most_bytes=int(2 * size))
    for question in ("A", "B", "A", "C", "A", "B"):
        send(narrow, question, 0)
    assert counted.read == [5, 5, 0, 5, 0, 5]
    counted.read.clear()
    growing = KnownHistories(most_bytes=int(3 * size))
    send(growing, "B", 0)
    for times in range(4):
        send(growing, "A", times)
        growing.read(counted.format, {"messages": []})
    send(growing, "B", 0)
    assert counted.read == [5, 5, 0, 2, 0, 2, 0, 2, 0, 0]


def test_no_more_than_so_many_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small ones count, too."""
    monkeypatch.setattr(_known_histories, "_MOST", 2)
    counted = _Counted(CHAT)
    known = KnownHistories()
    for question in ("A", "B", "C", "C", "A"):
        known.read(counted.format, {"messages": [{"role": "user", "content": question}]})
    assert counted.read == [1, 1, 1, 0, 1]


def test_threads_may_read_at_once() -> None:
    """Each gets its own history, while all forget and remember."""
    request = shapes.ordinary_anthropic(40)
    known = KnownHistories(most_bytes=20_000)

    def converse(number: int) -> None:
        own = _part(request, ANTHROPIC)
        own["messages"][0]["content"] = f"Question {number}"
        for end in range(1, 40, 3):
            sent = _part(own, ANTHROPIC, end)
            _assert_same(known.read(ANTHROPIC, sent)[0], sent, ANTHROPIC)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(converse, range(32)))


def _outcome(read: Callable[[], Prompt]) -> str:
    try:
        return repr(read())
    except HistoryFormatError as error:
        return str(error)


def _texts(value: Any, path: tuple[Any, ...] = ()) -> Any:
    """The paths of all texts in a JSON value."""
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if key not in ("role", "type", "status"):
                yield from _texts(item, (*path, key))
    elif isinstance(value, str):
        yield path


def _change(value: Any, path: tuple[Any, ...]) -> None:
    *way, last = path
    for key in way:
        value = value[key]
    value[last] += "2"
