"""OpenAI Chat: what recorded traffic does not show, read and written."""

from __future__ import annotations

from typing import Any, Final

import pytest

from replayable import Change, FilePart, ModelRef, Prompt, ReasoningPart, TextPart, ToolCallPart
from replayable.formats import format_named
from replayable.formats.wire import Encoded
from replayable.prompt import with_messages, with_model

_CHAT: Final = format_named("openai_chat")
_CLAUDE: Final = format_named("anthropic")
_ASKED: Final = {"role": "user", "content": "Hi"}
_TOOL: Final = {"name": "f", "input_schema": {"type": "object"}}
_WRITTEN_TOOL: Final = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
_IMAGE: Final = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QQ=="}}


def _from_claude(request: Any, model: str | None = None) -> Encoded:
    prompt = _CLAUDE.decode(request)
    return _CHAT.encode(prompt if model is None else with_model(prompt, ModelRef.of(model)))


def _request(**fields: Any) -> dict[str, Any]:
    return {"max_tokens": 5, "messages": [_ASKED], **fields}


def _change(rule: str, **fields: Any) -> Change:
    return Change(processor="formats.openai_chat", rule=rule, **fields)


def _touched(prompt: Prompt, index: int) -> Prompt:
    """The prompt with one message copied, so that it is written anew."""
    messages = list(prompt.messages)
    messages[index] = messages[index].model_copy()
    return with_messages(prompt, messages)


# --- tools ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "written"),
    [
        ({"type": "auto"}, {"tool_choice": "auto"}),
        ({"type": "none"}, {"tool_choice": "none"}),
        ({"type": "any"}, {"tool_choice": "required"}),
        ({"type": "tool", "name": "f"}, {"tool_choice": {"type": "function", "function": {"name": "f"}}}),
        (
            {"type": "auto", "disable_parallel_tool_use": True},
            {"tool_choice": "auto", "parallel_tool_calls": False},
        ),
        (
            {"type": "any", "disable_parallel_tool_use": False},
            {"tool_choice": "required", "parallel_tool_calls": True},
        ),
    ],
)
def test_tool_choice(choice: Any, written: dict[str, Any]) -> None:
    """Anthropic's tool choice is said in OpenAI's words, without a loss."""
    encoded = _from_claude(_request(tools=[_TOOL], tool_choice=choice))

    assert encoded.request == {
        "messages": [_ASKED],
        "tools": [_WRITTEN_TOOL],
        **written,
        "max_tokens": 5,
    }
    assert encoded.changes == ()


@pytest.mark.parametrize("choice", [{"type": "any"}, {"type": "tool", "name": "f"}])
def test_a_demanded_tool_without_tools(choice: Any) -> None:
    """OpenAI refuses a tool choice without tools: a demand that goes is listed."""
    prompt = _CLAUDE.decode(_request(tool_choice=choice))
    encoded = _CHAT.encode(prompt)

    assert encoded.request == {"messages": [_ASKED], "max_tokens": 5}
    assert encoded.changes == (_change("tool-choice", action="changed", before=prompt.tool_choice, after={}),)


@pytest.mark.parametrize(
    "fields",
    [
        {"tools": [_WRITTEN_TOOL], "tool_choice": "any"},
        {"tools": [_WRITTEN_TOOL], "tool_choice": "required", "parallel_tool_calls": False},
        {"tools": [_WRITTEN_TOOL], "tool_choice": {"type": "function", "function": {"name": "f"}}},
        {
            "tools": [_WRITTEN_TOOL],
            "tool_choice": {
                "type": "allowed_tools",
                "allowed_tools": {
                    "mode": "auto",
                    "tools": [{"type": "function", "function": {"name": "f"}}],
                },
            },
        },
        {"tools": [{"function": {"name": "f", "x": 1}, "y": 2}], "tool_choice": {"type": "odd"}},
        {"tools": [{"type": "custom", "custom": {"name": "c"}}, 7], "tool_choice": None},
        {"functions": [{"name": "f"}], "function_call": {"name": "f"}},
        {"tools": []},
        {"tools": None, "functions": []},
    ],
)
def test_own_tools_come_back_as_they_were(fields: dict[str, Any]) -> None:
    """Also when the request has to be put together from the prompt alone."""
    request = {"model": "m", "messages": [_ASKED], **fields}
    prompt = _CHAT.decode(request)

    assert _CHAT.encode(prompt).request is request
    assert _CHAT.encode(prompt.model_copy()) == Encoded(request=request)


