"""Reading and comparing what requests say."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from tests.judges.good_requests import ANTHROPIC, OPENAI_CHAT
from tests.recorded.content import canonical
from tests.recorded.conversation import Call, Conversation, Difference, differences, read
from tests.recorded.rows import multi_turn, rows


def _function(call_id: str | None, name: str, arguments: Any) -> dict[str, Any]:
    call = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return call if call_id is None else {"id": call_id, **call}


def _tool(call_id: str | None, content: Any) -> dict[str, Any]:
    message = {"role": "tool", "content": content}
    return message if call_id is None else {**message, "tool_call_id": call_id}


def _use(call_id: str, name: str, arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def _answer(call_id: str, content: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **fields}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _user(*content: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(content)}


def _assistant(*content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(content)}


def _output(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": []}


def _responses(*items: Any, **fields: Any) -> Conversation:
    return read({"model": "m", "input": list(items), **fields}, "openai_responses")


def _gemini(*contents: Any, **fields: Any) -> Conversation:
    return read({"contents": list(contents), **fields}, "gemini")


def _turn(role: str, *parts: Any) -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


def _function_call(name: str, arguments: Any, **fields: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": arguments, **fields}}


def _function_response(name: str, response: Any, **fields: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": response, **fields}}


def _chat(*messages: dict[str, Any]) -> Conversation:
    return read({"model": "m", "messages": list(messages)}, "openai_chat")


def _anthropic(*messages: dict[str, Any], **fields: Any) -> Conversation:
    return read({"model": "m", "max_tokens": 1, "messages": list(messages), **fields}, "anthropic_messages")


_APIS = ("openai_chat", "anthropic_messages", "openai_responses", "gemini", "bedrock_converse", "cohere_v2")
_CHAT_MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {
        "role": "user",
        "content": [
            _text("Weather?"),
            _text("In Oslo."),
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        ],
    },
    {
        "role": "assistant",
        "content": "I look.",
        "reasoning_content": "A tool helps.",
        "tool_calls": [
            _function("c1", "weather", '{"days": 2, "city": "Oslo"}'),
            _function("c2", "map", "{}"),
        ],
    },
    _tool("c2", [_text("north"), _text("south")]),
    _tool("c1", '{"t": 12, "sky": "grey"}'),
    {"role": "assistant", "content": [_text("12 °C."), {"type": "refusal", "refusal": "No map."}]},
    {"role": "user", "content": "Again"},
    {"role": "assistant", "content": None, "tool_calls": [_function("c1", "weather", "not json")]},
    _tool("c1", ""),
]
_ANTHROPIC_MESSAGES: list[dict[str, Any]] = [
    _user(_text("Weather?")),
    _user(
        _text("In Oslo."),
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
    ),
    _assistant(
        {"type": "thinking", "thinking": "A tool helps.", "signature": "s"},
        {"type": "redacted_thinking", "data": "x"},
        _text("I look."),
        _use("t1", "weather", {"city": "Oslo", "days": 2}),
        _use("t2", "map", {}),
    ),
    _user(_answer("t1", [_text('{"sky":"grey","t":12}')])),
    _user(_answer("t2", "north\nsouth")),
    {"role": "assistant", "content": "12 °C."},
    {"role": "assistant", "content": "No map."},
    {"role": "user", "content": "Again"},
    _assistant(_use("t3", "weather", "not json")),
    _user(_answer("t3", [])),
]


_RESPONSES_INPUT: list[dict[str, Any]] = [
    {
        "role": "user",
        "content": [
            {"type": "input_text", "text": "Weather?"},
            {"type": "input_text", "text": "In Oslo."},
            {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
        ],
    },
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "A tool helps."}]},
    {"type": "message", "role": "assistant", "id": "msg_1", "content": [_output("I look.")]},
    {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "c1",
        "name": "weather",
        "arguments": '{"days": 2, "city": "Oslo"}',
    },
    {"type": "function_call", "call_id": "c2", "name": "map", "arguments": "{}"},
    {
        "type": "function_call_output",
        "call_id": "c2",
        "output": [{"type": "input_text", "text": "north"}, {"type": "input_text", "text": "south"}],
    },
    {"type": "function_call_output", "call_id": "c1", "output": '{"t": 12, "sky": "grey"}'},
    {
        "role": "assistant",
        "content": [_output("12 °C."), {"type": "refusal", "refusal": "No map."}],
    },
    {"type": "message", "role": "user", "content": "Again"},
    {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": "not json"},
    {"type": "function_call_output", "call_id": "c1", "output": ""},
]


_GEMINI_CONTENTS: list[dict[str, Any]] = [
    _turn(
        "user",
        {"text": "Weather?"},
        {"text": "In Oslo.", "thought": False},
        {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
    ),
    _turn(
        "model",
        {"text": "A tool helps.", "thought": True},
        {"text": "I look."},
        {**_function_call("weather", {"city": "Oslo", "days": 2}), "thoughtSignature": "s"},
        {"function_call": {"name": "map"}},
    ),
    _turn(
        "user",
        _function_response("map", {"output": "north\nsouth"}),
        _function_response("weather", {"sky": "grey", "t": 12}),
    ),
    _turn("model", {"text": "12 °C."}, {"thoughtSignature": "s"}),
    _turn("model", {"text": "No map."}),
    {"parts": [{"text": "Again"}]},
    _turn("model", _function_call("weather", "not json", id="x")),
    _turn("function", {"function_response": {"name": "other", "id": "y", "response": {"output": ""}}}),
]


def _bedrock(*messages: dict[str, Any], **fields: Any) -> Conversation:
    return read({"messages": list(messages), **fields}, "bedrock_converse")


def _tool_use(call_id: str, name: str, arguments: Any, **fields: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": call_id, "name": name, "input": arguments, **fields}}


def _tool_result(call_id: str, *content: Any, **fields: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": call_id, "content": list(content), **fields}}


_BEDROCK_MESSAGES: list[dict[str, Any]] = [
    _user(
        {"text": "Weather?"},
        {"guardContent": {"text": {"text": "In Oslo.", "qualifiers": ["query"]}}},
        {"image": {"format": "png", "source": {"bytes": b"\0\0\0"}}},
        {"cachePoint": {"type": "default"}},
    ),
    _assistant(
        {"reasoningContent": {"reasoningText": {"text": "A tool helps.", "signature": "s"}}},
        {"reasoningContent": {"redactedContent": b"x"}},
        {"text": "I look."},
        _tool_use("t1", "weather", {"city": "Oslo", "days": 2}),
        _tool_use("t2", "map", {}),
    ),
    _user(
        _tool_result("t2", {"text": "north"}, {"text": "south"}, status="success"),
        _tool_result("t1", {"json": {"sky": "grey", "t": 12}}),
    ),
    _assistant(
        {"citationsContent": {"content": [{"text": "12 "}, {"text": "°C."}], "citations": []}},
        {"text": "No map."},
    ),
    _user({"text": "Again"}),
    _assistant(_tool_use("t3", "weather", "not json")),
    _user(_tool_result("t3")),
]

_COHERE_MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": [_text("Be brief.")]},
    _user(
        _text("Weather?"),
        _text("In Oslo."),
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ),
    {
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "A tool helps."}],
        "tool_plan": "I look.",
        "tool_calls": [
            _function("c1", "weather", '{"days": 2, "city": "Oslo"}'),
            _function("c2", "map", "{}"),
        ],
        "citations": [],
    },
    _tool("c2", [_text("north"), _text("south")]),
    _tool("c1", [{"type": "document", "document": {"id": "d", "data": {"sky": "grey", "t": 12}}}]),
    {"role": "assistant", "content": [_text("12 °C."), _text("No map.")]},
    {"role": "user", "content": "Again"},
    {"role": "assistant", "tool_calls": [_function("c1", "weather", "not json")]},
    _tool("c1", ""),
]


def test_read_chat() -> None:
    """An OpenAI Chat request is read into its texts, calls with results, media and events."""
    weather = Call("weather", '{"city":"Oslo","days":2}', '{"sky":"grey","t":12}')
    again = Call("weather", "not json", "")
    area = Call("map", "{}", "north\nsouth")

    assert _chat(*_CHAT_MESSAGES) == Conversation(
        system=("Be brief.",),
        user_texts=("Weather?", "In Oslo.", "Again"),
        assistant_texts=("I look.", "12 °C.", "No map."),
        calls=(weather, area, again),
        server_calls=(),
        media=("sha256:63c1dd951ffedf6f",),
        orphans=(),
        other=(),
        events=(
            ("user", "Weather?"),
            ("user", "In Oslo."),
            ("assistant", "I look."),
            ("call", "weather", weather.input, weather.output),
            ("call", "map", "{}", "north\nsouth"),
            ("assistant", "12 °C."),
            ("assistant", "No map."),
            ("user", "Again"),
            ("call", "weather", "not json", ""),
        ),
    )


def test_same_in_all_apis() -> None:
    """Requests that say the same in different APIs, grouped otherwise, are equal in content."""
    chat = _chat(*_CHAT_MESSAGES)
    anthropic = _anthropic(*_ANTHROPIC_MESSAGES, system=[_text("Be brief.")])
    responses = _responses(*_RESPONSES_INPUT, instructions="Be brief.")

    gemini = _gemini(*_GEMINI_CONTENTS, systemInstruction={"parts": [{"text": "Be brief."}]})

    bedrock = _bedrock(
        *_BEDROCK_MESSAGES, system=[{"text": "Be brief."}, {"cachePoint": {"type": "default"}}]
    )
    cohere = read({"messages": _COHERE_MESSAGES}, "cohere_v2")

    for one, other in itertools.permutations((chat, anthropic, responses, gemini, bedrock, cohere), 2):
        assert differences(one, other) == []
        assert one.events == other.events


def test_system_anywhere() -> None:
    """System and developer texts count wherever they stand."""
    user = {"role": "user", "content": "Hi"}
    top = _anthropic(user, system="One")
    inside = _anthropic({"role": "system", "content": [_text("One")]}, user)
    developer = _chat(user, {"role": "developer", "content": [_text("One")]})

    assert top == inside
    assert differences(top, developer) == []


@pytest.mark.parametrize(
    "thinking",
    [
        {"type": "thinking", "thinking": "hm"},
        {"type": "thinking", "thinking": [_text("hm")], "closed": True},
    ],
)
def test_thinking_chunks(thinking: dict[str, Any]) -> None:
    """Thinking chunks among the assistant's parts are no text of the assistant."""
    with_thinking = _chat(_assistant(thinking, _text("Hi")))

    assert with_thinking == _chat({"role": "assistant", "content": "Hi"})


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content", "reasoning_details"])
def test_reasoning_fields(field: str) -> None:
    """Reasoning beside the content is no text of the assistant."""
    assert _chat({"role": "assistant", "content": "Hi", field: "hm"}) == _chat(
        {"role": "assistant", "content": "Hi"}
    )


