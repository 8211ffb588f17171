"""The items of OpenAI Agents: read, repaired, and given back as they were wherever nothing had to change."""

from __future__ import annotations

import copy
import inspect
from typing import Any, Final

import pytest
from agents.exceptions import UserError
from agents.models.chatcmpl_converter import Converter

from replayable import Change
from replayable.integrations.openai_agents import repair

CLAUDE: Final = "anthropic/claude-sonnet-5"
RESPONSES: Final = "openai.responses/gpt-5"
Items = list[Any]


def user(text: str) -> dict[str, Any]:
    """What a user said."""
    return {"role": "user", "content": text}


def said(text: str, **more: Any) -> dict[str, Any]:
    """What a model said."""
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "role": "assistant", "status": "completed", "content": content, **more}


def call(call_id: str = "call_1", **more: Any) -> dict[str, Any]:
    """A call of a function."""
    return {
        "type": "function_call",
        "call_id": call_id,
        "name": "search",
        "arguments": '{"q": "Oslo"}',
        **more,
    }


def result(call_id: str = "call_1", output: Any = "In Norway.") -> dict[str, Any]:
    """Its result."""
    return {"type": "function_call_output", "call_id": call_id, "output": output}


def from_chat(response: str = "r1", model: str = CLAUDE) -> dict[str, Any]:
    """What the SDK notes on an item that did not come over the Responses API."""
    return {"id": "__fake_id__", "provider_data": {"model": model, "response_id": response}}


def thinking() -> dict[str, Any]:
    """Claude's, as the SDK writes it down."""
    item = {
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": "Hm."}],
        "content": [{"type": "reasoning_text", "text": "Hm."}],
        "encrypted_content": "c2ln",
        **from_chat(),
    }
    block = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    item["provider_data"]["thinking_blocks"] = [block]
    return item


def changed(items: Items, model: str | None) -> tuple[Items, list[str | None]]:
    """The repaired items, and the names of what changed them; the items that were given stay as they are."""
    before = copy.deepcopy(items)
    told: list[Change] = []
    repaired = repair(items, model, on_change=told.extend)
    assert items == before
    return repaired, [change.rule or change.processor for change in told]


def same(items: Items, repaired: Items) -> bool:
    """Whether the items are the very objects that were given."""
    return list(map(id, items)) == list(map(id, repaired))


