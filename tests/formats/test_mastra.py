"""Mastra's stored messages: read, repaired, folded back."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from typing import Any

import pytest

import replayable
from replayable import HistoryFormatError, ToolCallFilter, clean_messages
from replayable.edits import replace
from replayable.formats import detect
from replayable.formats.mastra import decode, encode
from replayable.messages import (
    AssistantMessage,
    Message,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
    messages_to_json,
)
from replayable.prompt import Prompt, with_messages
from replayable.tool_call_ids import reissue_ids
from tests.formats.stored import (
    damaged,
    history,
    messages_in,
    rejections,
    sorted_text,
    through_json,
    without_tools,
    written,
)
from tests.judges.good_requests import ANTHROPIC, OPENAI_CHAT

HISTORIES = ("mastra_steps", "mastra_legacy")


def _stored(*parts: Any, role: str = "assistant", **fields: Any) -> dict[str, Any]:
    message = {"id": "m1", "role": role, "createdAt": "2026-01-01T00:00:00.000Z"}
    return {**message, "content": {"format": 2, "parts": list(parts), **fields}}


def _invocation(state: str, call_id: str = "c1", name: str = "weather", **fields: Any) -> dict[str, Any]:
    inner = {"state": state, "toolCallId": call_id, "toolName": name, "args": {"city": "Oslo"}, **fields}
    return {"type": "tool-invocation", "toolInvocation": inner}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _shown(messages: tuple[Message, ...]) -> list[tuple[str, list[str]]]:
    return [
        (message.role, [f"{part.type} {getattr(part, 'tool_call_id', '')}".strip() for part in message.parts])
        for message in messages
    ]


def _rewritten(prompt: Prompt, messages: tuple[Message, ...] | None) -> Any:
    assert messages is not None
    return encode(with_messages(prompt, messages)).request


# --- there and back -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HISTORIES)
def test_an_untouched_history_comes_back_as_the_same_object(name: str) -> None:
    """Nobody touched it, so it is not written anew."""
    given = history(name)
    encoded = encode(decode(given))
    assert encoded.request is given
    assert encoded.changes == ()


@pytest.mark.parametrize("name", HISTORIES)
def test_a_history_comes_back_by_value_through_json(name: str) -> None:
    """Our messages hold everything: nothing lives only in the remembered wire objects."""
    given = history(name)
    assert sorted_text(encode(through_json(decode(given))).request) == sorted_text(given)


@pytest.mark.parametrize("name", HISTORIES)
def test_reading_and_writing_change_nothing_that_was_handed_in(name: str) -> None:
    """The wire is borrowed."""
    given = history(name)
    before = copy.deepcopy(given)
    prompt = decode(given)
    stored = messages_to_json(prompt.messages)
    encode(without_tools(prompt, "weather", "look"))
    encode(through_json(prompt))
    assert given == before
    assert messages_to_json(prompt.messages) == stored


def test_a_bare_list_comes_out_where_a_bare_list_went_in() -> None:
    """And an object with messages keeps its other fields."""
    message = _stored(_text("Hi"), role="user")
    touched = replace(decode([message]).messages[0], parts=(TextPart("Ho"),))
    expected = [{**message, "content": {"format": 2, "parts": [_text("Ho")]}}]
    assert _rewritten(decode([message]), (touched,)) == expected
    request = {"threadId": "t", "messages": [message]}
    assert _rewritten(decode(request), (touched,)) == {"threadId": "t", "messages": expected}


# --- what a stored message becomes ----------------------------------------------------------------------------------


def test_a_message_with_steps_becomes_a_message_a_step() -> None:
    """Each step is an assistant message and the results of its calls; all share id and time."""
    messages = decode([history("mastra_steps")[2]]).messages
    assert _shown(messages) == [
        ("assistant", ["reasoning", "text", "tool_call call_times", "tool_call call_weather"]),
        ("tool", ["tool_result call_times", "tool_result call_weather"]),
        (
            "assistant",
            ["text", "tool_call call_warnings", "tool_call call_book", "tool_call ws_1", "tool_result ws_1"],
        ),
        ("tool", ["tool_result call_warnings", "tool_result call_book"]),
        ("assistant", ["reasoning", "reasoning", "reasoning", "text"]),
    ]
    assert {message.id for message in messages} == {"asst-1"}
    assert {message.created_at for message in messages} == {datetime(2026, 1, 5, 9, 0, 2, tzinfo=UTC)}
    assert {json.dumps(message.metadata) for message in messages} == {
        '{"modelId": "claude-sonnet-4-5", "provider": "anthropic"}'
    }


def test_text_after_a_call_is_another_message_without_a_step_mark() -> None:
    """Old histories have no step marks: what was said after a call was said knowing its answer."""
    messages = decode([_stored(_text("A"), _invocation("result", result=1), _text("B"))]).messages
    assert _shown(messages) == [
        ("assistant", ["text", "tool_call c1"]),
        ("tool", ["tool_result c1"]),
        ("assistant", ["text"]),
    ]


def test_invocations_of_several_numbered_steps_are_several_messages() -> None:
    """Before there were step marks, each invocation told its step."""
    one, two = _invocation("result", "c1", step=0, result=1), _invocation("result", "c2", step=1, result=2)
    assert [role for role, _ in _shown(decode([_stored(one, two)]).messages)] == [
        "assistant",
        "tool",
        "assistant",
        "tool",
    ]


@pytest.mark.parametrize(
    ("state", "fields", "call_state", "output", "is_error"),
    [
        ("partial-call", {}, "partial", None, None),
        ("call", {}, "complete", None, None),
        ("result", {"result": {"c": 4}}, "complete", {"c": 4}, None),
        ("result", {"result": "down", "isError": True}, "complete", "down", True),
        ("approval-requested", {"approval": {"id": "a"}}, "awaiting-approval", None, None),
        ("approval-responded", {"approval": {"id": "a", "approved": True}}, "complete", None, None),
        ("approval-responded", {"approval": {"id": "a", "approved": False}}, "denied", None, None),
        ("output-error", {"errorText": "down"}, "complete", "down", True),
        ("output-denied", {"approval": {"id": "a", "approved": False, "reason": "no"}}, "denied", "no", True),
        (
            "output-denied",
            {"approval": {"id": "a"}},
            "denied",
            "The user did not allow this tool call.",
            True,
        ),
        ("state-to-come", {}, "complete", None, None),
        ("state-to-come", {"result": 1}, "complete", 1, None),
    ],
)
def test_each_state_is_a_call_and_where_there_is_one_a_result(
    state: str, fields: dict[str, Any], call_state: str, output: Any, is_error: bool | None
) -> None:
    """An invocation in a state with an answer is a call and a result; both go back into one part."""
    given = [_stored(_invocation(state, **fields))]
    prompt = decode(given)
    call = prompt.messages[0].parts[0]
    assert isinstance(call, ToolCallPart)
    assert (call.tool_call_id, call.tool_name, call.input, call.state) == (
        "c1",
        "weather",
        {"city": "Oslo"},
        call_state,
    )
    results = [part for message in prompt.messages[1:] for part in message.parts]
    told = [(part.tool_call_id, part.output, part.is_error) for part in results if part.type == "tool_result"]
    assert told == ([] if output is None else [("c1", output, is_error)])
    assert encode(through_json(prompt)).request == given


def test_what_the_provider_executed_stays_inline() -> None:
    """Call and result stand in the assistant message."""
    part = {**_invocation("result", result=[1]), "providerExecuted": True}
    prompt = decode([_stored(part, _text("Found."))])
    call, result, _ = prompt.messages[0].parts
    assert isinstance(call, ToolCallPart)
    assert isinstance(result, ToolResultPart)
    assert (call.provider_executed, result.provider_executed, result.output) == (True, True, [1])
    assert encode(through_json(prompt)).request == [_stored(part, _text("Found."))]


def test_reasoning_tells_who_signed_it() -> None:
    """The provider's metadata, and the details of older versions, become signature, encrypted state and provider."""
    signed = {
        "type": "reasoning",
        "reasoning": "",
        "details": [{"type": "text", "text": "T"}],
        "providerMetadata": {"anthropic": {"signature": "sig"}},
    }
    details = [{"type": "text", "text": "A", "signature": "s"}, {"type": "redacted", "data": "d"}]
    parts = (
        decode([_stored(signed, {"type": "reasoning", "reasoning": "A", "details": details})])
        .messages[0]
        .parts
    )
    told = [
        (part.text, part.signature, part.encrypted, part.provider)
        for part in parts
        if isinstance(part, ReasoningPart)
    ]
    assert told == [
        ("T", "sig", None, "anthropic"),
        ("A", "s", None, "anthropic"),
        ("", None, "d", "anthropic"),
    ]