def test_refusal_field() -> None:
    """A refusal counts as what the assistant said."""
    assert _chat({"role": "assistant", "content": None, "refusal": "No."}).assistant_texts == ("No.",)


def test_legacy_function() -> None:
    """The legacy call and its `function` message are a call with its result."""
    legacy = _chat(
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "1"},
    )

    assert legacy.calls == (Call("f", "{}", "1"),)


def test_custom_call() -> None:
    """A custom tool's free text is the call's input."""
    call = {"id": "c", "type": "custom", "custom": {"name": "f", "input": "SELECT 1"}}

    assert _chat({"role": "assistant", "tool_calls": [call]}).calls == (Call("f", '"SELECT 1"'),)


def test_results_without_id() -> None:
    """Results without an id go to the open calls by position, after those that have one."""
    calls = [_function("c1", "a", "{}"), _function("c2", "b", "{}"), _function("c3", "c", "{}")]

    conversation = _chat(
        {"role": "assistant", "tool_calls": calls}, _tool(None, "A"), _tool("c1", "by id"), _tool(None, "C")
    )

    assert [call.output for call in conversation.calls] == ["by id", "A", "C"]


def test_same_id_in_later_turn() -> None:
    """An id that is used again belongs to the call of its own run."""
    turn = [{"role": "assistant", "tool_calls": [_function("c", "f", "{}")]}, _tool("c", "first")]
    again = [turn[0], _tool("c", "second")]

    assert [call.output for call in _chat(*turn, *again).calls] == ["first", "second"]
    assert [call.output for call in _chat(turn[0], {"role": "user", "content": "?"}, *again).calls] == [
        None,
        "second",
    ]


