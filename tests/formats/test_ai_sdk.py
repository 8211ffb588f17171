"""The AI SDK's prompts, model messages and UI messages: read, repaired, folded back."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import replayable
from replayable import HistoryFormatError, clean_messages
from replayable.edits import replace
from replayable.formats import detect
from replayable.formats.ai_sdk import decode, encode
from replayable.messages import (
    FilePart,
    Message,
    Part,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    UserMessage,
    messages_to_json,
)
from replayable.prompt import Prompt, ProviderTool, ToolDefinition, with_messages
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

HISTORIES = ("ai_sdk_prompt", "ai_sdk_model_messages", "ai_sdk_ui")


def _call(call_id: str = "c1", name: str = "weather", **fields: Any) -> dict[str, Any]:
    return {"type": "tool-call", "toolCallId": call_id, "toolName": name, "input": {}, **fields}


def _result(output: Any, call_id: str = "c1", name: str = "weather", **fields: Any) -> dict[str, Any]:
    return {"type": "tool-result", "toolCallId": call_id, "toolName": name, "output": output, **fields}


def _assistant(*content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(content)}


def _tool(*content: Any) -> dict[str, Any]:
    return {"role": "tool", "content": list(content)}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _ui(*parts: Any, role: str = "assistant", id: str = "m1") -> dict[str, Any]:
    return {"id": id, "role": role, "parts": list(parts)}


def _ui_tool(state: str, call_id: str = "c1", **fields: Any) -> dict[str, Any]:
    return {
        "type": "tool-weather",
        "toolCallId": call_id,
        "state": state,
        "input": {"city": "Oslo"},
        **fields,
    }


def _parts(prompt: Prompt) -> list[Part]:
    return [part for message in prompt.messages for part in message.parts]


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
    encode(without_tools(prompt, "weather", "inspect", "look"))
    encode(through_json(prompt))
    assert given == before
    assert messages_to_json(prompt.messages) == stored


def test_a_touched_request_keeps_its_other_fields() -> None:
    """Only the list of messages is new, in the field in which it stood."""
    given = history("ai_sdk_prompt")
    prompt = decode(given)
    result = _rewritten(prompt, (*prompt.messages, UserMessage("More.")))
    more = {"role": "user", "content": [_text("More.")]}
    assert result == {**given, "prompt": [*given["prompt"], more]}
    assert all(new is old for new, old in zip(result["prompt"], given["prompt"], strict=False))


def test_the_system_text_beside_the_list_goes_back_beside_it() -> None:
    """``system`` of ``generateText`` is a system message at the top."""
    given = {"system": "Be kind.", "messages": [{"role": "user", "content": "Hi"}]}
    prompt = decode(given)
    assert prompt.messages[0] == SystemMessage("Be kind.", placement="top")
    kinder = replace(prompt.messages[0], parts=(TextPart("Be kinder."),))
    assert _rewritten(prompt, (kinder, *prompt.messages[1:])) == {**given, "system": "Be kinder."}
    assert _rewritten(prompt, prompt.messages[1:]) == {"messages": given["messages"]}


# --- model messages ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "value", "is_error"),
    [
        ({"type": "text", "value": "4"}, "4", None),
        ({"type": "json", "value": {"c": 4}}, {"c": 4}, None),
        ({"type": "json", "value": "4"}, "4", None),
        ({"type": "json", "value": None}, None, None),
        ({"type": "error-text", "value": "down"}, "down", True),
        ({"type": "error-json", "value": [1]}, [1], True),
        ({"type": "execution-denied", "reason": "no"}, "no", True),
        ({"type": "execution-denied"}, "The user did not allow this tool call.", True),
        ({"type": "text", "value": "4", "providerOptions": {"a": {}}}, "4", None),
        ({"type": "to-come", "value": 1}, {"type": "to-come", "value": 1}, None),
        ("bare", "bare", None),
    ],
)
def test_each_output_is_a_value_and_maybe_an_error(output: Any, value: Any, is_error: bool | None) -> None:
    """And it goes back in its type."""
    given = [_assistant(_call()), _tool(_result(output))]
    prompt = decode(given)
    part = prompt.messages[1].parts[0]
    assert isinstance(part, ToolResultPart)
    assert (part.output, part.is_error) == (value, is_error)
    assert encode(through_json(prompt)).request == given


def test_an_output_with_content_is_text_and_files() -> None:
    """Items of all versions are read; what has no text or file stays what it is."""
    part = decode(history("ai_sdk_prompt")).messages[3].parts[2]
    assert isinstance(part, ToolResultPart)
    assert [
        (item.type, item.media_type, item.data or item.url) if item.type == "file" else item.type
        for item in part.content or ()
    ] == [
        "text",
        ("file", "image/png", "iVBORw0KGgo="),
        ("file", "application/pdf", "JVBERi0="),
        ("file", "image/*", "https://example.com/c.png"),
        "opaque",
        "opaque",
    ]


@pytest.mark.parametrize(
    ("options", "fields"),
    [
        ({"anthropic": {"signature": "s"}}, {"signature": "s", "provider": "anthropic"}),
        ({"anthropic": {"redactedData": "d"}}, {"encrypted": "d", "provider": "anthropic"}),
        ({"bedrock": {"signature": "s"}}, {"signature": "s", "provider": "anthropic"}),
        (
            {"openai": {"itemId": "rs_1", "reasoningEncryptedContent": "e"}},
            {"id": "rs_1", "encrypted": "e", "provider": "openai"},
        ),
        (
            {"openai": {"itemId": "rs_1", "reasoningEncryptedContent": None}},
            {"id": "rs_1", "provider": "openai"},
        ),
        ({"google": {"thoughtSignature": "t"}}, {"signature": "t", "provider": "google"}),
        ({"other": {"signature": "s"}}, {}),
    ],
)
def test_the_providers_metadata_tells_who_made_the_reasoning(options: Any, fields: dict[str, Any]) -> None:
    """It is kept verbatim beside the model's fields, and follows when these change."""
    wire = {"type": "reasoning", "text": "T", "providerOptions": options}
    prompt = decode([_assistant(wire)])
    part = prompt.messages[0].parts[0]
    assert part == ReasoningPart(
        text="T", **fields, provider_options={"ai_sdk": {"providerOptions": options}}
    )
    assert encode(through_json(prompt)).request == [_assistant(wire)]
    if "signature" in fields:
        unsigned = replace(prompt.messages[0], parts=(replace(part, signature=None),))
        name = next(iter(options))
        expected = {**wire, "providerOptions": {name: {}}}
        assert _rewritten(prompt, (unsigned,)) == [_assistant(expected)]