def test_tools_of_the_other_api() -> None:
    """Function tools are converted; provider tools, and fields of a tool that OpenAI lacks, are listed."""
    search = {"type": "web_search_20250305", "name": "web_search"}
    function = {
        "type": "custom",
        "name": "g",
        "description": "d",
        "input_schema": {"type": "object"},
        "strict": True,
        "cache_control": {"type": "ephemeral"},
    }
    prompt = _CLAUDE.decode(_request(tools=[search, function]))
    encoded = _CHAT.encode(prompt)

    assert encoded.request["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "g",
                "description": "d",
                "parameters": {"type": "object"},
                "strict": True,
            },
        }
    ]
    assert prompt.tools is not None
    assert encoded.changes == (
        _change("provider-tool-left-out", action="removed", before=prompt.tools[0]),
        _change(
            "fields-left-out", action="removed", before={"anthropic.cache_control": 1, "anthropic.type": 1}
        ),
    )


# --- legacy functions -----------------------------------------------------------------------------------------------

_LEGACY: Final[list[Any]] = [
    _ASKED,
    {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{ }"}},
    {"role": "function", "name": "f", "content": "rain"},
]


def test_legacy_functions_stay_legacy() -> None:
    """A touched call and result in the older form are written in the older form."""
    prompt = _CHAT.decode(_LEGACY)

    assert _CHAT.encode(_touched(_touched(prompt, 1), 2)) == Encoded(request=_LEGACY)


def test_legacy_functions_for_anthropic() -> None:
    """They have no ids; Anthropic gets one that pairs call and result."""
    written = _CLAUDE.encode(_CHAT.decode(_LEGACY)).request
    call, result = written[1]["content"][0], written[2]["content"][0]

    assert call == {"type": "tool_use", "id": call["id"], "name": "f", "input": {}}
    assert result == {"type": "tool_result", "tool_use_id": call["id"], "content": "rain"}


# --- reasoning ------------------------------------------------------------------------------------------------------

_THOUGHT: Final[list[Any]] = [
    _ASKED,
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Hm", "signature": "s"},
            {"type": "text", "text": "Yes"},
        ],
    },
]


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        ("deepseek/deepseek-reasoner", {"reasoning_content": "Hm"}),
        ("moonshot/kimi-k2", {"reasoning_content": "Hm"}),
        ("groq/qwen-3-32b", {"reasoning": "Hm"}),
        ("cerebras/qwen-3-32b", {"reasoning": "Hm"}),
        (
            "openrouter/anthropic/claude-sonnet-4.5",
            {"reasoning_details": [{"type": "reasoning.text", "text": "Hm", "signature": "s"}]},
        ),
    ],
)
def test_reasoning_in_the_dialects_field(model: str, fields: dict[str, Any]) -> None:
    """Reasoning goes into the field that the model's provider reads."""
    encoded = _from_claude(_THOUGHT, model)

    assert encoded.request == [_ASKED, {"role": "assistant", "content": "Yes", **fields}]
    # Where the signature has no place, that is told.
    left = [] if "reasoning_details" in fields else [{"signature": 1}]
    assert [change.before for change in encoded.changes] == left


