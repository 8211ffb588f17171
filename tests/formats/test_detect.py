"""Which format an object is, and why it is none."""

from __future__ import annotations

from typing import Any

import pytest

from replayable import HistoryFormatError
from replayable.formats import FORMATS, detect, format_named

_CHAT_CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
_TOOL_USE = {"type": "tool_use", "id": "c1", "name": "weather", "input": {}}


def _said(role: str, **fields: Any) -> dict[str, Any]:
    return {"role": role, "content": "Hi", **fields}


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ([_said("assistant", tool_calls=[_CHAT_CALL])], "openai_chat"),
        (
            {"messages": [_said("user")], "tools": [{"type": "function", "function": {"name": "x"}}]},
            "openai_chat",
        ),
        ([{"role": "assistant", "content": [{"type": "thinking", "thinking": []}]}], "openai_chat"),
        ([{"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm."}]}], "anthropic"),
        ([{"role": "assistant", "content": [_TOOL_USE]}], "anthropic"),
        ({"messages": [_said("user")], "system": "Be brief."}, "anthropic"),
        ({"messages": [_said("user")], "tools": [{"name": "x", "input_schema": {}}]}, "anthropic"),
        # One mark of another is outvoted.
        (
            {"messages": [_said("assistant", tool_calls=[_CHAT_CALL]), _said("tool")], "system": "x"},
            "openai_chat",
        ),
        ([{"role": "user", "content": {"format": 2, "parts": []}}], "mastra"),
        ([{"role": "user", "parts": [{"type": "text", "text": "Hi"}]}], "ai_sdk"),
        ({"prompt": [_said("user")]}, "ai_sdk"),
        ({"input": "Hi"}, "openai_responses"),
        ({"contents": "Hi"}, "gemini"),
        ({"contents": [{"parts": [{"text": "Hi"}]}]}, "gemini"),
        ([{"role": "user", "parts": [{"text": "Hi"}]}], "gemini"),
        ([{"role": "user", "content": [{"text": "Hi"}]}], "bedrock"),
        ({"messages": [{"role": "user", "content": [{"text": "Hi"}]}], "system": [{"text": "x"}]}, "bedrock"),
        ({"input": [_said("user")]}, "openai_responses"),
        ([_said("user"), {"type": "reasoning", "summary": []}], "openai_responses"),
        ([{"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}], "openai_responses"),
    ],
)
def test_marks_tell(value: Any, name: str) -> None:
    """What only one format has says which it is, whatever other one is preferred."""
    assert detect(value) == name
    assert detect(value, prefer="openai_chat" if name == "anthropic" else "anthropic") == name


@pytest.mark.parametrize("value", [[], [_said("user"), _said("assistant")], {"messages": [_said("user")]}])
def test_a_plain_conversation_is_the_preferred_format(value: Any) -> None:
    """It reads the same in several: the preferred one of them counts, else OpenAI Chat."""
    assert detect(value) == "openai_chat"
    assert detect(value, prefer="anthropic") == "anthropic"
    assert detect(value, prefer="no such format") == "openai_chat"


def test_tools_of_several_formats() -> None:
    """What has no mark of Ollama's own counts as OpenAI Chat, unless Ollama is asked for; object arguments are its own."""
    value = [_said("assistant", tool_calls=[_CHAT_CALL]), _said("tool", tool_call_id="c1")]
    assert detect(value) == "openai_chat"
    assert detect(value, prefer="ollama_chat") == "ollama_chat"
    assert (
        detect([_said("assistant", tool_calls=[{"function": {"name": "x", "arguments": {}}}])])
        == "ollama_chat"
    )


def test_a_role_of_two_formats() -> None:
    """Both of OpenAI's formats have developers, and no other."""
    assert detect([_said("developer")]) == "openai_chat"
    assert detect([_said("developer")], prefer="openai_responses") == "openai_responses"
    assert detect([_said("developer")], prefer="anthropic") == "openai_chat"


def test_as_many_marks_of_two_formats() -> None:
    """Without a preference this is nobody's; the error names the marks of each."""
    value = {"messages": [_said("user")], "system": "Be brief.", "response_format": {"type": "text"}}

    with pytest.raises(HistoryFormatError) as raised:
        detect(value)

    assert "openai_chat: response_format" in raised.value.found
    assert "anthropic: system" in raised.value.found
    assert detect(value, prefer="anthropic") == "anthropic"


@pytest.mark.parametrize(
    ("value", "path", "found", "reason"),
    [
        (5, "", "int 5", ""),
        ("Hi", "", "string 'Hi'", ""),
        ({}, "", "empty object", "mastra: expected an object with a list of messages in messages"),
        ({"messages": 5}, "messages", "int 5", "expected a list of messages"),
        (
            [_said("user"), _said("bot")],
            "[1].role",
            "string 'bot'",
            "anthropic, bedrock: expected one of the roles assistant",
        ),
        (
            [{"content": "Hi"}],
            "",
            "list of 1",
            "anthropic, bedrock: [0].role: expected one of the roles assistant",
        ),
        (
            {"messages": [_said("user"), {"role": ["user"], "content": "Hi"}]},
            "messages[1].role",
            "list of 1",
            "openai_chat: expected one of the roles assistant",
        ),
        (
            {"messages": [{"role": "user", "content": {"text": "Hi"}}]},
            "messages[0].content",
            "object with keys text",
            "mastra: expected content: object of parts",
        ),
    ],
)
def test_what_is_in_no_format(value: Any, path: str, found: str, reason: str) -> None:
    """The error names the place where all formats stumble, and why each fell out."""
    with pytest.raises(HistoryFormatError) as raised:
        detect(value)

    assert (raised.value.path, raised.value.found) == (path, found)
    assert reason in raised.value.remedy
    if reason:
        assert all(name in raised.value.remedy for name in FORMATS)


def test_every_format_has_its_name() -> None:
    """The table and the records agree, and dashes count as underscores."""
    for name, known in FORMATS.items():
        assert known.name == name
        assert format_named(name.replace("_", "-")) is known
