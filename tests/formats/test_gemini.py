"""What the Gemini format reads, and how it writes what came from there."""

from __future__ import annotations

from typing import Any

import pytest

from replayable import HistoryFormatError, Prompt, clean_messages
from replayable.formats import anthropic, gemini
from replayable.messages import (
    Message,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from replayable.prompt import ProviderTool, with_messages
from tests.formats.comparing import decoded, renamed, text_of, touched

_SIGNATURE = "c2lnbmVk"


def content(role: str, *parts: Any, **fields: Any) -> dict[str, Any]:
    """A content."""
    return {"role": role, "parts": list(parts), **fields}


def call(name: str, arguments: Any = None, **fields: Any) -> dict[str, Any]:
    """A part with a call; other fields of the call by name."""
    return {"functionCall": {"name": name, "args": arguments or {}, **fields}}


def response(name: str, output: Any, **fields: Any) -> dict[str, Any]:
    """A part with a response; other fields of the response by name."""
    return {"functionResponse": {"name": name, "response": output, **fields}}


def read(*contents: Any, **fields: Any) -> Prompt:
    """The prompt, after checking that it goes back as it came: the very object, by value, and with all messages touched."""
    request = {"contents": list(contents), **fields}
    prompt = decoded("gemini", request)
    assert text_of(gemini.encode(touched(prompt)).request) == text_of(request)
    return prompt


def parts_of(*contents: Any, **fields: Any) -> list[Any]:
    """The parts of all messages."""
    return [part for message in read(*contents, **fields).messages for part in message.parts]


def without_wire(prompt: Prompt) -> Prompt:
    """The prompt as if every part had been touched."""
    messages = [
        message.model_copy(update={"parts": tuple(part.model_copy() for part in message.parts)})
        for message in prompt.messages
    ]
    return with_messages(prompt, messages)


def _ids(prompt: Prompt) -> list[str | None]:
    parts = [part for message in prompt.messages for part in message.parts]
    return [part.tool_call_id for part in parts if isinstance(part, ToolCallPart | ToolResultPart)]


def test_roles() -> None:
    """User, model, function and no role at all are read; results stand in a tool message of their own."""
    prompt = read(
        {"parts": [{"text": "Hi"}]},
        content("model", call("f")),
        content("function", response("f", {"a": 1})),
        {"role": None, "parts": []},
    )

    assert [message.role for message in prompt.messages] == ["user", "assistant", "tool", "user"]


@pytest.mark.parametrize(
    ("role", "ours"),
    [("system", "system"), ("developer", "system"), ("assistant", "assistant"), ("", "user")],
)
def test_roles_of_other_apis(role: str, ours: str) -> None:
    """A role that the API refuses is read as what it means elsewhere, and goes back as it came."""
    request = {"contents": [content(role, {"text": "Hi"}), content("user", {"text": "Go on"})]}
    prompt = gemini.decode(request)

    assert prompt.messages[0].role == ours
    assert gemini.encode(prompt).request is request
    stored = Prompt.model_validate_json(prompt.model_dump_json())
    assert gemini.encode(stored).request == request


def test_a_role_is_a_string() -> None:
    """A role that is no string is a format error."""
    with pytest.raises(HistoryFormatError) as raised:
        gemini.decode({"contents": [content("user"), {"role": 1, "parts": []}]})

    assert raised.value.path == "contents[1].role"


@pytest.mark.parametrize(
    "part",
    [
        {"text": "Hi", "thoughtSignature": _SIGNATURE},
        {"text": "Hi", "thought": False},
        {"text": "Hi", "unknownField": [1]},
        {"text": ""},
        {"text": None, "functionCall": None},
        {},
        {"unknownPart": {"a": 1}},
        {"inlineData": {"mimeType": "image/png"}},
        {"fileData": {"fileUri": None}},
        {"thought": True, "inlineData": {"mimeType": "image/png", "data": "AA=="}},
        {"thought": True, "text": "Hm"},
        {"thought": True, "text": "Hm", "thought_signature": _SIGNATURE},
        {"thought": True},
        {"thoughtSignature": _SIGNATURE},
        {"text": "", "thought_signature": _SIGNATURE},
        {"thought": False, "thoughtSignature": _SIGNATURE},
        {"thoughtSignature": {"not": "text"}},
        {"functionCall": {"name": "f"}, "thought_signature": _SIGNATURE},
        {"functionCall": {"name": "f", "args": None, "id": None, "willContinue": True}},
        {"function_call": {"name": "f", "args": {"a": [1.0, True, None]}, "id": "c"}},
        {
            "toolCall": {"toolType": "FILE_SEARCH", "id": "t", "args": {"q": 1}},
            "thoughtSignature": _SIGNATURE,
        },
        {"tool_call": {"tool_type": "GOOGLE_SEARCH"}},
        {"toolCall": {}},
        {"toolResponse": {"tool_type": "FILE_SEARCH", "id": "t", "response": {"n": 1}}},
        {"toolResponse": {"response": None}},
        {"executableCode": {"code": "1", "language": "PYTHON"}},
        {"executable_code": {"code": "1", "language": "PYTHON", "id": "x"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}, "thought": False},
        {"inlineData": {"mimeType": "image/png", "data": "AA==", "displayName": "a"}, "mediaResolution": {}},
        {"inline_data": {"mime_type": "image/png", "data": "AA=="}, "video_metadata": {"fps": 1}},
        {"file_data": {"file_uri": "gs://b/a.png", "mime_type": None}},
        {"fileData": {"fileUri": "https://example.org/a.pdf", "mimeType": "application/pdf"}},
    ],
)
def test_every_part_goes_back(part: dict[str, Any]) -> None:
    """Whatever a part of the model holds goes back, also when message and part were touched."""
    prompt = read(content("user", {"text": "Hi"}), content("model", part))

    assert text_of(gemini.encode(without_wire(prompt)).request) == text_of(
        {"contents": [content("user", {"text": "Hi"}), content("model", part)]}
    )


@pytest.mark.parametrize(
    "part",
    [
        response("f", {"output": "x"}),
        response("f", {"output": None}),
        response("f", {"output": {"a": 1}}),
        response("f", {"error": "x"}),
        response("f", {"error": {"code": 1}}),
        response("f", {"output": 1, "error": 2}),
        response("f", {"result": "x"}),
        response("f", {}),
        response("f", None),
        {"functionResponse": {"name": "f"}},
        {"function_response": {"id": None, "name": "f", "response": {"a": 1}, "scheduling": "SILENT"}},
        response("f", {}, parts=[{"inlineData": {"mimeType": "image/png", "data": "AA=="}}]),
        response("f", {"output": "x"}, parts=[{"inline_data": {"mime_type": "image/png", "data": "AA=="}}]),
        response("f", {"error": "x"}, parts=[{"fileData": {"fileUri": "gs://b/a", "mimeType": "image/png"}}]),
        response("f", {"a": [1, "ü"]}, parts=[{"unknown": 1}]),
        response("f", {"a": 1}, parts=[]),
        {"functionResponse": {"name": "f", "parts": [{"inlineData": {"mimeType": "a/b", "data": "AA=="}}]}},
        {**response("f", {"a": 1}), "thought": False},
        {"inlineData": {"mimeType": "image/png", "data": "AA=="}},
        {"inlineData": {"mimeType": "image/png", "data": "-_8="}},
        {"inline_data": {"mime_type": "image/png", "data": "+/8="}},
        response("f", {}, parts=[{"inlineData": {"mimeType": "image/png", "data": "-_8="}}]),
        {"text": "Hi", "partMetadata": {"mime_type": 1}},
        {"unknownPart": {"a": 1}},
    ],
)
def test_every_part_of_the_user_goes_back(part: dict[str, Any]) -> None:
    """Whatever a part of the user's holds goes back, also when message and part were touched."""
    request = {
        "contents": [content("user", {"text": "Hi"}), content("model", call("f")), content("user", part)]
    }

    assert text_of(gemini.encode(without_wire(decoded("gemini", request))).request) == text_of(request)


@pytest.mark.parametrize("data", ["-_8=", "+/8="])
def test_bytes_are_read_in_either_alphabet(data: str) -> None:
    """Google's SDKs write the URL-safe one, which no other API reads."""
    prompt = read(content("user", {"inlineData": {"mimeType": "application/pdf", "data": data}}))

    written = anthropic.encode(prompt).request["messages"][0]["content"][0]["source"]
    assert written == {"type": "base64", "media_type": "application/pdf", "data": "+/8="}


def test_thoughts() -> None:
    """A thought is reasoning with its signature; so is a signature that stands alone, since Gemini wants it back."""
    parts = parts_of(
        content(
            "model",
            {"text": "Hm", "thought": True, "thoughtSignature": _SIGNATURE},
            {"thoughtSignature": _SIGNATURE},
            {"text": "", "thoughtSignature": _SIGNATURE},
            {"text": "Hi", "thoughtSignature": _SIGNATURE},
        )
    )

    assert [type(part) for part in parts] == [ReasoningPart, ReasoningPart, ReasoningPart, TextPart]
    assert [part.signature for part in parts[:3]] == [_SIGNATURE] * 3
    assert [part.text for part in parts] == ["Hm", "", "", "Hi"]
    assert parts[3].provider_options == {"gemini": {"thoughtSignature": _SIGNATURE}}


def test_a_signature_stays_on_its_call() -> None:
    """It is public data of the call, under its camelCase name, and goes back in its own spelling."""
    part = {**call("f", id="c"), "thought_signature": _SIGNATURE}
    prompt = read(content("model", part), content("user", response("f", {}, id="c")))

    assert prompt.messages[0].parts[0].provider_options == {
        "gemini": {"thoughtSignature": _SIGNATURE, "$snake": ["thoughtSignature"]}
    }
    first = gemini.encode(renamed(prompt, "c", "d")).request["contents"][0]["parts"][0]
    assert first == {**call("f", id="d"), "thought_signature": _SIGNATURE}


def test_calls_without_ids() -> None:
    """They get none; name and position pair them, and nothing is repaired."""
    prompt = read(
        content("model", call("a"), call("b"), call("a", {"n": 2})),
        content(
            "user", response("b", {"output": "1"}), response("other", {"output": "2"}), response("a", {})
        ),
    )

    assert _ids(prompt) == [None] * 6
    assert clean_messages(prompt.messages) is prompt.messages


def test_an_id_that_tells_nothing() -> None:
    """Where two calls of a turn share an id it is kept beside, for them and for the responses: position tells."""
    prompt = read(
        content("model", call("f", id="f"), call("f", id="f"), call("g", id="g")),
        content(
            "user",
            response("f", {"output": "1"}, id="f"),
            response("f", {}, id="f"),
            response("g", {}, id="g"),
        ),
    )

    assert _ids(prompt) == [None, None, "g", None, None, "g"]
    assert clean_messages(prompt.messages) is prompt.messages


def test_an_id_for_a_call_without_one() -> None:
    """A response with an id that its call lacks belongs to it all the same."""
    prompt = read(content("model", call("f")), content("user", response("f", {}, id="x")))

    assert clean_messages(prompt.messages) is prompt.messages


def test_results_among_other_parts() -> None:
    """Each stretch of results, and of other parts, is a message; they go back as one content."""
    prompt = read(
        content("model", call("f"), call("g")),
        content("user", {"text": "a"}, response("f", {}), response("g", {}), {"text": "b"}, {"text": "c"}),
    )

    assert [(message.role, len(message.parts)) for message in prompt.messages] == [
        ("assistant", 2),
        ("user", 1),
        ("tool", 2),
        ("user", 2),
    ]


@pytest.mark.parametrize(
    ("output", "expected", "is_error"),
    [
        ({"output": "x"}, "x", None),
        ({"error": "x"}, "x", True),
        ({"result": "x"}, {"result": "x"}, None),
        ({"output": "x", "error": "y"}, {"output": "x", "error": "y"}, None),
        ({}, {}, None),
        (None, None, None),
    ],
)
def test_outputs(output: Any, expected: Any, is_error: bool | None) -> None:
    """A lone `output` or `error` is a wrapping; any other object is the output itself."""
    part = parts_of(content("user", response("f", output)))[0]

    assert isinstance(part, ToolResultPart)
    assert (part.output, part.content, part.is_error) == (expected, None, is_error)


def test_media_of_a_result() -> None:
    """The output's text and the media are its content; an output that is no text is JSON."""
    media = [{"inlineData": {"mimeType": "image/png", "data": "AA=="}}]
    part = parts_of(content("user", response("f", {"a": 1}, parts=media)))[0]

    assert [item.type for item in part.content] == ["text", "file"]
    assert part.content[0].text == '{"a":1}'


def test_what_google_ran() -> None:
    """Calls and results of Google's own are known as provider-executed."""
    parts = parts_of(
        content(
            "model",
            {"toolCall": {"tool_type": "FILE_SEARCH", "id": "t", "args": {"q": 1}}},
            {"toolResponse": {"tool_type": "FILE_SEARCH", "id": "t", "response": {"n": 1}}},
            {"executableCode": {"code": "1", "language": "PYTHON"}},
            {"codeExecutionResult": {"outcome": "OUTCOME_OK"}},
        )
    )

    assert all(part.provider_executed for part in parts)
    assert [(part.tool_name, part.tool_call_id) for part in parts] == [
        ("file_search", "t"),
        ("file_search", "t"),
        ("code_execution", None),
        ("code_execution", None),
    ]
    assert isinstance(parts[2], ToolCallPart)
    assert parts[2].input == {"code": "1", "language": "PYTHON"}


def test_files() -> None:
    """Bytes, a URL, and what only Google can fetch, which is known by its id."""
    uploaded = "https://generativelanguage.googleapis.com/v1beta/files/abc"
    parts = parts_of(
        content(
            "user",
            {"inlineData": {"mimeType": "image/png", "data": "AA==", "displayName": "a.png"}},
            {"fileData": {"fileUri": "https://example.org/a.pdf", "mimeType": "application/pdf"}},
            {"fileData": {"fileUri": uploaded, "mimeType": "audio/mpeg"}},
        )
    )

    assert [(part.data, part.url, part.file_id) for part in parts] == [
        ("AA==", None, None),
        (None, "https://example.org/a.pdf", None),
        (None, None, uploaded),
    ]
    assert [part.media_type for part in parts] == ["image/png", "application/pdf", "audio/mpeg"]
    assert parts[0].filename == "a.png"


@pytest.mark.parametrize(
    "contents",
    [
        "Hi",
        {"text": "Hi"},
        {"parts": [{"text": "Hi"}]},
        {"parts": {"text": "Hi"}},
        {"role": "user", "parts": {"text": "Hi"}},
        ["Hi"],
        ["Hi", {"text": "there"}],
        [{"text": "Hi"}, {"inlineData": {"mimeType": "image/png", "data": "AA=="}}],
        ["Hi", call("f"), response("f", {}), "there"],
        ["Hi", content("model", {"text": "Hello"}), "there"],
        [{"role": "user"}],
        [{"role": "user", "parts": None}],
        [{}],
        [],
    ],
)
def test_forms_of_contents(contents: Any) -> None:
    """Every form that the SDK takes goes back as it came."""
    request = {"contents": contents}
    prompt = decoded("gemini", request)

    assert text_of(gemini.encode(touched(prompt)).request) == text_of(request)
    assert text_of(gemini.encode(without_wire(prompt)).request) == text_of(request)


def test_parts_without_a_content() -> None:
    """Parts that stand in the list themselves are one message of the user's, and calls one of the model's."""
    prompt = gemini.decode(["Hi", {"text": "there"}, call("f"), response("f", {})])

    assert [(message.role, len(message.parts)) for message in prompt.messages] == [
        ("user", 2),
        ("assistant", 1),
        ("tool", 1),
    ]


@pytest.mark.parametrize("key", ["systemInstruction", "system_instruction"])
@pytest.mark.parametrize(
    "system",
    [
        {"parts": [{"text": "Be brief."}]},
        {"role": "user", "parts": [{"text": "Be"}, {"text": "brief."}]},
        {"parts": {"text": "Be brief."}},
        {"parts": []},
        "Be brief.",
        ["Be", {"text": "brief."}],
        {"text": "Be brief."},
    ],
)
def test_system(key: str, system: Any) -> None:
    """The system instruction in whatever form is the first message, and goes back in that form."""
    prompt = read(content("user", {"text": "Hi"}), **{key: system})

    assert prompt.messages[0].role == "system"
    copied = without_wire(prompt)
    assert text_of(gemini.encode(copied).request) == text_of(gemini.encode(prompt).request)


def test_a_system_message_that_leaves() -> None:
    """Without its message the field goes too, however it was spelled."""
    prompt = gemini.decode({"system_instruction": {"parts": [{"text": "Be brief."}]}, "contents": ["Hi"]})

    assert gemini.encode(with_messages(prompt, prompt.messages[1:])).request == {"contents": ["Hi"]}


@pytest.mark.parametrize(
    ("config", "thinking"),
    [
        ({"thinkingConfig": {"thinkingBudget": 0}}, False),
        ({"thinkingConfig": {"thinkingBudget": 128, "includeThoughts": True}}, True),
        ({"thinking_config": {"thinking_budget": -1}}, True),
        ({"thinkingConfig": {"thinkingLevel": "LOW"}}, True),
        ({"thinkingConfig": {"includeThoughts": True}}, None),
        ({"thinkingConfig": {"thinkingBudget": True}}, None),
        ({"thinkingConfig": 1}, None),
        ({}, None),
        (None, None),
    ],
)
def test_thinking(config: Any, thinking: bool | None) -> None:
    """The thinking budget or level says whether thinking is on; else it is not known."""
    assert read("Hi", generationConfig=config).thinking is thinking


def test_cached_content() -> None:
    """What was cached stands before the contents: the provider holds part of the history."""
    assert read("Hi", cachedContent="cachedContents/x").server_state is True
    assert read("Hi").server_state is None


_DECLARED = {"name": "f", "description": "Does", "parametersJsonSchema": {"type": "object"}}


@pytest.mark.parametrize(
    "tools",
    [
        [{"functionDeclarations": [_DECLARED, {"name": "g"}]}],
        [{"function_declarations": [{"name": "f", "parameters_json_schema": {"type": "object"}}]}],
        [
            {"functionDeclarations": [_DECLARED]},
            {"functionDeclarations": [{"name": "g", "behavior": "BLOCKING"}]},
        ],
        [{"functionDeclarations": [_DECLARED], "codeExecution": {}}, {"googleSearch": {}}],
        [{"googleSearch": {}}, {"functionDeclarations": [_DECLARED]}, {"urlContext": {}}],
        [{"functionDeclarations": [_DECLARED]}, {"googleSearch": {}}],
        [{"functionDeclarations": []}],
        [{"functionDeclarations": [{"nameless": 1}]}, None, 1],
        [{"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT"}, "description": None}]}],
        [{"functionDeclarations": [{"name": "f", "parameters": {"type": 6}, "parametersJsonSchema": None}]}],
        {"functionDeclarations": [_DECLARED]},
        [],
    ],
)
def test_tools_go_back(tools: Any) -> None:
    """Declared functions and Google's own tools go back in the objects in which they stood."""
    read("Hi", tools=tools)


