"""Anthropic's Messages: what recorded traffic does not show, read and written."""

from __future__ import annotations

from typing import Any, Final

import pytest

from replayable import (
    Change,
    ModelRef,
    OpaquePart,
    Prompt,
    ReasoningPart,
    TextPart,
    ToolMessage,
    ToolResultPart,
)
from replayable._node import replace
from replayable.formats import format_named
from replayable.formats.anthropic.encode import DEFAULT_MAX_TOKENS
from replayable.formats.wire import Encoded
from replayable.prompt import with_messages, with_model

_CHAT: Final = format_named("openai_chat")
_CLAUDE: Final = format_named("anthropic")
_ASKED: Final = {"role": "user", "content": "Hi"}
_TOOL: Final = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
_WRITTEN_TOOL: Final = {"name": "f", "input_schema": {"type": "object"}}
_CACHED: Final = {"cache_control": {"type": "ephemeral"}}
_IMAGE: Final = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QQ=="}}


def _from_chat(request: Any) -> Encoded:
    return _CLAUDE.encode(_CHAT.decode(request))


def _request(**fields: Any) -> dict[str, Any]:
    return {"max_tokens": 5, "messages": [_ASKED], **fields}


def _change(rule: str, **fields: Any) -> Change:
    return Change(processor="formats.anthropic", rule=rule, **fields)


def _touched(prompt: Prompt, *indexes: int) -> Prompt:
    """The prompt with some messages copied, so that they are written anew."""
    messages = list(prompt.messages)
    for index in indexes:
        messages[index] = messages[index].model_copy()
    return with_messages(prompt, messages)


def _allowed(mode: str, *names: str) -> dict[str, Any]:
    tools = [{"type": "function", "function": {"name": name}} for name in names]
    return {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": tools}}


# --- tools ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "choice"),
    [
        ({"tool_choice": "auto"}, {"type": "auto"}),
        ({"tool_choice": "none"}, {"type": "none"}),
        ({"tool_choice": "required"}, {"type": "any"}),
        ({"tool_choice": "any"}, {"type": "any"}),
        (
            {"tool_choice": {"type": "function", "function": {"name": "f"}}},
            {"type": "tool", "name": "f"},
        ),
        ({"tool_choice": _allowed("required", "f")}, {"type": "tool", "name": "f"}),
        ({"parallel_tool_calls": False}, {"type": "auto", "disable_parallel_tool_use": True}),
        (
            {"tool_choice": "required", "parallel_tool_calls": True},
            {"type": "any", "disable_parallel_tool_use": False},
        ),
        ({"tool_choice": "none", "parallel_tool_calls": False}, {"type": "none"}),
    ],
)
def test_tool_choice(fields: dict[str, Any], choice: Any) -> None:
    """OpenAI's tool choice is said in Anthropic's words, without a loss."""
    assert _from_chat(_request(tools=[_TOOL], **fields)) == Encoded(
        request=_request(tools=[_WRITTEN_TOOL], tool_choice=choice)
    )


@pytest.mark.parametrize(
    ("choice", "written"),
    [
        (_allowed("auto", "f"), {"tool_choice": {"type": "auto"}}),
        (_allowed("required", "f", "g"), {"tool_choice": {"type": "any"}}),
    ],
)
def test_several_allowed_tools(choice: Any, written: dict[str, Any]) -> None:
    """Anthropic can't narrow the tools to some: that is listed."""
    prompt = _CHAT.decode(_request(tools=[_TOOL], tool_choice=choice))
    encoded = _CLAUDE.encode(prompt)

    assert encoded.request == _request(tools=[_WRITTEN_TOOL], **written)
    assert encoded.changes == (
        _change("tool-choice", action="changed", before=prompt.tool_choice, after=written),
    )


def test_a_demanded_tool_without_tools() -> None:
    """Anthropic refuses a tool choice without tools: a demand that goes is listed, `auto` asked for nothing."""
    prompt = _CHAT.decode(_request(tool_choice="required"))

    assert _CLAUDE.encode(prompt) == Encoded(
        request=_request(),
        changes=(_change("tool-choice", action="changed", before=prompt.tool_choice, after={}),),
    )
    assert _from_chat(_request(tool_choice="auto", tools=[])) == Encoded(request=_request())