def test_consecutive_assistant_messages() -> None:
    """Calls in consecutive assistant messages share one run of results."""
    first, second = (_assistant(_use(name, name, {})) for name in "ab")

    conversation = _anthropic(first, second, _user(_answer("b", "B")), _user(_answer("a", "A")))

    assert [call.output for call in conversation.calls] == ["A", "B"]


def test_orphans() -> None:
    """A result that answers no open call of its run is an orphan."""
    call = {"role": "assistant", "tool_calls": [_function("c", "f", "{}")]}

    assert _chat(
        _tool("x", "early"), call, _tool("c", "1"), _tool("c", "twice"), _tool("y", "?")
    ).orphans == (
        "early",
        "twice",
        "?",
    )


def test_result_details() -> None:
    """A result tells of its media and its error mark; what isn't text is kept as JSON."""
    image = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}
    reference = {"type": "tool_reference", "tool_name": "f"}

    conversation = _anthropic(
        _assistant(_use("t", "f", {})), _user(_answer("t", [_text("x"), image, reference], is_error=True))
    )

    assert conversation.calls == (
        Call("f", "{}", 'x\n{"tool_name":"f","type":"tool_reference"}', has_media=True, is_error=True),
    )


def test_server_calls() -> None:
    """What the provider ran itself is kept apart."""
    conversation = _anthropic(
        _assistant(
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}},
            {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"url": "u"}]},
            _text("Found."),
        )
    )

    assert conversation.server_calls == (Call("web_search", '{"query":"q"}', '[{"url":"u"}]'),)
    assert conversation.events == (("assistant", "Found."),)


