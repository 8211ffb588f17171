"""The formats, by name."""

from __future__ import annotations

from typing import Final

from ..errors import ConfigurationError
from . import (
    ai_sdk,
    anthropic,
    bedrock,
    cohere_v2,
    gemini,
    mastra,
    ollama_chat,
    openai_chat,
    openai_responses,
)
from .format import Format

__all__ = ["FORMATS", "format_named"]

# Where a conversation reads the same in several formats, the first of them counts.
FORMATS: Final[dict[str, Format]] = {
    known.name: known
    for known in (
        openai_chat.FORMAT,
        openai_responses.FORMAT,
        anthropic.FORMAT,
        gemini.FORMAT,
        bedrock.FORMAT,
        cohere_v2.FORMAT,
        ollama_chat.FORMAT,
        mastra.FORMAT,
        ai_sdk.FORMAT,
    )
}


def format_named(name: str) -> Format:
    """Return a format by its name; dashes count as underscores.

    Raises:
        ConfigurationError: There is none of that name.
    """
    known = FORMATS.get(str(name).replace("-", "_").lower())
    if known is None:
        raise ConfigurationError(f"there is no format {name!r}; the formats are {', '.join(sorted(FORMATS))}")
    return known
