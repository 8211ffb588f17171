"""Bedrock Converse: what stands on the wire, and what is read from it, form by form."""

from __future__ import annotations

import json
import pickle
from typing import Any, Final

import pytest

from replayable import (
    AssistantMessage,
    FilePart,
    HistoryFormatError,
    OpaquePart,
    Prompt,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
    messages_from_json,
    messages_to_json,
)
from replayable.formats import format_named
from replayable.prompt import ProviderTool, ToolChoice, ToolDefinition, with_messages

_BEDROCK: Final = format_named("bedrock")
_POINT: Final = {"cachePoint": {"type": "default"}}
_CALL: Final = {"toolUse": {"toolUseId": "t", "name": "f", "input": {"n": 1}}}


def _own(**options: Any) -> dict[str, Any]:
    return {"provider_options": {"bedrock": options}}


def _result(*content: Any, **fields: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": "t", "content": list(content), **fields}}


def _read(role: str, *blocks: Any) -> Prompt:
    return _BEDROCK.decode([{"role": role, "content": list(blocks)}])


def _by_value(prompt: Prompt) -> Prompt:
    """The prompt without what it remembers, as it comes from a store."""
    return with_messages(prompt, messages_from_json(messages_to_json(prompt.messages)))


_IMAGE: Final = {"image": {"format": "png", "source": {"bytes": b"\0\1"}}}
_USER_BLOCKS: Final[list[tuple[dict[str, Any], Any]]] = [
    ({"text": "Hi"}, TextPart("Hi")),
    (
        _IMAGE,
        FilePart(media_type="image/png", data="AAE=", **_own(**{"$type": "image", "$bytes": True})),
    ),
    (
        {"image": {"format": "jpeg", "source": {"bytes": "AAE="}}},
        FilePart(media_type="image/jpeg", data="AAE=", **_own(**{"$type": "image", "$bytes": False})),
    ),
    (
        {
            "document": {
                "name": "A",
                "format": "md",
                "source": {"bytes": b"x"},
                "citations": {"enabled": True},
            }
        },
        FilePart(
            media_type="text/markdown",
            data="eA==",
            filename="A",
            **_own(**{"$type": "document", "$bytes": True, "citations": {"enabled": True}}),
        ),
    ),
    (
        {"video": {"format": "mov", "source": {"s3Location": {"uri": "s3://b/a", "bucketOwner": "1"}}}},
        FilePart(
            media_type="video/quicktime",
            file_id="s3://b/a",
            **_own(**{"$type": "video", "s3Location": {"bucketOwner": "1"}}),
        ),
    ),
    (
        {"audio": {"format": "mpga", "source": {"bytes": b"x"}}},
        FilePart(
            media_type="audio/mpga",
            data="eA==",
            **_own(**{"$type": "audio", "$bytes": True, "format": "mpga"}),
        ),
    ),
    (
        {"guardContent": {"text": {"text": "Hi", "qualifiers": ["query"]}}},
        TextPart("Hi", **_own(**{"$type": "guardContent", "qualifiers": ["query"]})),
    ),
    (
        {"guardContent": {"image": {"format": "png", "source": {"bytes": b"x"}}}},
        FilePart(media_type="image/png", data="eA==", **_own(**{"$type": "guardContent", "$bytes": True})),
    ),
    (
        {"searchResult": {"source": "s", "title": "t", "content": [{"text": "x"}]}},
        OpaquePart(
            api="bedrock",
            value={"searchResult": {"source": "s", "title": "t", "content": [{"text": "x"}]}},
        ),
    ),
    (
        {"document": {"name": "A", "source": {"text": "Words."}}},
        OpaquePart(api="bedrock", value={"document": {"name": "A", "source": {"text": "Words."}}}),
    ),
    (
        {"hologram": {"source": {"bytes": b"x"}}},
        OpaquePart(api="bedrock", value={"hologram": {"source": {"bytes": {"$bytes": "eA=="}}}}),
    ),
    (
        {"text": "Hi", "image": {}},
        OpaquePart(api="bedrock", value={"text": "Hi", "image": {}}),
    ),
]
_ANSWER_BLOCKS: Final[list[tuple[dict[str, Any], Any]]] = [
    (_CALL, ToolCallPart(tool_call_id="t", tool_name="f", input={"n": 1})),
    (
        {"toolUse": {"toolUseId": "t", "name": "f", "input": {}, "type": "server_tool_use"}},
        ToolCallPart(
            tool_call_id="t",
            tool_name="f",
            input={},
            provider_executed=True,
            **_own(**{"$type": "server_tool_use"}),
        ),
    ),
    (
        {"toolUse": {"name": "f", "note": 1}},
        ToolCallPart(tool_name="f", **_own(**{"note": 1, "$absent": ["toolUseId", "input"]})),
    ),
    (
        {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "s"}}},
        ReasoningPart(text="Hm.", signature="s"),
    ),
    (
        {"reasoningContent": {"reasoningText": {"signature": "s", "note": 1}}},
        ReasoningPart(signature="s", **_own(**{"note": 1, "$absent": ["text"]})),
    ),
    (
        {"reasoningContent": {"redactedContent": b"Eu8="}},
        ReasoningPart(encrypted="Eu8=", **_own(**{"$bytes": True})),
    ),
    (
        {"reasoningContent": {"redactedContent": "RXU4PQ=="}},
        ReasoningPart(encrypted="Eu8=", **_own(**{"$bytes": False})),
    ),
    (
        {"reasoningContent": {"redactedContent": b"\xff"}},
        ReasoningPart(encrypted="/w==", **_own(**{"$bytes": True, "$base64": True})),
    ),
    (
        {"reasoningContent": {"redactedContent": "no base64"}},
        ReasoningPart(encrypted="no base64", **_own(**{"$bytes": False, "$base64": True})),
    ),
    (
        {"citationsContent": {"content": [{"text": "12 "}, {"text": "days"}], "citations": [{"title": "A"}]}},
        TextPart(
            "12 days",
            **_own(
                **{
                    "$type": "citationsContent",
                    "citations": [{"title": "A"}],
                    "content": [{"text": "12 "}, {"text": "days"}],
                }
            ),
        ),
    ),
    (
        {"citationsContent": {"content": [{"text": "12 days"}]}},
        TextPart("12 days", **_own(**{"$type": "citationsContent"})),
    ),
    (
        _result({"json": {"n": 1}}, type="nova_code_interpreter_result", status="success"),
        ToolResultPart(
            tool_call_id="t",
            output={"n": 1},
            is_error=False,
            provider_executed=True,
            **_own(type="nova_code_interpreter_result"),
        ),
    ),
]
_RESULTS: Final[list[tuple[dict[str, Any], Any]]] = [
    (_result({"text": "ok"}), ToolResultPart(tool_call_id="t", output="ok")),
    (
        _result({"json": {"n": 1}}, status="success"),
        ToolResultPart(tool_call_id="t", output={"n": 1}, is_error=False),
    ),
    (_result({"json": [1]}), ToolResultPart(tool_call_id="t", output=[1], **_own(**{"$content": "json"}))),
    (_result({"json": "x"}), ToolResultPart(tool_call_id="t", output="x", **_own(**{"$content": "json"}))),
    (_result({"json": None}), ToolResultPart(tool_call_id="t", **_own(**{"$content": "json"}))),
    (
        _result(status="error"),
        ToolResultPart(tool_call_id="t", is_error=True, **_own(**{"$content": "list"})),
    ),
    (
        _result({"text": "x"}, status="odd"),
        ToolResultPart(tool_call_id="t", output="x", **_own(status="odd")),
    ),
    (
        {"toolResult": {"content": None, "note": 1}},
        ToolResultPart(**_own(**{"note": 1, "$absent": ["toolUseId"], "$content": "null"})),
    ),
    ({"toolResult": {"toolUseId": "t"}}, ToolResultPart(tool_call_id="t", **_own(**{"$content": "absent"}))),
    (
        _result({"text": "a"}, {"json": {"n": 1}}, _IMAGE),
        ToolResultPart(
            tool_call_id="t",
            content=(
                TextPart("a"),
                TextPart('{"n":1}', **_own(**{"$type": "json"})),
                FilePart(media_type="image/png", data="AAE=", **_own(**{"$type": "image", "$bytes": True})),
            ),
        ),
    ),
]