@pytest.mark.parametrize(
    ("item", "call"),
    [
        ({"action": {"commands": ["ls"]}}, Call("shell", '{"action":{"commands":["ls"]}}')),
        ({"operation": {"path": "a"}}, Call("apply_patch", '{"operation":{"path":"a"}}')),
        ({"name": "sql", "input": "SELECT 1"}, Call("sql", '"SELECT 1"')),
        ({"execution": "client", "arguments": {"q": 1}}, Call("tool_search", '{"q":1}')),
    ],
)
def test_client_calls_of_responses(item: dict[str, Any], call: Call) -> None:
    """What the client runs besides functions is a call under the name of its type, or its own."""
    kind = "custom_tool" if call.name == "sql" else call.name

    assert _responses({"type": f"{kind}_call", "call_id": "c", **item}).calls == (call,)


@pytest.mark.parametrize(
    ("item", "call"),
    [
        (
            {"type": "web_search_call", "action": {"query": "q"}},
            Call("web_search", '{"action":{"query":"q"}}'),
        ),
        (
            {"type": "mcp_call", "name": "f", "arguments": "{}", "output": "1", "error": None},
            Call("f", "{}", "1"),
        ),
        (
            {"type": "code_interpreter_call", "code": "1", "outputs": []},
            Call("code_interpreter", '{"code":"1"}', "[]"),
        ),
        ({"type": "tool_search_call", "arguments": {}}, Call("tool_search", "{}")),
    ],
)
def test_server_calls_of_responses(item: dict[str, Any], call: Call) -> None:
    """What OpenAI ran itself is kept apart, with its result where the item holds one."""
    conversation = _responses({"id": "i", **item})

    assert conversation.server_calls == (call,)
    assert conversation.calls == ()


def test_gemini_responses_without_ids() -> None:
    """Responses find their calls by id, then by name, then by position; how often an id stands there doesn't matter."""
    calls = [_function_call(name, {}) for name in ("a", "b", "c")]
    answers = [_function_response(name, {"output": name}) for name in ("other", "c", "a")]
    same = [_function_call("f", {}, id="f"), _function_call("f", {}, id="f")]
    twice = [_function_response("f", {"output": text}, id="f") for text in ("1", "2")]

    assert [call.output for call in _gemini(_turn("model", *calls), _turn("user", *answers)).calls] == [
        "a",
        "other",
        "c",
    ]
    assert [call.output for call in _gemini(_turn("model", *same), _turn("user", *twice)).calls] == ["1", "2"]


