"""Real SDK clients against a local server that rejects and answers as the provider does."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
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


@contextmanager
def provider(
    is_rejected: Callable[[dict[str, Any]], bool], rejection: Any, answer: Any
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Serve on the loopback interface; yields the address and the requests that came in."""
    requests: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append(request)
            rejected = is_rejected(request)
            body = json.dumps(rejection if rejected else answer).encode()
            self.send_response(400 if rejected else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Keep the test's output quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", requests
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


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
    with provider(lambda request: LONG_ID in json.dumps(request), CHAT_REJECTION, CHAT_ANSWER) as (
        address,
        requests,
    ):
        client = openai.OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0)

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
    with provider(lambda request: "signature" in json.dumps(request), CLAUDE_REJECTION, CLAUDE_ANSWER) as (
        url,
        requests,
    ):
        client = anthropic.Anthropic(base_url=url, api_key="none", max_retries=0)

        def send(prompt: Prompt) -> Any:
            return client.messages.create(**_body(prompt, "anthropic")).content[0]

        prompt = Prompt(messages=tuple(history), request={"model": "claude-sonnet-5"})
        run = Pipeline.default().start(prompt, model="anthropic/claude-sonnet-5")
        assert run.call(send).text == "Norway."
        assert len(requests) == 2
        assert run.messages[1] == AssistantMessage("Norway.", id="a1", api="anthropic")
        client.close()

    unrelated = {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": "temperature: range: 0..1"},
    }
    with provider(lambda request: True, unrelated, None) as (url, requests):
        client = anthropic.Anthropic(base_url=url, api_key="none", max_retries=0)
        run = Pipeline.default().start(prompt, model="anthropic/claude-sonnet-5")
        with pytest.raises(anthropic.BadRequestError, match="temperature"):
            run.call(send)
        assert len(requests) == 1
        client.close()
