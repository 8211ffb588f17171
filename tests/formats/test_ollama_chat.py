"""Ollama's own chat API: object arguments, images, thinking, results by the name of the tool."""

from __future__ import annotations

from typing import Any

import pytest

from replayable import (
    AssistantMessage,
    FilePart,
    HistoryFormatError,
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
    messages_from_json,
    messages_to_json,
)
from replayable.formats import format_named
from replayable.prompt import with_model

_OLLAMA = format_named("ollama_chat")
_CHAT = format_named("openai_chat")
_CALL = {"function": {"name": "weather", "arguments": {"city": "Oslo"}}}
_REQUEST: dict[str, Any] = {
    "model": "qwen3:4b",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Where is it?", "images": ["iVBORw0KGgo="]},
        {"role": "assistant", "content": "", "thinking": "Hm.", "tool_calls": [_CALL]},
        {"role": "tool", "tool_name": "weather", "content": "rain"},
        {"role": "assistant", "content": "In Oslo."},
    ],
    "tools": [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}],
    "think": True,
    "stream": False,
    "options": {"num_predict": 100},
}


def _rules(encoded: Any) -> list[str | None]:
    return [change.rule for change in encoded.changes]


def test_reading() -> None:
    """Texts, images, thinking, calls and results become parts; the rest stays beside."""
    prompt = _OLLAMA.decode(_REQUEST, provider="ollama")
    assert prompt.messages[1].parts[1] == FilePart(
        media_type="image/*", data="iVBORw0KGgo=", provider_options={"ollama_chat": {}}
    )
    answer = prompt.messages[2]
    assert [part.type for part in answer.parts] == ["reasoning", "text", "tool_call"]
    assert answer.parts[2] == ToolCallPart(
        tool_name="weather", input={"city": "Oslo"}, provider_options={"ollama_chat": {"$type": "absent"}}
    )
    assert prompt.messages[3].parts == (ToolResultPart(tool_name="weather", output="rain"),)
    assert prompt.thinking is True
    assert prompt.request == {key: _REQUEST[key] for key in ("model", "think", "stream", "options")}
    assert _OLLAMA.decode({"messages": [], "think": "high"}).thinking is True
    assert _OLLAMA.decode({"messages": [], "think": False}).thinking is False


_ODD: list[dict[str, Any]] = [
    {"role": "user"},
    {"role": "user", "content": None, "images": []},
    {"role": "assistant", "content": None, "thinking": None, "tool_calls": None},
    {"role": "assistant", "content": "", "thinking": ""},
    {
        "role": "assistant",
        "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "x", "arguments": "{}", "index": 0}}
        ],
    },
    {"role": "assistant", "tool_calls": [{"id": None, "x": 1, "function": {"name": "x"}}]},
    {"role": "assistant", "tool_calls": [{"function": {"name": "x", "arguments": None}}]},
    {"role": "assistant", "tool_calls": [{"function": {"name": "x", "arguments": [1]}}]},
    {"role": "tool", "content": "r", "tool_name": "", "tool_call_id": None},
    {"role": "tool", "content": "r", "tool_call_id": "1"},
    {"role": "tool", "tool_name": "x"},
    {"role": "tool", "content": None, "name": "x"},
    {"role": "tool", "tool_name": "x", "content": "r", "images": ["iVBORw0KGgo="]},
]


@pytest.mark.parametrize("message", _ODD)
def test_back_by_object_and_by_value(message: dict[str, Any]) -> None:
    """Untouched it is the same object, from a store an equal one."""
    given = [message]
    prompt = _OLLAMA.decode(given)
    assert _OLLAMA.encode(prompt).request is given
    stored = messages_from_json(messages_to_json(prompt.messages))
    encoded = _OLLAMA.encode(Prompt(messages=stored, api="ollama_chat"))
    assert encoded.request == given
    assert encoded.changes == ()


def test_the_whole_request_comes_back() -> None:
    """The same object; and an equal one, with the other model, when something was touched."""
    prompt = _OLLAMA.decode(_REQUEST)
    assert _OLLAMA.encode(prompt).request is _REQUEST
    copied = with_model(Prompt(**prompt.__dict__), ModelRef.of("ollama/llama3.2"))
    encoded = _OLLAMA.encode(copied)
    assert encoded.request == {**_REQUEST, "model": "llama3.2"}
    assert _rules(encoded) == ["model"]


