"""What is read from OpenAI Chat and its dialects, and that all of it goes back, by identity and by value."""

from __future__ import annotations

from typing import Any, Final

import pytest

from replayable import (
    AssistantMessage,
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
from replayable.edits import replace
from replayable.formats import openai_chat
from replayable.messages import Message, Part
from replayable.prompt import ProviderTool, ToolChoice, ToolDefinition, with_messages
from tests.formats.comparing import decoded, renamed, touched

_API: Final = "openai_chat"
_PNG: Final = "iVBORw0KGgo="


def _request(*messages: Any, **fields: Any) -> dict[str, Any]:
    return {"model": "gpt-4o", "messages": list(messages), **fields}


def _user(content: Any = "Hi") -> dict[str, Any]:
    return {"role": "user", "content": content}


def _call(call_id: str = "c1", arguments: Any = '{"city": "Oslo"}', **fields: Any) -> dict[str, Any]:
    function = {"name": "weather", "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function, **fields}


def _calls(*calls: Any, **fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls), **fields}


def _result(call_id: str = "c1", content: Any = "rain") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def _only(message: Any) -> Message:
    """The message of a request of this one."""
    return decoded(_API, _request(message)).messages[0]


def _own(**fields: Any) -> dict[str, Any]:
    return {_API: fields}


def test_roles() -> None:
    """Each role becomes a message of ours; `developer` is a system message that goes back as `developer`."""
    prompt = decoded(
        _API,
        _request(
            {"role": "system", "content": "Be brief."},
            {"role": "developer", "content": "Be polite."},
            {"role": "user", "content": "Hi", "name": "ada"},
            _calls(_call()),
            _result(),
            {"role": "assistant", "content": "Rain."},
        ),
    )

    call = ToolCallPart(
        tool_call_id="c1", tool_name="weather", input={"city": "Oslo"}, raw_input='{"city": "Oslo"}'
    )
    assert prompt.messages == (
        SystemMessage("Be brief.", placement="list"),
        SystemMessage("Be polite.", placement="list", provider_options=_own(role="developer")),
        UserMessage("Hi", provider_options=_own(name="ada")),
        AssistantMessage(parts=[call], api=_API),
        ToolMessage(parts=[ToolResultPart(tool_call_id="c1", output="rain")]),
        AssistantMessage("Rain.", api=_API),
    )


def test_provenance() -> None:
    """The caller may say who made the answers; else they are known by their API alone."""
    request = [{"role": "assistant", "content": "Hi"}]

    known = openai_chat.decode(request, provider="groq", model="llama").messages
    unknown = openai_chat.decode(request).messages

    assert known == (AssistantMessage("Hi", provider="groq", api=_API, model="llama"),)
    assert unknown == (AssistantMessage("Hi", api=_API),)


@pytest.mark.parametrize(
    ("fields", "form"),
    [
        ({"content": "Hi"}, None),
        ({"content": [{"type": "text", "text": "Hi"}]}, "list"),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, None),
        ({"content": ""}, None),
        ({"content": []}, "list"),
        ({"content": None}, "null"),
        ({}, "absent"),
    ],
)
@pytest.mark.parametrize("role", ["user", "assistant", "system"])
def test_forms_of_content(role: str, fields: dict[str, Any], form: str | None) -> None:
    """Text, list, empty, null and absent go back as they were; the form is a note where the parts don't tell."""
    message = _only({"role": role, **fields})

    assert (message.provider_options or {}).get(_API, {}).get("$content") == form


@pytest.mark.parametrize(
    "result",
    [
        *(_result(content=content) for content in ("rain", "", None, [], [{"type": "text", "text": "rain"}])),
        {"role": "tool"},
        {"role": "tool", "tool_call_id": None, "name": "weather", "content": "x", "y": 1},
    ],
)
def test_forms_of_results(result: dict[str, Any]) -> None:
    """So do those of a tool result; Z.ai takes results without an id."""
    part = _only(result).parts[0]

    assert isinstance(part, ToolResultPart)
    content = result.get("content")
    if isinstance(content, list):
        assert part.content == tuple(TextPart(item["text"]) for item in content)
    else:
        assert part.output == content


@pytest.mark.parametrize(
    ("message", "extra"),
    [
        ({"role": "user", "x": 1}, {"x": 1, "$content": "absent"}),
        ({"role": "assistant", "x": 1}, {"x": 1, "$content": "absent"}),
        ({"role": "assistant", "content": "Hi", "audio": {"x": "a"}}, {"audio": {"x": "a"}}),
        ({"role": "assistant", "content": "Hi", "tool_calls": []}, {"tool_calls": []}),
        ({"role": "assistant", "content": "Hi", "refusal": None}, {"refusal": None}),
        ({"role": "assistant", "content": "Hi", "function_call": None}, {"function_call": None}),
    ],
)
def test_unknown_and_empty_fields(message: dict[str, Any], extra: dict[str, Any]) -> None:
    """Fields that no model has are public data, even where the message lacks those that it should have."""
    assert _only(message).provider_options == _own(**extra)


