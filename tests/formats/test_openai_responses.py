"""OpenAI Responses written: from other APIs, with what can't go there listed, and anew where something was touched."""

from __future__ import annotations

from typing import Any, Final

import pytest

from replayable import (
    AssistantMessage,
    Change,
    FilePart,
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
from replayable.formats import format_named
from replayable.formats.openai_responses.encode import LEAST_MAX_OUTPUT_TOKENS
from replayable.messages import Message
from replayable.prompt import with_messages
from tests.formats.comparing import touched

_RESPONSES: Final = format_named("openai_responses")
_CHAT: Final = format_named("openai_chat")
_CLAUDE: Final = format_named("anthropic")
_ASKED: Final = {"role": "user", "content": "Hi"}
_SCHEMA: Final = {"type": "object", "properties": {}}


def _items(*messages: Message) -> list[Any]:
    """What messages made by hand become as a bare list of items; nothing is lost."""
    encoded = _RESPONSES.encode(Prompt(messages=messages))
    assert encoded.changes == ()
    items: list[Any] = encoded.request
    return items


def _losses(*messages: Message) -> tuple[list[Any], list[str | None]]:
    encoded = _RESPONSES.encode(Prompt(messages=messages))
    return encoded.request, [change.rule for change in encoded.changes]


def _change(rule: str, **fields: Any) -> Change:
    return Change(processor="formats.openai_responses", rule=rule, **fields)


# --- messages made by hand, or by another API ----------------------------------------------------------------------


def test_a_whole_turn() -> None:
    """Each piece of an answer becomes an item; a call's id is its ``call_id``, and no item gets an id."""
    assert _items(
        SystemMessage("Be brief."),
        UserMessage("Weather?"),
        AssistantMessage(
            parts=[
                "I look.",
                ToolCallPart(tool_call_id="c1", tool_name="weather", input={"city": "Oslo"}),
                ToolCallPart(tool_call_id="c2", tool_name="map", raw_input="{broken"),
            ]
        ),
        ToolMessage(
            parts=[
                ToolResultPart(tool_call_id="c1", output={"t": 4}),
                ToolResultPart(tool_call_id="c2", output=[TextPart("north"), TextPart("south")]),
            ]
        ),
        AssistantMessage(["4 degrees.", "Take a coat."]),
    ) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": "I look."},
        {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"city":"Oslo"}'},
        {"type": "function_call", "call_id": "c2", "name": "map", "arguments": "{broken"},
        {"type": "function_call_output", "call_id": "c1", "output": '{"t":4}'},
        {
            "type": "function_call_output",
            "call_id": "c2",
            "output": [{"type": "input_text", "text": "north"}, {"type": "input_text", "text": "south"}],
        },
        {"role": "assistant", "content": "4 degrees."},
        {"role": "assistant", "content": "Take a coat."},
    ]


@pytest.mark.parametrize(
    ("part", "written"),
    [
        (
            FilePart(media_type="image/png", data="QQ=="),
            {"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,QQ=="},
        ),
        (
            FilePart(media_type="image/*", url="https://example.org/a.png"),
            {"type": "input_image", "detail": "auto", "image_url": "https://example.org/a.png"},
        ),
        (
            FilePart(media_type="application/pdf", data="QQ==", filename="a.pdf"),
            {"type": "input_file", "file_data": "data:application/pdf;base64,QQ==", "filename": "a.pdf"},
        ),
        (
            FilePart(media_type="text/plain", data="QQ=="),
            {"type": "input_file", "file_data": "data:text/plain;base64,QQ==", "filename": "file.txt"},
        ),
        (
            FilePart(url="https://example.org/a.pdf"),
            {"type": "input_file", "file_url": "https://example.org/a.pdf"},
        ),
    ],
)
def test_files(part: FilePart, written: dict[str, Any]) -> None:
    """Images and documents go along, in messages as well as in the outputs of tools."""
    assert _items(UserMessage([part])) == [{"role": "user", "content": [written]}]
    (item,) = _items(ToolMessage(parts=[ToolResultPart(tool_call_id="c", output=[part])]))
    assert item["output"] == [written]


