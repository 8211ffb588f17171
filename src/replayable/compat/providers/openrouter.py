"""OpenRouter: a gateway that writes its own requests, and hands on what the upstream provider says."""

from __future__ import annotations

import re
from typing import Final

from ...messages import (
    AssistantMessage,
    ReasoningPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from ...turns import after_last_user
from ..provider import Dialect, Provider
from ..rule import Evidence, Example
from ..rules.cleanup import full_cleanup
from ..rules.making import for_models
from ..rules.tools_as_text import tools_as_text
from ..rules.wire_fields import options_of
from .openai import TOOL_CALL_ID_LENGTH
from .serving import chat_model

__all__ = ["OPENROUTER", "OPENROUTER_TO_OPENAI"]

_CHAT: Final = "openai_chat"
# Gemini signs its calls from 3 on; calls of older ones go back without details, in recorded traffic.
_SIGNS: Final = re.compile(r"gemini-(?:[3-9]|\d\d)")


def _lacks_details(message: AssistantMessage) -> bool:
    return not any(
        part.type == "reasoning" and options_of(part, _CHAT).get("$field") == "reasoning_details"
        for part in message.parts
    )


GEMINI_CALLS: Final = tools_as_text(
    "openrouter-gemini-calls-as-text",
    of=_lacks_details,
    since=after_last_user,
    when=for_models(lambda model: bool(_SIGNS.search(model.model or ""))),
    summary="Calls of the current turn that came without Gemini's reasoning details are told as text, with their results.",
    evidence=(
        Evidence(
            entry="openrouter-gemini-reasoning-details",
            text="Gemini models require OpenRouter reasoning details to be preserved in each request. Please refer to our docs:"
            " ... Upstream error: {json}",
            pattern=r"Gemini models require OpenRouter reasoning details to be preserved in each request",
            cause="A call behind the last user message lacks the reasoning details that Gemini returned with it.",
            status=400,
            link="https://github.com/RooCodeInc/Roo-Code/issues/10307",
        ),
    ),
    examples=(
        Example(
            title="A call that another model made",
            before=(
                UserMessage("Where is Oslo?"),
                AssistantMessage(
                    parts=[ToolCallPart(tool_call_id="c1", tool_name="search", input={"q": "Oslo"})]
                ),
                ToolMessage(parts=[ToolResultPart(tool_call_id="c1", output="In Norway.")]),
            ),
            after=(
                UserMessage("Where is Oslo?"),
                AssistantMessage('[Called the tool search with {"q":"Oslo"}]'),
                UserMessage("[The tool search returned]\nIn Norway."),
            ),
        ),
    ),
)

CLEAN_UP: Final = full_cleanup(
    "openrouter-clean-up",
    summary="After a refusal behind which no upstream error stands the whole history is cleaned up, once: pairs, ids,"
    " arguments, reasoning, empties, order.",
    evidence=(
        Evidence(
            entry="openrouter-opaque",
            text="Provider returned error",
            pattern=r"^Provider returned error$|['\"]message['\"]: ?['\"]Provider returned error['\"]",
            cause="The upstream provider refused the request, and OpenRouter does not say why.",
            status=400,
            link="https://github.com/OpenRouterTeam/ai-sdk-provider/issues/491",
        ),
    ),
    examples=(
        Example(
            title="Reasoning that another upstream provider encrypted",
            before=(
                UserMessage("Where is Oslo?"),
                AssistantMessage([ReasoningPart(encrypted="gAAAAABo", id="rs_1"), "In Norway."]),
                UserMessage("And Bergen?"),
            ),
            after=(
                UserMessage("Where is Oslo?"),
                AssistantMessage("In Norway."),
                UserMessage("And Bergen?"),
            ),
        ),
    ),
)

OPENROUTER: Final = Provider(
    name="openrouter",
    recognise=chat_model("openrouter"),
    # https://openrouter.ai/docs/use-cases/reasoning-tokens, https://openrouter.ai/docs/features/multimodal/overview
    dialect=Dialect(
        reasoning_fields=("reasoning_details", "reasoning", "reasoning_content"),
        media=frozenset({"image_url", "input_audio", "video_url", "file"}),
    ),
    rules=(GEMINI_CALLS,),
    structure=(CLEAN_UP,),
)

# OpenRouter hands ids on to OpenAI as they are; other upstream providers take longer ones, in recorded traffic.
OPENROUTER_TO_OPENAI: Final = Provider(
    name="openrouter-openai",
    recognise=lambda model: OPENROUTER.recognise(model) and model.maker == "openai",
    dialect=OPENROUTER.dialect,
    rules=(TOOL_CALL_ID_LENGTH,),
)
