"""Amazon Bedrock's Converse API, as boto3 takes it and as it is sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..format import Format, Marks
from ..wire import LIST, Wire
from .decode import decode
from .encode import encode
from .names import API

__all__ = ["FORMAT", "decode", "encode"]


def _bare_texts(message: Wire) -> Iterator[str]:
    """A text is an object of its own, ``{"text": …}``: elsewhere it is a string, or has a ``type``."""
    content = message.get("content")
    if isinstance(content, LIST) and any(
        isinstance(item, dict) and item.keys() == {"text"} for item in content
    ):
        yield "text without a type"


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
        more=_bare_texts,
    ),
)