def test_an_answer_to_an_approval_request_tells_the_state_of_the_call() -> None:
    """Requests and answers are between the user and the SDK: no model reads them, and they go back."""
    request = {"type": "tool-approval-request", "approvalId": "a1", "toolCallId": "c1"}
    answer = {"type": "tool-approval-response", "approvalId": "a1", "approved": False}
    waiting = [_assistant(_call(), request, _text("Well?"))]
    call = decode(waiting).messages[0].parts[0]
    assert isinstance(call, ToolCallPart)
    assert call.state == "awaiting-approval"
    denied = [_assistant(_call(), request), _tool(answer)]
    prompt = decode(denied)
    call = prompt.messages[0].parts[0]
    assert isinstance(call, ToolCallPart)
    assert call.state == "denied"
    for given in (waiting, denied):
        assert encode(through_json(decode(given))).request == given


def test_a_result_in_an_answer_is_the_providers_unless_its_call_is_the_clients() -> None:
    """The provider's server ran the tool where no call of the same answer is left to the client."""
    given = [
        _assistant(
            _call("s1", providerExecuted=True),
            _result({"type": "text", "value": "1"}, "s1"),
            _call("c1"),
            _result({"type": "text", "value": "2"}, "c1"),
        )
    ]
    parts = _parts(decode(given))
    executed = [part.provider_executed for part in parts if part.type in ("tool_call", "tool_result")]
    assert executed == [True, True, False, False]