OVER_CHAT: Final[Items] = [
    user("Where is Oslo?"),
    thinking(),
    said("Let me look.", **from_chat()),
    call("toolu_1", **from_chat()),
    result("toolu_1", [{"type": "input_text", "text": "In Norway."}]),
    said("In Norway.", **from_chat("r2")),
    user("And so?"),
]
OVER_RESPONSES: Final[Items] = [
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Where is Oslo?"}]},
    {"type": "reasoning", "id": "rs_1", "summary": []},
    {
        "type": "web_search_call",
        "id": "ws_1",
        "status": "completed",
        "action": {"type": "search", "query": "Oslo"},
    },
    said("Let me look.", id="msg_1"),
    {"type": "reasoning", "id": "rs_2", "summary": []},
    call(id="fc_1", status="completed"),
    result(),
    {"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "x", "tools": []},
    said("In Norway.", id="msg_2", phase="final_answer"),
    user("And so?"),
]


@pytest.mark.parametrize(
    ("items", "model"),
    [
        (OVER_CHAT, CLAUDE),
        (OVER_CHAT, "openai.chat/gpt-5"),
        (OVER_RESPONSES, RESPONSES),
        ([*OVER_CHAT[:1], *OVER_CHAT[2:]], RESPONSES),
        ([*OVER_CHAT[:1], *OVER_CHAT[2:]], "cerebras/qwen-3-32b"),
    ],
    ids=["claude", "openai-chat", "responses", "made-over-chat", "cerebras"],
)
def test_what_the_model_takes_stays_the_same_object(items: Items, model: str) -> None:
    """The SDK's own notes on an item are no fault: it leaves them out itself."""
    repaired, rules = changed(items, model)
    assert rules == []
    assert same(items, repaired)


def test_what_changes_loses_nothing_else() -> None:
    """An item that gets another call id keeps what the SDK noted on it."""
    items = [user("Oslo?"), call("functions.search:0", **from_chat()), result("functions.search:0")]
    (question, renamed, answer), rules = changed(items, CLAUDE)
    assert {*rules} == {"anthropic-tool-id-format"}
    assert question is items[0]
    new_id = renamed["call_id"]
    assert new_id != "functions.search:0"
    assert renamed == {**items[1], "call_id": new_id}
    assert answer == {**items[2], "call_id": new_id}


def test_answers_in_a_row_are_told_apart() -> None:
    """A call that nobody answered gets its placeholder before the next response."""
    items = [user("Oslo?"), call(**from_chat("r1")), said("In Norway.", **from_chat("r2")), user("So?")]
    repaired, rules = changed(items, CLAUDE)
    assert rules == ["clean-messages"]
    assert [one["type"] for one in repaired[1:4]] == ["function_call", "function_call_output", "message"]
    assert same(items, [one for one in repaired if one is not repaired[2]])


def test_one_answer_may_call_before_it_speaks() -> None:
    """As the SDK writes down a stream; the result stands behind both."""
    items = [user("Oslo?"), call(**from_chat()), said("Let me see.", **from_chat()), result(), user("So?")]
    assert same(items, changed(items, CLAUDE)[0])


CLIENTS: Final[Items] = [
    user("Run it."),
    {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_1", "name": "python", "input": "print(1)"},
    {"type": "custom_tool_call_output", "call_id": "call_1", "output": "1"},
    {
        "type": "computer_call",
        "id": "cu_1",
        "call_id": "call_2",
        "status": "completed",
        "action": {"type": "screenshot"},
        "pending_safety_checks": [],
    },
    {
        "type": "computer_call_output",
        "call_id": "call_2",
        "output": {"type": "computer_screenshot", "image_url": "data:image/png;base64,iVBORw0KGgo="},
    },
    {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAAA"},
    {
        "type": "mcp_approval_request",
        "id": "mcpr_1",
        "name": "search",
        "arguments": "{}",
        "server_label": "x",
    },
    {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
    user("And so?"),
]


@pytest.mark.parametrize("items", [OVER_RESPONSES, CLIENTS], ids=["hosted", "client"])
def test_what_the_sdk_cannot_convert_is_told_otherwise(items: Items) -> None:
    """Tools of OpenAI's own become functions, the rest words: else the SDK raises, turn after turn."""
    with pytest.raises(UserError, match="Unhandled item type"):
        Converter.items_to_messages(items, model=CLAUDE)
    repaired, rules = changed(items, CLAUDE)
    assert "not-supported-here" in rules
    messages: Any = Converter.items_to_messages(repaired, model=CLAUDE, preserve_tool_output_all_content=True)
    calls = [one["id"] for message in messages for one in message.get("tool_calls", ())]
    assert calls == [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    # The users' own items are the very objects.
    assert [id(one) for one in items if one.get("role") == "user"] == [
        id(one)
        for one in repaired
        if one.get("role") == "user" and "not supported" not in str(one["content"])
    ]
    # Once repaired, it stays so.
    assert same(repaired, changed(repaired, CLAUDE)[0])


AUDIO: Final = {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}
VIDEO: Final = {"type": "video_url", "video_url": {"url": "https://example.com/oslo.mp4"}}
IMAGE: Final = {"type": "image_url", "image_url": {"url": "https://example.com/oslo.png"}}
REFUSED: Final = said("") | {"id": "msg_1", "content": [{"type": "refusal", "refusal": "No."}]}


@pytest.mark.parametrize(
    ("item", "model", "kept"),
    [
        ({"role": "user", "content": [AUDIO]}, "openai.chat/gpt-4o-audio-preview", True),
        ({"role": "user", "content": [AUDIO]}, "google/gemini-2.5-flash", True),
        ({"role": "user", "content": [AUDIO]}, CLAUDE, False),
        ({"role": "user", "content": [VIDEO]}, "openrouter/qwen/qwen3-vl", True),
        ({"role": "user", "content": [VIDEO]}, CLAUDE, False),
        ({"role": "user", "content": [IMAGE]}, "openai.chat/gpt-5", True),
        ({"role": "user", "content": [IMAGE]}, CLAUDE, True),
        (REFUSED, "openai.chat/gpt-5", True),
        (REFUSED, "azure/gpt-5", True),
        (REFUSED, "groq/qwen", False),
        (REFUSED, CLAUDE, False),
    ],
)
def test_what_only_the_sdk_converts_stays(item: Any, model: str, kept: bool) -> None:
    """The Responses API has no such parts, Chat has; whoever takes none is told in words."""
    items = [user("Oslo?"), item, user("So?")]
    repaired, rules = changed(items, model)
    assert same(items, repaired) is kept
    assert rules == ([] if kept else ["not-supported-here"])
    assert Converter.items_to_messages(repaired, model=model)


_TAKES_FILE_IDS: Final = '"file_id"' in inspect.getsource(Converter.extract_all_content)


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ({"type": "input_image", "file_id": "file_1", "detail": "auto"}, "[image/* omitted: not supported here]"),
        ({"type": "input_file", "file_url": "https://example.com/a.pdf"}, "[application/pdf at https://example.com/a.pdf omitted: not supported here]"),
        ({"type": "input_image", "image_url": "https://example.com/oslo.png"}, None),
        ({"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="}, None),
        ({"type": "input_file", "file_id": "file_1"}, None),
        ({"type": "input_file", "file_data": "data:application/pdf;base64,JVBERi0=", "filename": "a.pdf"}, None),
    ],
)  # fmt: skip
def test_files_that_the_sdk_does_not_find_are_told_in_words(part: Any, told: str | None) -> None:
    """It raises for an image by its id and a file by its URL, in results as well, turn after turn."""
    text = {"type": "input_text", "text": "Look."}
    asked: Items = [{"role": "user", "content": [text, part]}]
    answered: Items = [user("Oslo?"), call(), result(output=[text, part])]
    for items, at in ((asked, "content"), (answered, "output")):
        repaired, rules = changed(items, "xai/grok-4" if at == "content" else CLAUDE)
        assert same(items, repaired) is (told is None)
        assert rules == ([] if told is None else ["not-supported-here"])
        # What stands beside it is the very object.
        assert repaired[-1][at][0] is text
        assert told is None or repaired[-1][at][1] == {"type": "input_text", "text": told}
        # The lowest version takes no file by its id, on any way.
        if "file_id" not in part or told or _TAKES_FILE_IDS:
            assert Converter.items_to_messages(repaired, model=CLAUDE, preserve_tool_output_all_content=True)


def test_a_spoken_answer_is_told_by_what_was_said() -> None:
    """Its sound is no text."""
    sound = {"type": "output_audio", "data": "UklGRg==", "transcript": "In Norway."}
    spoken = said("") | {"id": "msg_1", "content": [sound]}
    repaired, _ = changed([user("Oslo?"), spoken, user("So?")], CLAUDE)
    assert repaired[1] == {"role": "assistant", "content": "In Norway."}


def test_tools_of_openais_own_keep_their_input_and_output() -> None:
    """Only their form is another."""
    repaired, _ = changed(CLIENTS, CLAUDE)
    assert repaired[1] == {
        "type": "function_call",
        "call_id": "call_1",
        "name": "python",
        "arguments": '{"input":"print(1)"}',
    }
    assert repaired[2] == {"type": "function_call_output", "call_id": "call_1", "output": "1"}
    image = {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="}
    assert [{key: one[key] for key in image} for one in repaired[4]["output"]] == [image]


def test_without_a_model_only_pairs_are_repaired() -> None:
    """What one model asks for is no matter of storage."""
    items = [user("Oslo?"), call("functions.search:0"), result("call_9"), said("Hm.", id="msg_1")]
    repaired, rules = changed(items, None)
    assert {*rules} == {"clean-messages"}
    assert [one.get("call_id") for one in repaired if "call_id" in one] == ["functions.search:0"] * 2
    assert same([items[0], items[1], items[3]], [one for one in repaired if one.get("output") is None])