@pytest.mark.parametrize(
    ("part", "stub"),
    [
        (FilePart(media_type="audio/mpeg", data="QQ=="), "[audio/mpeg omitted: not supported here]"),
        (
            FilePart(media_type="application/pdf", file_id="file_claude", filename="a.pdf"),
            "[application/pdf a.pdf omitted: not supported here]",
        ),
        (
            OpaquePart(api="anthropic", value={"type": "document", "source": {"type": "text", "data": "x"}}),
            "x",
        ),
    ],
)
def test_what_becomes_a_text(part: FilePart | OpaquePart, stub: str) -> None:
    """Audio, the files of another provider and unknown parts are told in words, and listed."""
    message = UserMessage([part])
    encoded = _RESPONSES.encode(Prompt(messages=(message,)))

    assert encoded.request == [{"role": "user", "content": stub}]
    assert encoded.changes == (
        _change(
            "not-supported-here",
            action="changed",
            message_index=0,
            part_index=0,
            before=part,
            after=TextPart(stub),
        ),
    )


def test_an_image_that_the_model_made() -> None:
    """An answer holds no files here."""
    items, rules = _losses(AssistantMessage([FilePart(media_type="image/png", data="QQ==")]))

    assert items == [{"role": "assistant", "content": "[image/png omitted: not supported here]"}]
    assert rules == ["not-supported-here"]


_FOREIGN: Final = (
    AssistantMessage([ReasoningPart(text="Hm.", signature="s"), "Hi"], api="anthropic", provider="anthropic"),
    AssistantMessage([ReasoningPart(text="Hm."), "Hi"], api="openai_chat"),
    AssistantMessage([ReasoningPart(text="Hm.", id="rs_1"), "Hi"], api="openai_chat"),
    AssistantMessage([ReasoningPart(encrypted="x", provider="anthropic"), "Hi"]),
    AssistantMessage([ReasoningPart(text="Hm."), "Hi"]),
)


@pytest.mark.parametrize("message", _FOREIGN)
def test_foreign_reasoning(message: AssistantMessage) -> None:
    """Reasoning that did not come from here has no place here; it is left out and listed."""
    assert _losses(message) == ([{"role": "assistant", "content": "Hi"}], ["foreign-reasoning"])


@pytest.mark.parametrize(
    "message",
    [
        AssistantMessage([ReasoningPart(text="Hm.", id="rs_1", encrypted="gAAAA")], provider="openai"),
        AssistantMessage([ReasoningPart(text="Hm.", id="rs_1", encrypted="gAAAA", provider="azure")]),
        AssistantMessage([ReasoningPart(text="Hm.", id="rs_1", encrypted="gAAAA")], api="openai_responses"),
        AssistantMessage([ReasoningPart(text="Hm.", id="rs_1", encrypted="gAAAA")]),
    ],
)
def test_own_reasoning(message: AssistantMessage) -> None:
    """Reasoning that OpenAI made goes back with its state, also out of another store."""
    assert _items(message) == [
        {
            "type": "reasoning",
            "id": "rs_1",
            "encrypted_content": "gAAAA",
            "summary": [{"type": "summary_text", "text": "Hm."}],
        }
    ]


def test_what_has_no_place() -> None:
    """Tools that another provider ran, results within an answer: listed; an answer of nothing else is none."""
    ran = ToolCallPart(tool_call_id="s", tool_name="web_search", input={}, provider_executed=True)
    found = ToolResultPart(tool_call_id="s", output="x", provider_executed=True)
    inside = ToolResultPart(tool_call_id="c", output="x")

    assert _losses(AssistantMessage([ran, found, inside])) == (
        [],
        ["provider-executed-tool", "provider-executed-tool", "result-in-an-answer"],
    )
    assert _losses(ToolMessage(parts=[found, OpaquePart(api="anthropic", value=1)])) == (
        [],
        ["provider-executed-tool", "not-supported-here"],
    )