def test_an_unknown_tool_choice() -> None:
    """A choice that only OpenAI knows is left out and listed."""
    choice = {"type": "custom", "custom": {"name": "c"}}

    assert _from_chat(_request(tools=[_TOOL], tool_choice=choice)) == Encoded(
        request=_request(tools=[_WRITTEN_TOOL]),
        changes=(_change("request-fields-left-out", action="removed", before={"tool_choice": choice}),),
    )


@pytest.mark.parametrize(
    "fields",
    [
        {
            "tools": [{"name": "f", "input_schema": {"type": "object"}, "cache_control": None}],
            "tool_choice": {"type": "tool", "name": "f", "x": 1},
        },
        {"tools": [{"type": "web_search_20250305", "name": "web_search"}, 7], "tool_choice": {"type": "odd"}},
        {
            "tools": [{"name": "f", "input_schema": None}],
            "tool_choice": {"type": "any", "disable_parallel_tool_use": True},
        },
        {"tools": [], "tool_choice": None},
        {"tools": "odd", "tool_choice": "auto"},
    ],
)
def test_own_tools_come_back_as_they_were(fields: dict[str, Any]) -> None:
    """Also when the request has to be put together from the prompt alone."""
    request = _request(**fields)
    prompt = _CLAUDE.decode(request)

    assert _CLAUDE.encode(prompt).request is request
    assert _CLAUDE.encode(prompt.model_copy()) == Encoded(request=request)


def test_tools_of_the_other_api() -> None:
    """Function tools get the schema that Anthropic demands; custom tools, and fields that it lacks, are listed."""
    tools = [
        {"type": "custom", "custom": {"name": "c"}},
        {"function": {"name": "f"}},
        {
            "type": "function",
            "function": {"name": "g", "description": "d", "parameters": {"properties": {}}, "strict": True},
            "vendor": 1,
        },
    ]
    prompt = _CHAT.decode(_request(tools=tools))
    assert prompt.tools is not None

    assert _CLAUDE.encode(prompt) == Encoded(
        request=_request(
            tools=[
                {"name": "f", "input_schema": {"type": "object", "properties": {}}},
                {
                    "name": "g",
                    "description": "d",
                    "input_schema": {"type": "object", "properties": {}},
                    "strict": True,
                },
            ]
        ),
        changes=(
            _change(
                "tool-schema-type-demanded",
                action="changed",
                before={"properties": {}},
                after={"type": "object", "properties": {}},
            ),
            _change("provider-tool-left-out", action="removed", before=prompt.tools[0]),
            _change("fields-left-out", action="removed", before={"openai_chat.vendor": 1}),
        ),
    )


def test_own_tools_are_written_anew_as_they_were() -> None:
    """What Anthropic's own request declared gains nothing when the tools beside it change."""
    tools = [
        {"name": "f", "input_schema": {"$ref": "#/$defs/f"}},
        {"name": "g", "input_schema": {"type": "object"}},
    ]
    prompt = _CLAUDE.decode(_request(tools=tools))
    assert prompt.tools is not None

    assert _CLAUDE.encode(replace(prompt, tools=prompt.tools[:1])) == Encoded(
        request=_request(tools=tools[:1])
    )


def test_legacy_functions() -> None:
    """OpenAI's older functions are tools like others."""
    request = _request(
        functions=[{"name": "f", "parameters": {"type": "object"}}], function_call={"name": "f"}
    )

    assert _from_chat(request) == Encoded(
        request=_request(tools=[_WRITTEN_TOOL], tool_choice={"type": "tool", "name": "f"})
    )


