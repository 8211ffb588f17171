"""Cerebras: the OpenAI Chat API with ``reasoning``, and without any field that it doesn't know."""

from __future__ import annotations

from typing import Final

from ...messages import AssistantMessage, ReasoningPart, TextPart, UserMessage
from ...model_ref import ModelRef
from ..provider import Dialect, Provider
from ..rule import Evidence, Example
from ..rules.reasoning import strip_foreign_reasoning
from ..rules.wire_fields import only_known_fields
from .serving import chat_model

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
            entry="cerebras-wrong-api-format",
            cause="A message carries reasoning, or a field, of another provider.",
            pattern=r"property 'messages\.\d+\.\w+\.(reasoning(?:_content|_details)?)' is unsupported",
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

KNOWN_FIELDS: Final = only_known_fields(
    "cerebras-known-fields",
    api="openai_chat",
    known=frozenset({"name", "reasoning", "tool_calls", "thinking"}),
    summary="Message fields that Cerebras does not know leave the prompt; after a refusal also the one that it names.",
    evidence=(
        Evidence(
            entry="cerebras-wrong-api-format",
            text="messages.{i}.assistant.{field}: property 'messages.{i}.assistant.{field}' is unsupported",
            pattern=r"property '(messages\.\d+\.[\w.]+)' is unsupported",
            cause="A message carries a field of another provider.",
            status=400,
            link="https://github.com/Kilo-Org/kilocode/issues/10375",
        ),
    ),
    examples=(
        Example(
            title="What OpenAI's SDK adds",
            before=(AssistantMessage("Hi", provider_options={"openai_chat": {"annotations": []}}),),
            after=(AssistantMessage("Hi"),),
        ),
    ),
)

CEREBRAS: Final = Provider(
    name="cerebras",
    recognise=chat_model("cerebras"),
    dialect=Dialect(reasoning_fields=("reasoning",)),
    owns_reasoning=owns_reasoning,
    rules=(STRIP_REASONING_CONTENT, KNOWN_FIELDS),
)
