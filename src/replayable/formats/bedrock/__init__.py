"""Amazon Bedrock's Converse API, as boto3 takes it and as it is sent."""

from __future__ import annotations

from typing import Final

from ..format import Format, Marks
from .decode import decode
from .encode import encode
from .names import API

__all__ = ["FORMAT", "decode", "encode"]

FORMAT: Final = Format(
    name=API,
    title="Amazon Bedrock Converse",
    decode=decode,
    encode=encode,
    marks=Marks(
        roles=frozenset({"user", "assistant", "system"}),
        shapes=frozenset({"content: untyped"}),
        request=frozenset(
            {
                "modelId",
                "toolConfig",
                "inferenceConfig",
                "additionalModelRequestFields",
                "guardrailConfig",
                "outputConfig",
            }
        ),
        keys=frozenset(
            {
                "toolUse",
                "toolResult",
                "reasoningContent",
                "cachePoint",
                "guardContent",
                "citationsContent",
                "searchResult",
                "image",
                "document",
                "video",
                "audio",
            }
        ),
        tools=frozenset({"toolSpec"}),
    ),
)
