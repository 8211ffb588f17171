"""LangChain's messages: read, repaired, and given back as they were wherever nothing had to change."""

from __future__ import annotations

import copy
from typing import Any, Final

import pytest
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    AnyMessage,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from replayable import Change
from replayable.integrations.langchain import repair

CLAUDE: Final = "anthropic/claude-sonnet-5"
KIMI_ID: Final = "functions.search:0"


def call(tool_call_id: str = "toolu_1", **args: Any) -> Any:
    """A call of LangChain's."""
    return {"name": "search", "args": args or {"q": "Oslo"}, "id": tool_call_id, "type": "tool_call"}


def _repaired(history: list[BaseMessage]) -> list[Any]:
    return list(repair(history, CLAUDE))


def made_by(provider: str, model: str | None = None, **more: Any) -> dict[str, Any]:
    """What LangChain notes of who made an answer."""
    return {"model_provider": provider, "model_name": model, **more}


ANTHROPIC: Final = (
    SystemMessage("Be brief."),
    HumanMessage(
        [
            {"type": "text", "text": "Where is this?", "cache_control": {"type": "ephemeral"}},
            {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="},
            },
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "A note."}},
        ]
    ),
    AIMessage(
        [
            {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
            {"type": "redacted_thinking", "data": "c2VhbGVk"},
            {"type": "text", "text": "Let me look."},
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "Oslo"}},
            {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
            {"type": "tool_use", "id": "toolu_1", "name": "search", "input": {"q": "Oslo"}},
        ],
        tool_calls=[call()],
        response_metadata=made_by("anthropic", "claude-sonnet-5"),
    ),
    ToolMessage("In Norway.", tool_call_id="toolu_1", name="search"),
    HumanMessage("And so?"),
)
RESPONSES: Final = (
    HumanMessage(
        [
            {"type": "text", "text": "Where is Oslo?"},
            {"type": "image_url", "image_url": {"url": "https://x.example/a.png"}},
        ]
    ),
    AIMessage(
        [
            {
                "type": "reasoning",
                "id": "rs_1",
                "summary": [{"type": "summary_text", "text": "Hm."}],
                "encrypted_content": "gAAAA",
            },
            {"type": "web_search_call", "id": "ws_1", "status": "completed"},
            {"type": "text", "text": "One moment.", "id": "msg_1", "annotations": []},
            {
                "type": "function_call",
                "id": "fc_1",
                "call_id": "call_1",
                "name": "search",
                "arguments": '{"q": "Oslo"}',
            },
        ],
        tool_calls=[call("call_1")],
        response_metadata=made_by("openai", "gpt-5", id="resp_1"),
    ),
    ToolMessage([{"type": "text", "text": "In Norway."}], tool_call_id="call_1"),
)
CHAT: Final = (
    SystemMessage("Be brief."),
    HumanMessage("Where is Oslo?"),
    AIMessage(
        "",
        tool_calls=[call("call_1")],
        additional_kwargs={"reasoning_content": "Hm.", "tool_calls": [{"id": "call_1", "type": "function"}]},
        response_metadata=made_by("deepseek", "deepseek-chat"),
    ),
    ToolMessage("In Norway.", tool_call_id="call_1", artifact={"raw": 1}),
    AIMessage("In Norway.", id="run-1"),
    ChatMessage(content="Aside.", role="narrator"),
    HumanMessage("And so?"),
)
GEMINI: Final = (
    HumanMessage("Where is Oslo?"),
    AIMessage(
        [{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}],
        tool_calls=[call("c1"), call("c2", q="Bergen")],
        additional_kwargs={"__gemini_function_call_thought_signatures__": {"c1": "c2ln"}},
        response_metadata=made_by("google_genai", "gemini-3-pro-preview"),
    ),
    ToolMessage("In Norway.", tool_call_id="c1", name="search"),
    ToolMessage("In Norway, too.", tool_call_id="c2", name="search"),
)


@pytest.mark.parametrize(
    ("history", "model"),
    [
        (ANTHROPIC, CLAUDE),
        (RESPONSES, "openai.responses/gpt-5"),
        (CHAT, "deepseek/deepseek-chat"),
        (CHAT, "openai/gpt-5"),
        (GEMINI, "google/gemini-3-pro-preview"),
    ],
    ids=["anthropic", "responses", "deepseek", "openai", "gemini"],
)
def test_what_the_provider_takes_stays_the_same_object(history: tuple[AnyMessage, ...], model: str) -> None:
    """Every message is the very object that was given, whatever stands in it."""
    before = copy.deepcopy(history)
    told: list[tuple[Change, ...]] = []
    repaired = repair(history, model, on_change=told.append)
    assert (told, list(history)) == ([], list(before))
    assert [id(message) for message in repaired] == [id(message) for message in history]


@pytest.mark.parametrize(
    ("history", "model"),
    [
        (ANTHROPIC, CLAUDE),
        (RESPONSES, "openai.responses/gpt-5"),
        (CHAT, "openai/gpt-5"),
        (GEMINI, "google/gemini-3"),
    ],
    ids=["anthropic", "responses", "chat", "gemini"],
)
def test_what_is_written_anew_says_the_same(history: tuple[AnyMessage, ...], model: str) -> None:
    """A repair elsewhere in the history leaves all other messages equal, written anew or not."""
    repaired = repair([*history, AIMessage("", tool_calls=[call("late")]), HumanMessage("Well?")], model)
    assert repaired[: len(history)] == list(history)
    assert isinstance(repaired[len(history) + 1], ToolMessage)