def test_the_model_facing_output_stands_beside_the_raw_one() -> None:
    """``providerMetadata.mastra.modelOutput`` is the result's ``model_output``, and leaves the wire with it."""
    part = {
        **_invocation("result", result={"long": 1}),
        "providerMetadata": {"mastra": {"modelOutput": "short"}, "x": {"y": 1}},
    }
    prompt = decode([_stored(part)])
    call_message, result_message = prompt.messages
    result = result_message.parts[0]
    assert isinstance(result, ToolResultPart)
    assert (result.output, result.model_output) == ({"long": 1}, "short")
    assert encode(through_json(prompt)).request == [_stored(part)]
    bare = replace(result_message, parts=(replace(result, model_output=None),))
    expected = {**part, "providerMetadata": {"mastra": {}, "x": {"y": 1}}}
    assert _rewritten(prompt, (call_message, bare)) == [_stored(expected)]


def test_legacy_fields_stand_for_parts_that_are_missing() -> None:
    """Invocations, reasoning and attachments come before the parts, the text after them, as Mastra reads them."""
    messages = decode(history("mastra_legacy")).messages
    assert _shown(messages[:4]) == [
        ("user", ["file", "file", "text"]),
        ("assistant", ["tool_call c1"]),
        ("tool", ["tool_result c1"]),
        ("assistant", ["tool_call c2"]),
    ]
    assert _shown(messages[4:6]) == [("tool", ["tool_result c2"]), ("assistant", ["reasoning", "text"])]


