"""OpenAI's Responses API: at OpenAI itself, on Azure, in the Codex and Copilot backends, and as others speak it."""

from __future__ import annotations

from typing import Final

from ...facts import LONG_IDS
from ...messages import AssistantMessage, TextPart, ToolCallPart, ToolMessage, ToolResultPart, UserMessage
from ..evidence import KnownRejection
from ..provider import Provider
from ..rule import Evidence, Example
from ..rules.item_ids import drop_orphaned_item_ids
from ..rules.making import for_models
from ..rules.tool_call_ids import tool_call_id_format
from ..rules.tool_names import tool_names
from .response_items import ITEM_RULES, ITEM_STRUCTURE, is_native

__all__ = ["OPENAI_RESPONSES"]

_COLONS: Final = "functions.search:0"

CALL_ID_FORMAT: Final = tool_call_id_format(
    "openai-responses-call-id-format",
    pattern=r"[a-zA-Z0-9_-]{1,64}",
    max_length=64,
    # Only an id of more than 40 characters can have more than 64.
    needs=LONG_IDS,
    when=for_models(is_native),
    summary="Call ids with other characters than letters, digits, _ and -, or of more than 64, are rewritten; call and result"
    " together.",
    evidence=(
        Evidence(
            entry="responses-id-charset",
            text="Invalid 'input[{i}].call_id': '{id}'. Expected an ID that contains letters, numbers, underscores, or dashes,"
            " but this value contained additional characters.",
            pattern=r"Invalid 'input\[\d+\]\.call_id': '[^']{0,1000}'\. Expected an ID that contains letters, numbers,",
            cause="Another provider made the call's id, with characters that OpenAI refuses.",
            status=400,
            link="https://github.com/ranxianglei/billion-context/issues/1052",
        ),
        Evidence(
            entry="responses-string-too-long",
            text="Invalid 'input[{i}].call_id': string too long. Expected a string with maximum length 64, but got a string"
            " with length {n} instead.",
            pattern=r"Invalid 'input\[\d+\]\.call_id': string too long",
            cause="Another provider made the call's id, longer than 64 characters.",
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

TOOL_NAMES: Final = tool_names(
    "openai-responses-tool-names",
    when=for_models(is_native),
    summary="Tool names that OpenAI refuses are rewritten: in calls, results, declared tools and the tool choice.",
    evidence=(
        Evidence(
            entry="openai-message-name-pattern",
            text="Invalid 'input[{i}].name': string does not match pattern. Expected a string that matches the pattern"
            " '^[a-zA-Z0-9_-]+$'.",
            pattern=r"Invalid 'input\[\d+\]\.name': string does not match pattern",
            cause="A tool has dots, spaces or the like in its name, as another provider allowed it.",
            status=400,
            link="https://github.com/langchain-ai/langchain/issues/28187",
        ),
        Evidence(
            entry="responses-string-too-long",
            text="Invalid 'input[{i}].name': string too long. Expected a string with maximum length 64, but got a string with"
            " length {n} instead.",
            pattern=r"Invalid 'input\[\d+\]\.name': string too long",
            cause="A tool's name is longer than 64 characters.",
            status=400,
            link="https://github.com/V1ki/dsh-plugin-subscriptions/issues/29",
        ),
        Evidence(
            text="Invalid 'input[{i}].name': empty string. Expected a string with minimum length 1, but got an empty"
            " string instead.",
            pattern=r"Invalid '(?:input|tools)\[\d+\]\.name': empty string",
            cause="A tool has no name: the stream of a call broke, or was put together wrongly.",
            status=400,
            link="https://github.com/diegosouzapw/OmniRoute/issues/707",
        ),
    ),
    examples=(
        Example(
            title="A name with a dot",
            before=(
                UserMessage("Where is Oslo?"),
                AssistantMessage(parts=[ToolCallPart(tool_call_id="c1", tool_name="maps.search", input={})]),
                ToolMessage(parts=[ToolResultPart(tool_call_id="c1", output="In Norway.")]),
            ),
            after=(
                UserMessage("Where is Oslo?"),
                AssistantMessage(
                    parts=[ToolCallPart(tool_call_id="c1", tool_name="maps_search_9bd256", input={})]
                ),
                ToolMessage(parts=[ToolResultPart(tool_call_id="c1", output="In Norway.")]),
            ),
        ),
    ),
)

_ANSWERED: Final = {"openai_responses": {"id": "msg_1", "phase": "final_answer"}}

ORPHAN_ITEM_ID: Final = drop_orphaned_item_ids(
    "openai-orphan-item-id",
    summary="Item ids of answers that lost their reasoning are dropped after OpenAI missed it: the answers are replayed by value.",
    evidence=(
        Evidence(
            entry="responses-item-without-reasoning",
            text="Item '{id}' of type '{message|function_call|web_search_call|...}' was provided without its required"
            " 'reasoning' item: '{rs_id}'.",
            pattern=r"Item '([\w-]+)' of type '\w+' was provided without its required (?:preceding item of type )?'reasoning'",
            cause="The reasoning with which the item's response began was filtered or compacted away.",
            status=400,
            link="https://github.com/mastra-ai/mastra/issues/8738",
        ),
    ),
    examples=(
        Example(
            title="An answer whose reasoning was not stored",
            before=(
                UserMessage("Where is Oslo?"),
                AssistantMessage(parts=[TextPart("In Norway.", provider_options=_ANSWERED)]),
            ),
            after=(
                UserMessage("Where is Oslo?"),
                AssistantMessage(
                    parts=[
                        TextPart(
                            "In Norway.", provider_options={"openai_responses": {"phase": "final_answer"}}
                        )
                    ]
                ),
            ),
        ),
    ),
)

PREVIOUS_RESPONSE: Final = KnownRejection(
    name="previous-response",
    reason="What the server once held is gone, and the history here is only what came after it.",
    remedy="Send the whole history as input, without previous_response_id.",
    evidence=(
        Evidence(
            entry="responses-previous-not-found",
            text="Previous response with id '{resp_id}' not found.",
            pattern=r"Previous response with id '?[\w-]+'? not found|previous_response_not_found",
            cause="The response was not stored, has expired, or belongs to another organisation, region or server.",
            status=400,
            link="https://github.com/maximhq/bifrost/issues/2441",
        ),
    ),
)

JSON_WORD: Final = KnownRejection(
    name="json-word",
    reason="What the instructions say is the caller's.",
    remedy="Say somewhere in the messages that the answer is to be JSON, or ask for a schema instead of `json_object`.",
    evidence=(
        Evidence(
            text="Response input messages must contain the word 'json' in some form to use 'text.format' of type"
            " 'json_object'.",
            pattern=r"essages' must contain the word 'json' in some form|messages must contain the word 'json' in some form",
            cause="The request asks for a JSON object, and no message speaks of JSON.",
            status=400,
            link="https://platform.openai.com/docs/guides/structured-outputs",
        ),
    ),
)

OPENAI_RESPONSES: Final = Provider(
    name="openai-responses",
    recognise=lambda model: model.api == "openai_responses",
    api="openai_responses",
    rules=(CALL_ID_FORMAT, TOOL_NAMES, ORPHAN_ITEM_ID, *ITEM_RULES),
    structure=ITEM_STRUCTURE,
    known_rejections=(PREVIOUS_RESPONSE, JSON_WORD),
)
