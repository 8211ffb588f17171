"""Fireworks' API."""

from __future__ import annotations

from typing import Final

from ...messages import AssistantMessage, ReasoningPart, TextPart, UserMessage
from ..provider import Dialect, Provider
from ..rule import Evidence, Example
from ..rules.reasoning_fields import reasoning_in_field
from ..rules.wire_fields import only_known_fields
from .serving import chat_model

__all__ = ["FIREWORKS"]

_CHAT: Final = "openai_chat"

REASONING_FIELD: Final = reasoning_in_field(
    "fireworks-reasoning-field",
    api=_CHAT,
    field="reasoning_content",
    summary="Reasoning that came in another field goes back as `reasoning_content`; what can't be read leaves.",
    evidence=(
        Evidence(
            entry="fireworks-extra-inputs",
            text="Extra inputs are not permitted, field: 'messages[{i}].reasoning', value: {v}",
            cause="Another provider's reasoning stands in a field that Fireworks does not know.",
            status=400,
            link="https://github.com/earendil-works/pi/issues/4514",
        ),
    ),
    examples=(
        Example(
            title="Groq's field",
            before=(
                AssistantMessage(
                    parts=[
                        ReasoningPart(text="Simple.", provider_options={_CHAT: {"$field": "reasoning"}}),
                        TextPart("4"),
                    ]
                ),
            ),
            after=(
                AssistantMessage(
                    parts=[
                        ReasoningPart(
                            text="Simple.", provider_options={_CHAT: {"$field": "reasoning_content"}}
                        ),
                        TextPart("4"),
                    ]
                ),
            ),
        ),
    ),
)

KNOWN_FIELDS: Final = only_known_fields(
    "fireworks-known-fields",
    api=_CHAT,
    known=frozenset({"reasoning_content", "tool_calls", "thinking"}),
    summary="Message fields that Fireworks does not know leave the prompt; after a refusal also the one that it names.",
    evidence=(
        Evidence(
            entry="fireworks-extra-inputs",
            text="Extra inputs are not permitted, field: 'messages[{i}].{reasoning|name|...}', value: {v}",
            pattern=r"Extra inputs are not permitted, field: 'messages\[\d+\]\.([\w.\[\]]+)'",
            cause="A message carries a field of another provider.",
            status=400,
            link="https://github.com/earendil-works/pi/issues/4514",
        ),
    ),
    examples=(
        Example(
            title="A speaker's name",
            before=(UserMessage("Hello", provider_options={_CHAT: {"name": "Ola"}}),),
            after=(UserMessage("Hello"),),
        ),
    ),
)

FIREWORKS: Final = Provider(
    name="fireworks",
    recognise=chat_model("fireworks"),
    # https://docs.fireworks.ai/guides/reasoning
    dialect=Dialect(reasoning_fields=("reasoning_content",)),
    rules=(REASONING_FIELD, KNOWN_FIELDS),
)