def test_tools() -> None:
    """Functions are known by their JSON Schema, whatever form it had; what is Google's own is a provider's tool."""
    own = {
        "type": "OBJECT",
        "properties": {
            "city": {"type": "STRING", "nullable": True, "enum": ["Oslo"]},
            "days": {"type": "ARRAY", "items": {"type": 3}, "minItems": "1"},
        },
        "required": ["city"],
    }
    tools = read(
        "Hi",
        tools=[{"functionDeclarations": [{"name": "f", "parameters": own}, _DECLARED], "codeExecution": {}}],
    ).tools

    assert tools is not None
    assert [tool.parameters for tool in tools if tool.type == "function"] == [
        {
            "type": "object",
            "properties": {
                "city": {"type": ["string", "null"], "enum": ["Oslo", None]},
                "days": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
            },
            "required": ["city"],
        },
        {"type": "object"},
    ]
    assert tools[2] == ProviderTool(api="gemini", value={"codeExecution": {}})


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"mode": "AUTO"}, ("auto", None, None)),
        ({"mode": "NONE"}, ("none", None, None)),
        ({"mode": "ANY"}, ("required", None, None)),
        ({"mode": "ANY", "allowedFunctionNames": ["f"]}, ("tool", "f", None)),
        ({"mode": "ANY", "allowed_function_names": ["f", "g"]}, ("required", None, ("f", "g"))),
        ({"mode": "VALIDATED", "allowedFunctionNames": ["f"]}, ("auto", None, ("f",))),
        ({"mode": "MODE_UNSPECIFIED"}, None),
        ({"mode": "ANY", "allowedFunctionNames": [1]}, None),
        ({"mode": 1}, None),
        (None, None),
    ],
)
@pytest.mark.parametrize(
    "keys", [("toolConfig", "functionCallingConfig"), ("tool_config", "function_calling_config")]
)
def test_tool_choice(config: Any, expected: Any, keys: tuple[str, str]) -> None:
    """The calling mode is the tool choice; what isn't known stays in the request."""
    choice = read("Hi", **{keys[0]: {keys[1]: config, "retrievalConfig": {}}}).tool_choice

    assert (choice and (choice.type, choice.tool_name, choice.allowed)) == expected