# --- arguments ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "written", "is_listed"),
    [
        ('{"a": 1}', {"a": 1}, False),
        ({"a": 1}, {"a": 1}, False),
        ("", {}, True),
        ("null", {}, True),
        (None, {}, True),
        ("[1]", {"input": [1]}, True),
        ('"x"', {"input": "x"}, True),
        ('{"a": 1', {"raw_arguments": '{"a": 1'}, True),
        ('{"a": NaN}', {"raw_arguments": '{"a": NaN}'}, True),
    ],
)
def test_arguments(arguments: Any, written: dict[str, Any], is_listed: bool) -> None:
    """Anthropic takes objects only: anything else is wrapped, so that nothing is lost, and listed."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}
    prompt = _CHAT.decode([_ASKED, {"role": "assistant", "content": None, "tool_calls": [call]}])
    listed = _change(
        "input-is-no-object",
        action="changed",
        message_index=1,
        part_index=0,
        before=prompt.messages[1].parts[0],
        after={"input": written},
    )

    assert _CLAUDE.encode(prompt) == Encoded(
        request=[
            _ASKED,
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "c", "name": "f", "input": written}],
            },
        ],
        changes=(listed,) if is_listed else (),
    )


# --- reasoning, files, unknown parts --------------------------------------------------------------------------------


def test_reasoning_of_another_api() -> None:
    """Anthropic takes only thinking that it signed; other reasoning is left out and listed."""
    signed = {"type": "reasoning.text", "text": "A", "signature": "s"}
    request = [
        {"role": "assistant", "content": "1", "reasoning_details": [signed]},
        {"role": "assistant", "content": "2", "reasoning_content": "B"},
    ]

    encoded = _from_chat(request)

    assert encoded.request == [
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "A", "signature": "s"},
                {"type": "text", "text": "1"},
            ],
        },
        {"role": "assistant", "content": "2"},
    ]
    assert encoded.changes[0] == _change(
        "unsigned-reasoning",
        action="removed",
        message_index=1,
        part_index=0,
        before=ReasoningPart(text="B", provider_options={"openai_chat": {"$field": "reasoning_content"}}),
    )


def test_files_of_the_other_api() -> None:
    """What Anthropic can read is converted; the rest, file ids of OpenAI included, becomes a text and is listed."""
    content = [
        {"type": "file", "file": {"file_id": "file-1", "filename": "a.pdf"}},
        {"type": "file", "file": {"file_data": "data:application/pdf;base64,QQ=="}},
        {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,QQ=="}},
        {"type": "image_url", "image_url": {"url": "data:image/bmp;base64,QQ=="}},
        {"type": "video_url", "video_url": {"url": "https://example.com/a.mp4"}},
        {"type": "widget", "text": "seen"},
        {"type": ["odd"]},
    ]
    prompt = _CHAT.decode([{"role": "user", "content": content}])
    parts = prompt.messages[0].parts
    stubs = {
        0: "[application/pdf a.pdf omitted: not supported here]",
        4: "[image/bmp omitted: not supported here]",
        5: "[video/mp4 at https://example.com/a.mp4 omitted: not supported here]",
        6: "seen",
        7: "[part omitted: not supported here]",
    }
    blocks: dict[int, Any] = {
        1: {
            "type": "document",
            "source": {"type": "base64", "media_type": "application/pdf", "data": "QQ=="},
        },
        2: {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
        3: _IMAGE,
        **{index: {"type": "text", "text": text} for index, text in stubs.items()},
    }

    assert _CLAUDE.encode(prompt) == Encoded(
        request=[{"role": "user", "content": [blocks[index] for index in range(8)]}],
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


def test_a_refusal() -> None:
    """OpenAI's refusal is what the model said: its words stay, and the change of form is listed."""
    prompt = _CHAT.decode([{"role": "assistant", "content": None, "refusal": "No."}])

    assert _CLAUDE.encode(prompt) == Encoded(
        request=[{"role": "assistant", "content": "No."}],
        changes=(
            _change(
                "not-supported-here",
                action="changed",
                message_index=0,
                part_index=0,
                before=prompt.messages[0].parts[0],
                after=TextPart("No."),
            ),
        ),
    )


