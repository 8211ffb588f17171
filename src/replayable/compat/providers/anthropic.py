"""Anthropic's Messages API: Anthropic itself, and Claude on Vertex, Bedrock and Azure where that API is spoken."""

from __future__ import annotations

import re
from typing import Final

from ...messages import (
    AssistantMessage,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from ...model_ref import ModelRef
from ..provider import Provider
from ..rule import Evidence, Example
from ..rules.empties import drop_empty
from ..rules.reasoning import strip_foreign_reasoning
from ..rules.system_position import later_system_as_user
from ..rules.tool_call_ids import tool_call_id_format

__all__ = ["ANTHROPIC"]

API: Final = "anthropic"


def _recognise(model: ModelRef) -> bool:
    if model.api == API:
        # Other vendors speak this API too, by other rules: DeepSeek wants back what Anthropic refuses.
        return model.provider == "anthropic" or model.maker == "anthropic"
    return model.provider == "anthropic" and model.api is None


def _is_signed_here(message: AssistantMessage, part: ReasoningPart) -> bool:
    """Reasoning of this wire that somebody signed: "messages.{i}.content.{j}.thinking.signature: Field required"."""
    if part.signature is None and part.encrypted is None:
        return False
    # A stamped provider is judged by `_may_be_own`; without one, another wire's reasoning is another provider's.
    return _maker_of(message, part) is not None or message.api in (API, None)


def _may_be_own(message: AssistantMessage, part: ReasoningPart) -> bool:
    """Reasoning that Anthropic made, as far as anybody can tell: one without a provider stays until Anthropic objects."""
    return _maker_of(message, part) in (None, "anthropic")


def owns_reasoning(message: AssistantMessage, part: ReasoningPart) -> bool:
    """What Anthropic takes back: signed, and not by somebody else."""
    return _is_signed_here(message, part) and _may_be_own(message, part)


def _maker_of(message: AssistantMessage, part: ReasoningPart) -> str | None:
    """Who made some reasoning: ``anthropic`` also for Claude on other clouds, whose signatures hold everywhere."""
    provider = part.provider or message.provider
    if provider is None:
        return None
    made_by = ModelRef.of({"provider": provider, "model": message.model})
    if made_by.provider in ("vertex", "bedrock", "azure") and made_by.maker == "anthropic":
        return "anthropic"
    return made_by.provider


_KIMI_ID: Final = "functions.search:0"

TOOL_ID_FORMAT: Final = tool_call_id_format(
    "anthropic-tool-id-format",
    pattern=r"[a-zA-Z0-9_-]+",
    error_patterns=(r"tool_use(?:\.id|_id): String should match pattern '\^\[a-zA-Z0-9_-\]\+\$'",),
    summary="Tool call ids with characters that Anthropic refuses, and missing ones, are rewritten; call and result together.",
    evidence=(
        Evidence(
            text="messages.{i}.content.{j}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
            status=400,
            link="https://github.com/maximhq/bifrost/issues/5097",
        ),
    ),
    examples=(
        Example(
            title="An id that Kimi made",
            before=(
                UserMessage("Where is Oslo?"),
                AssistantMessage(
                    parts=[ToolCallPart(tool_call_id=_KIMI_ID, tool_name="search", input={"q": "Oslo"})]
                ),
                ToolMessage(parts=[ToolResultPart(tool_call_id=_KIMI_ID, output="In Norway.")]),
            ),
            after=(
                UserMessage("Where is Oslo?"),
                AssistantMessage(
                    parts=[
                        ToolCallPart(
                            tool_call_id="functions_search_0_85c5207c10",
                            tool_name="search",
                            input={"q": "Oslo"},
                        )
                    ]
                ),
                ToolMessage(
                    parts=[ToolResultPart(tool_call_id="functions_search_0_85c5207c10", output="In Norway.")]
                ),
            ),
        ),
    ),
)

STRIP_FOREIGN_REASONING: Final = strip_foreign_reasoning(
    "anthropic-strip-foreign-reasoning-content",
    owns=_is_signed_here,
    summary="Reasoning that came without a signature, or over another wire, leaves the prompt; Anthropic's own stays byte for byte.",
    evidence=(
        Evidence(
            text="messages.{i}.content.{j}.thinking.signature: Field required",
            status=400,
            link="https://github.com/earendil-works/pi/pull/1523",
        ),
    ),
    examples=(
        Example(
            title="Reasoning that another provider made",
            before=(
                UserMessage("2 + 2?"),
                AssistantMessage(parts=[ReasoningPart(text="Simple."), TextPart("4")], api="openai_chat"),
            ),
            after=(UserMessage("2 + 2?"), AssistantMessage("4", api="openai_chat")),
        ),
    ),
)

STRIP_FOREIGN_SIGNED_REASONING: Final = strip_foreign_reasoning(
    "anthropic-strip-foreign-signed-reasoning",
    owns=_may_be_own,
    error_patterns=(
        r"Invalid `signature` in `(?:redacted_)?thinking` block",
        r"`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified",
    ),
    known_own=lambda message, part: _maker_of(message, part) == "anthropic",
    summary="Thinking that another provider of the same wire signed leaves the prompt; once Anthropic has refused a"
    " signature, all thinking goes that it isn't known to have made, whole turns of it.",
    evidence=(
        Evidence(
            text="messages.{i}.content.{j}: Invalid `signature` in `thinking` block",
            status=400,
            link="https://github.com/anthropics/anthropic-sdk-python/issues/1598",
        ),
        Evidence(
            text="messages.{i}.content.{j}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot"
            " be modified. These blocks must remain as they were in the original response.",
            status=400,
            link="https://github.com/anthropics/claude-code/issues/63404",
        ),
    ),
    examples=(
        Example(
            title="Thinking that another vendor of Anthropic's wire signed",
            before=(
                UserMessage("2 + 2?"),
                AssistantMessage(
                    parts=[ReasoningPart(text="Simple.", signature="a9f1"), TextPart("4")],
                    provider="minimax",
                    api="anthropic",
                ),
            ),
            after=(UserMessage("2 + 2?"), AssistantMessage("4", provider="minimax", api="anthropic")),
        ),
    ),
)

DROP_EMPTY: Final = drop_empty(
    "anthropic-drop-empty",
    summary="Blank texts and empty messages leave the prompt; an empty user message that must stay says so.",
    evidence=(
        Evidence(
            text="messages: text content blocks must be non-empty",
            status=400,
            link="https://github.com/anthropics/claude-code/issues/59812",
        ),
        Evidence(
            text="messages: text content blocks must contain non-whitespace text",
            status=400,
            link="https://github.com/anthropics/claude-code/issues/23440",
        ),
        Evidence(
            text="messages.{i}: all messages must have non-empty content except for the optional final assistant message",
            status=400,
            link="https://github.com/anthropics/claude-code/issues/3196",
        ),
    ),
)

# Opus 4.8, Sonnet 5 and Fable 5 were seen to take it, at Anthropic and on Bedrock; older models, and Vertex and Azure, not.
_VERSION: Final = re.compile(r"claude-(?:[a-z]+-)?(\d)(?:[-.](\d{1,2})(?!\d))?")


def _takes_system_in_list(model: ModelRef) -> bool:
    match = _VERSION.search(model.model or "")
    if match is None or model.provider not in ("anthropic", "bedrock"):
        return False
    major, minor = int(match[1]), int(match[2] or 0)
    return major > 4 or (major == 4 and minor >= 8)


SYSTEM_POSITION: Final = later_system_as_user(
    "anthropic-system-position",
    in_list=_takes_system_in_list,
    summary="A system message among the others becomes a user message between <system> tags, where the model takes none there.",
    evidence=(
        Evidence(
            text='messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system"'
            " as an input message role.",
            status=400,
            link="https://docs.claude.com/en/api/messages",
        ),
        Evidence(
            text="role 'system' is not supported on this model",
            status=400,
            link="https://github.com/anthropics/claude-code/issues/61412",
            date="2026-05-22",
        ),
    ),
    examples=(
        Example(
            title="A reminder in the middle of a conversation",
            before=(
                SystemMessage("Be brief."),
                UserMessage("Hello"),
                AssistantMessage("Hi"),
                SystemMessage("Answer in Norwegian."),
                UserMessage("How are you?"),
            ),
            after=(
                SystemMessage("Be brief."),
                UserMessage("Hello"),
                AssistantMessage("Hi"),
                UserMessage("<system>\nAnswer in Norwegian.\n</system>"),
                UserMessage("How are you?"),
            ),
        ),
    ),
)

ANTHROPIC: Final = Provider(
    name="anthropic",
    recognise=_recognise,
    owns_reasoning=owns_reasoning,
    rules=(STRIP_FOREIGN_REASONING, STRIP_FOREIGN_SIGNED_REASONING, TOOL_ID_FORMAT),
    structure=(SYSTEM_POSITION, DROP_EMPTY),
)