@pytest.mark.parametrize(
    ("role", "block", "part"),
    [
        *(("user", *case) for case in _USER_BLOCKS),
        *(("assistant", *case) for case in _ANSWER_BLOCKS),
        *(("user", *case) for case in _RESULTS),
    ],
)
def test_a_block_is_read_and_written(role: str, block: dict[str, Any], part: Any) -> None:
    """Each block becomes its part, and comes back: as the very object, and by value when nothing is remembered."""
    prompt = _read(role, block)
    written = _BEDROCK.encode(_by_value(prompt)).request[0]["content"]

    assert prompt.messages[0].parts == (part,)
    assert _BEDROCK.encode(prompt).request[0]["content"][0] is block
    assert written == [block]


@pytest.mark.parametrize("block", [block for block, _ in _USER_BLOCKS])
def test_models_hold_no_bytes(block: dict[str, Any]) -> None:
    """Whatever stood on the wire, JSON can hold what was read, and a pickle brings the same request."""
    prompt = _read("user", block)

    assert json.loads(messages_to_json(prompt.messages))
    assert _BEDROCK.encode(pickle.loads(pickle.dumps(prompt))).request == [
        {"role": "user", "content": [block]}
    ]


def test_results_and_other_content_of_one_turn() -> None:
    """Each stretch of results or of other content is a message; together they are the turn that they were."""
    turn = {"role": "user", "content": [_result({"text": "ok"}), _POINT, {"text": "And?"}, _POINT], "note": 1}
    prompt = _BEDROCK.decode([{"role": "assistant", "content": [_CALL]}, turn])

    assert prompt.messages[1:] == (
        ToolMessage(parts=(ToolResultPart(tool_call_id="t", output="ok", **_own(**_POINT)),), **_own(note=1)),
        UserMessage(parts=(TextPart("And?", **_own(**_POINT)),), **_own(**{"$continues": True})),
    )
    assert _BEDROCK.encode(prompt).request[1] is turn
    assert _BEDROCK.encode(_by_value(prompt)).request[1] == turn


