"""Providers of the OpenAI Chat API whose only differences so far are those of their wire."""

from __future__ import annotations

from typing import Final

from ..provider import Dialect, Provider
from .serving import chat_model

__all__ = ["OPENAI_COMPATIBLE"]

_DIALECTS: Final[dict[str, Dialect]] = {
    "together": Dialect(),
    # https://vercel.com/docs/ai-gateway/openai-compat
    "vercel_gateway": Dialect(reasoning_fields=("reasoning_details", "reasoning")),
}


def _row(name: str, dialect: Dialect) -> Provider:
    return Provider(
        name=name,
        recognise=chat_model(name),
        dialect=dialect,
    )


OPENAI_COMPATIBLE: Final = tuple(_row(name, dialect) for name, dialect in _DIALECTS.items())