def test_files_are_read_by_content_address_and_data_url() -> None:
    """In the fields of each version."""
    items = [
        {"type": "file", "data": "AAAA", "mediaType": "image/png", "filename": "a.png"},
        {"type": "file", "data": "https://e.org/a.pdf", "mediaType": "application/pdf"},
        {"type": "image", "image": "data:image/gif;base64,AAAA"},
        {"type": "image", "image": "AAAA", "mimeType": "image/webp"},
        {"type": "image", "image": "https://e.org/a"},
    ]
    given = [{"role": "user", "content": items}]
    prompt = decode(given)
    told = [
        (part.media_type, part.data, part.url, part.filename)
        for part in _parts(prompt)
        if isinstance(part, FilePart)
    ]
    assert told == [
        ("image/png", "AAAA", None, "a.png"),
        ("application/pdf", None, "https://e.org/a.pdf", None),
        ("image/gif", "AAAA", None, None),
        ("image/webp", "AAAA", None, None),
        ("image/*", None, "https://e.org/a", None),
    ]
    assert encode(through_json(prompt)).request == given


def test_an_added_answer_is_written_as_the_history_writes_them() -> None:
    """``output`` with a type, or ``result`` where older versions called with ``args``."""
    call = {"type": "tool-call", "toolCallId": "c1", "toolName": "weather", "args": {}}
    for given in ([_assistant(_call())], [_assistant(call)]):
        prompt = decode(given)
        cleaned = tuple(clean_messages(prompt.messages, missing_results="placeholder"))
        answer = cleaned[1].parts[0]
        assert isinstance(answer, ToolResultPart)
        bare = {"type": "tool-result", "toolCallId": "c1", "toolName": "weather"}
        old = {**bare, "result": answer.output, "isError": True}
        new = {**bare, "output": {"type": "error-text", "value": answer.output}}
        added = old if "args" in given[0]["content"][0] else new
        assert _rewritten(prompt, cleaned) == [given[0], _tool(added)]


def test_tools_and_tool_choice_are_read() -> None:
    """Function tools are declared; tools of a provider are not ours to read."""
    prompt = decode(history("ai_sdk_prompt"))
    assert prompt.tools is not None
    assert prompt.tools[0] == ToolDefinition(
        name="inspect",
        description="Look",
        parameters={"type": "object"},
        strict=True,
        provider_options={"ai_sdk": {"providerOptions": {"a": {}}}},
    )
    assert isinstance(prompt.tools[1], ProviderTool)
    assert prompt.tool_choice is not None
    assert prompt.tool_choice.type == "auto"
    assert prompt.request == {"maxOutputTokens": 500, "temperature": 0}


@pytest.mark.parametrize(
    ("thinking", "expected"),
    [({"type": "enabled", "budgetTokens": 1024}, True), ({"type": "disabled"}, False), (1, None)],
)
def test_whether_reasoning_is_on_stands_in_the_options_of_anthropic(
    thinking: Any, expected: bool | None
) -> None:
    """Rules for Anthropic need to know."""
    given = {"prompt": [], "providerOptions": {"anthropic": {"thinking": thinking}}}
    assert decode(given).thinking is expected


# --- UI messages ------------------------------------------------------------------------------------------------------


def test_a_message_with_steps_becomes_a_message_a_step() -> None:
    """Each step is an assistant message and the results of its calls; all share id and metadata."""
    messages = decode([history("ai_sdk_ui")[2]]).messages
    assert _shown(messages) == [
        ("assistant", ["reasoning", "text", "tool_call c1", "tool_call c2"]),
        ("tool", ["tool_result c1", "tool_result c2"]),
        ("assistant", ["tool_call c3", "tool_call c4", "tool_call ws1", "tool_result ws1"]),
        ("tool", ["tool_result c3", "tool_result c4"]),
        ("assistant", ["text", "file"]),
    ]
    assert [(message.id, message.metadata) for message in messages] == [("a1", {"tokens": 12})] * 5


