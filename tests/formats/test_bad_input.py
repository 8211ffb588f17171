"""Malformed requests: the error names the place, what stands there and what should."""

from __future__ import annotations

import contextlib
from typing import Any, Final

import pytest
from openai.types.chat import ChatCompletionMessage

from replayable import HistoryFormatError, check, fix
from replayable.formats import FORMATS, format_named

_CHAT: Final = "openai_chat"
_CLAUDE: Final = "anthropic"
_RESPONSES: Final = "openai_responses"
_GEMINI: Final = "gemini"
_MESSAGE: Final = "a message (an object with role and content)"
_CHAT_ROLES: Final = "one of the roles system, developer, user, assistant, tool, function"
_BLOCK: Final = "a content block (an object with a type)"


def _chat(*messages: Any, **fields: Any) -> dict[str, Any]:
    return {"model": "m", "messages": list(messages), **fields}


def _said(role: str, content: Any) -> dict[str, Any]:
    return {"role": role, "content": content}


def _called(call: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": [call]}


@pytest.mark.parametrize(
    ("format_name", "request_body", "path", "found", "expected"),
    [
        (_CHAT, "Hi", "", "string 'Hi'", "a request (an object with messages) or a list of messages"),
        (_CHAT, None, "", "null", "a request (an object with messages) or a list of messages"),
        (_CHAT, {1}, "", "set", "a request (an object with messages) or a list of messages"),
        (_CHAT, {}, "messages", "nothing", "a list of messages"),
        (_CHAT, {"messages": None}, "messages", "null", "a list of messages"),
        (_CHAT, {"messages": {"a": 1}}, "messages", "object with keys a", "a list of messages"),
        (
            _CHAT,
            {"messages": {"a\nb": 1, "k" * 50: 1, 2: 1}},
            "messages",
            "object with keys int 2, string 'a\\nb', string of 50 characters",
            "a list of messages",
        ),
        (_CHAT, _chat("Hi"), "messages[0]", "string 'Hi'", _MESSAGE),
        (_CHAT, ["x" * 50], "[0]", "string of 50 characters", _MESSAGE),
        (_CHAT, [_said("user", "Hi"), None], "[1]", "null", _MESSAGE),
        (_CHAT, _chat({"content": "Hi"}), "messages[0].role", "nothing", _CHAT_ROLES),
        (_CHAT, _chat(_said("bot", "Hi")), "messages[0].role", "string 'bot'", _CHAT_ROLES),
        (_CHAT, _chat({"role": [[]]}), "messages[0].role", "list of 1", _CHAT_ROLES),
        (_CHAT, _chat(_said("user", 3)), "messages[0].content", "int 3", "a string or a list of parts"),
        (
            _CHAT,
            _chat(_said("user", 10**5000)),
            "messages[0].content",
            "a large int",
            "a string or a list of parts",
        ),
        (
            _CHAT,
            _chat(_said("tool", {})),
            "messages[0].content",
            "empty object",
            "a string or a list of parts",
        ),
        (
            _CHAT,
            _chat(_said("user", ["Hi"])),
            "messages[0].content[0]",
            "string 'Hi'",
            "a content part (an object with a type)",
        ),
        (
            _CHAT,
            _chat(_said("user", [{"type": "text"}])),
            "messages[0].content[0].text",
            "nothing",
            "a string",
        ),
        (
            _CHAT,
            _chat({"role": "tool", "tool_call_id": 1, "content": ""}),
            "messages[0].tool_call_id",
            "int 1",
            "a string",
        ),
        (
            _CHAT,
            _chat({"role": "assistant", "tool_calls": "c"}),
            "messages[0].tool_calls",
            "string 'c'",
            "a list of tool calls",
        ),
        (
            _CHAT,
            _chat(_called(3)),
            "messages[0].tool_calls[0]",
            "int 3",
            "a tool call (an object with id and function)",
        ),
        (_CHAT, _chat(_called({"id": "c"})), "messages[0].tool_calls[0].function", "nothing", "an object"),
        (
            _CHAT,
            _chat(_called({"id": "c", "function": {"arguments": "{}"}})),
            "messages[0].tool_calls[0].function.name",
            "nothing",
            "a string",
        ),
        (
            _CHAT,
            _chat(_called({"id": "c", "type": "custom", "custom": {"name": None}})),
            "messages[0].tool_calls[0].custom.name",
            "null",
            "a string",
        ),
        (
            _CHAT,
            _chat({"role": "assistant", "function_call": "f"}),
            "messages[0].function_call",
            "string 'f'",
            "an object",
        ),
        (_CHAT, _chat(functions={"a": 1}), "functions", "object with keys a", "a list of functions"),
        (_CLAUDE, 1.5, "", "float 1.5", "a request (an object with messages) or a list of messages"),
        (_CLAUDE, {"model": "m"}, "messages", "nothing", "a list of messages"),
        (_CLAUDE, _chat(True), "messages[0]", "bool True", _MESSAGE),
        (
            _CLAUDE,
            _chat(_said("bot", "Hi")),
            "messages[0].role",
            "string 'bot'",
            "one of the roles user, assistant, system",
        ),
        (
            _CLAUDE,
            _chat(_said("user", {})),
            "messages[0].content",
            "empty object",
            "a string or a list of blocks",
        ),
        (_CLAUDE, _chat(_said("assistant", [None])), "messages[0].content[0]", "null", _BLOCK),
        (
            _CLAUDE,
            _chat(_said("user", "Hi"), _said("user", [{"type": "tool_result", "tool_use_id": 7}])),
            "messages[1].content[0].tool_use_id",
            "int 7",
            "a string",
        ),
        (
            _CLAUDE,
            _chat(_said("user", [{"type": "tool_result", "content": [{"type": "text", "text": 1}]}])),
            "messages[0].content[0].content[0].text",
            "int 1",
            "a string",
        ),
        (
            _CLAUDE,
            _chat(_said("assistant", [{"type": "tool_use", "id": "c"}])),
            "messages[0].content[0].name",
            "nothing",
            "a string",
        ),
        (
            _CLAUDE,
            _chat(_said("assistant", [{"type": "thinking", "thinking": []}])),
            "messages[0].content[0].thinking",
            "list of 0",
            "a string",
        ),
        (
            "bedrock",
            _chat(_said("assistant", [{"reasoningContent": {"reasoningText": {"text": [1]}}}])),
            "messages[0].content[0].reasoningContent.reasoningText.text",
            "list of 1",
            "a string",
        ),
        (
            _GEMINI,
            {"contents": [{"role": "model", "parts": [{"executable_code": {"id": 1, "code": "x"}}]}]},
            "contents[0].parts[0].executable_code.id",
            "int 1",
            "a string",
        ),
        (
            "mastra",
            [{"content": "Hi"}],
            "[0].role",
            "nothing",
            "one of the roles system, user, assistant, tool, signal",
        ),
        (_CLAUDE, _chat(system=4), "system", "int 4", "a string or a list of blocks"),
        (_CLAUDE, _chat(system=["Be brief."]), "system[0]", "string 'Be brief.'", _BLOCK),
        (_CLAUDE, _chat(system=[{"type": "text"}]), "system[0].text", "nothing", "a string"),
    ],
)
def test_the_error_names_the_place(
    format_name: str, request_body: Any, path: str, found: str, expected: str
) -> None:
    """A malformed request raises `HistoryFormatError` with the path, what stands there, and what should."""
    with pytest.raises(HistoryFormatError) as caught:
        format_named(format_name).decode(request_body)

    assert (caught.value.path, caught.value.found, caught.value.expected) == (path, found, expected)
    assert str(caught.value) == f"{path or 'the input'}: expected {expected}, found {found}"


_CHAT_ANSWER: Final = ChatCompletionMessage(role="assistant", content="Hi")


@pytest.mark.parametrize("value", [{"a": {1, 2}}, {"a": b"x"}, {b"a": 1}], ids=str)
def test_what_no_json_text_can_hold(value: Any) -> None:
    """An input that is no JSON goes back as it is; where it must become text, the error names the message."""
    request = _chat(
        _said("user", "Hi"),
        _said("assistant", [{"type": "tool_use", "id": "c", "name": "f", "input": value}]),
    )
    prompt = FORMATS[_CLAUDE].decode(request)
    assert FORMATS[_CLAUDE].encode(prompt).request is request

    with pytest.raises(HistoryFormatError) as caught:
        FORMATS[_CHAT].encode(prompt)

    assert caught.value.path == "messages[1].input"
    assert caught.value.expected == "a JSON value"


def test_an_input_too_deep_for_json_text() -> None:
    """So does one that nests deeper than Python can follow."""
    deep: Any = {}
    for _ in range(100_000):
        deep = {"a": deep}
    request = [_said("assistant", [{"type": "tool_use", "id": "c", "name": "f", "input": deep}])]

    with pytest.raises(HistoryFormatError) as caught:
        FORMATS[_CHAT].encode(FORMATS[_CLAUDE].decode(request))

    assert caught.value.path == "messages[0].input"


_WEATHER_CALL: Final = {"type": "tool_use", "id": "c", "name": "f", "input": _CHAT_ANSWER}


@pytest.mark.parametrize(
    ("model", "source", "request_body"),
    [
        pytest.param(
            "anthropic/claude-sonnet-5",
            _CLAUDE,
            _chat(_said("user", "Hi"), _said("assistant", [_WEATHER_CALL, _WEATHER_CALL])),
            id="an SDK's object as the input of two calls with one id",
        ),
        pytest.param(
            "cohere/command-a-03-2025",
            _GEMINI,
            {
                "systemInstruction": {"parts": [{"functionResponse": {"name": "f", "response": {}}}]},
                "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
            },
            id="a response in the system instruction",
        ),
        pytest.param(
            "cohere/command-a-03-2025",
            _GEMINI,
            {
                "contents": [
                    {"role": "system", "parts": [{"functionResponse": {"name": "f", "response": {}}}]},
                    {"role": "user", "parts": [{"text": "Hi"}]},
                ],
            },
            id="a response in a system content",
        ),
        pytest.param(
            "anthropic/claude-sonnet-5",
            _CLAUDE,
            _chat(
                _said("user", "Hi"),
                _said(
                    "assistant",
                    [{"type": "server_tool_use", "id": "srvtoolu_1", "name": "f", "input": {}}],
                ),
                _said("user", "Go on"),
                tools=[{"type": "web_search_20250305", "name": ["f"]}],
            ),
            id="a provider's tool whose name has no hash",
        ),
        pytest.param(
            "openai.responses/gpt-5",
            _RESPONSES,
            {
                "model": "gpt-5",
                "input": [
                    _said("user", "Hi"),
                    {
                        "type": "message",
                        "role": "assistant",
                        "id": {"a": 1},
                        "content": [{"type": "output_text", "text": "Hi", "annotations": []}],
                    },
                    {"type": "function_call", "id": "odd", "call_id": "c", "name": "f", "arguments": "{}"},
                    {"type": "function_call_output", "call_id": "c", "output": ""},
                ],
            },
            id="an item's id that has no hash",
        ),
        pytest.param(
            "openai/gpt-4o",
            _RESPONSES,
            {
                "model": "gpt-5",
                "input": [
                    _said("user", "Hi"),
                    {
                        "type": "reasoning",
                        "id": "rs_1",
                        "summary": True,
                        "content": [{"type": "reasoning_text", "text": "Hm."}],
                        "encrypted_content": "gAAAA",
                    },
                    _said("assistant", "Hello"),
                    _said("user", "Go on"),
                ],
            },
            id="a summary that is no list",
        ),
        pytest.param(
            "openai/gpt-4o",
            "bedrock",
            {"modelId": 10**5000, "messages": [{"role": "user", "content": [{"text": "Hi"}]}]},
            id="a model that is a number of thousands of digits",
        ),
    ],
)
def test_values_that_the_rules_did_not_expect(model: str, source: str, request_body: Any) -> None:
    """What no format has in such a place goes through the whole all the same: each was an error of another type once."""
    prompt = FORMATS[source].decode(request_body)
    assert FORMATS[source].encode(prompt).request is request_body
    for other in FORMATS.values():
        with contextlib.suppress(HistoryFormatError):
            other.encode(prompt.model_copy())
    check(request_body, model=model, source=source)
    with contextlib.suppress(HistoryFormatError):
        fix(request_body, model=model, source=source)
