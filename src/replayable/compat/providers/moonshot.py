"""Moonshot's API, which serves Kimi."""

from __future__ import annotations

import re
from typing import Final

from ...messages import AssistantMessage, ReasoningPart, ToolCallPart, UserMessage
from ...prompt import Prompt
from ..provider import Dialect, Provider
from ..rule import Evidence, Example
from ..rules.content import blank_messages, content_present
from ..rules.making import for_models, thinking_said
from ..rules.reasoning_fields import makes_calls, require_reasoning
from .serving import chat_model

__all__ = ["MOONSHOT"]

_CHAT: Final = "openai_chat"
# Thinking is a model of its own up to K2, and on by default from K2.5 on: https://platform.moonshot.ai/docs/guide.
_THINKS: Final = re.compile(r"thinking|k2\.[5-9]|k[3-9]")
_NO_REASONING: Final = "(not recorded)"
_CALL: Final = ToolCallPart(tool_call_id="c1", tool_name="search", input={"q": "Oslo"})


def _thinks(prompt: Prompt) -> bool:
    said = thinking_said(prompt, _CHAT)
    if said is not None:
        return said
    return for_models(lambda model: bool(_THINKS.search(model.model or "")))(prompt)


REASONING_REQUIRED: Final = require_reasoning(
    "kimi-require-reasoning",
    of=makes_calls,
    text=_NO_REASONING,
    api=_CHAT,
    field="reasoning_content",
    when=_thinks,
    summary="An answer with calls that lacks its reasoning gets a `reasoning_content` that says so while the model thinks.",
    evidence=(
        Evidence(
            entry="kimi-reasoning-missing",
            text="thinking is enabled but reasoning_content is missing in assistant tool call message at index {i}",
            pattern=r"reasoning_content is missing in assistant tool call message",
            cause="The model thinks, and a message with calls lacks its reasoning.",
            status=400,
            link="https://github.com/mastra-ai/mastra/issues/12592",
        ),
    ),
    examples=(
        Example(
            title="A call that another model made",
            before=(UserMessage("Where is Oslo?"), AssistantMessage(parts=[_CALL])),
            after=(
                UserMessage("Where is Oslo?"),
                AssistantMessage(
                    parts=[
                        ReasoningPart(
                            text=_NO_REASONING, provider_options={_CHAT: {"$field": "reasoning_content"}}
                        ),
                        _CALL,
                    ]
                ),
            ),
        ),
    ),
)

_EMPTY: Final = Evidence(
    entry="kimi-message-empty",
    text="Invalid request: the message at position {i} with role '{assistant|user|tool}' must not be empty",
    pattern=r"the message (?:at position \d+ )?with role '\w+' must not be empty",
    cause="A message says nothing: its calls were lost, it only thought, or a stream broke off.",
    status=400,
    link="https://platform.moonshot.ai/docs/api/chat",
)

BLANK_MESSAGES: Final = blank_messages(
    "kimi-blank-messages",
    "system",
    "user",
    "assistant",
    summary="A message that says nothing leaves the prompt; a user's says that it was empty.",
    evidence=(_EMPTY,),
    examples=(
        Example(
            title="A stream that broke off",
            before=(UserMessage("Hello"), AssistantMessage(" "), UserMessage("Are you there?")),
            after=(UserMessage("Hello"), UserMessage("Are you there?")),
        ),
    ),
)

RESULTS_PRESENT: Final = content_present(
    "kimi-results-present",
    "tool",
    api=_CHAT,
    summary="A result whose content is null or absent says an empty text instead.",
    evidence=(_EMPTY,),
)

MOONSHOT: Final = Provider(
    name="moonshot",
    recognise=chat_model("moonshot"),
    # https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model
    dialect=Dialect(reasoning_fields=("reasoning_content",)),
    rules=(REASONING_REQUIRED,),
    structure=(RESULTS_PRESENT, BLANK_MESSAGES),
)
