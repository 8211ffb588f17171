"""OpenAI Chat Completions, and the many APIs that speak it with small differences (their dialects)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..format import Format, Marks
from ..wire import LIST, Wire, kind_of
from .decode import decode
from .encode import encode
from .names import API

__all__ = ["FORMAT", "decode", "encode"]


def _thinking_chunks(message: Wire) -> Iterator[str]:
    """Mistral's ``thinking`` holds a list of chunks; Anthropic's a string."""
    content = message.get("content")
    for chunk in content if isinstance(content, LIST) else ():
        if (
            isinstance(chunk, dict)
            and kind_of(chunk) == "thinking"
            and isinstance(chunk.get("thinking"), list)
        ):
            yield "thinking chunks"


FORMAT: Final = Format(
    name=API,
    title="OpenAI Chat Completions",
    decode=decode,
    encode=encode,
    marks=Marks(
        roles=frozenset({"system", "developer", "user", "assistant", "tool", "function"}),
        # Some clients send parts without a type.
        shapes=frozenset({"content: text", "content: typed", "content: untyped"}),
        request=frozenset(
            {"functions", "function_call", "max_completion_tokens", "response_format", "reasoning_effort"}
        ),
        fields=frozenset(
            {
                "tool_calls",
                "tool_call_id",
                "function_call",
                "reasoning",
                "reasoning_content",
                "reasoning_details",
                "thinking_blocks",
                "refusal",
                "annotations",
                "audio",
                "prefix",
            }
        ),
        types=frozenset(
            {"image_url", "input_audio", "refusal", "file", "document_url", "video_url", "reference"}
        ),
        tools=frozenset({"function"}),
        more=_thinking_chunks,
    ),
)