@pytest.mark.parametrize(
    "call",
    [
        _call(index=0),
        _call(extra_content={"google": {"thought_signature": "c2ln"}}),
        {"id": "c1", "function": {"name": "f", "arguments": "{}"}, "extra_content": 1},
        {"function": {"name": "f", "arguments": "{}"}},
        {"id": None, "type": "function", "function": {"name": "f", "arguments": "{}"}},
        {"id": "c1", "type": None, "function": {"name": "f", "x": 1}},
        {"id": "c1", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1", "x": 1}},
    ],
)
def test_unusual_calls(call: dict[str, Any]) -> None:
    """Calls with more or fewer fields than usual go back as they were, by value too."""
    _only(_calls(call))


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        ("{}", {}),
        ('{ "a": 1.0 }', {"a": 1.0}),
        ("", None),
        ("null", None),
        ("[1]", [1]),
        ('{"a": ', None),
        ('{"a": NaN}', None),
        ("[" * 100_000, None),
        ({"a": 1}, {"a": 1}),
        (None, None),
    ],
    ids=lambda value: str(value)[:12],
)
def test_arguments(arguments: Any, value: Any) -> None:
    """What is an object, other JSON, no JSON, or no text at all."""
    part = _only(_calls(_call(arguments=arguments))).parts[0]

    assert isinstance(part, ToolCallPart)
    assert (part.input, part.raw_input) == (value, arguments if isinstance(arguments, str) else None)


def test_the_older_form_of_calls() -> None:
    """`functions`, `function_call` and the role `function`; a placeholder for such a call has that role too."""
    parameters = {"type": "object", "properties": {}}
    call = {"role": "assistant", "content": None, "function_call": {"name": "weather", "arguments": "{}"}}
    prompt = decoded(
        _API,
        _request(
            call,
            {"role": "function", "name": "weather", "content": "rain"},
            call,
            functions=[{"name": "weather", "parameters": parameters}],
            function_call={"name": "weather"},
        ),
    )

    legacy = _own(**{"$legacy": True})
    assert prompt.messages[0].parts == (
        ToolCallPart(tool_name="weather", input={}, raw_input="{}", provider_options=legacy),
    )
    assert prompt.messages[1].parts == (ToolResultPart(tool_name="weather", output="rain"),)
    assert prompt.tools == (ToolDefinition(name="weather", parameters=parameters, provider_options=legacy),)
    answer = ToolMessage(parts=[ToolResultPart(tool_name="weather", output="?", synthesized=True)])
    request = openai_chat.encode(with_messages(prompt, (*prompt.messages, answer))).request
    assert request["messages"][3] == {"role": "function", "name": "weather", "content": "?"}


def _file(kind: str, notes: dict[str, Any] | None = None, **fields: Any) -> FilePart:
    return FilePart(provider_options=_own(**{"$type": kind, **(notes or {})}), **fields)


