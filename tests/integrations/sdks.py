"""The SDKs whose clients can be wrapped, each with what the scenarios need of it."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal, TypeAlias

import anthropic
import boto3
import openai
from botocore.config import Config
from google import genai
from google.genai import types as genai_types

from replayable.integrations import anthropic as anthropic_integration
from replayable.integrations import boto3 as boto3_integration
from replayable.integrations import google_genai as google_genai_integration
from replayable.integrations import openai as openai_integration
from tests.integrations.loopback import Reply, event_stream, sse

Mode: TypeAlias = Literal["sync", "async", "stream", "async stream"]
MODES: Final[tuple[Mode, ...]] = ("sync", "async", "stream", "async stream")
_NOT_CHAT: Final = {
    "Anthropic's thinking goes to a server like Cerebras": "such servers speak Chat Completions",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A history whose fault shows only when the provider has looked at it.

    Args:
        messages: The history.
        parameters: Further parameters of the call.
        refusal: What the provider says.
        mark: What stands in the request's JSON as long as it is refused.
    """

    messages: list[Any]
    refusal: str
    mark: str
    parameters: dict[str, Any] = field(default_factory=dict)


class Sdk(ABC):
    """One SDK (and one of its APIs).

    Attributes:
        name: Its name in the table.
        api: The API as the oracle names it.
        provider: The provider behind it.
        model: A model that it serves.
        integration: The module that wraps its clients.
        refusal_type: The name of the SDK's exception for a 400.
        id_rule: The rule that renames the ids of ``foreign``.
        modes: The ways of calling that it has.
        impossible: Titles of scenarios that it makes impossible, each with the reason.
        repairs: Titles of scenarios whose faults it repairs itself: none.
    """

    name: ClassVar[str]
    api: ClassVar[str]
    provider: ClassVar[str]
    model: ClassVar[str]
    integration: ClassVar[Any]
    id_rule: ClassVar[str]
    refusal_type: ClassVar[str] = "BadRequestError"
    modes: ClassVar[tuple[Mode, ...]] = MODES
    impossible: ClassVar[dict[str, str]] = {}
    repairs: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def plain(self, url: str, mode: Mode, *, retries: int = 0, timeout: float = 30.0) -> Any:
        """Return a client for the server at ``url``, as the SDK makes it."""

    def wrap(self, url: str, mode: Mode, *, retries: int = 0, timeout: float = 30.0, **options: Any) -> Any:
        """Return a wrapped client for the server at ``url``."""
        plain = self.plain(url, mode, retries=retries, timeout=timeout)
        return self.called(self.integration.wrap(plain, **options), mode)

    def called(self, client: Any, mode: Mode) -> Any:
        """Return what ``call`` and ``stream`` take of a client."""
        return client

    @abstractmethod
    def call(self, client: Any, messages: list[Any], **parameters: Any) -> Any:
        """Start a plain call; a coroutine for an async client."""

    @abstractmethod
    def stream(self, client: Any, messages: list[Any], **parameters: Any) -> Any:
        """Start a streaming call; a coroutine for an async client."""

    @abstractmethod
    def text(self, answer: Any) -> str:
        """Return the text of an answer, or of a streamed event (empty when it has none)."""

    @abstractmethod
    def answer(self, text: str) -> Reply:
        """Return the provider's answer."""

    @abstractmethod
    def streamed(self, text: str, *, cut: bool = False) -> Reply:
        """Return the provider's answer as a stream; cut: it breaks after some of the text."""

    @abstractmethod
    def refusal(self, text: str) -> Reply:
        """Return the provider's 400."""

    @abstractmethod
    def refused_stream(self, text: str) -> Reply:
        """Return a stream that begins with the refusal: the server had already said 200."""

    @abstractmethod
    def messages(self, *, dangling: bool = False, orphan: bool = False) -> list[Any]:
        """Return a conversation; with a call that has no result, or with a result that has no call."""

    @abstractmethod
    def rejected(self) -> Rejected:
        """Return a history whose fault only the provider can know."""

    @abstractmethod
    def foreign(self) -> list[Any]:
        """Return a history whose calls another provider made, with ids that this one refuses."""

    def reply(self, request: Any, text: str) -> Reply:
        """Return the answer in the form in which the request asks for it."""
        return self.streamed(text) if self.is_stream(request) else self.answer(text)

    def is_refusal(self, error: BaseException) -> bool:
        """Tell whether an error is the SDK's own for a 400."""
        return type(error).__name__ == self.refusal_type

    def sent(self, body: Any) -> list[Any]:
        """Return the conversation in a request's body."""
        messages: list[Any] = next(body[key] for key in ("messages", "input", "contents") if key in body)
        return messages

    def is_stream(self, request: tuple[str, Any]) -> bool:
        """Tell whether a request asks for a stream."""
        return bool(request[1].get("stream"))

    def ask(self, client: Any, mode: Mode, messages: list[Any], **parameters: Any) -> str:
        """Call in the given mode to the end, and return the answer's text."""
        if mode == "sync":
            return self.text(self.call(client, messages, **parameters))
        if mode == "stream":
            return "".join(map(self.text, self.stream(client, messages, **parameters)))
        return asyncio.run(self.aask(client, mode, messages, **parameters))

    async def aask(self, client: Any, mode: Mode, messages: list[Any], **parameters: Any) -> str:
        """Do what ``ask`` does, for an async client."""
        if mode == "async":
            return self.text(await self.call(client, messages, **parameters))
        return "".join(
            [self.text(event) async for event in await self.stream(client, messages, **parameters)]
        )