def test_cache_points_with_nothing_to_stand_behind() -> None:
    """A cache point at the start, or behind another one, is a part of its own."""
    blocks = [_POINT, {"text": "Hi"}, _POINT, _POINT]
    prompt = _read("user", *blocks)

    assert [part.type for part in prompt.messages[0].parts] == ["opaque", "text", "opaque"]
    assert _BEDROCK.encode(_by_value(prompt)).request[0]["content"] == blocks


def test_a_whole_request() -> None:
    """System blocks, tools, the choice and thinking are read; all of it comes back from a store, too."""
    spec = {"name": "f", "description": "F.", "inputSchema": {"json": {"type": "object"}}, "strict": True}
    request = {
        "modelId": "us.anthropic.claude-sonnet-4-6",
        "system": [{"text": "Be brief."}, _POINT],
        "messages": [{"role": "system", "content": [{"text": "Now."}], "note": 1}],
        "toolConfig": {
            "tools": [{"toolSpec": spec}, _POINT, {"systemTool": {"name": "nova_grounding"}}, "odd"],
            "toolChoice": {"tool": {"name": "f"}},
            "note": 1,
        },
        "additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 1024}},
    }
    prompt = _BEDROCK.decode(request)

    assert prompt.messages == (
        SystemMessage(parts=(TextPart("Be brief.", **_own(**_POINT)),), placement="top"),
        SystemMessage(parts=("Now.",), placement="list", **_own(note=1)),
    )
    assert prompt.tools == (
        ToolDefinition(name="f", description="F.", parameters={"type": "object"}, strict=True),
        ProviderTool(api="bedrock", value=_POINT),
        ProviderTool(api="bedrock", value={"systemTool": {"name": "nova_grounding"}}),
        ProviderTool(api="bedrock", value="odd"),
    )
    assert prompt.tool_choice == ToolChoice(
        type="tool", tool_name="f", **_own(**{"$wire": {"tool": {"name": "f"}}})
    )
    assert prompt.thinking is True
    assert _BEDROCK.encode(prompt).request is request
    assert _BEDROCK.encode(pickle.loads(pickle.dumps(prompt))).request == request