def test_failed_tools() -> None:
    """The wire has no mark for an error: that is counted, save where the result is replayable's own."""
    failed = ToolResultPart(tool_call_id="c", output="no", is_error=True)
    encoded = _RESPONSES.encode(Prompt(messages=(ToolMessage(parts=[failed]),)))

    assert encoded.changes == (_change("fields-left-out", action="removed", before={"is_error": 1}),)
    assert _items(ToolMessage(parts=[failed.model_copy(update={"synthesized": True})]))


def test_a_text_as_input() -> None:
    """It is a custom tool's; so is its result. From the wire's own words it is a function's."""
    custom = ToolCallPart(tool_call_id="c", tool_name="sql", input="SELECT 1")
    double = ToolCallPart(tool_call_id="d", tool_name="f", input="x", raw_input='"x"')
    results = ToolMessage(parts=[ToolResultPart(tool_call_id=call_id, output="1") for call_id in "cd"])

    assert _items(AssistantMessage([custom, double]), results) == [
        {"type": "custom_tool_call", "call_id": "c", "name": "sql", "input": "SELECT 1"},
        {"type": "function_call", "call_id": "d", "name": "f", "arguments": '"x"'},
        {"type": "custom_tool_call_output", "call_id": "c", "output": "1"},
        {"type": "function_call_output", "call_id": "d", "output": "1"},
    ]


def test_missing_ids() -> None:
    """A call and its result without ids get one, the same for both."""
    call, result = _items(
        AssistantMessage([ToolCallPart(tool_name="f", input={})]),
        ToolMessage(parts=[ToolResultPart(output="1")]),
    )

    assert call["call_id"]
    assert call["call_id"] == result["call_id"]


def test_empty_messages() -> None:
    """They stay, for the provider's rules to judge."""
    assert _items(UserMessage(), AssistantMessage()) == [
        {"role": "user", "content": ""},
        {"role": "assistant", "content": ""},
    ]


# --- requests -------------------------------------------------------------------------------------------------------


def test_a_request_of_claude() -> None:
    """System prompt, tools, choice and limit in OpenAI's words; the rest is listed."""
    request = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 100,
        "temperature": 0.5,
        "system": "Be brief.",
        "messages": [_ASKED],
        "tools": [
            {"name": "f", "input_schema": _SCHEMA, "cache_control": {"type": "ephemeral"}},
            {"type": "web_search_20250305", "name": "web_search"},
        ],
        "tool_choice": {"type": "tool", "name": "f", "disable_parallel_tool_use": True},
    }
    encoded = _RESPONSES.encode(_CLAUDE.decode(request))

    assert encoded.request == {
        "model": "claude-sonnet-4-5",
        "instructions": "Be brief.",
        "input": [_ASKED],
        "tools": [{"type": "function", "name": "f", "parameters": _SCHEMA, "strict": False}],
        "tool_choice": {"type": "function", "name": "f"},
        "parallel_tool_calls": False,
        "max_output_tokens": 100,
    }
    assert {change.rule for change in encoded.changes} == {
        "request-fields-left-out",
        "provider-tool-left-out",
        "fields-left-out",
    }


def test_a_system_prompt_of_several_blocks() -> None:
    """Instructions are one text: several stand in the list, each for itself."""
    blocks = [{"type": "text", "text": "One"}, {"type": "text", "text": "Two"}]
    encoded = _RESPONSES.encode(_CLAUDE.decode({"system": blocks, "messages": [_ASKED]}))

    assert encoded.request["input"][0] == {
        "role": "system",
        "content": [{"type": "input_text", "text": "One"}, {"type": "input_text", "text": "Two"}],
    }
    assert "instructions" not in encoded.request


def test_a_system_message_of_chat_stays_in_the_list() -> None:
    """There it stood, and there it comes back to."""
    messages = [{"role": "system", "content": "Be brief."}, _ASKED]
    encoded = _RESPONSES.encode(_CHAT.decode({"messages": messages}))

    assert encoded.request == {"input": messages}
    assert _CHAT.encode(_RESPONSES.decode(encoded.request)).request == {"messages": messages}