@pytest.mark.parametrize(
    ("state", "fields", "call_state", "output", "is_error"),
    [
        ("input-streaming", {}, "partial", None, None),
        ("input-available", {}, "complete", None, None),
        ("approval-requested", {"approval": {"id": "a"}}, "awaiting-approval", None, None),
        ("approval-responded", {"approval": {"id": "a", "approved": True}}, "complete", None, None),
        ("approval-responded", {"approval": {"id": "a", "approved": False}}, "denied", None, None),
        ("output-available", {"output": {"c": 4}}, "complete", {"c": 4}, None),
        ("output-error", {"errorText": "down", "rawInput": "{"}, "complete", "down", True),
        ("output-denied", {"approval": {"id": "a", "reason": "no"}}, "denied", "no", True),
    ],
)
def test_each_state_is_a_call_and_where_there_is_one_a_result(
    state: str, fields: dict[str, Any], call_state: str, output: Any, is_error: bool | None
) -> None:
    """In ``tool-<name>`` and ``dynamic-tool`` parts alike."""
    flat = _ui_tool(state, **fields)
    for part in (flat, {**flat, "type": "dynamic-tool", "toolName": "weather"}):
        prompt = decode([_ui(part)])
        call, *results = _parts(prompt)
        assert isinstance(call, ToolCallPart)
        assert (call.tool_call_id, call.tool_name, call.input, call.state) == (
            "c1",
            "weather",
            {"city": "Oslo"},
            call_state,
        )
        told = [
            (result.tool_call_id, result.output, result.is_error)
            for result in results
            if isinstance(result, ToolResultPart)
        ]
        assert told == ([] if output is None else [("c1", output, is_error)])
        assert encode(through_json(prompt)).request == [_ui(part)]


def test_an_added_answer_joins_the_call_that_waited_for_it() -> None:
    """A placeholder becomes the output of the part."""
    prompt = decode([_ui(_text("Look."), _ui_tool("input-available"))])
    cleaned = tuple(clean_messages(prompt.messages, missing_results="placeholder"))
    answer = cleaned[1].parts[0]
    assert isinstance(answer, ToolResultPart)
    expected = _ui_tool("output-error", errorText=answer.output)
    assert _rewritten(prompt, cleaned) == [_ui(_text("Look."), expected)]


def test_a_message_that_the_user_added_is_written_in_the_same_form() -> None:
    """With parts, among messages with parts."""
    given = [_ui(_text("Hi"), role="user")]
    prompt = decode(given)
    added = UserMessage("Bye", id="m2")
    assert _rewritten(prompt, (*prompt.messages, added)) == [*given, _ui(_text("Bye"), role="user", id="m2")]


def test_a_renamed_id_is_folded_back_into_one_message() -> None:
    """Parts of the message that hold no call are the same objects."""
    given = [_ui({"type": "step-start"}, _ui_tool("output-available", output=1), _text("Done."))]
    prompt = decode(given)
    result = _rewritten(prompt, reissue_ids(prompt.messages, lambda old, _: f"{old}_new"))
    assert result == [
        _ui({"type": "step-start"}, _ui_tool("output-available", "c1_new", output=1), _text("Done."))
    ]
    assert result[0]["parts"][2] is given[0]["parts"][2]


# --- through the filter -----------------------------------------------------------------------------------------------


def _tool_of(part: Any) -> Any:
    return part.get("toolName") or str(part.get("type")).removeprefix("tool-")


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("ai_sdk_prompt", "inspect"),
        ("ai_sdk_prompt", "measure"),
        ("ai_sdk_prompt", "web_search"),
        ("ai_sdk_model_messages", "shoot"),
        ("ai_sdk_ui", "weather"),
        ("ai_sdk_ui", "radar"),
        ("ai_sdk_ui", "buy"),
        ("ai_sdk_ui", "web_search"),
    ],
)
def test_without_one_tool_only_its_parts_differ(name: str, tool: str, stored: bool) -> None:
    """All other parts are what they were."""
    given = history(name)
    prompt = without_tools(decode(given), tool)
    result = encode(through_json(prompt) if stored else prompt).request
    expected = copy.deepcopy(given)
    for message in messages_in(expected):
        key = "parts" if "parts" in message else "content"
        if isinstance(message.get(key), list):
            message[key] = [part for part in message[key] if _tool_of(part) != tool]
    # A message of which nothing is left is gone.
    expected_messages = messages_in(expected)
    expected_messages[:] = [message for message in expected_messages if message.get("content") != []]
    assert sorted_text(result) == sorted_text(expected)


