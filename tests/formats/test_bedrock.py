"""Bedrock Converse: what is written, from its own history and from other APIs."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from replayable import (
    AssistantMessage,
    Change,
    FilePart,
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
)
from replayable.formats import format_named
from replayable.formats.wire import Encoded
from replayable.messages import Message, Part
from replayable.prompt import ToolChoice, ToolDefinition, with_messages, with_model
from tests.judges.converse_model import converse_errors

_BEDROCK: Final = format_named("bedrock")
_CLAUDE: Final = "us.anthropic.claude-sonnet-4-6"
_ASKED: Final = {"role": "user", "content": [{"text": "Hi"}]}
_NO_INPUT: Final = {"json": {"type": "object", "properties": {}}}


def _written(*messages: Message, **fields: Any) -> Encoded:
    """A prompt of another API, written for Converse; whatever it was, botocore's model takes it."""
    prompt = Prompt(messages=messages, request={}, model=ModelRef.of(f"bedrock/{_CLAUDE}"), **fields)
    encoded = _BEDROCK.encode(prompt)
    assert converse_errors(encoded.request) == []
    return encoded


def _blocks(*parts: Any) -> list[Any]:
    (message,) = _written(UserMessage(parts)).request["messages"]
    return list(message["content"])


def _turn(*parts: Part) -> tuple[Message, ...]:
    return (
        UserMessage("Hi"),
        AssistantMessage(parts),
        ToolMessage([ToolResultPart(tool_call_id="t", output="ok")]),
    )


def _rules(encoded: Encoded) -> list[str | None]:
    return [change.rule for change in encoded.changes]


def _change(rule: str, **fields: Any) -> Change:
    return Change(processor="formats.bedrock", rule=rule, **fields)


# --- files ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "block"),
    [
        (
            FilePart(media_type="image/jpg", data="QQ=="),
            {"image": {"format": "jpeg", "source": {"bytes": b"A"}}},
        ),
        (
            FilePart(data="iVBORw0KGgo="),
            {"image": {"format": "png", "source": {"bytes": b"\x89PNG\r\n\x1a\n"}}},
        ),
        (
            FilePart(media_type="audio/mp3", data="QQ=="),
            {"audio": {"format": "mp3", "source": {"bytes": b"A"}}},
        ),
        (
            FilePart(media_type="video/mp4", url="s3://bucket/a.mp4"),
            {"video": {"format": "mp4", "source": {"s3Location": {"uri": "s3://bucket/a.mp4"}}}},
        ),
        (
            FilePart(media_type="application/pdf", data="QQ==", filename="A"),
            {"document": {"name": "A", "format": "pdf", "source": {"bytes": b"A"}}},
        ),
        (
            FilePart(media_type="image/tiff", data="QQ=="),
            {"text": "[image/tiff omitted: not supported here]"},
        ),
        (FilePart(media_type="image/png", data="?"), {"text": "[image/png omitted: not supported here]"}),
        (FilePart(media_type="image/png", data=""), {"text": "[image/png omitted: not supported here]"}),
        (
            FilePart(media_type="image/png", url="https://example.org/a.png"),
            {"text": "[image/png at https://example.org/a.png omitted: not supported here]"},
        ),
        (
            OpaquePart(api="anthropic", value={"type": "search_result"}),
            {"text": "[search_result omitted: not supported here]"},
        ),
    ],
)
def test_files(part: FilePart, block: dict[str, Any]) -> None:
    """A file becomes the block of its kind; what Converse can't hold becomes a text that says so."""
    assert _blocks(TextPart("Look."), part) == [{"text": "Look."}, block]


@pytest.mark.parametrize(
    ("filename", "name"),
    [
        ("report_v1.pdf", "report_v1"),
        ("John's  report (2).final.pdf", "John s report (2) final"),
        ("分期报告.pdf", "document"),
        (None, "document"),
        ("a" * 300 + ".pdf", "a" * 200),
    ],
)
def test_names_of_documents(filename: str | None, name: str) -> None:
    """Names keep what Converse takes; a name that changed is listed."""
    encoded = _written(UserMessage([FilePart(media_type="application/pdf", data="QQ==", filename=filename)]))

    assert encoded.request["messages"][0]["content"][0]["document"]["name"] == name
    assert _rules(encoded) == ([] if filename is None else ["document-name"])


def test_names_of_documents_are_unique() -> None:
    """Two documents of one name get two, in results as elsewhere."""
    pdf = FilePart(media_type="application/pdf", data="QQ==", filename="a.pdf")
    call = ToolCallPart(tool_call_id="t", tool_name="f", input={})
    result = ToolResultPart(tool_call_id="t", content=(pdf,))
    encoded = _written(UserMessage([pdf, pdf]), AssistantMessage([call]), ToolMessage([result]))

    first, _, last = encoded.request["messages"]
    assert [block["document"]["name"] for block in first["content"]] == ["a", "a 2"]
    assert last["content"][0]["toolResult"]["content"][0]["document"]["name"] == "a 3"