@pytest.mark.parametrize(
    ("choice", "written"),
    [
        ({"tool_choice": "auto"}, {"tool_choice": "auto"}),
        ({"tool_choice": "required"}, {"tool_choice": "required"}),
        (
            {
                "tool_choice": {
                    "type": "allowed_tools",
                    "allowed_tools": {
                        "mode": "auto",
                        "tools": [{"type": "function", "function": {"name": "f"}}],
                    },
                }
            },
            {
                "tool_choice": {
                    "type": "allowed_tools",
                    "mode": "auto",
                    "tools": [{"type": "function", "name": "f"}],
                }
            },
        ),
        ({"parallel_tool_calls": False}, {"tool_choice": "auto", "parallel_tool_calls": False}),
    ],
)
def test_tool_choice(choice: dict[str, Any], written: dict[str, Any]) -> None:
    """Chat's choice in the words of this API, and back."""
    tools = [{"type": "function", "function": {"name": "f", "parameters": _SCHEMA, "strict": True}}]
    encoded = _RESPONSES.encode(_CHAT.decode({"messages": [_ASKED], "tools": tools, **choice}))

    assert encoded.request == {
        "input": [_ASKED],
        "tools": [{"type": "function", "name": "f", "parameters": _SCHEMA, "strict": True}],
        **written,
    }
    again = _CHAT.encode(_RESPONSES.decode(encoded.request)).request
    assert again == {"messages": [_ASKED], "tools": tools, "tool_choice": "auto", **choice}


def test_a_demanded_tool_without_tools() -> None:
    """A demand that goes with the last tool is listed."""
    prompt = _CLAUDE.decode({"messages": [_ASKED], "tool_choice": {"type": "any"}})
    encoded = _RESPONSES.encode(prompt)

    assert encoded.request == {"input": [_ASKED]}
    assert encoded.changes == (_change("tool-choice", action="changed", before=prompt.tool_choice, after={}),)


def test_a_limit_that_is_too_low() -> None:
    """OpenAI takes none below its least; the least is sent, and listed."""
    encoded = _RESPONSES.encode(_CLAUDE.decode({"max_tokens": 5, "messages": [_ASKED]}))

    assert encoded.request["max_output_tokens"] == LEAST_MAX_OUTPUT_TOKENS
    assert [change.rule for change in encoded.changes] == ["max-output-tokens-raised"]


@pytest.mark.parametrize(
    "fields",
    [
        {
            "tools": [{"type": "function", "name": "f", "parameters": _SCHEMA, "strict": None}],
            "tool_choice": "auto",
        },
        {"tools": [{"type": "function", "name": "f", "x": 1}, {"type": "web_search"}, 7]},
        {"tools": [], "tool_choice": {"type": "web_search"}, "parallel_tool_calls": True},
        {"tools": None, "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "mcp"}]}},
        {"previous_response_id": "resp_1", "store": True, "reasoning": {"effort": "low"}},
        {"instructions": None},
    ],
)
def test_own_requests_come_back_as_they_were(fields: dict[str, Any]) -> None:
    """Also when the request has to be put together from the prompt alone."""
    request = {"model": "m", "input": [_ASKED], **fields}
    prompt = _RESPONSES.decode(request)

    assert _RESPONSES.encode(prompt).request is request
    assert _RESPONSES.encode(prompt.model_copy()).request == request
    assert _RESPONSES.encode(touched(prompt)).request == request


def test_an_added_message() -> None:
    """Everything before it is the very object that it was."""
    items = [_ASKED, {"role": "assistant", "content": "Hello"}]
    request = {"model": "m", "input": items, "store": False}
    prompt = _RESPONSES.decode(request)
    again = _RESPONSES.encode(with_messages(prompt, (*prompt.messages, UserMessage("More")))).request

    assert again == {**request, "input": [*items, {"role": "user", "content": "More"}]}
    assert all(one is other for one, other in zip(again["input"], items, strict=False))
    assert items == request["input"]
    assert len(items) == 2
