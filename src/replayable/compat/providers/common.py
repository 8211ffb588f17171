"""Rules that hold for every provider, or for every one that speaks OpenAI's Chat API."""

from __future__ import annotations

from typing import Final

from ...messages import AssistantMessage, OpaquePart, ToolCallPart, ToolMessage, ToolResultPart, UserMessage
from ...prompt import Prompt
from ...turns import client_calls
from ..provider import Provider
from ..rule import CompatRule, Evidence, Example
from ..rules.arguments import arguments_as_text
from ..rules.content import content_present
from ..rules.foreign_parts import strip_foreign_parts_of_results
from ..rules.legacy_functions import functions_as_tools
from ..rules.making import for_models
from ..rules.provider_executed import strip_foreign_provider_executed_tools
from ..rules.roles import some_message
from ..rules.tool_call_ids import present_ids
from ..rules.tool_names import tool_names

__all__ = ["COMMON", "COMMON_RULES"]

STRIP_FOREIGN_PROVIDER_EXECUTED_TOOLS: Final = strip_foreign_provider_executed_tools(
    "strip-foreign-provider-executed-tools"
)

STRIP_FOREIGN_PARTS_OF_RESULTS: Final = strip_foreign_parts_of_results(
    "strip-foreign-parts-of-results",
    summary="What only another API knows leaves from among results, and a message that holds nothing else.",
    evidence=(
        Evidence(
            text="GenerateContentRequest.contents: contents is not specified",
            cause="A tool message holds nothing but an approval or the like, which is written as nothing.",
            status=400,
            link="https://github.com/langchain-ai/langchain-google/issues/1393",
        ),
    ),
    examples=(
        Example(
            title="The approval of a call that another framework stored",
            before=(
                UserMessage("Hello"),
                AssistantMessage("Hi"),
                ToolMessage(
                    parts=[
                        OpaquePart(api="ai_sdk", value={"type": "tool-approval-response", "approvalId": "1"})
                    ]
                ),
            ),
            after=(UserMessage("Hello"), AssistantMessage("Hi")),
        ),
    ),
)

_CALL: Final = ToolCallPart(tool_call_id="c1", tool_name="search", input={})


_is_chat: Final = for_models(lambda model: model.api == "openai_chat")
_takes_results_by_position: Final = for_models(lambda model: model.provider == "zhipu")


def _wants_ids(prompt: Prompt) -> bool:
    # Z.ai takes results without an id where the calls have theirs, in recorded traffic.
    return _is_chat(prompt) and (
        not _takes_results_by_position(prompt)
        or not all(call.tool_call_id for message in prompt.messages for _, call in client_calls(message))
    )


# Known to take OpenAI's older form, or to hand it on.
_TAKES_FUNCTIONS: Final = (None, "openai", "azure", "groq", "openrouter", "copilot", "vercel_gateway")

FUNCTIONS_AS_TOOLS: Final = functions_as_tools(
    "chat-functions-as-tools",
    when=for_models(lambda model: model.api == "openai_chat" and model.provider not in _TAKES_FUNCTIONS),
    summary="Calls, results and functions in OpenAI's older form are sent as tools, with ids, to others than OpenAI.",
    evidence=(
        Evidence(
            text="function_call: Deprecated and replaced by tool_calls.",
            cause="A call stands in `function_call`, OpenAI's older form.",
            link="https://platform.openai.com/docs/api-reference/chat/create",
        ),
    ),
    examples=(
        Example(
            title="A call in the older form",
            before=(
                AssistantMessage(
                    parts=[
                        ToolCallPart(
                            tool_name="clock", input={}, provider_options={"openai_chat": {"$legacy": True}}
                        )
                    ]
                ),
                ToolMessage(
                    parts=[ToolResultPart(tool_name="clock", output="12:00")],
                    provider_options={"openai_chat": {"role": "function"}},
                ),
            ),
            after=(
                AssistantMessage(
                    parts=[ToolCallPart(tool_call_id="call_0_67d80dd9d7", tool_name="clock", input={})]
                ),
                ToolMessage(
                    parts=[
                        ToolResultPart(tool_call_id="call_0_67d80dd9d7", tool_name="clock", output="12:00")
                    ]
                ),
            ),
        ),
    ),
)

TOOL_CALL_IDS: Final = present_ids(
    "chat-tool-call-ids",
    when=_wants_ids,
    summary="Calls and results without an id get one, by position, on OpenAI's Chat API.",
    evidence=(
        Evidence(
            text="Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.",
            pattern=r"messages with role 'tool' must have a 'tool_call_id'",
            cause="A result does not say which call it answers.",
            status=400,
            link="https://platform.openai.com/docs/api-reference/chat/create",
        ),
    ),
    examples=(
        Example(
            title="A result by position",
            before=(
                UserMessage("Where is Oslo?"),
                AssistantMessage(parts=[_CALL]),
                ToolMessage(parts=[ToolResultPart(output="In Norway.")]),
            ),
            after=(
                UserMessage("Where is Oslo?"),
                AssistantMessage(parts=[_CALL]),
                ToolMessage(parts=[ToolResultPart(tool_call_id="c1", output="In Norway.")]),
            ),
        ),
    ),
)