def test_no_new_name_meets_one_of_the_request() -> None:
    """A document put into a Converse request gets a name that no other one in it has."""
    document = {"document": {"name": "a", "format": "pdf", "source": {"bytes": b"x"}}}
    prompt = _BEDROCK.decode([{"role": "user", "content": [document]}])
    new = UserMessage([FilePart(media_type="application/pdf", data="QQ==", filename="a.pdf")])
    request = _BEDROCK.encode(with_messages(prompt, (*prompt.messages, new))).request

    assert request[0]["content"][0] is document
    assert request[1]["content"][0]["document"]["name"] == "a 2"


@pytest.mark.parametrize(("given", "data"), [(b"x", b"A"), ("eA==", "QQ==")])
def test_data_in_the_form_of_the_request(given: bytes | str, data: bytes | str) -> None:
    """Beside base64, as in raw HTTP, new data goes out in base64; beside Python bytes as bytes."""
    image = {"image": {"format": "png", "source": {"bytes": given}}}
    prompt = _BEDROCK.decode([{"role": "user", "content": [image]}])
    new = UserMessage([FilePart(media_type="image/png", data="QQ==")])
    request = _BEDROCK.encode(with_messages(prompt, (*prompt.messages, new))).request

    assert request[1]["content"] == [{"image": {"format": "png", "source": {"bytes": data}}}]


# --- calls and results ------------------------------------------------------------------------------------------


def test_ids_and_names_that_converse_refuses() -> None:
    """Ids and tool names are rewritten everywhere alike, and listed."""
    name, tool_call_id = "mcp.search files", "functions/search|1"
    encoded = _written(
        UserMessage("Hi"),
        AssistantMessage([ToolCallPart(tool_call_id=tool_call_id, tool_name=name, input={})]),
        ToolMessage([ToolResultPart(tool_call_id=tool_call_id, tool_name=name, output="ok")]),
        tools=(ToolDefinition(name=name, description=""),),
        tool_choice=ToolChoice(type="tool", tool_name=name),
    )
    _, answer, results = encoded.request["messages"]
    call = answer["content"][0]["toolUse"]

    assert results["content"] == [
        {"toolResult": {"toolUseId": call["toolUseId"], "content": [{"text": "ok"}]}}
    ]
    assert encoded.request["toolConfig"] == {
        "tools": [{"toolSpec": {"name": call["name"], "inputSchema": _NO_INPUT}}],
        "toolChoice": {"tool": {"name": call["name"]}},
    }
    assert set(_rules(encoded)) == {"tool-call-ids", "tool-names"}


def test_ids_that_converse_takes_stay() -> None:
    """Dots and colons may stand in an id here."""
    call = ToolCallPart(tool_call_id="functions.search:0", tool_name="f", input={})
    result = ToolResultPart(tool_call_id="functions.search:0", output="ok")
    encoded = _written(UserMessage("Hi"), AssistantMessage([call]), ToolMessage([result]))

    assert encoded.request["messages"][1]["content"][0]["toolUse"]["toolUseId"] == "functions.search:0"


def test_called_tools_are_declared() -> None:
    """Converse refuses calls without any tool declared: those that were called are, by their names."""
    call = ToolCallPart(tool_call_id="t", tool_name="f", input={})
    encoded = _written(*_turn(call))
    config = {"toolConfig": {"tools": [{"toolSpec": {"name": "f", "inputSchema": _NO_INPUT}}]}}

    assert encoded.request["toolConfig"] == config["toolConfig"]
    assert encoded.changes == (_change("tools-demanded", action="added", after=config),)


@pytest.mark.parametrize(
    ("call", "written"),
    [
        ({"raw_input": "{broken"}, {"raw_arguments": "{broken"}),
        ({"input": [1]}, {"input": [1]}),
        ({}, {}),
    ],
)
def test_input_that_is_no_object(call: dict[str, Any], written: dict[str, Any]) -> None:
    """Arguments that are no object are put into one, and listed."""
    part = ToolCallPart(tool_call_id="t", tool_name="f", **call)
    encoded = _written(*_turn(part))

    assert encoded.request["messages"][1]["content"][0]["toolUse"]["input"] == written
    assert "input-is-no-object" in _rules(encoded)


