"""Cerebras: the OpenAI Chat API with ``reasoning``, and without any field that it doesn't know."""

from __future__ import annotations

from typing import Final

from ...messages import AssistantMessage, ReasoningPart, TextPart, UserMessage
from ...model_ref import ModelRef
from ..provider import Dialect, Provider
from ..rule import Evidence, Example
from ..rules.reasoning import strip_foreign_reasoning

__all__ = ["CEREBRAS"]


def owns_reasoning(message: AssistantMessage, part: ReasoningPart) -> bool:
    """Cerebras takes back what it returned as ``reasoning``; the field ``reasoning_content`` it refuses from anybody."""
    field = ((part.provider_options or {}).get("openai_chat") or {}).get("$field")
    provider = part.provider or message.provider
    if provider is None:
        return field == "reasoning"
    return ModelRef.of({"provider": provider}).provider == "cerebras" and field in (None, "reasoning")


STRIP_REASONING_CONTENT: Final = strip_foreign_reasoning(
    "cerebras-strip-reasoning-content",
    owns=owns_reasoning,
    summary="Reasoning leaves the prompt for Cerebras, save what Cerebras itself returned as `reasoning`.",
    evidence=(
        Evidence(
            text="messages.{i}.assistant.reasoning_content: property 'messages.{i}.assistant.reasoning_content' is unsupported",
            status=400,
            link="https://github.com/Kilo-Org/kilocode/issues/10375",
        ),
    ),
    examples=(
        Example(
            title="Reasoning of another provider",
            before=(
                UserMessage("2 + 2?"),
                AssistantMessage(parts=[ReasoningPart(text="Simple."), TextPart("4")]),
            ),
            after=(UserMessage("2 + 2?"), AssistantMessage("4")),
        ),
    ),
)

CEREBRAS: Final = Provider(
    name="cerebras",
    recognise=lambda model: model.provider == "cerebras",
    dialect=Dialect(reasoning_fields=("reasoning",)),
    owns_reasoning=owns_reasoning,
    rules=(STRIP_REASONING_CONTENT,),
)
