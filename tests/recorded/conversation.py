"""Reads what a wire request says, without the library's own models, to compare it before and after."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.recorded.content import Call, Conversation, Event
from tests.recorded.differences import Difference, differences
from tests.recorded.read_anthropic_messages import read_anthropic_messages
from tests.recorded.read_bedrock import read_bedrock
from tests.recorded.read_cohere_v2 import read_cohere_v2
from tests.recorded.read_gemini import read_gemini
from tests.recorded.read_ollama_chat import read_ollama_chat
from tests.recorded.read_openai_chat import read_openai_chat
from tests.recorded.read_openai_responses import read_openai_responses

__all__ = ["Call", "Conversation", "Difference", "Event", "differences", "read"]

_READERS: dict[str, Callable[[Mapping[str, Any]], Conversation]] = {
    "openai_chat": read_openai_chat,
    "anthropic_messages": read_anthropic_messages,
    "openai_responses": read_openai_responses,
    "gemini": read_gemini,
    "bedrock_converse": read_bedrock,
    "cohere_v2": read_cohere_v2,
    "ollama_chat": read_ollama_chat,
}


def read(request: Mapping[str, Any], api: str) -> Conversation:
    """Read the content of a request.

    Args:
        request: The body; malformed parts never raise, they are kept as `other`.
        api: "openai_chat", "anthropic_messages", "openai_responses", "gemini", "bedrock_converse", "cohere_v2" or
            "ollama_chat".

    Returns:
        The content in order.

    Raises:
        KeyError: The API is none of these.
    """
    return _READERS[api](request)