def test_messages_of_the_first_format_stay_messages_of_their_own() -> None:
    """Their ``content`` is a string or a list; calls and results are separate stored messages."""
    messages = decode(history("mastra_legacy")).messages[6:10]
    assert [message.id for message in messages] == ["u2", "a2", "t3", "a3"]
    assert messages[2] == ToolMessage(
        id="t3",
        created_at=messages[2].created_at,
        parts=[
            ToolResultPart(
                tool_call_id="c3",
                tool_name="weather",
                output={"temp": 4},
                is_error=False,
                provider_options={"mastra": {"$legacy": True}},
            )
        ],
        provider_options={
            "mastra": {"createdAt": "2025-03-01T12:01:02Z", "type": "tool-result", "$style": "core"}
        },
    )


def test_a_signal_is_read_as_the_user() -> None:
    """It goes back as a signal."""
    given = [_stored(_text("Back."), role="signal")]
    prompt = decode(given)
    assert prompt.messages[0].role == "user"
    assert encode(through_json(prompt)).request == given


# --- partly touched ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("tool", ["timetable", "weather", "warnings", "book", "web_search"])
def test_without_one_tool_only_its_parts_differ(tool: str, stored: bool) -> None:
    """One stored message under the same id and time, whose other parts are what they were."""
    given = history("mastra_steps")
    prompt = without_tools(decode(given), tool)
    result = encode(through_json(prompt) if stored else prompt).request
    expected = copy.deepcopy(given)
    for message in expected:
        content = message["content"]
        content["parts"] = [
            part for part in content["parts"] if part.get("toolInvocation", {}).get("toolName") != tool
        ]
        if content.get("toolInvocations"):
            content["toolInvocations"] = [
                entry for entry in content["toolInvocations"] if entry["toolName"] != tool
            ]
    assert sorted_text(result) == sorted_text(expected)
    if not stored:
        untouched = {id(part) for message in given for part in message["content"]["parts"]}
        assert all(id(part) in untouched for message in result for part in message["content"]["parts"])


def test_without_all_tools_the_text_stays_and_empty_messages_go() -> None:
    """A stored message leaves only when everything of it went; a step that went takes its mark along."""
    start = {"type": "step-start"}
    given = [
        _stored(start, _invocation("result", result=1), start, _text("Four degrees.")),
        {**_stored(start, _invocation("result", "c2", result=1)), "id": "m2"},
        {**_stored(_text("Thanks"), role="user"), "id": "m3"},
    ]
    result = encode(without_tools(decode(given), "weather")).request
    assert result == [_stored(start, _text("Four degrees.")), given[2]]
    assert result[1] is given[2]