def test_a_message_of_which_everything_went_is_gone() -> None:
    """Calls and results leave together with the messages that held nothing else."""
    given = [
        {"role": "user", "content": "Hi"},
        _assistant(_call()),
        _tool(_result({"type": "text", "value": "1"})),
        _assistant(_text("One.")),
    ]
    assert encode(without_tools(decode(given), "weather")).request == [given[0], given[3]]


# --- to other formats, and from them ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HISTORIES)
@pytest.mark.parametrize(
    ("model", "api"), [("anthropic/claude-sonnet-4-5", "anthropic"), ("openai/gpt-5", "openai_chat")]
)
def test_a_converted_history_is_accepted(name: str, model: str, api: str) -> None:
    """The next model's provider takes what comes out."""
    fixed = replayable.fix(history(name), source="ai_sdk", model=model)
    assert rejections(fixed.request, fixed.system, api=api) == []


_FIELDS = {
    "text": {"text"},
    "file": {"data", "mediaType"},
    "reasoning": {"text"},
    "tool-call": {"toolCallId", "toolName", "input"},
    "tool-result": {"toolCallId", "toolName", "output"},
}
_PARTS = {
    "user": {"text", "file"},
    "assistant": {"text", "file", "reasoning", "tool-call", "tool-result"},
    "tool": {"tool-result"},
}


def _assert_well_formed(message: dict[str, Any]) -> None:
    """The shape that ``LanguageModelV3Message`` has."""
    assert message.keys() == {"role", "content"}
    if message["role"] == "system":
        assert isinstance(message["content"], str)
        return
    for part in message["content"]:
        assert part["type"] in _PARTS[message["role"]]
        assert (
            _FIELDS[part["type"]]
            <= part.keys()
            <= {"type", "providerOptions", "providerExecuted", "filename"} | _FIELDS[part["type"]]
        )
        if part["type"] == "tool-result":
            assert part["output"].keys() == {"type", "value"}
            assert part["output"]["type"] in ("text", "json", "content", "error-text", "error-json")


@pytest.mark.parametrize(
    ("source", "request_"),
    [("openai_chat", request) for request in OPENAI_CHAT.values()]
    + [("anthropic", request) for request in ANTHROPIC.values()]
    + [("mastra", history("mastra_steps")), ("mastra", history("mastra_legacy"))],
)
def test_other_formats_become_well_formed_messages(source: str, request_: Any) -> None:
    """The options of a model call, or a bare list of its messages."""
    result = written(source, request_, "ai_sdk")
    for message in messages_in(result):
        _assert_well_formed(message)


def test_a_request_of_another_api_becomes_the_options_of_a_call() -> None:
    """Messages, tools, tool choice and limit are converted; signed thinking keeps its signature."""
    request = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 100,
        "system": "Be brief.",
        "messages": [
            {"role": "user", "content": "Weather?"},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "T", "signature": "s"},
                    {"type": "tool_use", "id": "c1", "name": "weather", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": "down", "is_error": True}
                ],
            },
        ],
        "tools": [{"name": "weather", "input_schema": {"type": "object"}}],
        "tool_choice": {"type": "any"},
    }
    signed = {"type": "reasoning", "text": "T", "providerOptions": {"anthropic": {"signature": "s"}}}
    assert written("anthropic", request, "ai_sdk") == {
        "prompt": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [_text("Weather?")]},
            _assistant(signed, _call()),
            _tool(_result({"type": "error-text", "value": "down"})),
        ],
        "tools": [{"type": "function", "name": "weather", "inputSchema": {"type": "object"}}],
        "toolChoice": {"type": "required"},
        "maxOutputTokens": 100,
    }