def test_reasoning_without_a_field() -> None:
    """OpenAI has no field for it: it is left out and listed."""
    assert _from_claude(_THOUGHT, "openai/gpt-4o") == Encoded(
        request=[_ASKED, {"role": "assistant", "content": "Yes"}],
        changes=(
            _change(
                "no-field-for-reasoning",
                action="removed",
                message_index=1,
                part_index=0,
                before=ReasoningPart(text="Hm", signature="s"),
            ),
        ),
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"reasoning_content": "Hm"},
        {"reasoning_content": ""},
        {"reasoning": "Hm"},
        {"reasoning_content": None, "reasoning_details": []},
        {
            "reasoning": "Hm",
            "reasoning_details": [
                {"type": "reasoning.text", "text": "Hm", "signature": "s", "format": "f", "index": 0}
            ],
        },
        {
            "reasoning_details": [
                {"type": "reasoning.summary", "summary": "S", "id": "r"},
                {"type": "reasoning.encrypted", "data": "d"},
            ]
        },
        {"reasoning_details": "odd", "reasoning": ["odd"]},
    ],
)
def test_own_reasoning_comes_back_as_it_was(fields: dict[str, Any]) -> None:
    """What stood in a field on this API is written into that field, whatever the dialect."""
    messages = [_ASKED, {"role": "assistant", "content": "Yes", **fields}]
    prompt = with_model(_CHAT.decode(messages), ModelRef.of("openai/gpt-4o"))

    assert _CHAT.encode(_touched(prompt, 1)) == Encoded(request=messages)


# --- arguments ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments", ['{"a": 1', "[1]", '"x"', "", "null", '{ "a" : 1.0 }', '{"a":NaN}', "\ud83d", {"a": 1}, None]
)
def test_own_arguments_come_back_letter_by_letter(arguments: Any) -> None:
    """Arguments go back as they came, JSON or not, also when the message around them was touched."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}
    messages = [_ASKED, {"role": "assistant", "content": None, "tool_calls": [call]}]
    prompt = _CHAT.decode(messages)
    part = prompt.messages[1].parts[0]
    fresh = prompt.messages[1].model_copy(update={"parts": (part.model_copy(),)})

    assert _CHAT.encode(with_messages(prompt, (prompt.messages[0], fresh))) == Encoded(request=messages)


def test_changed_input_counts() -> None:
    """The arguments' text counts only as long as it means the input."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    prompt = _CHAT.decode([{"role": "assistant", "content": None, "tool_calls": [call]}])
    part = prompt.messages[0].parts[0].model_copy(update={"input": {"a": True}})
    fresh = prompt.messages[0].model_copy(update={"parts": (part,)})
    written = _CHAT.encode(with_messages(prompt, (fresh,))).request

    assert written[0]["tool_calls"][0]["function"]["arguments"] == '{"a":true}'


# --- files and unknown parts ----------------------------------------------------------------------------------------


def test_files_of_the_other_api() -> None:
    """What OpenAI can read is converted; a file id of another provider becomes a text, and is listed."""
    content = [
        {"type": "image", "source": {"type": "file", "file_id": "file_1"}},
        {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
        {
            "type": "document",
            "source": {"type": "base64", "media_type": "application/pdf", "data": "QQ=="},
        },
        {"type": "document", "source": {"type": "url", "url": "https://example.com/a.pdf"}},
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "words"}},
        {"type": "widget"},
    ]
    prompt = _CLAUDE.decode([{"role": "user", "content": content}])
    parts = prompt.messages[0].parts
    stubs = {
        0: "[image/* omitted: not supported here]",
        3: "[application/pdf at https://example.com/a.pdf omitted: not supported here]",
        4: "words",
        5: "[widget omitted: not supported here]",
    }

    assert _CHAT.encode(prompt) == Encoded(
        request=[
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": stubs[0]},
                    {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
                    {
                        "type": "file",
                        "file": {"file_data": "data:application/pdf;base64,QQ==", "filename": "file.pdf"},
                    },
                    {"type": "text", "text": stubs[3]},
                    {"type": "text", "text": stubs[4]},
                    {"type": "text", "text": stubs[5]},
                ],
            }
        ],
        changes=tuple(
            _change(
                "not-supported-here",
                action="changed",
                message_index=0,
                part_index=index,
                before=parts[index],
                after=TextPart(text),
            )
            for index, text in stubs.items()
        ),
    )