def test_the_filter_leaves_the_model_facing_output_as_text() -> None:
    """A kept output is text of the same stored message; what only the client knows of the call is gone."""
    part = {
        **_invocation("result", result="raw"),
        "providerMetadata": {"mastra": {"modelOutput": "4 degrees"}},
    }
    given = [_stored({"type": "step-start"}, _text("I look."), part, {"type": "step-start"}, _text("Done."))]
    kept = ToolCallFilter(preserve_model_output=True)
    fixed = replayable.fix(given, source="mastra", to="mastra", model="gpt-5", processors=[kept])
    assert fixed.request == [
        _stored(
            {"type": "step-start"},
            _text("I look."),
            _text("weather result:\n4 degrees"),
            {"type": "step-start"},
            _text("Done."),
        )
    ]


def test_a_renamed_id_is_folded_back_into_one_message() -> None:
    """Call, result and the legacy list say the new id; all else is what it was."""
    given = history("mastra_steps")
    prompt = decode(given)
    renamed = _rewritten(prompt, reissue_ids(prompt.messages, lambda old, _: f"{old}_new"))
    ids = (
        "call_times",
        "call_weather",
        "call_warnings",
        "call_book",
        "call_part",
        "call_open",
        "call_ask",
        "call_no",
    )
    text = sorted_text(given)
    for call_id in ids:
        text = text.replace(f'"toolCallId": "{call_id}"', f'"toolCallId": "{call_id}_new"')
    # What an approval says beside the invocations is none of ours.
    text = text.replace('"data": {"toolCallId": "call_ask_new"}', '"data": {"toolCallId": "call_ask"}')
    assert sorted_text(renamed) == text


def test_an_added_answer_joins_the_call_that_waited_for_it() -> None:
    """A placeholder becomes the result of the stored invocation, not a message of its own."""
    given = [_stored(_text("Look."), _invocation("call"), {"type": "step-start"}, _text("Hm."))]
    prompt = decode(given)
    cleaned = clean_messages(prompt.messages, missing_results="placeholder")
    answer = cleaned[1].parts[0]
    assert isinstance(answer, ToolResultPart)
    expected = _invocation("result", result=answer.output, isError=True)
    assert _rewritten(prompt, tuple(cleaned)) == [
        _stored(_text("Look."), expected, {"type": "step-start"}, _text("Hm."))
    ]


def test_a_message_that_the_user_added_is_written_in_the_same_form() -> None:
    """What is not known is left out: Mastra gives an id and a time when the message is added."""
    given = [_stored(_text("Hi"), role="user")]
    prompt = decode(given)
    time = datetime(2026, 1, 2, tzinfo=UTC)
    added = (
        AssistantMessage("Hello", id="m2", created_at=time),
        UserMessage("Bye"),
    )
    assert _rewritten(prompt, (*prompt.messages, *added)) == [
        given[0],
        {
            "id": "m2",
            "role": "assistant",
            "createdAt": "2026-01-02T00:00:00Z",
            "content": {"format": 2, "parts": [_text("Hello")]},
        },
        {"role": "user", "content": {"format": 2, "parts": [_text("Bye")]}},
    ]


def test_an_edited_text_is_edited_where_it_is_repeated() -> None:
    """``content.content`` repeats the last text."""
    prompt = decode([_stored(_text("A"), _text("B"), content="B")])
    message = prompt.messages[0]
    last = message.parts[-1]
    assert last.type == "text"
    edited = replace(message, parts=(message.parts[0], replace(last, text="C")))
    assert _rewritten(prompt, (edited,)) == [_stored(_text("A"), _text("C"), content="C")]


# --- to other formats, and from them --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HISTORIES)
@pytest.mark.parametrize(
    ("model", "api"), [("anthropic/claude-sonnet-4-5", "anthropic"), ("openai/gpt-5", "openai_chat")]
)
def test_a_converted_history_is_accepted(name: str, model: str, api: str) -> None:
    """The next model's provider takes what comes out."""
    fixed = replayable.fix(history(name), source="mastra", model=model)
    assert rejections(fixed.request, fixed.system, api=api) == []


def _assert_well_formed(message: dict[str, Any]) -> None:
    """The shape of a stored message, as far as other formats can fill it."""
    assert message.keys() <= {"id", "role", "createdAt", "content"}
    assert message["role"] in ("system", "user", "assistant")
    assert message["content"]["format"] == 2
    fields = {
        "text": {"text"},
        "file": {"mimeType", "data"},
        "reasoning": {"reasoning", "details"},
        "tool-invocation": {"toolInvocation"},
    }
    for part in message["content"]["parts"]:
        assert fields[part["type"]] <= part.keys()
        if part["type"] == "tool-invocation":
            inner = part["toolInvocation"]
            assert {"state", "toolCallId", "toolName", "args"} <= inner.keys()
            assert inner["state"] in ("call", "result")
            assert ("result" in inner) == (inner["state"] == "result")
            assert isinstance(inner["toolCallId"], str)
            assert isinstance(inner["args"], dict)