@pytest.mark.parametrize(
    ("item", "part"),
    [
        (
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{_PNG}", "detail": "low"}},
            _file("image_url", {"image_url": {"detail": "low"}}, media_type="image/png", data=_PNG),
        ),
        (
            {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
            _file("image_url", media_type="image/*", url="https://example.com/a.png"),
        ),
        (
            {"type": "image_url", "image_url": "https://example.com/a.png"},
            _file("image_url", {"$form": "string"}, media_type="image/*", url="https://example.com/a.png"),
        ),
        (
            {"type": "image_url", "image_url": {"url": "data:text/plain;charset=x;base64,eA=="}},
            _file("image_url", media_type="image/*", url="data:text/plain;charset=x;base64,eA=="),
        ),
        (
            {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
            _file("input_audio", {"input_audio": {"format": "wav"}}, media_type="audio/wav", data="UklGRg=="),
        ),
        (
            {"type": "file", "file": {"file_data": "data:application/pdf;base64,JVBERg==", "filename": "a"}},
            _file("file", media_type="application/pdf", data="JVBERg==", filename="a"),
        ),
        (
            {"type": "file", "file": {"file_id": "file-1", "filename": None}, "x": 1},
            _file("file", {"file": {"filename": None}, "x": 1}, file_id="file-1"),
        ),
        (
            {"type": "document_url", "document_url": "https://example.com/a.pdf"},
            _file("document_url", {"$form": "string"}, url="https://example.com/a.pdf"),
        ),
        ({"type": "sketch", "x": [1]}, OpaquePart(api=_API, value={"type": "sketch", "x": [1]})),
        (
            {"type": "image_url", "image_url": 3},
            OpaquePart(api=_API, value={"type": "image_url", "image_url": 3}),
        ),
        ({"type": ["odd"]}, OpaquePart(api=_API, value={"type": ["odd"]})),
        (
            {"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral"}},
            TextPart("Hi", provider_options=_own(cache_control={"type": "ephemeral"})),
        ),
    ],
    ids=lambda value: str(value.get("type")) if isinstance(value, dict) else "",
)
def test_content_parts(item: dict[str, Any], part: Part) -> None:
    """Files, unknown parts and unknown fields of parts."""
    assert _only(_user([item])).parts == (part,)


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
@pytest.mark.parametrize("text", ["Hm.", ""])
def test_reasoning_as_a_string(field: str, text: str) -> None:
    """DeepSeek, Kimi and GLM say `reasoning_content`, Groq and Cerebras `reasoning`."""
    message = _only({"role": "assistant", "content": "4", field: text})

    assert message.parts == (
        ReasoningPart(text=text, provider_options=_own(**{"$field": field})),
        TextPart("4"),
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"reasoning_content": None},
        {"reasoning": None, "reasoning_details": []},
        {"reasoning_content": "Hm.", "reasoning": "Hm."},
        {"reasoning_details": ["odd"]},
        {"reasoning": {"odd": 1}},
        {"thinking_blocks": None},
        {"thinking_blocks": []},
        {"thinking_blocks": ["odd"]},
        {"thinking_blocks": [{"type": "thinking", "thinking": None}]},
        {"thinking_blocks": [{"type": "thinking", "thinking": "Hm.", "signature": None}]},
        {
            "thinking_blocks": [{"type": "thinking", "thinking": "Hm."}],
            "reasoning_details": [{"text": "Hm."}],
        },
    ],
)
def test_reasoning_in_odd_forms(fields: dict[str, Any]) -> None:
    """Empty, doubled and odd reasoning goes back as it was."""
    _only({"role": "assistant", "content": "4", **fields})


def test_reasoning_details() -> None:
    """OpenRouter's details are parts of their own; the string beside them only repeats them."""
    details = [
        {"type": "reasoning.text", "text": "Hm.", "signature": "c2ln", "format": "f", "index": 0},
        {"type": "reasoning.text", "text": None, "signature": "c2ln"},
        {"type": "reasoning.summary", "summary": "In short.", "text": "odd", "id": None},
        {"type": "reasoning.encrypted", "data": "ZW5j", "id": "rs_1"},
        {"x": 1},
    ]
    message = _only({"role": "assistant", "content": "4", "reasoning": "Hm.", "reasoning_details": details})

    def options(*, absent: bool = False, **fields: Any) -> dict[str, Any]:
        notes = {"$field": "reasoning_details", **({"$text": "absent"} if absent else {})}
        return _own(**notes, **fields)

    assert message.parts == (
        ReasoningPart(
            text="Hm.", signature="c2ln", provider_options=options(type="reasoning.text", format="f", index=0)
        ),
        ReasoningPart(
            signature="c2ln", provider_options=options(absent=True, type="reasoning.text", text=None)
        ),
        ReasoningPart(
            text="In short.", provider_options=options(type="reasoning.summary", text="odd", id=None)
        ),
        ReasoningPart(
            encrypted="ZW5j", id="rs_1", provider_options=options(absent=True, type="reasoning.encrypted")
        ),
        ReasoningPart(provider_options=options(absent=True, x=1)),
        TextPart("4"),
    )
    assert message.provider_options == _own(reasoning="Hm.")


def test_thinking_blocks() -> None:
    """LiteLLM hands on the blocks that Anthropic signed, or Gemini; the string beside them only repeats them."""
    blocks: list[dict[str, Any]] = [
        {"type": "thinking", "thinking": "Hm.", "signature": "c2ln", "index": 0},
        {"type": "redacted_thinking", "data": "ZW5j"},
    ]
    wire: dict[str, Any] = {"role": "assistant", "content": "4", "reasoning_content": "Hm."}
    message = _only({**wire, "thinking_blocks": blocks})
    notes = {"$field": "thinking_blocks"}
    assert message.parts == (
        ReasoningPart(text="Hm.", signature="c2ln", provider_options=_own(**notes, index=0)),
        ReasoningPart(encrypted="ZW5j", provider_options=_own(**notes)),
        TextPart("4"),
    )
    assert message.provider_options == _own(reasoning_content="Hm.")
    assert getattr(message, "api", None) == "anthropic"

    signed_by_gemini = {
        **wire,
        "thinking_blocks": blocks,
        "provider_specific_fields": {"thought_signatures": []},
    }
    assert getattr(_only(signed_by_gemini), "api", None) == "gemini"