def test_another_tool_choice() -> None:
    """Changing the choice leaves what stood beside it."""
    given = {"functionCallingConfig": {"mode": "AUTO"}, "includeServerSideToolInvocations": True}
    prompt = gemini.decode({"contents": ["Hi"], "tool_config": given})
    assert prompt.tool_choice is not None
    changed = prompt.tool_choice.model_copy(update={"type": "required"})

    request = gemini.encode(prompt.model_copy(update={"tool_choice": changed})).request

    assert request["tool_config"] == {**given, "functionCallingConfig": {"mode": "ANY"}}


def test_one_touched_message_leaves_the_others() -> None:
    """Only the touched content is written anew."""
    request = {
        "contents": [
            content("user", {"text": "a"}),
            content("model", {"text": "b"}),
            content("user", {"text": "c"}),
        ]
    }
    prompt = gemini.decode(request)
    changed: list[Message] = [*prompt.messages]
    changed[1] = changed[1].model_copy(update={"parts": (TextPart("B"),)})

    written = gemini.encode(with_messages(prompt, changed)).request

    assert written["contents"][0] is request["contents"][0]
    assert written["contents"][1] == content("model", {"text": "B"})
    assert written["contents"][2] is request["contents"][2]


def test_a_bare_list() -> None:
    """A list of contents comes back as that list."""
    contents = [content("user", {"text": "a"}), content("model", {"text": "b"})]

    assert gemini.encode(gemini.decode(contents)).request is contents