def test_own_unknown_blocks_come_back_as_they_were() -> None:
    """A block that nobody knows is kept verbatim, also when the message around it was touched."""
    messages = [
        {"role": "assistant", "content": [{"type": "widget", "x": 1}, {"type": "text", "text": "Hi"}]}
    ]
    prompt = _CLAUDE.decode(messages)

    assert prompt.messages[0].parts[0] == OpaquePart(api="anthropic", value={"type": "widget", "x": 1})
    assert _CLAUDE.encode(_touched(prompt, 0)) == Encoded(request=messages)


def test_own_provider_executed_tools_come_back_as_they_were() -> None:
    """What Anthropic's server ran stays in the answer that it ran in."""
    messages = [
        {
            "role": "assistant",
            "content": [
                {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "Oslo"}},
                {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"title": "Oslo"}]},
                {"type": "mcp_tool_use", "id": "m", "name": "f", "server_name": "here", "input": {}},
                {"type": "mcp_tool_result", "tool_use_id": "m", "is_error": False, "content": []},
            ],
        }
    ]
    prompt = _CLAUDE.decode(messages)
    parts = tuple(part.model_copy() for part in prompt.messages[0].parts)
    fresh = prompt.messages[0].model_copy(update={"parts": parts})

    assert [getattr(part, "provider_executed", None) for part in parts] == [True] * 4
    assert _CLAUDE.encode(with_messages(prompt, (fresh,))) == Encoded(request=messages)


# --- turns ----------------------------------------------------------------------------------------------------------


_SPLIT: Final[list[Any]] = [
    _ASKED,
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": name, "name": "f", "input": {}} for name in ("a", "b")],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "a", "content": "A", **_CACHED},
            {"type": "text", "text": "mid", **_CACHED},
            {"type": "tool_result", "tool_use_id": "b", "content": [_IMAGE], "is_error": False},
        ],
        "vendor": 1,
    },
]


def test_a_turn_with_results_and_text_is_several_messages() -> None:
    """Each stretch of results or other content is one message."""
    assert [message.role for message in _CLAUDE.decode(_SPLIT).messages] == [
        "user",
        "assistant",
        "tool",
        "user",
        "tool",
    ]


@pytest.mark.parametrize("indexes", [(2,), (3,), (4,), (2, 3), (3, 4), (2, 3, 4), (1, 4)])
def test_a_partly_touched_turn_goes_back_as_one(indexes: tuple[int, ...]) -> None:
    """Whichever piece was touched: the turn is one message again, every block with its `cache_control`."""
    prompt = _CLAUDE.decode(_SPLIT)

    assert _CLAUDE.encode(_touched(prompt, *indexes)) == Encoded(request=_SPLIT)


def test_only_the_touched_piece_differs() -> None:
    """A changed result is written anew; the blocks beside it are the very same objects."""
    prompt = _CLAUDE.decode(_SPLIT)
    last = prompt.messages[4]
    fresh = last.model_copy(
        update={"parts": (last.parts[0].model_copy(update={"content": None, "output": "B"}),)}
    )
    written = _CLAUDE.encode(with_messages(prompt, (*prompt.messages[:4], fresh))).request

    assert written[2] == {
        **_SPLIT[2],
        "content": [
            *_SPLIT[2]["content"][:2],
            {"type": "tool_result", "tool_use_id": "b", "content": "B", "is_error": False},
        ],
    }
    assert all(written[2]["content"][index] is _SPLIT[2]["content"][index] for index in (0, 1))
    assert all(written[index] is _SPLIT[index] for index in (0, 1))


def test_a_run_of_results_is_one_turn() -> None:
    """OpenAI's messages, one for each result, become one user turn; what the user says next is a turn of its own."""
    calls = [
        {"id": name, "type": "function", "function": {"name": "f", "arguments": "{}"}} for name in ("a", "b")
    ]
    request = [
        _ASKED,
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "b", "content": "B"},
        {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "A"}]},
        _ASKED,
    ]

    assert _from_chat(request) == Encoded(
        request=[
            *_SPLIT[:2],
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "b", "content": "B"},
                    {
                        "type": "tool_result",
                        "tool_use_id": "a",
                        "content": [{"type": "text", "text": "A"}],
                    },
                ],
            },
            _ASKED,
        ]
    )


