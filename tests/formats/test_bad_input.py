"""Malformed requests: the error names the place; nothing else comes out, however odd the input is."""

from __future__ import annotations

import contextlib
import copy
import json
import random
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletionMessage

from replayable import HistoryFormatError, check, fix
from replayable.formats import FORMATS, detect, format_named
from tests.recorded.wires import own

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
        (_CHAT, (), "", "list of 0", "a request (an object with messages) or a list of messages"),
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


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


# What finds its way into histories: other types, empty and huge values, broken emoji, keys that are no strings.
_JUNK: Final[tuple[Any, ...]] = (
    None,
    True,
    0,
    -1.5,
    float("nan"),
    float("inf"),
    10**5000,
    "",
    "x",
    "\ud83d",
    "\x00",
    "data:image/png;base64,",
    "[" * 100_000,
    "{" + '"a":{' * 300 + "}" * 301,
    '{"a": NaN}',
    "null",
    "[]",
    b"x",
    (),
    (1, 2),
    [],
    [[]],
    [None],
    ["x"],
    {},
    {"type": "text"},
    {"type": ["text"]},
    {"type": {}},
    {"type": "tool_use", "id": "a", "name": "b"},
    {"type": "thinking", "thinking": [{"text": 1}, 2]},
    {1: 2},
    {b"a": 1},
    {None: None},
    {"$wire": 1, "$type": [], "$content": "list"},
    _CHAT_ANSWER,
    object(),
)
_DEEP: Final = _nested(300)
_KINDS: Final = (
    "text",
    "tool_use",
    "tool_result",
    "server_tool_use",
    "web_search_tool_result",
    "thinking",
    "redacted_thinking",
    "image",
    "document",
    "image_url",
    "input_audio",
    "file",
    "custom",
    "function",
    "refusal",
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "mcp_call",
    "shell_call",
    "shell_call_output",
    "computer_call_output",
    "web_search_call",
    "tool_search_call",
    "tool_search_output",
    "item_reference",
    "input_text",
    "output_text",
    "input_image",
    "input_file",
)
# What a block holds under its own name, where there is no type.
_MEMBERS: Final = (
    "toolUse",
    "toolResult",
    "reasoningContent",
    "guardContent",
    "citationsContent",
    "cachePoint",
    "json",
)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a request, as the container and the key or index."""
    found: list[tuple[Any, Any]] = []
    todo: list[Any] = [value]
    while todo:
        item = todo.pop()
        keys = list(item) if isinstance(item, dict) else list(range(len(item)))
        found.extend((item, key) for key in keys)
        todo.extend(
            item[key] for key in keys if isinstance(item[key], dict | list) and item[key] is not _DEEP
        )
    return found


def _damaged(request: Any, draw: random.Random) -> Any:
    """The request with up to three damages of the kinds that happen."""
    damaged = copy.deepcopy(request)
    for _ in range(draw.randint(1, 3)):
        places = _places(damaged)
        if not places:
            break
        container, key = draw.choice(places)
        match draw.randrange(6):
            case 0:
                del container[key]
            case 1 | 2:
                # A copy: what is put in may itself be damaged next.
                container[key] = copy.deepcopy(draw.choice(_JUNK))
            case 3 if isinstance(container, dict):
                container[
                    draw.choice(
                        [
                            "text",
                            "parts",
                            *("type", "role", "content", "id", "name", "output", "summary"),
                            *_MEMBERS,
                            *(1, b"k", None, ("a",)),
                        ]
                    )
                ] = container[key]
            case 4 if isinstance(container, dict) and key == "type":
                container[key] = draw.choice(_KINDS)
            case 5 if isinstance(container, list):
                del container[draw.randrange(len(container)) :]
            case _:
                container[key] = _DEEP
    return damaged


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _check(request: Any) -> bool:
    """Decode with each format and encode to each; say whether any could read it."""
    read, is_json = False, _is_json(request)
    for known in FORMATS.values():
        try:
            prompt = known.decode(request)
        except HistoryFormatError:
            continue
        read = True
        assert known.encode(prompt).request is request
        for other in FORMATS.values():
            with contextlib.nullcontext() if is_json else contextlib.suppress(HistoryFormatError):
                other.encode(prompt.model_copy())
                other.encode(prompt)
    return read


_REQUESTS: Final = tuple(row for kind in ("good", "broken") for row in own(kind))


@pytest.mark.parametrize("row", _REQUESTS, ids=lambda row: row.id)
def test_damaged_requests(row: Any) -> None:
    """However a real request is damaged, decode raises `HistoryFormatError` or nothing, and encode writes what it read."""
    draw = random.Random(row.id)
    read = sum(_check(_damaged(row.request, draw)) for _ in range(300))
    # Tolerant where it can be: much of the damage does not make a request unreadable.
    assert read > 50


@pytest.mark.parametrize("row", _REQUESTS, ids=lambda row: row.id)
def test_damaged_requests_through_the_whole(row: Any) -> None:
    """The one call raises nothing but `HistoryFormatError` either, whoever reads next."""
    draw = random.Random(row.id + "fix")
    for _ in range(60):
        request = _damaged(row.request, draw)
        for model in (
            "anthropic/claude-sonnet-4-5",
            "openai/gpt-4o",
            "openai.responses/gpt-5",
            "cerebras/qwen-3-32b",
            "google/gemini-2.5-flash",
            "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "cohere/command-a-03-2025",
        ):
            try:
                fixed = fix(request, model=model)
            except HistoryFormatError:
                continue
            assert all(str(change).isprintable() for change in fixed.changes)


_VALUES: Final = st.recursive(
    st.integers(0, len(_JUNK) - 1).map(lambda index: _JUNK[index]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "role",
                    "content",
                    "type",
                    "text",
                    "tool_calls",
                    "function",
                    "id",
                    "input",
                    "source",
                    "call_id",
                    "name",
                    "arguments",
                    "output",
                    "summary",
                    "tools",
                    "parts",
                    "tool_plan",
                    "document",
                    "image",
                    *_MEMBERS,
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(_VALUES)
def test_anything_at_all(value: Any) -> None:
    """Whatever is handed in as a request, a list or a message."""
    for request in (
        value,
        [value],
        {"messages": value},
        {"messages": [{"role": "user", "content": value}]},
        {"input": value},
        {
            "input": [{"type": value, "call_id": "c"}],
            "instructions": value,
            "tools": value,
            "tool_choice": value,
        },
        {"contents": value},
        {"contents": [{"role": "model", "parts": value}], "tools": value, "toolConfig": value},
        {"messages": [], "system": value, "toolConfig": value, "additionalModelRequestFields": value},
        {"messages": [{"role": "assistant", "content": value, "tool_calls": value, "tool_plan": value}]},
        {"messages": [{"role": "user", "content": [{"toolResult": value}, {"image": value}]}]},
    ):
        _check(request)
        with contextlib.suppress(HistoryFormatError):
            detect(request)