def test_ids_are_renamed_wherever_they_stand() -> None:
    """In the call, in the block that repeats it, in what is kept by call id, and in the result."""
    answer = AIMessage(
        [{"type": "tool_use", "id": KIMI_ID, "name": "search", "input": {"q": "Oslo"}}],
        tool_calls=[call(KIMI_ID)],
        additional_kwargs={"ids": {KIMI_ID: "fc_1"}, "tool_calls": [{"id": KIMI_ID}], "other": 1},
        id="a1",
    )
    history = [HumanMessage("Oslo?"), answer, ToolMessage("In Norway.", tool_call_id=KIMI_ID, artifact=1)]
    question, renamed, result = _repaired(history)
    new_id = renamed.tool_calls[0]["id"]
    assert new_id != KIMI_ID
    assert question is history[0]
    assert renamed == AIMessage(
        [{"type": "tool_use", "id": new_id, "name": "search", "input": {"q": "Oslo"}}],
        tool_calls=[call(new_id)],
        additional_kwargs={"ids": {new_id: "fc_1"}, "other": 1},
        id="a1",
    )
    assert result == ToolMessage("In Norway.", tool_call_id=new_id, artifact=1)


def test_a_streamed_answer_keeps_no_chunks_of_what_has_changed() -> None:
    """Reading it from a store must not bring the old call back."""
    chunk: Any = {
        "name": "search",
        "args": '{"q": "Oslo"}',
        "id": KIMI_ID,
        "index": 0,
        "type": "tool_call_chunk",
    }
    answer = AIMessageChunk(content="", tool_call_chunks=[chunk])
    history = [HumanMessage("Oslo?"), answer, ToolMessage("In Norway.", tool_call_id=KIMI_ID)]
    _, renamed, _ = _repaired(history)
    again = AIMessageChunk(**renamed.model_dump())
    assert again.tool_calls == renamed.tool_calls
    assert again.tool_calls[0]["id"] != KIMI_ID


def test_reasoning_of_another_provider_leaves() -> None:
    """Be it a block or beside the content; with it goes what repeats it."""
    history = [
        HumanMessage("Oslo?"),
        AIMessage(
            "In Norway.",
            additional_kwargs={"reasoning_content": "Hm.", "reasoning_details": [{}], "x": 1},
            response_metadata=made_by("deepseek"),
        ),
        HumanMessage("Sure?"),
        AIMessage(
            [{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": "Yes."}],
            response_metadata=made_by("groq"),
        ),
        HumanMessage("And so?"),
    ]
    repaired = repair(history, CLAUDE)
    assert (repaired[1].content, repaired[1].additional_kwargs) == ("In Norway.", {"x": 1})
    assert repaired[3].content == [{"type": "text", "text": "Yes."}]
    assert [repaired[0], repaired[2], repaired[4]] == [history[0], history[2], history[4]]


def test_blocks_that_only_another_provider_knows_are_told_in_words() -> None:
    """The change is listed; OpenAI's own class takes the block as it is."""
    answer = AIMessage(
        [{"type": "refusal", "refusal": "I'd rather not."}, {"type": "text", "text": "Sorry."}],
        response_metadata=made_by("openai", "gpt-5"),
    )
    history = [HumanMessage("Help!"), answer, HumanMessage("Please!")]
    told: list[tuple[Change, ...]] = []
    repaired = repair(history, CLAUDE, on_change=told.append)
    assert repaired[1].content == [
        {"type": "text", "text": "I'd rather not."},
        {"type": "text", "text": "Sorry."},
    ]
    assert [[(change.rule, change.message_index) for change in changes] for changes in told] == [
        [("not-supported-here", 1)]
    ]
    assert repair(history, "openai/gpt-5")[1] is answer


def test_arguments_that_are_no_json_become_an_object() -> None:
    """The call is a valid one then, and is answered as before."""
    broken: Any = {
        "name": "search",
        "args": '{"q": ',
        "id": "toolu_1",
        "error": "no JSON",
        "type": "invalid_tool_call",
    }
    answer = AIMessage("", invalid_tool_calls=[broken])
    history = [
        HumanMessage("Oslo?"),
        answer,
        ToolMessage("Not JSON.", tool_call_id="toolu_1", status="error"),
    ]
    _, renewed, _ = _repaired(history)
    assert renewed.invalid_tool_calls == []
    assert [isinstance(one["args"], dict) and one["id"] for one in renewed.tool_calls] == ["toolu_1"]


def test_results_between_blocks_of_the_user_belong_to_their_calls() -> None:
    """Anthropic's form is known: the call counts as answered, and stays as it is."""
    history = [
        HumanMessage("Oslo?"),
        AIMessage(
            [{"type": "tool_use", "id": "toolu_1", "name": "search", "input": {}}], tool_calls=[call()]
        ),
        HumanMessage(
            [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "In Norway."},
                {"type": "text", "text": "So?"},
            ]
        ),
    ]
    assert [id(one) for one in repair(history, CLAUDE)] == [id(one) for one in history]


def test_a_later_system_message_becomes_one_of_the_user() -> None:
    """LangChain would refuse a second one; the first stays where it is."""
    history = [
        SystemMessage("Be brief."),
        HumanMessage("Hi"),
        AIMessage("Hi"),
        SystemMessage("In verse."),
        HumanMessage("Oslo?"),
    ]
    repaired = repair(history, "anthropic/claude-3-5-haiku-latest")
    assert repaired[0] is history[0]
    assert repaired[3] == HumanMessage("<system>\nIn verse.\n</system>")


def test_a_message_that_loses_everything_leaves() -> None:
    """A result without a call is one; the others stay."""
    history: list[BaseMessage] = [
        HumanMessage("Oslo?"),
        ToolMessage("Hm.", tool_call_id="toolu_9"),
        HumanMessage("Well?"),
    ]
    assert repair(history, CLAUDE) == [history[0], history[2]]