# --- the request around ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["max_tokens", "max_completion_tokens"])
def test_output_limit_is_carried_over(field: str) -> None:
    """Whatever OpenAI's request calls it."""
    assert _from_chat({"messages": [_ASKED], field: 5}) == Encoded(request=_request())


@pytest.mark.parametrize("fields", [{}, {"max_tokens": None}, {"max_tokens": True}])
def test_output_limit_is_demanded(fields: dict[str, Any]) -> None:
    """Anthropic wants a limit: a request without one gets a default, which is listed."""
    encoded = _from_chat({"messages": [_ASKED], **fields})

    assert encoded.request == {"messages": [_ASKED], "max_tokens": DEFAULT_MAX_TOKENS}
    assert encoded.changes[0] == _change(
        "max-tokens-demanded", action="added", after={"max_tokens": DEFAULT_MAX_TOKENS}
    )


def test_system_prompts() -> None:
    """Leading system prompts stand beside the list, later ones stay in it; what their messages said more is listed."""
    request = _request(
        messages=[
            {"role": "system", "content": "A", "name": "boss"},
            {"role": "developer", "content": [{"type": "text", "text": "B", "mark": 1}]},
            _ASKED,
            {"role": "system", "content": "C"},
        ],
        temperature=0.5,
    )

    assert _from_chat(request) == Encoded(
        request=_request(
            system=[{"type": "text", "text": "A"}, {"type": "text", "text": "B"}],
            messages=[_ASKED, {"role": "system", "content": "C"}],
        ),
        changes=(
            _change("request-fields-left-out", action="removed", before={"temperature": 0.5}),
            _change(
                "fields-left-out",
                action="removed",
                before={"openai_chat.mark": 1, "openai_chat.name": 1, "openai_chat.role": 1},
            ),
        ),
    )


def test_the_system_prompt_of_a_bare_list() -> None:
    """A list can't hold it: it is returned beside, and the move is listed."""
    assert _from_chat([{"role": "system", "content": "A"}, _ASKED]) == Encoded(
        request=[_ASKED],
        system="A",
        changes=(
            _change(
                "system-stands-beside-the-list",
                action="changed",
                before={"system": None},
                after={"system": "A"},
            ),
        ),
    )


@pytest.mark.parametrize(
    "system", ["A", "", [], [{"type": "text", "text": "A"}], [{"type": "text", "text": "A", **_CACHED}]]
)
def test_own_system_comes_back_as_it_was(system: Any) -> None:
    """A touched system prompt keeps its form."""
    request = _request(system=system)

    assert _CLAUDE.encode(_touched(_CLAUDE.decode(request), 0)) == Encoded(request=request)


def test_the_model_is_named_anew() -> None:
    """Another model of the same API changes one field, which is listed; everything else is the very same."""
    request = _request(model="claude-sonnet-4-5", system="A")
    encoded = _CLAUDE.encode(with_model(_CLAUDE.decode(request), ModelRef.of("anthropic/claude-opus-4-1")))

    assert encoded == Encoded(
        request={**request, "model": "claude-opus-4-1"},
        changes=(
            _change(
                "model",
                action="changed",
                before={"model": "claude-sonnet-4-5"},
                after={"model": "claude-opus-4-1"},
            ),
        ),
    )
    assert encoded.request["messages"] is request["messages"]


def test_nothing_is_put_into_a_borrowed_turn() -> None:
    """Results behind a message of which nothing was for this wire start a turn of their own."""
    call = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    results = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]}
    request = _request(messages=[_ASKED, {"role": "assistant", "content": [call]}, results])
    prompt = _CLAUDE.decode(request)
    foreign = ToolMessage(parts=[ToolResultPart(tool_call_id="s", output="x", provider_executed=True)])
    mixed = with_messages(prompt, (*prompt.messages[:2], foreign, prompt.messages[2].model_copy()))

    assert _CLAUDE.encode(mixed).request["messages"] == request["messages"]
    assert request["messages"][1] == {"role": "assistant", "content": [call]}