def test_gemini_errors_and_media() -> None:
    """A response that is an `error` and nothing else is one; one with parts has media."""
    media = [{"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]
    conversation = _gemini(
        _turn("model", _function_call("f", {}), _function_call("g", {}), _function_call("h", {})),
        _turn(
            "user",
            _function_response("f", {"error": "no"}),
            {"functionResponse": {"name": "g", "parts": media}},
            _function_response("h", {"error": "no", "code": 1}),
        ),
    )

    assert conversation.calls == (
        Call("f", "{}", "no", is_error=True),
        Call("g", "{}", "", has_media=True, is_error=False),
        Call("h", "{}", '{"code":1,"error":"no"}', is_error=False),
    )


def test_gemini_server_tools() -> None:
    """What Google ran itself is kept apart."""
    conversation = _gemini(
        _turn(
            "model",
            {"toolCall": {"tool_type": "FILE_SEARCH", "id": "t", "args": {}}},
            {"toolResponse": {"toolType": "FILE_SEARCH", "id": "t", "response": {"n": 1}}},
            {"executableCode": {"code": "1", "language": "PYTHON"}},
            {"codeExecutionResult": {"outcome": "OUTCOME_OK"}},
        )
    )

    assert conversation.server_calls == (
        Call("file_search", "{}", '{"n":1}'),
        Call("code_execution", '{"code":"1","language":"PYTHON"}', '{"outcome":"OUTCOME_OK"}'),
    )


@pytest.mark.parametrize(
    "contents",
    [
        "Hi",
        {"text": "Hi"},
        ["Hi"],
        [{"text": "Hi"}],
        _turn("user", {"text": "Hi"}),
        {"parts": {"text": "Hi"}},
    ],
)
def test_forms_of_gemini_contents(contents: Any) -> None:
    """What the SDK takes for contents says the same as a list of them."""
    assert read({"contents": contents}, "gemini") == _gemini(_turn("user", {"text": "Hi"}))


def test_bedrock_server_tools_and_media() -> None:
    """What Bedrock ran itself is kept apart; a result with a medium has one, a failed one is an error."""
    image = {"image": {"format": "png", "source": {"s3Location": {"uri": "s3://bucket/a.png"}}}}
    conversation = _bedrock(
        _user({"document": {"name": "a", "source": {"text": "x"}}}, {"searchResult": {"title": "t"}}),
        _assistant(
            _tool_use("s", "nova_grounding", {}, type="server_tool_use"),
            _tool_result("s", {"json": ["x"]}, type="nova_grounding_result"),
            _tool_use("t", "f", {}),
        ),
        _user(_tool_result("t", image, status="error"), image),
    )

    assert conversation.server_calls == (Call("nova_grounding", "{}", '["x"]', is_error=False),)
    assert conversation.calls == (Call("f", "{}", "", has_media=True, is_error=True),)
    assert conversation.media == ('{"text":"x"}', "s3://bucket/a.png")
    assert conversation.other == ('{"searchResult":{"title":"t"}}',)


def test_bytes_and_base64_of_bedrock() -> None:
    """Bytes as such are the same medium as their base64 text."""
    as_bytes = {"image": {"format": "png", "source": {"bytes": b"\0\0\0"}}}
    as_text = {"image": {"format": "png", "source": {"bytes": "AAAA"}}}

    assert _bedrock(_user(as_bytes)) == _bedrock(_user(as_text))


def test_cohere_documents() -> None:
    """The data of a document may be JSON text, as old clients send it."""
    call = {"role": "assistant", "tool_calls": [_function("c", "f", "{}")]}
    for data in ({"n": 1}, '{"n": 1}'):
        document = {"type": "document", "document": {"data": data}}
        assert read({"messages": [call, _tool("c", [document])]}, "cohere_v2").calls == (
            Call("f", "{}", '{"n":1}'),
        )


def test_outputs_of_responses() -> None:
    """Outputs of every type find their call, whatever the form of the answer."""
    outputs: dict[str, Any] = {
        "custom_tool_call_output": "x",
        "shell_call_output": [{"stdout": "x"}],
        "computer_call_output": {"type": "computer_screenshot", "image_url": "https://example.org/a.png"},
    }
    for kind, output in outputs.items():
        call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
        conversation = _responses(call, {"type": kind, "call_id": "c", "output": output})

        assert [answered.output for answered in conversation.calls] == [
            {"custom_tool_call_output": "x", "shell_call_output": '[{"stdout":"x"}]'}.get(kind, "")
        ]
        assert conversation.calls[0].has_media is (kind == "computer_call_output")


def test_what_responses_refers_to() -> None:
    """References and unknown items are kept as they are."""
    items: list[dict[str, Any]] = [
        {"type": "item_reference", "id": "msg_1"},
        {"type": "compaction", "encrypted_content": "x"},
    ]

    assert _responses(*items).other == tuple(map(canonical, items))
    assert read({"input": "Hi"}, "openai_responses").user_texts == ("Hi",)


@pytest.mark.parametrize("output", ["1.10", "12345678901234567890.5", "true", "plain", "{broken"])
def test_plain_output(output: str) -> None:
    """Only JSON objects and arrays are rewritten; other results stay as they are written."""
    conversation = _chat({"role": "assistant", "tool_calls": [_function("c", "f", "{}")]}, _tool("c", output))

    assert conversation.calls[0].output == output


def _drop(index: int) -> Callable[[list[dict[str, Any]]], list[dict[str, Any]]]:
    return lambda messages: messages[:index] + messages[index + 1 :]


def _put(index: int, *new: dict[str, Any]) -> Callable[[list[dict[str, Any]]], list[dict[str, Any]]]:
    return lambda messages: [*messages[:index], *new, *messages[index + 1 :]]


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (_drop(0), [Difference("system", 0, "Be brief.", None)]),
        (_put(0, {"role": "system", "content": "Be"}), [Difference("system", 0, "Be brief.", "Be")]),
        (_drop(6), [Difference("user_text", 2, "Again", None)]),
        (_put(6, _user(_text("Never"), _text("Again"))), [Difference("user_text", 2, None, "Never")]),
        (_put(5, _assistant(_text("12 °C."))), [Difference("assistant_text", 2, "No map.", None)]),
        (_drop(4), [Difference("call_output", 0, '{"sky":"grey","t":12}', None)]),
        (_put(4, _tool("c1", "12")), [Difference("call_output", 0, '{"sky":"grey","t":12}', "12")]),
        (
            _put(4, _tool("c1", [_text('{"t": 12, "sky": "grey"}'), {"type": "file", "file": {}}])),
            [Difference("call_media", 0, "False", "True")],
        ),
        (
            _put(7, {"role": "assistant", "tool_calls": [_function("c1", "weather", "{}")]}),
            [Difference("call_input", 2, "not json", "{}")],
        ),
        (
            _put(7, {"role": "assistant", "tool_calls": [_function("c1", "sun", "not json")]}),
            [Difference("call_name", 2, "weather", "sun")],
        ),
        (lambda messages: messages[:7], [Difference("call", 2, '["weather","not json",""]', None)]),
        (
            _put(1, {"role": "user", "content": [_text("Weather?"), _text("In Oslo.")]}),
            [Difference("media", 0, "sha256:63c1dd951ffedf6f", None)],
        ),
        (_put(8, _tool("c1", ""), _tool("c1", "x")), [Difference("orphan", 0, None, "x")]),
        (
            lambda messages: [*messages, {"role": "narrator", "content": "x"}],
            [Difference("other", 0, None, '{"content":"x","role":"narrator"}')],
        ),
        (
            lambda messages: [*messages[:5], messages[6], messages[5], *messages[7:]],
            [Difference("order", 5, '["assistant","12 °C."]', '["user","Again"]')],
        ),
    ],
)
def test_damage(
    damage: Callable[[list[dict[str, Any]]], list[dict[str, Any]]], expected: list[Difference]
) -> None:
    """Each damage to a request gives the difference that it makes, and no other."""
    assert differences(_chat(*_CHAT_MESSAGES), _chat(*damage(_CHAT_MESSAGES))) == expected


