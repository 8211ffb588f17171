"""OpenAI's Responses API, at OpenAI itself and on Azure."""

from __future__ import annotations

from typing import Final

from ...facts import LONG_IDS
from ...messages import AssistantMessage, ToolCallPart, ToolMessage, ToolResultPart, UserMessage
from ..provider import Provider
from ..rule import Evidence, Example
from ..rules.item_ids import drop_orphaned_item_ids
from ..rules.tool_call_ids import tool_call_id_format

__all__ = ["OPENAI_RESPONSES"]

_COLONS: Final = "functions.search:0"

RESPONSES_CALL_ID_FORMAT: Final = tool_call_id_format(
    "openai-responses-call-id-format",
    pattern=r"[a-zA-Z0-9_-]{1,64}",
    max_length=64,
    # Only an id of more than 40 characters can have more than 64.
    needs=LONG_IDS,
    error_patterns=(
        r"Invalid 'input\[\d+\]\.call_id': '[^']{0,400}'\. Expected an ID that contains letters, numbers,",
        r"Invalid 'input\[\d+\]\.call_id': string too long\. Expected a string with maximum length 64,",
    ),
    summary="Call ids with other characters than letters, digits, _ and -, or of more than 64, are rewritten; call and result"
    " together.",
    evidence=(
        Evidence(
            text="Invalid 'input[{i}].call_id': '{id}'. Expected an ID that contains letters, numbers, underscores, or dashes,"
            " but this value contained additional characters.",
            status=400,
            link="https://github.com/ranxianglei/billion-context/issues/1052",
        ),
        Evidence(
            text="Invalid 'input[{i}].call_id': string too long. Expected a string with maximum length 64, but got a string"
            " with length {n} instead.",
            status=400,
            link="https://github.com/AnswerDotAI/fastllm/issues/45",
        ),
    ),
    examples=(
        Example(
            title="An id that another provider made",
            before=(
                UserMessage("Where is Oslo?"),
                AssistantMessage(
                    parts=[ToolCallPart(tool_call_id=_COLONS, tool_name="search", input={"q": "Oslo"})]
                ),
                ToolMessage(parts=[ToolResultPart(tool_call_id=_COLONS, output="In Norway.")]),
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

ORPHAN_ITEM_ID: Final = drop_orphaned_item_ids(
    "openai-orphan-item-id",
    error_patterns=(
        r"Item '([\w-]+)' of type '\w+' was provided without its required 'reasoning' item",
        r"Item '([\w-]+)' of type '\w+' was provided without its required preceding item of type 'reasoning'",
    ),
    summary="Item ids of answers that lost their reasoning are dropped after OpenAI missed it: the answers are replayed by value.",
    evidence=(
        Evidence(
            text="Item '{id}' of type '{message|function_call|web_search_call|...}' was provided without its required"
            " 'reasoning' item: '{rs_id}'.",
            status=400,
            link="https://github.com/mastra-ai/mastra/issues/8738",
        ),
    ),
)

OPENAI_RESPONSES: Final = Provider(
    name="openai-responses",
    recognise=lambda model: model.provider in ("openai", "azure") and model.api == "openai_responses",
    rules=(RESPONSES_CALL_ID_FORMAT, ORPHAN_ITEM_ID),
)
