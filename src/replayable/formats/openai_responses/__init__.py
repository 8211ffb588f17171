"""OpenAI's Responses API: a list of items, of which several are one answer."""

from __future__ import annotations

from typing import Final

from ..format import Format, Marks
from .calls import CALL_TYPES, OUTPUT_TYPES
from .decode import decode
from .encode import encode
from .names import API

__all__ = ["FORMAT", "decode", "encode"]


FORMAT: Final = Format(
    name=API,
    title="OpenAI Responses",
    decode=decode,
    encode=encode,
    marks=Marks(
        turns=("input",),
        roles=frozenset({"system", "developer", "user", "assistant"}),
        shapes=frozenset({"content: text", "content: typed", "item", "text"}),
        request=frozenset({"instructions", "previous_response_id", "conversation", "max_output_tokens"}),
        fields=frozenset({"call_id", "encrypted_content"}),
        types=frozenset(
            {
                "input_text",
                "output_text",
                "refusal",
                "input_image",
                "input_file",
                "input_audio",
                "item_reference",
                "compaction",
            }
        )
        | CALL_TYPES
        | frozenset(OUTPUT_TYPES.values()),
    ),
)
