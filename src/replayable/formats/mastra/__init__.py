"""Mastra's stored messages."""

from __future__ import annotations

from typing import Final

from ..format import Format, Marks
from .decode import decode
from .encode import encode
from .names import API

__all__ = ["FORMAT", "decode", "encode"]

FORMAT: Final = Format(
    name=API,
    title="Mastra stored messages",
    decode=decode,
    encode=encode,
    marks=Marks(
        roles=frozenset({"system", "user", "assistant", "tool", "signal"}),
        # Messages of the AI SDK may stand among the stored ones.
        shapes=frozenset({"content: object of parts", "content: text", "content: typed", "parts: typed"}),
        fields=frozenset({"threadId", "resourceId"}),
    ),
)
