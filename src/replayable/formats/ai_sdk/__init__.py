"""The Vercel AI SDK: the prompt of a language model (V2, V3), model messages and UI messages."""

from __future__ import annotations

from typing import Final

from ..format import Format, Marks
from .decode import decode
from .encode import encode
from .names import API

__all__ = ["FORMAT", "decode", "encode"]


FORMAT: Final = Format(
    name=API,
    title="Vercel AI SDK",
    decode=decode,
    encode=encode,
    marks=Marks(
        turns=("prompt", "messages"),
        roles=frozenset({"system", "user", "assistant", "tool", "signal"}),
        shapes=frozenset({"content: text", "content: typed", "parts: typed"}),
        request=frozenset({"prompt", "toolChoice", "maxOutputTokens", "stopSequences", "providerOptions"}),
        fields=frozenset({"providerOptions", "toolInvocations", "experimental_attachments", "parts"}),
        types=frozenset({"tool-call", "tool-result", "redacted-reasoning", "tool-approval-request"}),
        keys=frozenset({"toolCallId", "mediaType", "mimeType", "providerOptions"}),
    ),
)
