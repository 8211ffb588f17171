"""Gemini's ``generateContent``, as Google's API and Vertex speak it."""

from __future__ import annotations

from typing import Final

from ..format import Format, Marks
from .config import CONFIG
from .decode import decode
from .encode import encode
from .names import API

__all__ = ["FORMAT", "decode", "encode"]

FORMAT: Final = Format(
    name=API,
    title="Google Gemini",
    decode=decode,
    encode=encode,
    marks=Marks(
        turns=("contents",),
        roles=frozenset({"user", "model", "function", None}),
        shapes=frozenset({"parts: untyped", "parts: object", "text"}),
        request=frozenset(
            {
                "systemInstruction",
                "system_instruction",
                "generationConfig",
                "generation_config",
                "safetySettings",
                "safety_settings",
                "cachedContent",
                "cached_content",
                CONFIG,
            }
        ),
        fields=frozenset({"parts"}),
        keys=frozenset(
            {
                "text",
                "inlineData",
                "inline_data",
                "fileData",
                "file_data",
                "functionCall",
                "function_call",
                "functionResponse",
                "function_response",
                "thoughtSignature",
                "thought_signature",
            }
        ),
        tools=frozenset({"functionDeclarations", "function_declarations"}),
    ),
)