@pytest.mark.parametrize(
    ("result", "content", "status"),
    [
        ({"output": "ok"}, [{"text": "ok"}], None),
        ({"output": ""}, [{"text": ""}], None),
        ({"output": {"n": 1}, "is_error": False}, [{"json": {"n": 1}}], "success"),
        ({"output": [1, 2], "is_error": True}, [{"text": "[1,2]"}], "error"),
        (
            {"content": (TextPart("a"), FilePart(media_type="audio/mpeg", data="QQ=="))},
            [{"text": "a"}, {"text": "[audio/mpeg omitted: not supported here]"}],
            None,
        ),
        (
            {"content": (FilePart(media_type="image/png", data="QQ=="),)},
            [{"image": {"format": "png", "source": {"bytes": b"A"}}}],
            None,
        ),
    ],
)
def test_results(result: dict[str, Any], content: list[Any], status: str | None) -> None:
    """Text, objects and media stand in blocks of their own; another value becomes text, since JSON must be an object."""
    call = ToolCallPart(tool_call_id="t", tool_name="f", input={})
    encoded = _written(
        UserMessage("Hi"), AssistantMessage([call]), ToolMessage([ToolResultPart(tool_call_id="t", **result)])
    )
    body: dict[str, Any] = {"toolUseId": "t", "content": content}

    assert encoded.request["messages"][2]["content"] == [
        {"toolResult": body if status is None else {**body, "status": status}}
    ]


@pytest.mark.parametrize(
    ("choice", "written", "complete"),
    [
        (ToolChoice(), {"auto": {}}, True),
        (ToolChoice(type="required"), {"any": {}}, True),
        (ToolChoice(type="tool", tool_name="f"), {"tool": {"name": "f"}}, True),
        (ToolChoice(type="required", allowed=("f",)), {"tool": {"name": "f"}}, True),
        (ToolChoice(type="required", allowed=("f", "g")), {"any": {}}, False),
        (ToolChoice(parallel=False), {"auto": {}}, False),
        (ToolChoice(parallel=True), {"auto": {}}, True),
        (ToolChoice(type="none"), None, False),
    ],
)
def test_tool_choice(choice: ToolChoice, written: Any, complete: bool) -> None:
    """A choice that Converse has no words for is said as far as it goes, and listed."""
    encoded = _written(UserMessage("Hi"), tools=(ToolDefinition(name="f"),), tool_choice=choice)

    assert encoded.request["toolConfig"].get("toolChoice") == written
    assert ("tool-choice" not in _rules(encoded)) is complete


# --- reasoning and system ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "api", "block"),
    [
        (
            ReasoningPart(text="Hm.", signature="s"),
            "anthropic",
            {"reasoningText": {"text": "Hm.", "signature": "s"}},
        ),
        (ReasoningPart(encrypted="Eu8="), "anthropic", {"redactedContent": b"Eu8="}),
        (ReasoningPart(text="Hm."), "bedrock", {"reasoningText": {"text": "Hm."}}),
        (ReasoningPart(text="Hm."), "openai_chat", None),
        (ReasoningPart(encrypted="gAAA"), "openai_responses", None),
    ],
)
def test_reasoning(part: ReasoningPart, api: str, block: dict[str, Any] | None) -> None:
    """Signed and redacted thinking of Claude goes along; what nobody signed stays behind, and is listed."""
    encoded = _written(UserMessage("Hi"), AssistantMessage([part, "Yes."], api=api))
    content = encoded.request["messages"][1]["content"]

    assert content == [*([] if block is None else [{"reasoningContent": block}]), {"text": "Yes."}]
    assert _rules(encoded) == ([] if block is not None else ["unsigned-reasoning"])


def test_system_messages() -> None:
    """Leading ones stand beside the list, blank ones leave, later ones stay where they are."""
    encoded = _written(SystemMessage("A"), SystemMessage(""), UserMessage("Hi"), SystemMessage("B"))

    assert encoded.request["system"] == [{"text": "A"}]
    assert encoded.request["messages"] == [_ASKED, {"role": "system", "content": [{"text": "B"}]}]
    assert encoded.changes == (_change("blank-system-text", action="removed", before={"text": ""}),)


def test_a_bare_list_has_its_system_beside() -> None:
    """For a list of messages, the system prompt is handed out for the caller to put beside."""
    encoded = _BEDROCK.encode(Prompt(messages=(SystemMessage("A"), UserMessage("Hi"))))

    assert encoded.request == [_ASKED]
    assert encoded.system == [{"text": "A"}]
    assert _rules(encoded) == ["system-stands-beside-the-list"]


# --- requests ---------------------------------------------------------------------------------------------------