class OpenAIChat(Sdk):
    """Chat Completions through the openai package."""

    name = "openai (Chat Completions)"
    api = "openai_chat"
    provider = "openai"
    model = "gpt-5"
    integration: ClassVar[Any] = openai_integration
    id_rule = "openai-tool-call-id-length"

    def plain(self, url: str, mode: Mode, *, retries: int = 0, timeout: float = 30.0) -> Any:
        kind = openai.AsyncOpenAI if mode.startswith("async") else openai.OpenAI
        return kind(base_url=f"{url}/v1", api_key="none", max_retries=retries, timeout=timeout)

    def call(self, client: Any, messages: list[Any], **parameters: Any) -> Any:
        return client.chat.completions.create(messages=messages, **{"model": self.model, **parameters})

    def stream(self, client: Any, messages: list[Any], **parameters: Any) -> Any:
        return self.call(client, messages, stream=True, **parameters)

    def text(self, answer: Any) -> str:
        choice = answer.choices[0]
        return (choice.delta if hasattr(choice, "delta") else choice.message).content or ""

    def answer(self, text: str) -> Reply:
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        return Reply(body=self._object("chat.completion", choice))

    def streamed(self, text: str, *, cut: bool = False) -> Reply:
        deltas = [({"role": "assistant", "content": text[:2]}, None), ({"content": text[2:]}, "stop")]
        choices = [{"index": 0, "delta": delta, "finish_reason": reason} for delta, reason in deltas]
        events: Sequence[Any] = [(None, self._object("chat.completion.chunk", choice)) for choice in choices]
        return sse(events[:1], cut=True) if cut else sse([*events, (None, "[DONE]")])

    @staticmethod
    def _object(kind: str, choice: Any) -> dict[str, Any]:
        return {"id": "c1", "object": kind, "created": 1, "model": "m", "choices": [choice]}

    def refusal(self, text: str) -> Reply:
        return Reply(body={"error": {"message": text, "type": "invalid_request_error"}}, status=400)

    def refused_stream(self, text: str) -> Reply:
        return sse([(None, {"error": {"message": text, "type": "invalid_request_error"}})])

    def messages(self, *, dangling: bool = False, orphan: bool = False) -> list[Any]:
        call = {"id": "call_1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
        result = {"role": "tool", "tool_call_id": "call_1", "content": "In Norway."}
        return [
            {"role": "user", "content": "Where is Oslo?"},
            *([] if orphan else [{"role": "assistant", "content": None, "tool_calls": [call]}]),
            *([] if dangling else [result]),
            {"role": "user", "content": "And so?"},
        ]

    def rejected(self) -> Rejected:
        long_id = "call_" + "x" * 60
        messages = self.messages()
        messages[1]["tool_calls"][0]["id"] = messages[2]["tool_call_id"] = long_id
        refusal = (
            "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40,"
            " but got a string with length 65 instead."
        )
        # Behind a gateway nobody knows whose limits hold.
        return Rejected(messages=messages, parameters={"model": "house-model"}, refusal=refusal, mark=long_id)

    def foreign(self) -> list[Any]:
        messages = self.messages()
        messages[1]["tool_calls"][0]["id"] = messages[2]["tool_call_id"] = "toolu_" + "x" * 60
        return messages


class OpenAIResponses(OpenAIChat):
    """The Responses API through the openai package."""

    name = "openai (Responses)"
    api = "openai_responses"
    id_rule = "openai-responses-call-id-format"
    impossible = _NOT_CHAT

    def call(self, client: Any, messages: list[Any], **parameters: Any) -> Any:
        return client.responses.create(input=messages, **{"model": self.model, **parameters})

    def text(self, answer: Any) -> str:
        if getattr(answer, "object", None) == "response":
            return str(answer.output_text)
        return str(answer.delta) if answer.type == "response.output_text.delta" else ""

    def answer(self, text: str) -> Reply:
        return Reply(body=self._response(text))

    def streamed(self, text: str, *, cut: bool = False) -> Reply:
        place = {"item_id": "msg_1", "output_index": 0, "content_index": 0, "logprobs": []}
        blocks: list[tuple[str, Any]] = [
            ("response.created", {"response": {**self._response(""), "status": "in_progress"}}),
            ("response.output_text.delta", {"delta": text, **place}),
            ("response.completed", {"response": self._response(text)}),
        ]
        numbered = enumerate(blocks)
        events = [
            (name, {"type": name, "sequence_number": number, **data}) for number, (name, data) in numbered
        ]
        return sse(events[:1], cut=True) if cut else sse(events)

    def _response(self, text: str) -> dict[str, Any]:
        content = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
        message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
        fields = {"id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": "m"}
        settings = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
        return {**fields, **settings, "output": [{**message, "content": [content]}]}

    def refused_stream(self, text: str) -> Reply:
        event = {"type": "error", "sequence_number": 0, "code": "invalid_request_error", "param": None}
        return sse([("error", {**event, "message": text})])

    def messages(self, *, dangling: bool = False, orphan: bool = False) -> list[Any]:
        call = {"type": "function_call", "call_id": "call_1", "name": "search", "arguments": "{}"}
        result = {"type": "function_call_output", "call_id": "call_1", "output": "In Norway."}
        return [
            {"role": "user", "content": "Where is Oslo?"},
            *([] if orphan else [call]),
            *([] if dangling else [result]),
            {"role": "user", "content": "And so?"},
        ]

    def rejected(self) -> Rejected:
        sealed = "gAAAAABsealed_by_another_account"
        messages = self.messages()
        messages.insert(1, {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": sealed})
        refusal = (
            "The encrypted content for item rs_1 could not be verified. Reason: Encrypted content could not be"
            " decrypted or parsed."
        )
        return Rejected(messages=messages, parameters={"store": False}, refusal=refusal, mark=sealed)

    def foreign(self) -> list[Any]:
        messages = self.messages()
        messages[1]["call_id"] = messages[2]["call_id"] = "toolu_" + "x" * 60
        return messages


class AnthropicMessages(Sdk):
    """The Messages API through the anthropic package."""

    name = "anthropic"
    api = "anthropic_messages"
    provider = "anthropic"
    model = "claude-sonnet-5"
    integration: ClassVar[Any] = anthropic_integration
    id_rule = "anthropic-tool-id-format"
    impossible = _NOT_CHAT

    def plain(self, url: str, mode: Mode, *, retries: int = 0, timeout: float = 30.0) -> Any:
        kind = anthropic.AsyncAnthropic if mode.startswith("async") else anthropic.Anthropic
        return kind(base_url=url, api_key="none", max_retries=retries, timeout=timeout)

    def call(self, client: Any, messages: list[Any], **parameters: Any) -> Any:
        given = {"model": self.model, "max_tokens": 100, **parameters}
        return client.messages.create(messages=messages, **given)

    def stream(self, client: Any, messages: list[Any], **parameters: Any) -> Any:
        return self.call(client, messages, stream=True, **parameters)

    def text(self, answer: Any) -> str:
        if answer.type == "message":
            return str(answer.content[0].text)
        return str(answer.delta.text) if answer.type == "content_block_delta" else ""

    def answer(self, text: str) -> Reply:
        return Reply(body=self._message([{"type": "text", "text": text}]))

    def streamed(self, text: str, *, cut: bool = False) -> Reply:
        blocks: list[tuple[str, Any]] = [
            ("message_start", {"message": self._message([])}),
            ("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}),
            ("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": text}}),
            ("content_block_stop", {"index": 0}),
            ("message_delta", {"delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}}),
            ("message_stop", {}),
        ]
        events = [(name, {"type": name, **data}) for name, data in blocks]
        return sse(events[:2], cut=True) if cut else sse(events)

    def _message(self, content: list[Any]) -> dict[str, Any]:
        usage = {"input_tokens": 1, "output_tokens": 1}
        ids = {"id": "msg_1", "type": "message", "role": "assistant", "model": self.model}
        return {**ids, "content": content, "stop_reason": None, "stop_sequence": None, "usage": usage}

    def refusal(self, text: str) -> Reply:
        return Reply(body=self._error(text), status=400)

    def refused_stream(self, text: str) -> Reply:
        return sse([("error", self._error(text))])

    @staticmethod
    def _error(text: str) -> dict[str, Any]:
        return {"type": "error", "error": {"type": "invalid_request_error", "message": text}}

    def messages(self, *, dangling: bool = False, orphan: bool = False) -> list[Any]:
        call = {"type": "tool_use", "id": "toolu_1", "name": "search", "input": {}}
        result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "In Norway."}
        return [
            {"role": "user", "content": "Where is Oslo?"},
            *([] if orphan else [{"role": "assistant", "content": [call]}]),
            *([] if dangling else [{"role": "user", "content": [result]}]),
            {"role": "assistant", "content": "In Norway."},
            {"role": "user", "content": "And so?"},
        ]

    def rejected(self) -> Rejected:
        thinking = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
        messages = self.messages()
        messages[-2]["content"] = [thinking, {"type": "text", "text": "In Norway."}]
        return Rejected(
            messages=messages,
            refusal="messages.3.content.0: Invalid `signature` in `thinking` block",
            mark="c2ln",
        )

    def foreign(self) -> list[Any]:
        messages = self.messages()
        messages[1]["content"][0]["id"] = messages[2]["content"][0]["tool_use_id"] = "functions.search:0"
        return messages


class GoogleGenai(Sdk):
    """``generate_content`` through the google-genai package."""

    name = "google-genai"
    api = "gemini"
    provider = "google"
    model = "gemini-3-pro-preview"
    integration: ClassVar[Any] = google_genai_integration
    id_rule = ""
    refusal_type = "ClientError"
    impossible: ClassVar[dict[str, str]] = {
        **_NOT_CHAT,
        "another provider's tool call ids are renamed": "Gemini takes any id",
    }

    def plain(self, url: str, mode: Mode, *, retries: int = 0, timeout: float = 30.0) -> Any:
        attempts = genai_types.HttpRetryOptions(attempts=retries + 1)
        http = genai_types.HttpOptions(base_url=url, timeout=round(timeout * 1000), retry_options=attempts)
        return genai.Client(api_key="none", http_options=http)

    def called(self, client: Any, mode: Mode) -> Any:
        return Kept(client, client.aio if mode.startswith("async") else client)

    def call(self, client: Any, messages: list[Any], **parameters: Any) -> Any:
        given = {"model": self.model, **parameters}
        return client.methods.models.generate_content(contents=messages, **given)

    def stream(self, client: Any, messages: list[Any], **parameters: Any) -> Any:
        given = {"model": self.model, **parameters}
        return client.methods.models.generate_content_stream(contents=messages, **given)

    def text(self, answer: Any) -> str:
        return answer.text or ""

    def answer(self, text: str) -> Reply:
        return Reply(body=self._response(text))

    def streamed(self, text: str, *, cut: bool = False) -> Reply:
        events = [(None, self._response(piece)) for piece in (text[:2], text[2:])]
        return sse(events[:1], cut=True) if cut else sse(events)

    @staticmethod
    def _response(text: str) -> dict[str, Any]:
        return {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "index": 0}]}

    def refusal(self, text: str) -> Reply:
        return Reply(body=self._error(text), status=400)

    def refused_stream(self, text: str) -> Reply:
        return sse([(None, self._error(text))])

    @staticmethod
    def _error(text: str) -> dict[str, Any]:
        return {"error": {"code": 400, "message": text, "status": "INVALID_ARGUMENT"}}

    def is_stream(self, request: tuple[str, Any]) -> bool:
        return "streamGenerateContent" in request[0]

    def messages(self, *, dangling: bool = False, orphan: bool = False) -> list[Any]:
        call = {"functionCall": {"name": "search", "args": {"q": "Oslo"}}, "thoughtSignature": "c2ln"}
        result = {"functionResponse": {"name": "search", "response": {"result": "In Norway."}}}
        return [
            {"role": "user", "parts": [{"text": "Where is Oslo?"}]},
            *([] if orphan else [{"role": "model", "parts": [call]}]),
            *([] if dangling else [{"role": "user", "parts": [result]}]),
            {"role": "model", "parts": [{"text": "In Norway."}]},
            {"role": "user", "parts": [{"text": "And so?"}]},
        ]

    def rejected(self) -> Rejected:
        messages = self.messages()
        messages[-2]["parts"][0]["thoughtSignature"] = "bWFkZSBlbHNld2hlcmU="
        return Rejected(
            messages=messages, refusal="Corrupted thought signature.", mark="bWFkZSBlbHNld2hlcmU="
        )

    def foreign(self) -> list[Any]:
        return self.messages()


class Boto3(Sdk):
    """``converse`` and ``converse_stream`` of boto3's Bedrock runtime client."""

    name = "boto3"
    api = "bedrock_converse"
    provider = "bedrock"
    model = "us.anthropic.claude-sonnet-4-6"
    integration: ClassVar[Any] = boto3_integration
    id_rule = "bedrock-tool-call-ids"
    refusal_type = "ValidationException"
    modes: ClassVar[tuple[Mode, ...]] = ("sync", "stream")
    impossible: ClassVar[dict[str, str]] = {
        **_NOT_CHAT,
        "a stream that broke after its first event is not sent again": "boto3 takes a broken stream for a finished one",
        "a cancellation passes through": "boto3 has no async client",
    }

    def plain(self, url: str, mode: Mode, *, retries: int = 0, timeout: float = 30.0) -> Any:
        config = Config(
            retries={"total_max_attempts": retries + 1}, read_timeout=timeout, region_name="us-east-1"
        )
        keys = {"aws_access_key_id": "none", "aws_secret_access_key": "none"}
        return boto3.client("bedrock-runtime", endpoint_url=url, config=config, **keys)

    def call(self, client: Any, messages: list[Any], **parameters: Any) -> Any:
        return client.converse(messages=messages, **self._given(parameters))

    def _given(self, parameters: dict[str, Any]) -> dict[str, Any]:
        schema = {"json": {"type": "object"}}
        tools = [{"toolSpec": {"name": "search", "inputSchema": schema}}]
        return {"modelId": self.model, "toolConfig": {"tools": tools}, **parameters}

    def stream(self, client: Any, messages: list[Any], **parameters: Any) -> Any:
        return client.converse_stream(messages=messages, **self._given(parameters))["stream"]

    def text(self, answer: Any) -> str:
        if "output" in answer:
            return str(answer["output"]["message"]["content"][0]["text"])
        return str(answer.get("contentBlockDelta", {}).get("delta", {}).get("text", ""))

    def answer(self, text: str) -> Reply:
        message = {"role": "assistant", "content": [{"text": text}]}
        usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
        return Reply(body={"output": {"message": message}, "stopReason": "end_turn", "usage": usage})

    def streamed(self, text: str, *, cut: bool = False) -> Reply:
        events = [
            ("messageStart", {"role": "assistant"}),
            ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": text}}),
            ("contentBlockStop", {"contentBlockIndex": 0}),
            ("messageStop", {"stopReason": "end_turn"}),
        ]
        return event_stream(events[:1], cut=True) if cut else event_stream(events)

    def refusal(self, text: str) -> Reply:
        return Reply(body={"__type": "ValidationException", "message": text}, status=400)

    def refused_stream(self, text: str) -> Reply:
        return event_stream([("validationException", {"message": text})], kind="exception")

    def is_stream(self, request: tuple[str, Any]) -> bool:
        return request[0].endswith("/converse-stream")

    def messages(self, *, dangling: bool = False, orphan: bool = False) -> list[Any]:
        call = {"toolUse": {"toolUseId": "tooluse_1", "name": "search", "input": {}}}
        result = {"toolResult": {"toolUseId": "tooluse_1", "content": [{"text": "In Norway."}]}}
        return [
            {"role": "user", "content": [{"text": "Where is Oslo?"}]},
            *([] if orphan else [{"role": "assistant", "content": [call]}]),
            *([] if dangling else [{"role": "user", "content": [result]}]),
            {"role": "assistant", "content": [{"text": "In Norway."}]},
            {"role": "user", "content": [{"text": "And so?"}]},
        ]

    def rejected(self) -> Rejected:
        thinking = {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "c2ln"}}}
        messages = self.messages()
        messages[-2]["content"].insert(0, thinking)
        return Rejected(
            messages=messages,
            refusal="The model returned the following errors: messages.3.content.0: Invalid `signature` in `thinking` block",
            mark="c2ln",
        )

    def foreign(self) -> list[Any]:
        messages = self.messages()
        ids = "functions.search:0"
        messages[1]["content"][0]["toolUse"]["toolUseId"] = ids
        messages[2]["content"][0]["toolResult"]["toolUseId"] = ids
        return messages


@dataclass(frozen=True, slots=True)
class Kept:
    """The methods of a client, and the client itself: it closes its connections when nothing refers to it."""

    client: Any
    methods: Any


SDKS: Final[tuple[Sdk, ...]] = (OpenAIChat(), OpenAIResponses(), AnthropicMessages(), GoogleGenai(), Boto3())