def test_to_openai_chat_and_back() -> None:
    """Calls and results get ids; images become data URLs; back here everything is where it was."""
    there = _CHAT.encode(_OLLAMA.decode(_REQUEST)).request
    call_id = there["messages"][2]["tool_calls"][0]["id"]
    assert there["messages"][1]["content"][1] == {
        "type": "image_url",
        "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="},
    }
    assert there["messages"][3] == {"role": "tool", "tool_call_id": call_id, "content": "rain"}
    assert there["max_tokens"] == 100

    back = _OLLAMA.encode(_CHAT.decode(there)).request
    call = {"id": call_id, "type": "function", **_CALL}
    assert back == {
        "model": "qwen3:4b",
        "messages": [
            *_REQUEST["messages"][:2],
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "content": "rain", "tool_call_id": call_id, "tool_name": "weather"},
            _REQUEST["messages"][4],
        ],
        "tools": _REQUEST["tools"],
        "options": {"num_predict": 100},
    }


def test_what_it_has_no_place_for() -> None:
    """Each loss is listed, and what can be told is told as text."""
    history = (
        SystemMessage("Be brief."),
        UserMessage(
            [TextPart("a"), FilePart(media_type="image/png", url="https://example.org/a.png"), TextPart("b")]
        ),
        AssistantMessage(
            parts=[
                ReasoningPart(text="Hm."),
                ReasoningPart(encrypted="x"),
                ToolCallPart(tool_call_id="1", tool_name="look", raw_input="{"),
                ToolCallPart(tool_call_id="2", tool_name="search", provider_executed=True),
                ToolResultPart(tool_call_id="1", output="here"),
                OpaquePart(api="gemini", value={"x": 1}),
            ]
        ),
        ToolMessage(
            parts=[
                ToolResultPart(
                    tool_call_id="1", output=[TextPart("See"), FilePart(media_type="image/png", data="QQ==")]
                ),
                ToolResultPart(tool_call_id="3", tool_name="y", output={"a": 1}, is_error=True),
                OpaquePart(api="gemini", value=1),
            ]
        ),
        AssistantMessage(parts=[ReasoningPart(encrypted="x")]),
    )
    encoded = _OLLAMA.encode(Prompt(messages=history, request={"max_tokens": 5, "tool_choice": "x"}))
    assert encoded.request == {
        "messages": [
            {"role": "system", "content": "Be brief."},
            {
                "role": "user",
                "content": "a\n[image/png at https://example.org/a.png omitted: not supported here]\nb",
            },
            {
                "role": "assistant",
                "content": "[part omitted: not supported here]",
                "thinking": "Hm.",
                "tool_calls": [
                    {
                        "id": "1",
                        "type": "function",
                        "function": {"name": "look", "arguments": {"raw_arguments": "{"}},
                    }
                ],
            },
            {
                "role": "tool",
                "content": "See\n[image/png: see the next user message]",
                "tool_call_id": "1",
                "tool_name": "look",
            },
            {"role": "tool", "content": '{"a":1}', "tool_call_id": "3", "tool_name": "y"},
            {"role": "user", "content": "", "images": ["QQ=="]},
        ],
        "options": {"num_predict": 5},
    }
    assert sorted(map(str, _rules(encoded))) == sorted(
        [
            "not-supported-here",
            "texts-joined",
            "not-supported-here",
            "no-field-for-reasoning",
            "input-is-no-object",
            "provider-executed-tool",
            "result-in-an-answer",
            "file-follows-tool-result",
            "not-supported-here",
            "no-field-for-reasoning",
            "request-fields-left-out",
            "fields-left-out",
        ]
    )


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"messages": 5}, "messages"),
        ([5], "[0]"),
        ([{"role": "bot"}], "[0].role"),
        ([{"role": "user", "content": 5}], "[0].content"),
        ([{"role": "user", "images": "x"}], "[0].images"),
        ([{"role": "user", "images": [5]}], "[0].images[0]"),
        ([{"role": "assistant", "thinking": 5}], "[0].thinking"),
        ([{"role": "assistant", "tool_calls": {"a": 1}}], "[0].tool_calls"),
        ([{"role": "assistant", "tool_calls": [{"id": 5, "function": {}}]}], "[0].tool_calls[0].id"),
        ([{"role": "assistant", "tool_calls": [{}]}], "[0].tool_calls[0].function"),
        ([{"role": "assistant", "tool_calls": [{"function": {}}]}], "[0].tool_calls[0].function.name"),
        ([{"role": "tool", "tool_call_id": 5}], "[0].tool_call_id"),
        ([{"role": "tool", "tool_name": 5}], "[0].tool_name"),
    ],
)
def test_malformed(given: Any, path: str) -> None:
    """The error names the place."""
    with pytest.raises(HistoryFormatError) as raised:
        _OLLAMA.decode(given)
    assert raised.value.path == path
