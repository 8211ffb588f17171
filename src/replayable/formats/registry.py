"""The formats, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from ..errors import ConfigurationError
from ..prompt import Prompt
from . import ai_sdk, anthropic, mastra, openai_chat
from .wire import Encoded

__all__ = ["FORMATS", "Decode", "Format", "format_named"]


class Decode(Protocol):
    """How a format reads: see ``formats.openai_chat.decode``."""

    def __call__(self, request: Any, *, provider: str | None = None, model: str | None = None) -> Prompt:
        """Read a request."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One wire API.

    Args:
        name: Its name, e.g. ``openai_chat``.
        title: What people call it.
        decode: From a request (or a bare list of messages) to a prompt.
        encode: From a prompt to a request.
    """

    name: str
    title: str
    decode: Decode
    encode: Callable[[Prompt], Encoded]


FORMATS: Final[dict[str, Format]] = {
    "openai_chat": Format(
        name="openai_chat",
        title="OpenAI Chat Completions",
        decode=openai_chat.decode,
        encode=openai_chat.encode,
    ),
    "anthropic": Format(
        name="anthropic",
        title="Anthropic Messages",
        decode=anthropic.decode,
        encode=anthropic.encode,
    ),
    "mastra": Format(
        name="mastra",
        title="Mastra stored messages",
        decode=mastra.decode,
        encode=mastra.encode,
    ),
    "ai_sdk": Format(
        name="ai_sdk",
        title="Vercel AI SDK",
        decode=ai_sdk.decode,
        encode=ai_sdk.encode,
    ),
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