def test_damaged_pairing() -> None:
    """Two results that change places make both outputs differ."""
    calls = _assistant(_use("a", "f", {"n": 1}), _use("b", "f", {"n": 2}))
    before = _anthropic(calls, _user(_answer("a", "one"), _answer("b", "two")))
    after = _anthropic(calls, _user(_answer("b", "one"), _answer("a", "two")))

    assert differences(before, after) == [
        Difference("call_output", 0, "one", "two"),
        Difference("call_output", 1, "two", "one"),
    ]


def test_error_mark() -> None:
    """A lost error mark is a difference where the API has one, and none where it hasn't."""
    call, failed = _assistant(_use("t", "f", {})), _user(_answer("t", "x", is_error=True))
    before = _anthropic(call, failed)

    assert differences(before, _anthropic(call, _user(_answer("t", "x")))) == [
        Difference("call_error", 0, "True", "False")
    ]
    chat = _chat({"role": "assistant", "tool_calls": [_function("c", "f", "{}")]}, _tool("c", "x"))
    assert differences(before, chat) == []


def test_blank_as_absent() -> None:
    """Blank texts, results and arguments are told unless blanks count as absent."""
    before = _chat(
        {"role": "system", "content": ""},
        {"role": "user", "content": " \n"},
        {"role": "assistant", "content": "", "tool_calls": [_function("c", "f", "")]},
        _tool("c", " "),
    )
    after = _anthropic(_assistant(_use("t", "f", {})), _user(_answer("t", "")))

    assert [difference.kind for difference in differences(before, after)] == [
        "system",
        "user_text",
        "assistant_text",
        "call_input",
        "call_output",
    ]
    assert differences(before, after, blank_as_absent=True) == []