@pytest.mark.parametrize(
    ("request_body", "path"),
    [
        ("Hi", ""),
        (None, ""),
        ({}, "contents"),
        ({"contents": None}, "contents"),
        ({"contents": 1}, "contents"),
        ([1], "[0]"),
        ({"contents": [content("user"), 1]}, "contents[1]"),
        ({"contents": [{"role": "user", "parts": 1}]}, "contents[0].parts"),
        ({"contents": [content("user", 1)]}, "contents[0].parts[0]"),
        ({"contents": [content("user", {"text": 1})]}, "contents[0].parts[0].text"),
        ({"contents": [{"text": 1}]}, "contents[0].text"),
        ({"contents": {"text": 1}}, "contents.text"),
        ({"contents": {"parts": {"text": 1}}}, "contents.parts.text"),
        ({"contents": [content("model", {"functionCall": 1})]}, "contents[0].parts[0].functionCall"),
        ({"contents": [content("model", {"function_call": {}})]}, "contents[0].parts[0].function_call.name"),
        ({"contents": [content("model", call("f", id=1))]}, "contents[0].parts[0].functionCall.id"),
        (
            {"contents": [content("user", response("f", {}, parts=[{"text": 1}]))]},
            "contents[0].parts[0].functionResponse.parts[0].text",
        ),
        ({"contents": ["Hi"], "systemInstruction": 1}, "systemInstruction"),
        ({"contents": ["Hi"], "system_instruction": {"parts": [1]}}, "system_instruction.parts[0]"),
        ({"contents": ["Hi"], "systemInstruction": ["a", {"text": 1}]}, "systemInstruction[1].text"),
    ],
)
def test_malformed(request_body: Any, path: str) -> None:
    """The error names the place, in the spelling that stands there."""
    with pytest.raises(HistoryFormatError) as raised:
        gemini.decode(request_body)

    assert raised.value.path == path
