"""Cohere's chat API, version 2: much like OpenAI Chat, with ``tool_plan``, ``citations`` and documents as results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..format import Format, Marks
from ..wire import LIST, Wire, kind_of
from .decode import decode
from .encode import encode
from .names import API

__all__ = ["FORMAT", "decode", "encode"]


def _blocks(message: Wire) -> Iterator[str]:
    """Documents in results, and thinking without a signature.

    Anthropic's documents have a ``source``; its thinking may lack the signature, too, so that this tells the two from all
    others only.
    """
    content = message.get("content")
    for block in content if isinstance(content, LIST) else ():
        kind = kind_of(block) if isinstance(block, dict) else ""
        if kind == "document" and message.get("role") == "tool" and isinstance(block.get("document"), dict):
            yield "document"
        if kind == "thinking" and isinstance(block.get("thinking"), str) and "signature" not in block:
            yield "thinking"


FORMAT: Final = Format(
    name=API,
    title="Cohere Chat v2",
    decode=decode,
    encode=encode,
    marks=Marks(
        roles=frozenset({"system", "user", "assistant", "tool"}),
        request=frozenset({"documents", "citation_options", "strict_tools", "safety_mode"}),
        fields=frozenset({"tool_calls", "tool_call_id", "tool_plan", "citations"}),
        types=frozenset({"image_url"}),
        tools=frozenset({"function"}),
        more=_blocks,
    ),
)