def test_blank_result_is_a_result() -> None:
    """Losing an empty result is a difference even where blanks count as absent."""
    call = {"role": "assistant", "tool_calls": [_function("c", "f", "{}")]}

    assert differences(_chat(call, _tool("c", "")), _chat(call), blank_as_absent=True) == [
        Difference("call_output", 0, "", None)
    ]


@pytest.mark.parametrize("api", _APIS)
@pytest.mark.parametrize(
    "messages",
    [
        None,
        "text",
        {"role": "user"},
        [None, "x", 1, []],
        [{"role": ["user"], "content": "x"}],
        [{"role": "user", "content": [None, 1, {"type": ["text"]}, {"text": 1, "type": "text"}]}],
        [{"role": "assistant", "content": [{"type": "tool_use"}, {"type": "tool_result"}]}],
        [{"role": "assistant", "tool_calls": {"function": None}}, {"role": "tool"}],
        [{"role": "assistant", "tool_calls": [None, {"custom": 1}], "function_call": {}}],
        [{"role": "user", "content": {"type": "image", "source": None}}],
        [{"role": "user", "content": [{"type": "image_url", "image_url": None}]}],
        [{"role": "assistant", "tool_calls": [{"function": {"name": 1, "arguments": "[" * 100_000}}]}],
        [{"type": "function_call"}, {"type": "function_call_output"}, {"type": []}, {"type": "mcp_call"}],
        [{"type": "shell_call_output", "output": None}, {"type": "message", "content": {"type": 1}}],
        [{"role": "model", "parts": None}, {"role": "narrator"}, {"parts": [None, 1, [], {}]}],
        [{"role": "user", "content": [{"text": 1}, {"toolResult": None}, {"guardContent": {"text": 1}}]}],
        [
            {
                "role": "assistant",
                "content": [{"toolUse": 1}, {"citationsContent": {"content": 1}}, {"image": {}}],
            }
        ],
        [{"role": "system", "content": [{"text": None}]}, {"role": "tool", "content": [{"document": 1}]}],
        [{"role": "model", "parts": [{"functionCall": 1}, {"functionResponse": []}, {"inlineData": 1}]}],
    ],
)
def test_malformed(api: str, messages: Any) -> None:
    """A malformed request is read as far as it goes."""
    conversation = read({"messages": messages, "input": messages, "contents": messages}, api)

    assert differences(conversation, conversation) == []


def test_real_traffic() -> None:
    """Nearly all accepted multi-turn requests have texts or calls, nearly all results find their call."""
    requests = [("openai_chat", request) for request in OPENAI_CHAT.values()]
    requests += [("anthropic_messages", request) for request in ANTHROPIC.values()]
    for kind in ("accepted", "rejected"):
        requests += [(row.api, row.request) for row in rows(kind, *_APIS) if not row.server_state]

    conversations = [(request, read(request, api)) for api, request in requests]

    turns = [conversation for request, conversation in conversations if multi_turn(request)]
    empty = sum(1 for conversation in turns if not conversation.events)
    results = sum(call.output is not None for conversation in turns for call in conversation.calls)
    orphans = sum(len(conversation.orphans) for conversation in turns)
    other = sum(len(conversation.other) for conversation in turns)
    print(f"{len(turns)} requests: {empty} empty, {results} results, {orphans} orphans, {other} other")
    assert empty <= 0.01 * len(turns)
    assert orphans <= 0.05 * results
    assert all(differences(one, one) == [] for one in turns)