def test_calls_that_anthropics_server_answered() -> None:
    """LiteLLM hands them on beside the client's own, and takes them back: nobody has to answer them."""
    function = {"name": "web_search", "arguments": "{}"}
    server = {"id": "srvtoolu_1", "type": "function", "function": function}
    client = {"id": "toolu_1", "type": "function", "function": {**function, "name": "f"}}
    prompt = decoded(_API, _request({"role": "assistant", "content": "4", "tool_calls": [server, client]}))
    (answer,) = prompt.messages
    assert [part.provider_executed for part in answer.parts if isinstance(part, ToolCallPart)] == [
        True,
        False,
    ]
    assert getattr(answer, "api", None) == "anthropic"

    changed = replace(answer, parts=(TextPart("5"), *answer.parts[1:]))
    sent = openai_chat.encode(with_messages(prompt, (changed,)))
    assert sent.request["messages"][0]["tool_calls"] == [server, client]
    assert sent.changes == ()


def test_a_call_with_such_an_id_that_a_tool_message_answers() -> None:
    """The client ran it, whatever its id looks like: another provider's wire may have made that up."""
    call = {"id": "srvtoolu_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    result = {"role": "tool", "tool_call_id": "srvtoolu_1", "content": "4"}
    prompt = decoded(_API, _request({"role": "assistant", "content": None, "tool_calls": [call]}, result))
    answer = prompt.messages[0]
    assert [part.provider_executed for part in answer.parts if isinstance(part, ToolCallPart)] == [False]
    assert getattr(answer, "api", None) == _API


def test_mistral_thinking() -> None:
    """Mistral's thinking is a part of the content, made of chunks."""
    chunks = [{"type": "text", "text": "Sim"}, {"type": "text", "text": "ple."}]
    thinking = {"type": "thinking", "thinking": chunks, "closed": True}
    message = _only({"role": "assistant", "content": [thinking, {"type": "text", "text": "4"}]})

    options = _own(**{"$field": "thinking"}, thinking=chunks, closed=True)
    assert message.parts == (ReasoningPart(text="Simple.", provider_options=options), TextPart("4"))


@pytest.mark.parametrize(
    ("message", "field", "expected"),
    [
        (
            {
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}], "closed": True}
                ]
            },
            "content",
            [{"type": "thinking", "thinking": [{"type": "text", "text": "New."}], "closed": True}],
        ),
        (
            {"content": "4", "reasoning_details": [{"type": "reasoning.text", "text": None, "index": 0}]},
            "reasoning_details",
            [{"type": "reasoning.text", "text": "New.", "index": 0}],
        ),
        (
            {"content": "4", "thinking_blocks": [{"type": "thinking", "thinking": "Hm.", "index": 0}]},
            "thinking_blocks",
            [{"type": "thinking", "thinking": "New.", "index": 0}],
        ),
    ],
)
def test_changed_reasoning_is_sent(message: dict[str, Any], field: str, expected: Any) -> None:
    """Where a part's text was changed, the remembered chunks and details don't override it."""
    prompt = decoded(_API, _request({"role": "assistant", **message}))
    old = prompt.messages[0]
    new = replace(old, parts=(replace(old.parts[0], text="New."), *old.parts[1:]))

    assert openai_chat.encode(with_messages(prompt, (new,))).request["messages"][0][field] == expected


def test_what_a_rule_adds_stands_above_null_fields() -> None:
    """An empty field of the original never overrides what a rule put in its place."""
    empty: dict[str, Any] = {"content": "4", "reasoning_content": None, "tool_calls": [], "refusal": None}
    prompt = decoded(_API, _request({"role": "assistant", **empty}))
    reasoning = ReasoningPart(provider_options=_own(**{"$field": "reasoning_content"}))
    call = ToolCallPart(tool_call_id="c1", tool_name="f", input={})
    message = replace(prompt.messages[0], parts=(reasoning, *prompt.messages[0].parts, call))

    assert openai_chat.encode(with_messages(prompt, (message,))).request["messages"] == [
        {
            "role": "assistant",
            "content": "4",
            "reasoning_content": "",
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
            "refusal": None,
        }
    ]


_TOOL: Final[dict[str, Any]] = {"type": "function", "function": {"name": "weather"}}
_ALLOWED: Final = {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [_TOOL]}}


