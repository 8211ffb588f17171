"""Real SDK clients against a local server that rejects and answers as the provider does."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import anthropic
import openai
import pytest

from replayable import (
    AssistantMessage,
    Message,
    Pipeline,
    Prompt,
    ProviderHistoryCompat,
    ReasoningPart,
    RuleMemory,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from replayable.formats import format_named
from tests.integrations.loopback import Reply, serving

LONG_ID = "call_" + "x" * 60
CHAT_REJECTION = {
    "error": {
        "message": "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40,"
        " but got a string with length 65 instead.",
        "type": "invalid_request_error",
        "param": "messages[1].tool_calls[0].id",
        "code": "string_above_max_length",
    }
}
CHAT_ANSWER = {
    "id": "c1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Norway."}}
    ],
}
CLAUDE_REJECTION = {
    "type": "error",
    "error": {
        "type": "invalid_request_error",
        "message": "messages.1.content.0: Invalid `signature` in `thinking` block",
    },
    "request_id": "req_1",
}
CLAUDE_ANSWER = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-5",
    "content": [{"type": "text", "text": "Norway."}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}


def refusing(mark: str, rejection: Any, answer: Any) -> Callable[[str, Any], Reply]:
    """Refuse requests that hold the mark."""

    def reply(path: str, body: Any) -> Reply:
        refused = mark in json.dumps(body)
        return Reply(body=rejection if refused else answer, status=400 if refused else 200)

    return reply


def _body(prompt: Prompt, api: str) -> dict[str, Any]:
    request: dict[str, Any] = format_named(api).encode(prompt).request
    return request


def test_openai_client_recovers_once_and_remembers() -> None:
    """The SDK's own exception is read; one more request with short ids; the next run needs none."""
    history: list[Message] = [
        UserMessage("Where is Oslo?"),
        AssistantMessage([ToolCallPart(tool_call_id=LONG_ID, tool_name="search", input={})], id="a1"),
        ToolMessage([ToolResultPart(tool_call_id=LONG_ID, output="In Norway.")], id="t1"),
    ]
    memory = RuleMemory()
    with serving(refusing(LONG_ID, CHAT_REJECTION, CHAT_ANSWER)) as server:
        requests = server.requests
        client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)

        def send(prompt: Prompt) -> Any:
            body = _body(prompt, "openai_chat")
            return client.chat.completions.create(**body).choices[0].message.content

        for expected in (2, 3):
            prompt = Prompt(messages=tuple(history), request={"model": "m"})
            run = Pipeline([ProviderHistoryCompat(memory=memory)]).start(prompt, model="mygateway/m")
            assert run.call(send) == "Norway."
            assert len(requests) == expected
            assert run.repaired_message_ids == (("a1", "t1") if expected == 2 else ())
        client.close()


def test_anthropic_client_recovers_once_and_other_errors_stay_its_own() -> None:
    """The SDK's own exception is read; an unrelated rejection reaches the caller as the very same object."""
    history: list[Message] = [
        UserMessage("Where is Oslo?"),
        AssistantMessage([ReasoningPart(text="Hm.", signature="c2ln"), "Norway."], id="a1", api="anthropic"),
        UserMessage("Sure?"),
    ]
    with serving(refusing("signature", CLAUDE_REJECTION, CLAUDE_ANSWER)) as server:
        client = anthropic.Anthropic(base_url=server.url, api_key="none", max_retries=0)

        def send(prompt: Prompt) -> Any:
            return client.messages.create(**_body(prompt, "anthropic")).content[0]

        prompt = Prompt(messages=tuple(history), request={"model": "claude-sonnet-5"})
        run = Pipeline.default().start(prompt, model="anthropic/claude-sonnet-5")
        assert run.call(send).text == "Norway."
        assert len(server.requests) == 2
        assert run.messages[1] == AssistantMessage("Norway.", id="a1", api="anthropic")
        client.close()

    unrelated = {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": "temperature: range: 0..1"},
    }
    with serving(refusing("messages", unrelated, None)) as server:
        client = anthropic.Anthropic(base_url=server.url, api_key="none", max_retries=0)
        run = Pipeline.default().start(prompt, model="anthropic/claude-sonnet-5")
        with pytest.raises(anthropic.BadRequestError, match="temperature"):
            run.call(send)
        assert len(server.requests) == 1
        client.close()