def test_a_model_reads_the_model_facing_output() -> None:
    """A stored result goes to the model in the form that its tool made for the model."""
    invocation = {
        "state": "result",
        "toolCallId": "c1",
        "toolName": "weather",
        "args": {},
        "result": {"raw": 1},
    }
    outputs: list[tuple[Any, Any]] = [
        ("4", {"type": "text", "value": "4"}),
        ({"type": "json", "value": [4]}, {"type": "json", "value": [4]}),
        ({"c": 4}, {"type": "json", "value": {"c": 4}}),
    ]
    for model_output, output in outputs:
        part = {
            "type": "tool-invocation",
            "toolInvocation": invocation,
            "providerMetadata": {"mastra": {"modelOutput": model_output}},
        }
        given = [{"role": "assistant", "content": {"format": 2, "parts": [part]}}]
        assert written("mastra", given, "ai_sdk") == [_assistant(_call()), _tool(_result(output))]


# --- recognised, refused ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        *[history(name) for name in HISTORIES],
        {"prompt": [{"role": "user", "content": [_text("Hi")]}]},
        [_assistant(_call()), _tool(_result({"type": "text", "value": "1"}))],
        [_tool(_result({"type": "text", "value": "1"}))],
        [_ui(_text("Hi"), role="user")],
    ],
)
def test_its_messages_are_recognised(given: Any) -> None:
    """By the names of their fields, by ``prompt``, or by ``parts`` with types."""
    assert detect(given) == "ai_sdk"


@pytest.mark.parametrize(
    ("given", "path"),
    [
        (1, ""),
        ({}, "prompt"),
        ({"prompt": "Hi"}, "prompt"),
        ({"messages": {}}, "messages"),
        ({"prompt": [1]}, "prompt[0]"),
        ([{"role": "robot"}], "[0].role"),
        ([{"role": "user", "content": 1}], "[0].content"),
        ([{"role": "user", "content": {}}], "[0].content"),
        ([{"role": "tool", "content": "x"}], "[0].content"),
        ([_assistant(1)], "[0].content[0]"),
        ([_assistant({"type": "text", "text": 1})], "[0].content[0].text"),
        ([_assistant({"type": "tool-call", "toolCallId": "c"})], "[0].content[0].toolName"),
        ([_tool({"type": "tool-result", "toolName": "t"})], "[0].content[0].toolCallId"),
        ([_ui({"type": "tool-x"})], "[0].parts[0].toolCallId"),
        ([_ui({"type": "reasoning"})], "[0].parts[0].text"),
        ([{"role": "user", "parts": None}], "[0].parts"),
    ],
)
def test_malformed_histories_are_refused_with_the_path(given: Any, path: str) -> None:
    """The error says where, what was found, and what was expected."""
    with pytest.raises(HistoryFormatError) as caught:
        decode(given)
    assert caught.value.path == path


def test_unknown_parts_and_fields_are_kept() -> None:
    """Newer versions may have more: it goes back."""
    given = [
        {"role": "user", "content": [{"type": "hologram", "x": 1}, {**_text("Hi"), "new": 1}], "newer": [1]},
        _assistant({**_call(), "title": "T"}, {"type": 7}),
        _tool({**_result({"type": "text", "value": "1"}), "title": "T"}),
    ]
    assert encode(through_json(decode(given))).request == given
    ui = [{**_ui({"type": "hologram"}, {**_ui_tool("output-available", output=1), "new": 1}), "newer": 1}]
    assert encode(through_json(decode(ui))).request == ui


@pytest.mark.parametrize("name", HISTORIES)
def test_damaged_histories_are_read_or_refused(name: str) -> None:
    """What can be read comes back by value and converts; anything else is a ``HistoryFormatError`` with a path."""
    read, refused = 0, list[str]()
    for given in damaged(history(name), seed=20260106, times=300):
        try:
            prompt = decode(given)
        except HistoryFormatError as error:
            refused.append(error.path)
            continue
        read += 1
        assert encode(prompt).request is given
        stored = encode(through_json(prompt)).request
        assert sorted_text(messages_in(stored)) == sorted_text(messages_in(given))
        replayable.fix(given, source="ai_sdk", model="anthropic/claude-sonnet-4-5")
        for message in messages_in(written("ai_sdk", given, "mastra")):
            assert message["content"]["format"] == 2
    assert read > 100
    assert all(refused)
