"""Answers of an SDK that were put into the history as they came: read as what that SDK would send."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any, Final

import pytest
from anthropic.types import Message as AnthropicAnswer
from google.genai import types as google
from openai.types.chat import ChatCompletionMessage
from openai.types.responses import Response
from pydantic import BaseModel, Field, field_serializer

from replayable import HistoryFormatError, UserMessage, check, fix
from replayable._node import replace
from replayable.formats import detect, format_named
from replayable.prompt import Prompt, with_messages

_CHAT: Final[dict[str, Any]] = {
    "role": "assistant",
    "content": None,
    "refusal": None,
    "annotations": [],
    "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}
    ],
}
_LEGACY: Final[dict[str, Any]] = {
    "role": "assistant",
    "content": "I look.",
    "function_call": {"name": "weather", "arguments": "{}"},
}
_BLOCKS: Final[list[Any]] = [
    {"type": "thinking", "thinking": "Oslo?", "signature": "c2ln"},
    {"type": "text", "text": "I look.", "citations": None},
    {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Oslo"}},
]
_ITEMS: Final[list[Any]] = [
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Oslo?"}]},
    {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "I look.", "annotations": []}],
    },
    {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "call_1",
        "name": "weather",
        "arguments": '{"city": "Oslo"}',
        "status": "completed",
    },
]
_CONTENT: Final[dict[str, Any]] = {
    "role": "model",
    "parts": [
        {"text": "Oslo?", "thought": True},
        {"functionCall": {"name": "weather", "args": {"city": "Oslo"}}, "thoughtSignature": "c2ln"},
    ],
}
_PICTURE: Final[dict[str, Any]] = {
    "role": "user",
    "parts": [{"inlineData": {"data": "iVBORw0KGgo=", "mimeType": "image/png"}}, {"text": "What is it?"}],
}


def _chat(message: Any) -> Any:
    return ChatCompletionMessage.model_validate(message)


def _message(blocks: list[Any]) -> Any:
    fields = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-5"}
    usage = {"input_tokens": 1, "output_tokens": 1}
    return AnthropicAnswer.model_validate(
        {**fields, "content": blocks, "stop_reason": "tool_use", "stop_sequence": None, "usage": usage}
    ).content


def _output(items: list[Any]) -> Any:
    fields = {"id": "resp_1", "object": "response", "created_at": 1, "model": "gpt-5", "tools": []}
    return Response.model_validate(
        {**fields, "output": items, "parallel_tool_calls": True, "tool_choice": "auto"}
    ).output


def _content(content: Any) -> Any:
    return google.Content.model_validate(content)


class _Function(BaseModel):
    name: str
    arguments: dict[str, Any]


class _Call(BaseModel):
    function: _Function


class _OllamaMessage(BaseModel):
    """As the ollama package makes them: pydantic models without an id or a type on a call."""

    role: str
    content: str | None = None
    thinking: str | None = None
    tool_calls: list[_Call] | None = None


_OLLAMA: Final[dict[str, Any]] = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"function": {"name": "weather", "arguments": {"city": "Oslo"}}}],
}
_USER: Final = {"role": "user", "content": "Hi"}
_CASES: Final[list[tuple[str, list[Any], list[Any]]]] = [
    ("openai_chat", [_USER, _CHAT], [_USER, _chat(_CHAT)]),
    (
        "openai_chat",
        [_USER, {"role": "assistant", "tool_calls": _CHAT["tool_calls"]}],
        [_USER, {"role": "assistant", "tool_calls": _chat(_CHAT).tool_calls}],
    ),
    (
        "openai_chat",
        [_USER, _LEGACY],
        [_USER, {**_LEGACY, "function_call": _chat(_LEGACY).function_call}],
    ),
    (
        "anthropic",
        [_USER, {"role": "assistant", "content": _BLOCKS}],
        [_USER, {"role": "assistant", "content": _message(_BLOCKS)}],
    ),
    (
        "anthropic",
        [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": _BLOCKS[1:2]}]}],
        [
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t", "content": _message(_BLOCKS[1:2])}],
            }
        ],
    ),
    ("openai_responses", [_USER, *_ITEMS], [_USER, *_output(_ITEMS)]),
    ("gemini", [_PICTURE, _CONTENT], [_content(_PICTURE), _content(_CONTENT)]),
    (
        "gemini",
        [_PICTURE, _CONTENT],
        [
            {"role": "user", "parts": _content(_PICTURE).parts},
            {"role": "model", "parts": _content(_CONTENT).parts},
        ],
    ),
    ("gemini", _PICTURE["parts"], _content(_PICTURE).parts),
    ("ollama_chat", [_USER, _OLLAMA], [_USER, _OllamaMessage.model_validate(_OLLAMA)]),
]
_EACH: Final = pytest.mark.parametrize(("name", "plain", "given"), _CASES)


@_EACH
def test_they_read_as_their_dicts(name: str, plain: list[Any], given: list[Any]) -> None:
    """The messages are those of the plain request, and the given list is left as it is."""
    before = copy.deepcopy(given)

    prompt = format_named(name).decode(given)

    assert prompt.messages == format_named(name).decode(plain).messages
    assert given == before


@_EACH
def test_what_nobody_touched_is_the_same_list(name: str, plain: list[Any], given: list[Any]) -> None:
    """The objects themselves go back to their SDK."""
    codec = format_named(name)
    encoded = codec.encode(codec.decode(given))

    assert encoded.request is given
    assert encoded.changes == ()


def _with_a_new_message(prompt: Prompt) -> Prompt:
    return with_messages(prompt, [*prompt.messages, UserMessage("Go on.")])


def _with_the_answer_touched(prompt: Prompt) -> Prompt:
    return with_messages(prompt, [replace(message) for message in prompt.messages])


@_EACH
def test_a_changed_list_keeps_the_other_objects(name: str, plain: list[Any], given: list[Any]) -> None:
    """What stood before a change goes back as it was given."""
    codec = format_named(name)

    written = codec.encode(_with_a_new_message(codec.decode(given))).request

    assert len(written) == len(given) + 1
    assert all(new is old for new, old in zip(written, given, strict=False))


@_EACH
@pytest.mark.parametrize("change", [_with_a_new_message, _with_the_answer_touched])
def test_what_is_changed_is_written_in_dicts(
    change: Callable[[Prompt], Prompt], name: str, plain: list[Any], given: list[Any]
) -> None:
    """A changed list says the same as the changed list of dicts would."""
    codec = format_named(name)

    encoded = codec.encode(change(codec.decode(given)))

    assert _sent(encoded.request) == _sent(codec.encode(change(codec.decode(plain))).request)


def _sent(wires: Any) -> Any:
    """What goes over the wire, the order of the fields aside: an SDK writes them in its own."""
    return json.loads(json.dumps(wires, default=_as_sent))


def _as_sent(value: BaseModel) -> Any:
    return value.model_dump(mode="json", by_alias=True, exclude_unset=True)


@_EACH
def test_they_go_to_other_apis(name: str, plain: list[Any], given: list[Any]) -> None:
    """Another API gets what it would get of the plain request."""
    for other in ("anthropic", "openai_chat", "openai_responses", "gemini"):
        if other != name:
            written = format_named(other).encode(format_named(name).decode(given)).request
            assert written == format_named(other).encode(format_named(name).decode(plain)).request


@_EACH
def test_they_are_recognised(name: str, plain: list[Any], given: list[Any]) -> None:
    """`detect` sees in them what it sees in their dicts."""
    if plain != _PICTURE["parts"]:
        assert detect(given) == detect(plain)
        assert check(given, model="openai/gpt-5") == check(plain, model="openai/gpt-5")


def test_a_system_prompt_of_objects() -> None:
    """Beside the messages as well: Anthropic's blocks, Google's content, part, and list of parts."""
    claude = {"system": _message(_BLOCKS[1:2]), "messages": [_USER]}
    assert [part.text for part in format_named("anthropic").decode(claude).messages[0].parts] == ["I look."]  # type: ignore[union-attr]
    assert format_named("anthropic").encode(format_named("anthropic").decode(claude)).request is claude

    part = google.Part(text="Be brief.")
    for system in (google.Content(parts=[part]), part, [part]):
        request = {"contents": _content(_PICTURE), "systemInstruction": system}
        prompt = format_named("gemini").decode(request)
        assert [message.role for message in prompt.messages] == ["system", "user"]
        assert prompt.messages[0].parts[0].text == "Be brief."  # type: ignore[union-attr]
        assert format_named("gemini").encode(prompt).request is request


def test_the_one_call_takes_them() -> None:
    """The loop that everybody writes: an answer is appended as it came, and its call was never answered."""
    history = [
        _USER,
        {"role": "assistant", "content": _message(_BLOCKS)},
        {"role": "user", "content": "Well?"},
    ]

    fixed = fix(history, model="anthropic/claude-sonnet-5")

    assert fixed.request[1] is history[1]
    assert fixed.request[2]["content"][0]["tool_use_id"] == "toolu_1"


class _Unwritable(BaseModel):
    role: str = "user"
    content: int = Field(default=1)

    @field_serializer("content")
    def _written(self, _value: int) -> int:
        raise ValueError("no")


@pytest.mark.parametrize(
    "value", [UserMessage("Hi"), _Unwritable(content=2), object(), google.Content], ids=type
)
@pytest.mark.parametrize("name", ["openai_chat", "openai_responses", "anthropic", "gemini", "bedrock"])
def test_what_is_no_answer_of_an_sdk(name: str, value: Any) -> None:
    """A message of replayable's own, or an object that can't be written as JSON, is no wire message."""
    with pytest.raises(HistoryFormatError, match="found"):
        format_named(name).decode([value])