def test_images_of_tool_results_follow_the_run() -> None:
    """Tool results hold text only: their images come in a user message after all results of the run."""
    uses: list[Any] = [{"type": "tool_use", "id": name, "name": "f", "input": {}} for name in ("a", "b")]
    results = [
        {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "see"}, _IMAGE]},
        {"type": "tool_result", "tool_use_id": "b", "content": "ok", "is_error": True},
        {"type": "text", "text": "Go on"},
    ]
    prompt = _CLAUDE.decode(
        [_ASKED, {"role": "assistant", "content": uses}, {"role": "user", "content": results}]
    )
    calls = [
        {"id": name, "type": "function", "function": {"name": "f", "arguments": "{}"}} for name in ("a", "b")
    ]
    told = "[image/png: see the next user message]"

    assert _CHAT.encode(prompt) == Encoded(
        request=[
            _ASKED,
            {"role": "assistant", "content": None, "tool_calls": calls},
            {"role": "tool", "tool_call_id": "a", "content": f"see\n{told}"},
            {"role": "tool", "tool_call_id": "b", "content": "ok"},
            {
                "role": "user",
                "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,QQ=="}}],
            },
            {"role": "user", "content": "Go on"},
        ],
        changes=(
            _change(
                "file-follows-tool-result",
                action="changed",
                message_index=2,
                before=FilePart(
                    media_type="image/png", data="QQ==", provider_options={"anthropic": {"$type": "image"}}
                ),
                after=TextPart(told),
            ),
            _change("fields-left-out", action="removed", before={"is_error": 1}),
        ),
    )


def test_provider_executed_tools() -> None:
    """A search that Anthropic ran is left out and listed; an answer of nothing else goes with it."""
    search = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
    request = [
        _ASKED,
        {"role": "assistant", "content": [search, found, {"type": "text", "text": "Rain"}]},
        {"role": "assistant", "content": [search]},
    ]
    prompt = _CLAUDE.decode(request)
    encoded = _CHAT.encode(prompt)

    assert encoded.request == [_ASKED, {"role": "assistant", "content": "Rain"}]
    assert encoded.changes == tuple(
        _change(
            "provider-executed-tool",
            action="removed",
            message_index=message,
            part_index=part,
            before=prompt.messages[message].parts[part],
        )
        for message, part in ((1, 0), (1, 1), (2, 0))
    )
    assert isinstance(encoded.changes[0].before, ToolCallPart)


# --- the request around ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "written"),
    [
        ("openai/gpt-5", {"model": "gpt-5", "messages": [_ASKED], "max_completion_tokens": 5}),
        ("groq/qwen-3-32b", {"model": "qwen-3-32b", "messages": [_ASKED], "max_tokens": 5}),
        (None, {"messages": [_ASKED], "max_tokens": 5}),
    ],
)
def test_output_limit(model: str | None, written: dict[str, Any]) -> None:
    """The limit is carried over, under the name that the provider knows."""
    assert _from_claude(_request(), model) == Encoded(request=written)


def test_request_fields_of_the_other_api() -> None:
    """The system prompts go into the list; fields that have no counterpart are listed."""
    request = _request(
        system=[{"type": "text", "text": "A", "cache_control": {"type": "ephemeral"}}],
        metadata={"user_id": "u"},
        stop_sequences=None,
    )

    assert _from_claude(request) == Encoded(
        request={"messages": [{"role": "system", "content": "A"}, _ASKED], "max_tokens": 5},
        changes=(
            _change("request-fields-left-out", action="removed", before={"metadata": {"user_id": "u"}}),
            _change("fields-left-out", action="removed", before={"anthropic.cache_control": 1}),
        ),
    )