@pytest.mark.parametrize(
    ("fields", "thinking"),
    [
        (None, None),
        ({"thinking": {"type": "adaptive"}}, True),
        ({"thinking": {"type": "disabled"}}, False),
        ({"reasoning_config": "high"}, True),
        ({"reasoningConfig": {"type": "disabled"}}, False),
        ({"reasoning_effort": "none"}, False),
        ({"top_k": 1}, None),
        ({"thinking": 1}, None),
    ],
)
def test_thinking(fields: Any, thinking: bool | None) -> None:
    """Each family of models switches thinking on in its own field."""
    request = {"messages": [], "additionalModelRequestFields": fields}

    assert _BEDROCK.decode(request).thinking is thinking


@pytest.mark.parametrize(
    "fields",
    [
        {"system": []},
        {"system": None},
        {"toolConfig": None},
        {"toolConfig": {"tools": []}},
        {"toolConfig": {"toolChoice": {"auto": {}}}},
        {
            "toolConfig": {
                "tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": 1}}}],
                "toolChoice": {"x": {}},
            }
        },
        {"toolConfig": {"tools": [{"toolSpec": {"name": "f", "description": None, "note": 1}}]}},
    ],
)
def test_odd_fields_come_back(fields: dict[str, Any]) -> None:
    """What says nothing, or something unknown, comes back from a store as it was."""
    request = {"messages": [{"role": "user", "content": [{"text": "Hi"}]}], **fields}
    prompt = _BEDROCK.decode(request)

    assert _BEDROCK.encode(prompt).request is request
    assert _BEDROCK.encode(pickle.loads(pickle.dumps(prompt))).request == request


def test_who_made_it() -> None:
    """An answer carries the API as its origin, and what the caller knows of it."""
    request = [{"role": "assistant", "content": [{"text": "Hi"}]}]

    assert _BEDROCK.decode(request, provider="bedrock", model="m").messages == (
        AssistantMessage("Hi", provider="bedrock", api="bedrock", model="m"),
    )


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ({"messages": {}}, "messages: expected a list of messages"),
        ([1], "[0]: expected a message"),
        ([{"role": "bot", "content": []}], "[0].role: expected one of the roles user, assistant, system"),
        ([{"role": "user", "content": 5}], "[0].content: expected a list of content blocks"),
        ([{"role": "user"}], "[0].content: expected a list of content blocks, found nothing"),
        ([{"role": "user", "content": ["Hi"]}], "[0].content[0]: expected a content block"),
        ([{"role": "user", "content": [{"text": 1}]}], "[0].content[0].text: expected a string, found int 1"),
        ([{"role": "user", "content": [{"toolResult": 1}]}], "[0].content[0].toolResult: expected an object"),
        (
            [{"role": "user", "content": [{"toolResult": {"content": "x"}}]}],
            "[0].content[0].toolResult.content: expected a list of content blocks",
        ),
        (
            [{"role": "user", "content": [{"toolResult": {"content": [{"text": "a"}, 1]}}]}],
            "[0].content[0].toolResult.content[1]: expected a content block",
        ),
        (
            [{"role": "assistant", "content": [{"toolUse": {}}]}],
            "[0].content[0].toolUse.name: expected a string",
        ),
        (
            [{"role": "assistant", "content": [{"toolUse": {"name": "f", "toolUseId": 1}}]}],
            "[0].content[0].toolUse.toolUseId: expected a string",
        ),
        (
            [{"role": "assistant", "content": [{"reasoningContent": {"reasoningText": {"text": 1}}}]}],
            "[0].content[0].reasoningContent.reasoningText.text: expected a string",
        ),
        ({"messages": [], "system": "Hi"}, "system: expected a list of content blocks"),
        ({"messages": [], "system": [1]}, "system[0]: expected a content block"),
    ],
)
def test_malformed(request_: Any, told: str) -> None:
    """What is of no known shape is told with its place."""
    with pytest.raises(HistoryFormatError) as caught:
        _BEDROCK.decode(request_)

    assert str(caught.value).startswith(told)