@pytest.mark.parametrize(
    ("fields", "choice"),
    [
        ({"tool_choice": "auto"}, {"type": "auto"}),
        ({"tool_choice": "none"}, {"type": "none"}),
        ({"tool_choice": "required"}, {"type": "required"}),
        ({"tool_choice": "any"}, {"type": "required"}),
        ({"tool_choice": _TOOL}, {"type": "tool", "tool_name": "weather"}),
        ({"tool_choice": _ALLOWED}, {"type": "required", "allowed": ("weather",)}),
        ({"parallel_tool_calls": False}, {"type": "auto", "parallel": False}),
        ({"tool_choice": "required", "parallel_tool_calls": True}, {"type": "required", "parallel": True}),
        ({"function_call": "none"}, {"type": "none"}),
        ({"tool_choice": None}, None),
        ({"tool_choice": {"type": "custom", "custom": {"name": "sql"}}}, None),
        ({"parallel_tool_calls": None}, None),
        ({}, None),
    ],
)
def test_tool_choice(fields: dict[str, Any], choice: dict[str, Any] | None) -> None:
    """Every form of the choice; one that is not known stays among the request's other fields."""
    prompt = decoded(_API, _request(_user(), tools=[_TOOL], **fields))

    read = prompt.tool_choice and prompt.tool_choice.model_copy(update={"provider_options": None})
    assert read == (ToolChoice(**choice) if choice else None)
    assert prompt.request == {"model": "gpt-4o", **({} if choice else fields)}


def test_a_changed_tool_choice_is_sent() -> None:
    """What was remembered of the wire counts only as long as it says the same."""
    prompt = decoded(_API, _request(_user(), tools=[_TOOL], tool_choice="required"))
    assert prompt.tool_choice is not None
    changed = replace(prompt, tool_choice=prompt.tool_choice.model_copy(update={"type": "none"}))

    assert openai_chat.encode(changed).request["tool_choice"] == "none"


def test_a_tool_of_another_api_is_listed() -> None:
    """In a prompt put together by hand: it leaves, and `changes` says so."""
    web_search = ProviderTool(api="anthropic", value={"type": "web_search_20250305"})
    prompt = Prompt(messages=(UserMessage("Hi"),), api=_API, tools=(web_search,), request={"model": "m"})

    assert [change.rule for change in openai_chat.encode(prompt).changes] == ["provider-tool-left-out"]


@pytest.mark.parametrize(
    ("fields", "thinking"),
    [
        ({"thinking": {"type": "enabled"}}, True),
        ({"thinking": {"type": "disabled"}}, False),
        ({"thinking": {"type": ["odd"]}}, None),
        ({"enable_thinking": True}, True),
        ({"reasoning_effort": "high"}, None),
        ({}, None),
    ],
)
def test_thinking(fields: dict[str, Any], thinking: bool | None) -> None:
    """Whether reasoning is on, where the request says so; unknown is None."""
    assert decoded(_API, _request(_user(), **fields)).thinking is thinking


def test_only_the_renamed_part_differs() -> None:
    """One id renamed: its call and its result are written anew, all else is the same object."""
    cached = {"type": "text", "text": "Long.", "cache_control": {"type": "ephemeral"}}
    old = [
        _user([cached]),
        _calls(_call("a:b", index=0), _call("c2", index=1), content=[cached], x=1),
        {**_result("a:b"), "name": "weather", "x": 2},
        _result("c2"),
    ]
    request = _request(*old, temperature=0.5)

    new = openai_chat.encode(renamed(decoded(_API, request), "a:b", "a_b")).request

    expected = [
        old[0],
        {**old[1], "tool_calls": [_call("a_b", index=0), _call("c2", index=1)]},
        {**old[2], "tool_call_id": "a_b"},
        old[3],
    ]
    assert new == {**request, "messages": expected}
    assert new["messages"][0] is old[0]
    assert new["messages"][1]["content"][0] is cached
    assert new["messages"][1]["tool_calls"][1] is old[1]["tool_calls"][1]
    assert new["messages"][3] is old[3]
    assert openai_chat.encode(touched(decoded(_API, request))).request == request


def test_a_bare_list() -> None:
    """A list comes back as the very list, or as a new one when something changed."""
    messages = [_user(), _calls(_call("a:b")), _result("a:b")]
    prompt = decoded(_API, messages)
    assert prompt.request is None

    changed = openai_chat.encode(renamed(prompt, "a:b", "x")).request

    assert changed == [_user(), _calls(_call("x")), _result("x")]
    assert changed[0] is messages[0]
