"""Histories around a sample of each type that the installed SDKs declare for messages, items, parts and blocks.

Nothing is listed here by its kind: a type that comes with a new version of an SDK is tried as soon as that is installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import botocore.session
from anthropic.types.beta import BetaContentBlockParam
from google.genai import types as google
from openai.types.chat import ChatCompletionMessageParam
from openai.types.responses.response_input_param import ResponseInputItemParam

from tests.judges.samples import Samples

__all__ = ["KINDS", "Kind"]


@dataclass(frozen=True, slots=True)
class Kind:
    """The histories with a kind of message, item, part or block.

    Attributes:
        format: The format's name.
        name: Of the kind, as the SDK has it, and where it stands.
        requests: One for each sample.
    """

    format: str
    name: str
    requests: tuple[Any, ...]


_HI: Final = {"role": "user", "content": "Hi"}


def _chat(samples: Samples) -> Iterator[tuple[str, Any]]:
    for name, message in samples.named(ChatCompletionMessageParam):
        yield name, {"model": "gpt-5", "messages": [_HI, *_asked(message), message, _HI]}


def _asked(message: Any) -> list[Any]:
    """The answer whose call a result belongs to."""
    match message:
        case {"role": "tool", "tool_call_id": call_id}:
            call = {"id": call_id, "type": "function", "function": {"name": "f", "arguments": "{}"}}
            return [{"role": "assistant", "tool_calls": [call]}]
        case {"role": "function", "name": name}:
            return [{"role": "assistant", "function_call": {"name": name, "arguments": "{}"}}]
        case _:
            return []


def _responses(samples: Samples) -> Iterator[tuple[str, Any]]:
    for name, item in samples.named(ResponseInputItemParam):
        yield name, {"model": "gpt-5", "input": [_HI, item, _HI]}


def _anthropic(samples: Samples) -> Iterator[tuple[str, Any]]:
    for name, block in samples.named(BetaContentBlockParam):
        for role in ("user", "assistant", "system"):
            turns = [_HI, {"role": role, "content": [{"type": "text", "text": "Ho"}, block]}, _HI]
            yield f"{name}-{role}", {"model": "claude-sonnet-5", "max_tokens": 9, "messages": turns}


def _gemini(samples: Samples) -> Iterator[tuple[str, Any]]:
    hi = {"role": "user", "parts": [{"text": "Hi"}]}
    for part in samples.of(google.Part):
        for role in ("user", "model"):
            turn = {"role": role, "parts": [{"text": "Ho"}, part]}
            yield f"{next(iter(part))}-{role}", {"contents": [hi, turn, hi]}


def _bedrock(samples: Samples) -> Iterator[tuple[str, Any]]:
    service = botocore.session.get_session().get_service_model("bedrock-runtime")
    messages: Any = service.operation_model("Converse").input_shape.members["messages"]
    hi = {"role": "user", "content": [{"text": "Hi"}]}
    for block in samples.of_shape(messages.member.members["content"].member):
        for role in messages.member.members["role"].enum:
            turn = {"role": role, "content": [{"text": "Ho"}, block]}
            yield (
                f"{next(iter(block))}-{role}",
                {
                    "modelId": "us.anthropic.claude-sonnet-5",
                    "messages": [hi, turn, hi],
                },
            )


_FORMATS: Final = {
    "openai_chat": _chat,
    "openai_responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "bedrock": _bedrock,
}


def _kinds() -> Iterator[Kind]:
    for known, histories in _FORMATS.items():
        found: dict[str, list[Any]] = {}
        for name, request in histories(Samples()):
            found.setdefault(name, []).append(request)
        yield from (Kind(known, name, tuple(requests)) for name, requests in found.items())


KINDS: Final = tuple(_kinds())
