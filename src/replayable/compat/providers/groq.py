"""Groq's API."""

from __future__ import annotations

import re
from typing import Final

from ...messages import AssistantMessage, ReasoningPart, SystemMessage, TextPart, UserMessage
from ...model_ref import ModelRef
from ..provider import Dialect, Provider
from ..rule import Evidence, Example
from ..rules.content import content_as_text
from ..rules.making import for_models
from ..rules.reasoning_fields import drop_reasoning_where, reasoning_in_field
from ..rules.wire_fields import only_known_fields
from .serving import chat_model

__all__ = ["GROQ"]

_CHAT: Final = "openai_chat"
# https://console.groq.com/docs/reasoning
_REASONS: Final = re.compile(r"gpt-oss|qwen-?3|qwq|deepseek-r1")


def _does_not_reason(model: ModelRef) -> bool:
    return bool(model.model) and not _REASONS.search(model.model or "")


REASONING_FIELD: Final = reasoning_in_field(
    "groq-reasoning-field",
    api=_CHAT,
    field="reasoning",
    summary="Reasoning that came in another field goes back as `reasoning`; what can't be read leaves.",
    evidence=(
        Evidence(
            entry="groq-unsupported-property",
            text="'messages.{i}' : for 'role:assistant' the following must be satisfied[('messages.{i}' : property"
            " 'reasoning_content' is unsupported)]",
            cause="Another provider's reasoning stands in a field that Groq does not know.",
            status=400,
            link="https://github.com/karthink/gptel/issues/774",
        ),
    ),
    examples=(
        Example(
            title="DeepSeek's field",
            before=(
                AssistantMessage(
                    parts=[
                        ReasoningPart(
                            text="Simple.", provider_options={_CHAT: {"$field": "reasoning_content"}}
                        ),
                        TextPart("4"),
                    ]
                ),
            ),
            after=(
                AssistantMessage(
                    parts=[
                        ReasoningPart(text="Simple.", provider_options={_CHAT: {"$field": "reasoning"}}),
                        TextPart("4"),
                    ]
                ),
            ),
        ),
    ),
)

STRIP_REASONING: Final = drop_reasoning_where(
    "groq-strip-reasoning",
    lambda message: True,
    when=for_models(_does_not_reason),
    summary="Reasoning leaves the prompt for models that don't reason.",
    evidence=(
        Evidence(
            entry="groq-reasoning-not-supported",
            text="messages[{i}].reasoning: reasoning is not supported with this model",
            pattern=r"messages\[\d+\]\.\w+: \w+ is not supported with this model",
            cause="An answer of another model holds reasoning, and this model does not reason.",
            status=400,
            link="https://github.com/vercel/ai/pull/8057",
        ),
    ),
    examples=(
        Example(
            title="After a switch to Llama",
            before=(
                UserMessage("2 + 2?"),
                AssistantMessage(parts=[ReasoningPart(text="Simple."), TextPart("4")]),
            ),
            after=(UserMessage("2 + 2?"), AssistantMessage("4")),
        ),
    ),
)

KNOWN_FIELDS: Final = only_known_fields(
    "groq-known-fields",
    api=_CHAT,
    known=frozenset({"name", "reasoning", "tool_calls", "function_call", "thinking"}),
    summary="Message fields that Groq does not know leave the prompt; after a refusal also the one that it names.",
    evidence=(
        Evidence(
            entry="groq-unsupported-property",
            text="'messages.{i}' : for 'role:assistant' the following must be satisfied[('messages.{i}' : property"
            " '{reasoning_content|annotations|refusal|...}' is unsupported)]",
            pattern=r"property '(?!messages\.)([\w.]+)' is unsupported",
            cause="A message carries a field of another provider.",
            status=400,
            link="https://github.com/karthink/gptel/issues/774",
        ),
    ),
    examples=(
        Example(
            title="What OpenAI's SDK adds",
            before=(AssistantMessage("Hi", provider_options={_CHAT: {"annotations": []}}),),
            after=(AssistantMessage("Hi"),),
        ),
    ),
)

CONTENT_AS_TEXT: Final = content_as_text(
    "groq-content-as-text",
    "system",
    "assistant",
    "tool",
    api=_CHAT,
    # Lists are accepted from others than the user too, in recorded traffic; earlier models refused them.
    before_call=False,
    summary="After a refusal the content of instructions, answers and results becomes one text.",
    evidence=(
        Evidence(
            text="'messages.{i}' : for 'role:system' the following must be satisfied[('messages.{i}.content' : value must be a"
            " string)]",
            pattern=r"'messages\.\d+\.content' : value must be a string",
            cause="The content of a message that is not the user's is a list of parts.",
            status=400,
            link="https://github.com/OpenHands/OpenHands/issues/4643",
        ),
    ),
    examples=(
        Example(
            title="Instructions in two parts",
            before=(SystemMessage(["Be brief.", "Be kind."]), UserMessage("Hello")),
            after=(SystemMessage("Be brief.\nBe kind."), UserMessage("Hello")),
        ),
    ),
)

GROQ: Final = Provider(
    name="groq",
    recognise=chat_model("groq"),
    # https://console.groq.com/docs/reasoning, https://console.groq.com/docs/vision
    dialect=Dialect(reasoning_fields=("reasoning",), media=frozenset({"image_url"}), media_in_results=False),
    rules=(STRIP_REASONING, REASONING_FIELD, KNOWN_FIELDS, CONTENT_AS_TEXT),
)