TOOL_NAMES_PRESENT: Final = tool_names(
    "tool-names-present",
    pattern=r"[\s\S]+",
    summary="A tool without a name gets one: the same in calls, results, declared tools and the tool choice.",
    evidence=(
        Evidence(
            text="Invalid 'messages[{i}].tool_calls[{j}].function.name': empty string. Expected a string with minimum length 1,"
            " but got an empty string instead.",
            cause="A call names no tool: its stream broke, or was put together wrongly.",
            status=400,
            link="https://github.com/continuedev/continue/issues/5091",
            date="2025-04-10",
            api="openai_chat",
        ),
        Evidence(
            text="messages.{i}.content.{j}.tool_use.name: String should have at least 1 character",
            cause="A call names no tool.",
            status=400,
            link="https://github.com/sipeed/picoclaw/issues/1658",
            date="2026-03-16",
            api="anthropic",
        ),
        Evidence(
            entry="bedrock-tool-name-constraint",
            text="Value '' at 'messages.{i}.member.content.{j}.member.toolUse.name' failed to satisfy constraint: Member must"
            " have length greater than or equal to 1",
            cause="A call names no tool.",
            status=400,
            link="https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html",
            api="bedrock",
        ),
    ),
    examples=(
        Example(
            title="A call whose stream broke",
            before=(
                AssistantMessage([ToolCallPart(tool_call_id="c1", tool_name="", input={})]),
                ToolMessage([ToolResultPart(tool_call_id="c1", tool_name="", output="No such tool.")]),
            ),
            after=(
                AssistantMessage([ToolCallPart(tool_call_id="c1", tool_name="tool_e3b0c4", input={})]),
                ToolMessage(
                    [ToolResultPart(tool_call_id="c1", tool_name="tool_e3b0c4", output="No such tool.")]
                ),
            ),
        ),
    ),
)

ARGUMENTS_AS_TEXT: Final = arguments_as_text(
    "chat-arguments-as-text",
    api="openai_chat",
    when=for_models(lambda model: model.api == "openai_chat"),
    summary="Arguments that are an object, null or missing are sent as text, on OpenAI's Chat API.",
    evidence=(
        Evidence(
            text="arguments: string. The arguments to call the function with, as generated by the model in JSON format.",
            cause="The arguments of a call are no text.",
            link="https://platform.openai.com/docs/api-reference/chat/create",
        ),
    ),
    examples=(
        Example(
            title="No arguments",
            before=(
                AssistantMessage(
                    parts=[
                        ToolCallPart(
                            tool_call_id="c1",
                            tool_name="clock",
                            provider_options={"openai_chat": {"$arguments": "absent"}},
                        )
                    ]
                ),
            ),
            after=(AssistantMessage(parts=[ToolCallPart(tool_call_id="c1", tool_name="clock")]),),
        ),
    ),
)

SOME_MESSAGE: Final = some_message(
    "chat-some-message",
    when=for_models(lambda model: model.api in ("openai_chat", "cohere_v2")),
    summary="A history without any message gets a user message, on OpenAI's Chat API and Cohere's.",
    evidence=(
        Evidence(
            entry="openai-messages-empty-array",
            text="Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
            pattern=r"'messages': empty array|'messages' must contain at least one|at least one message is required",
            cause="Everything was filtered or compacted away.",
            status=400,
            link="https://github.com/CopilotKit/CopilotKit/issues/529",
        ),
    ),
    examples=(
        Example(title="Nothing left", before=(), after=(UserMessage("(The conversation continues here.)"),)),
    ),
)

CONTENT_PRESENT: Final = content_present(
    "chat-content-present",
    "system",
    "user",
    "tool",
    api="openai_chat",
    when=_is_chat,
    summary="Instructions, a question or a result whose content is null or absent say an empty text instead, on OpenAI's Chat"
    " API.",
    evidence=(
        Evidence(
            text="'messages.{i}' : for 'role:tool' the following must be satisfied[('messages.{i}.content' : value must be a"
            " string)]",
            pattern=r"'messages\.\d+\.content' : value must be a string",
            cause="The content of a message is null or missing, as a tool returned nothing, or a list where this model takes a text"
            " alone.",
            status=400,
            link="https://github.com/CherryHQ/cherry-studio/issues/3307",
        ),
        Evidence(
            entry="openai-content-null",
            text="Invalid value for 'content': expected a string, got null.",
            cause="The content of a system, user or tool message is null or missing; only an answer may have none.",
            status=400,
            link="https://github.com/langchain-ai/langchainjs/issues/4153",
        ),
    ),
    examples=(
        Example(
            title="A tool that returned nothing",
            before=(
                AssistantMessage(parts=[_CALL]),
                ToolMessage(
                    parts=[ToolResultPart(tool_call_id="c1")],
                    provider_options={"openai_chat": {"$content": "null"}},
                ),
            ),
            after=(
                AssistantMessage(parts=[_CALL]),
                ToolMessage(parts=[ToolResultPart(tool_call_id="c1")]),
            ),
        ),
    ),
)

COMMON: Final = Provider(
    name="every provider",
    recognise=lambda model: True,
    rules=(
        STRIP_FOREIGN_PROVIDER_EXECUTED_TOOLS,
        STRIP_FOREIGN_PARTS_OF_RESULTS,
        FUNCTIONS_AS_TOOLS,
        TOOL_CALL_IDS,
        TOOL_NAMES_PRESENT,
        ARGUMENTS_AS_TEXT,
    ),
    structure=(CONTENT_PRESENT, SOME_MESSAGE),
)
"""What holds for every model, a row or not: its rules before the row's, its structure behind the row's."""

COMMON_RULES: Final[tuple[CompatRule, ...]] = COMMON.all_rules()
