"""The providers that the loopback server plays: they refuse what the oracle finds fault with."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from tests.integrations.loopback import Reply, sse
from tests.integrations.sdks import AnthropicMessages, GoogleGenai, OpenAIChat, Sdk
from tests.oracle import violations

__all__ = ["ANTHROPIC", "CEREBRAS", "GEMINI", "Provider"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A provider, by the oracle's names.

    Args:
        sdk: Who writes its answers.
        name: Its name.
        api: The API that it speaks.
        model: A model of its.
    """

    sdk: Sdk
    name: str
    api: str
    model: str

    def reply(self, path: str, body: Any, text: str = "Norway.") -> Reply:
        """Answer a request in the form that it asks for."""
        return self.sdk.reply((path, body), text)

    def judge(self, path: str, body: Any) -> Reply:
        """Refuse what the oracle has something against, else answer."""
        found = violations(body, api=self.api, provider=self.name, model=self.model)
        return self.sdk.refusal(found[0].message) if found else self.reply(path, body)

    def refusing(self, mark: str, refusal: str) -> Callable[[str, Any], Reply]:
        """Refuse requests in whose JSON the mark stands."""
        return lambda path, body: (
            self.sdk.refusal(refusal) if mark in json.dumps(body) else self.reply(path, body)
        )

    def calling(self, path: str, body: Any, number: int) -> Reply:
        """Answer with a call of ``search``, numbered in its id and argument."""
        arguments = json.dumps({"q": str(number)})
        stream = self.sdk.is_stream((path, body))
        if self.api == "anthropic_messages":
            call = {"type": "tool_use", "id": f"toolu_{number}", "name": "search"}
            if stream:
                return self._calling_stream(call, arguments)
            message = self.sdk.answer("").body
            content = [{**call, "input": json.loads(arguments)}]
            return Reply(body={**message, "content": content, "stop_reason": "tool_use"})
        function = {"name": "search", "arguments": arguments}
        called = {"id": f"call_{number}", "type": "function", "function": function}
        answer = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"index": 0, **called} if stream else called],
        }
        whole = self.sdk.answer("").body
        choice = {"index": 0, "finish_reason": "tool_calls", "delta" if stream else "message": answer}
        whole |= {"choices": [choice], "object": "chat.completion.chunk" if stream else whole["object"]}
        return sse([(None, whole), (None, "[DONE]")]) if stream else Reply(body=whole)

    def _calling_stream(self, call: dict[str, Any], arguments: str) -> Reply:
        delta = {"type": "input_json_delta", "partial_json": arguments}
        blocks: list[tuple[str, Any]] = [
            ("message_start", {"message": {**self.sdk.answer("").body, "content": []}}),
            ("content_block_start", {"index": 0, "content_block": {**call, "input": {}}}),
            ("content_block_delta", {"index": 0, "delta": delta}),
            ("content_block_stop", {"index": 0}),
            ("message_delta", {"delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 1}}),
            ("message_stop", {}),
        ]
        return sse([(name, {"type": name, **data}) for name, data in blocks])


ANTHROPIC: Final = Provider(
    sdk=AnthropicMessages(), name="anthropic", api="anthropic_messages", model="claude-sonnet-5"
)
CEREBRAS: Final = Provider(sdk=OpenAIChat(), name="cerebras", api="openai_chat", model="qwen-3-32b")
GEMINI: Final = Provider(sdk=GoogleGenai(), name="google", api="gemini", model="gemini-3-pro-preview")
