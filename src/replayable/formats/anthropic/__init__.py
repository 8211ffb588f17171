"""Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..format import Format, Marks
from ..wire import LIST, Wire, kind_of
from .decode import decode
from .encode import encode
from .names import API

__all__ = ["FORMAT", "decode", "encode"]


def _thinking_texts(message: Wire) -> Iterator[str]:
    """Anthropic's ``thinking`` holds a string; Mistral's a list of chunks."""
    content = message.get("content")
    for block in content if isinstance(content, LIST) else ():
        if (
            isinstance(block, dict)
            and kind_of(block) == "thinking"
            and not isinstance(block.get("thinking"), list)
        ):
            yield "thinking"


FORMAT: Final = Format(
    name=API,
    title="Anthropic Messages",
    decode=decode,
    encode=encode,
    marks=Marks(
        request=frozenset({"system", "anthropic_version", "stop_sequences", "thinking_budget"}),
        types=frozenset(
            {
                "tool_use",
                "tool_result",
                "image",
                "document",
                "redacted_thinking",
                "server_tool_use",
                "web_search_tool_result",
                "web_fetch_tool_result",
                "code_execution_tool_result",
                "bash_code_execution_tool_result",
                "text_editor_code_execution_tool_result",
                "tool_search_tool_result",
                "mcp_tool_use",
                "mcp_tool_result",
            }
        ),
        tools=frozenset({"input_schema"}),
        more=_thinking_texts,
    ),
)