def test_the_limit_of_the_answer_goes_along() -> None:
    """An OpenAI Chat request keeps its limit and model; everything else is listed as left out."""
    chat = {
        "model": "gpt-4o",
        "max_tokens": 5,
        "temperature": 1,
        "messages": [{"role": "user", "content": "Hi"}],
    }
    prompt = with_model(format_named("openai_chat").decode(chat), ModelRef.of(f"bedrock/{_CLAUDE}"))
    encoded = _BEDROCK.encode(prompt)

    assert encoded.request == {"modelId": _CLAUDE, "messages": [_ASKED], "inferenceConfig": {"maxTokens": 5}}
    assert encoded.changes == (
        _change("request-fields-left-out", action="removed", before={"temperature": 1}),
    )


def test_the_limit_comes_back() -> None:
    """And so does that of a Converse request, whose other settings are listed."""
    request = {"messages": [_ASKED], "inferenceConfig": {"maxTokens": 5, "topP": 1}}
    encoded = format_named("openai_chat").encode(_BEDROCK.decode(request))

    assert encoded.request == {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 5}
    assert encoded.changes[0].before == {"inferenceConfig": {"topP": 1}}


def test_the_model_is_named_anew() -> None:
    """Another model changes `modelId`, where the request names one at all."""
    request = {"modelId": "us.amazon.nova-pro-v1:0", "messages": [_ASKED], "system": []}
    other = ModelRef.of(f"bedrock/{_CLAUDE}")
    encoded = _BEDROCK.encode(with_model(_BEDROCK.decode(request), other))
    without = {"messages": [_ASKED]}

    assert encoded.request == {**request, "modelId": _CLAUDE}
    assert encoded.request["messages"] is request["messages"]
    assert _rules(encoded) == ["model"]
    assert _BEDROCK.encode(with_model(_BEDROCK.decode(without), other)).request is without


def test_only_what_was_touched_is_written_anew() -> None:
    """The blocks of a copied message are the very objects that stood there; a new text is the only new one."""
    answer = {
        "role": "assistant",
        "content": [{"text": "A"}, {"image": {"format": "png", "source": {"bytes": b"x"}}}],
    }
    request = {"messages": [_ASKED, answer]}
    prompt = _BEDROCK.decode(request)
    said = prompt.messages[1]
    touched = said.model_copy(update={"parts": (TextPart("B"), *said.parts[1:])})
    encoded = _BEDROCK.encode(with_messages(prompt, (prompt.messages[0], touched)))

    assert encoded.request["messages"][0] is _ASKED
    assert encoded.request["messages"][1]["content"][0] == {"text": "B"}
    assert encoded.request["messages"][1]["content"][1] is answer["content"][1]
    assert encoded.changes == ()


def test_the_pieces_of_a_changed_text_are_not_sent() -> None:
    """The pieces of a text with citations count as long as they still say the text."""
    block = {"citationsContent": {"content": [{"text": "12 "}, {"text": "days"}], "citations": []}}
    prompt = _BEDROCK.decode([{"role": "assistant", "content": [block]}])
    part = prompt.messages[0].parts[0].model_copy(update={"text": "13 days"})
    touched = prompt.messages[0].model_copy(update={"parts": (part,)})

    assert _BEDROCK.encode(with_messages(prompt, [touched])).request[0]["content"] == [
        {"citationsContent": {"content": [{"text": "13 days"}], "citations": []}}
    ]


def test_what_converse_alone_knows_is_told_elsewhere() -> None:
    """Texts of search results and documents reach other APIs; a cache point is listed as left out."""
    found = {"searchResult": {"source": "s", "title": "t", "content": [{"text": "Rain."}, {"text": "Wind."}]}}
    document = {"document": {"name": "A", "source": {"content": [{"text": "Rules."}]}}}
    point = {"cachePoint": {"type": "default"}}
    prompt = _BEDROCK.decode([{"role": "user", "content": [{"text": "Hi"}, point, found, document]}])
    encoded = format_named("openai_chat").encode(prompt)

    assert [part["text"] for part in encoded.request[0]["content"]] == ["Hi", "Rain.\nWind.", "Rules."]
    assert encoded.changes[-1].before == {"bedrock.cachePoint": 1}


def test_places_in_s3_are_for_bedrock_alone() -> None:
    """Nobody else can fetch them: a text stands in for them."""
    image = {"image": {"format": "png", "source": {"s3Location": {"uri": "s3://bucket/a.png"}}}}
    prompt = _BEDROCK.decode([{"role": "user", "content": [image]}])

    for name in ("openai_chat", "openai_responses", "anthropic", "gemini", "cohere_v2", "ollama_chat"):
        written = json.dumps(format_named(name).encode(prompt).request)
        assert "[image/png omitted: not supported here]" in written, name
        assert "s3://" not in written, name
