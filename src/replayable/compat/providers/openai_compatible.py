"""Providers of the OpenAI Chat API whose only difference so far is the field in which reasoning goes back."""

from __future__ import annotations

from typing import Final

from ..provider import Dialect, Provider, ReasoningField

__all__ = ["OPENAI_COMPATIBLE"]

# DeepSeek https://api-docs.deepseek.com/guides/thinking_mode, Kimi https://platform.moonshot.ai/docs, Z.ai
# https://docs.z.ai/guides/capabilities/thinking-mode: `reasoning_content`. Groq
# https://console.groq.com/docs/reasoning: `reasoning`. OpenRouter
# https://openrouter.ai/docs/use-cases/reasoning-tokens: `reasoning_details`.
_REASONING_FIELDS: Final[dict[str, ReasoningField]] = {
    "deepseek": "reasoning_content",
    "groq": "reasoning",
    "moonshot": "reasoning_content",
    "openrouter": "reasoning_details",
    "zhipu": "reasoning_content",
}


def _row(name: str, reasoning_field: ReasoningField) -> Provider:
    return Provider(
        name=name,
        recognise=lambda model: model.provider == name,
        dialect=Dialect(reasoning_field=reasoning_field),
    )


OPENAI_COMPATIBLE: Final = tuple(_row(name, field) for name, field in _REASONING_FIELDS.items())