@pytest.mark.parametrize(
    ("source", "request_"),
    [("openai_chat", request) for request in OPENAI_CHAT.values()]
    + [("anthropic", request) for request in ANTHROPIC.values()],
)
def test_other_formats_become_well_formed_messages(source: str, request_: dict[str, Any]) -> None:
    """Each answer is one stored message with the results of its calls."""
    result = written(source, request_, "mastra")
    assert result.keys() == {"messages"}
    for message in result["messages"]:
        _assert_well_formed(message)


def test_calls_and_results_of_another_format_become_one_part() -> None:
    """The whole of a converted conversation."""
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Oslo"}'}}
    chat = [
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": "I look.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "rain"},
        {"role": "assistant", "content": "Rain."},
    ]
    assert written("openai_chat", chat, "mastra") == [
        {"role": "user", "content": {"format": 2, "parts": [_text("Weather?")]}},
        {
            "role": "assistant",
            "content": {"format": 2, "parts": [_text("I look."), _invocation("result", result="rain")]},
        },
        {"role": "assistant", "content": {"format": 2, "parts": [_text("Rain.")]}},
    ]


# --- recognised, refused --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        history("mastra_steps"),
        history("mastra_legacy"),
        [_stored(_text("Hi"), role="user")],
        [{"role": "assistant", "content": {"toolInvocations": []}}],
    ],
)
def test_stored_messages_are_recognised(given: Any) -> None:
    """By the object that is their content."""
    assert detect(given) == "mastra"


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("x", ""),
        ({}, "messages"),
        ({"messages": {}}, "messages"),
        ({"messages": [1]}, "messages[0]"),
        ([{"role": "robot", "content": {}}], "[0].role"),
        ([{"role": "tool", "content": {"parts": []}}], "[0].role"),
        ([{"role": "user", "content": 1}], "[0].content"),
        ([_stored(1)], "[0].content.parts[0]"),
        ([{"role": "user", "content": {"parts": {}}}], "[0].content.parts"),
        ([_stored({"type": "text"})], "[0].content.parts[0].text"),
        ([_stored({"type": "tool-invocation"})], "[0].content.parts[0].toolInvocation"),
        (
            [_stored({"type": "tool-invocation", "toolInvocation": {"toolName": "x"}})],
            "[0].content.parts[0].toolInvocation.toolCallId",
        ),
        (
            [_stored(_invocation("output-error", errorText=1))],
            "[0].content.parts[0].toolInvocation.errorText",
        ),
        ([_stored({"type": "reasoning", "details": 1})], "[0].content.parts[0].details"),
        ([_stored(toolInvocations=[{}])], "[0].content.toolInvocations[0].toolName"),
    ],
)
def test_malformed_histories_are_refused_with_the_path(given: Any, path: str) -> None:
    """The error says where, what was found, and what was expected."""
    with pytest.raises(HistoryFormatError) as caught:
        decode(given)
    assert caught.value.path == path


def test_unknown_parts_and_fields_are_kept() -> None:
    """A newer Mastra may store more: it goes back, and no model reads it."""
    given = [
        {
            **_stored({"type": "hologram", "x": 1}, {**_text("Hi"), "new": 1}, {"type": 7}, more={"a": 1}),
            "newer": [1],
        }
    ]
    prompt = decode(given)
    assert _shown(prompt.messages) == [("assistant", ["text"])]
    assert encode(through_json(prompt)).request == given


@pytest.mark.parametrize("name", HISTORIES)
def test_damaged_histories_are_read_or_refused(name: str) -> None:
    """What can be read comes back by value and converts; anything else is a ``HistoryFormatError`` with a path."""
    read, refused = 0, list[str]()
    for given in damaged(history(name), seed=20260105, times=300):
        try:
            prompt = decode(given)
        except HistoryFormatError as error:
            refused.append(error.path)
            continue
        read += 1
        assert encode(prompt).request is given
        assert sorted_text(encode(through_json(prompt)).request) == sorted_text(given)
        replayable.fix(given, source="mastra", model="anthropic/claude-sonnet-4-5")
        for message in messages_in(written("mastra", given, "ai_sdk")):
            assert isinstance(message["content"], str | list)
    assert read > 100
    assert all(refused)
