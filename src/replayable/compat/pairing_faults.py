"""What providers say when calls and results are not paired: the faults that ``clean_messages`` repairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .evidence import Evidence

__all__ = ["PAIRING_FAULTS", "PairingFault"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairingFault:
    """One way in which calls and results can be unpaired.

    Args:
        name: The fault, e.g. ``call-without-result``.
        summary: What ``clean_messages`` does about it, in one sentence.
        evidence: The words of the providers.
    """

    name: str
    summary: str
    evidence: tuple[Evidence, ...]


CALL_WITHOUT_RESULT: Final = PairingFault(
    name="call-without-result",
    summary="A call that nothing answers gets a placeholder result, or leaves (missing_results='drop').",
    evidence=(
        Evidence(
            entry="anthropic-tool-use-without-result",
            api="anthropic",
            text="messages.{i}: `tool_use` ids were found without `tool_result` blocks immediately after: {id}. Each"
            " `tool_use` block must have a corresponding `tool_result` block in the next message.",
            pattern=r"`tool_use` ids were found without `tool_result` blocks immediately after",
            cause="The message after an assistant's calls lacks the result of at least one of them.",
            status=400,
            link="https://github.com/anthropics/claude-code/issues/2697",
        ),
        Evidence(
            entry="bedrock-expected-tool-result",
            api="bedrock",
            text="Expected toolResult blocks at messages.{i}.content for the following Ids: {id}",
            pattern=r"Expected toolResult blocks at messages?\.\d+\.content for the following Ids",
            cause="The message after an assistant's calls lacks the result of at least one of them.",
            status=400,
            link="https://github.com/agno-agi/agno/issues/6698",
        ),
        Evidence(
            entry="gemini-response-count",
            api="gemini",
            text="Please ensure that the number of function response parts is equal to the number of function call parts"
            " of the function call turn.",
            pattern=r"number of function response parts is equal to (?:the )?number of function call parts",
            cause="A turn with several calls is not followed by one turn with just as many responses.",
            status=400,
            link="https://github.com/google-gemini/gemini-cli/issues/16415",
        ),
        Evidence(
            entry="responses-call-without-output",
            api="openai_responses",
            text="No tool output found for function call {call_id}.",
            pattern=r"No tool output found for [\w ]{0,40}call ",
            cause="A function call has no output, in the input or in the chain that the server holds.",
            status=400,
            link="https://github.com/ranxianglei/billion-context/issues/766",
        ),
        Evidence(
            entry="cohere-tool-calls-unanswered",
            provider="cohere",
            api="cohere_v2",
            text="invalid request: An assistant message with 'tool_calls' must be followed by tool messages responding to"
            " each 'tool_call_id'.",
            pattern=r"invalid request: An assistant message with \W{1,6}tool_calls\W{1,6} must be followed by tool messages",
            cause="A call has no tool message directly after it.",
            status=400,
            link="https://github.com/oracle/langchain-oracle/issues/10",
        ),
        Evidence(
            entry="deepseek-insufficient-tool",
            provider="deepseek",
            api="openai_chat",
            text="An assistant message with 'tool_calls' must be followed by tool messages responding to each"
            " 'tool_call_id'. (insufficient tool messages following tool_calls message)",
            pattern=r"insufficient tool messages following tool_calls message",
            cause="A call has no tool message directly after it; which one is not said.",
            status=400,
            link="https://github.com/smallmain/vscode-unify-chat-provider/issues/248",
        ),
        Evidence(
            entry="openai-tool-calls-unanswered",
            api="openai_chat",
            text="An assistant message with 'tool_calls' must be followed by tool messages responding to each"
            " 'tool_call_id'. The following tool_call_ids did not have response messages: {id}",
            pattern=r"ssistant message with \W{1,6}tool_calls\W{1,6} must be followed by tool messages",
            cause="A call has no tool message directly after it.",
            status=400,
            link="https://github.com/agno-agi/agno/issues/3105",
        ),
        Evidence(
            entry="mistral-call-response-count",
            provider="mistral",
            api="openai_chat",
            text="Not the same number of function calls and responses",
            pattern=r"Not the same number of function calls and responses",
            cause="An assistant's calls are not followed by just as many tool messages.",
            status=400,
            link="https://github.com/mistralai/client-ts/issues/106",
        ),
        Evidence(
            entry="aisdk-missing-tool-results",
            provider="ai-sdk",
            text="Tool results are missing for tool calls: {ids}",
            pattern=r"MissingToolResultsError|Tool results? (?:is|are) missing for tool call",
            cause="The AI SDK found a call without a result before it sent anything.",
            link="https://ai-sdk.dev/docs/troubleshooting/missing-tool-results-error",
        ),
        Evidence(
            entry="langgraph-invalid-chat-history",
            provider="langgraph",
            text="Found AIMessages with tool_calls that do not have a corresponding ToolMessage.",
            pattern=r"Found AIMessages with tool_calls that do not have a corresponding ToolMessage|INVALID_CHAT_HISTORY",
            cause="LangGraph found a call without a result before it sent anything.",
            link="https://github.com/langchain-ai/langgraph/pull/2182",
        ),
    ),
)

RESULT_WITHOUT_CALL: Final = PairingFault(
    name="result-without-call",
    summary="A result whose call is gone leaves.",
    evidence=(
        Evidence(
            entry="anthropic-unexpected-tool-use-id",
            api="anthropic",
            text="messages.{i}.content.{j}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result`"
            " block must have a corresponding `tool_use` block in the previous message.",
            pattern=r"unexpected `tool_use_id` found in `tool_result` blocks",
            cause="A result's call is not in the message before: it was cut off, dropped, or something stands between.",
            status=400,
            link="https://github.com/router-for-me/CLIProxyAPI/issues/497",
        ),
        Evidence(
            entry="bedrock-too-many-tool-results",
            api="bedrock",
            text="The number of toolResult blocks at messages.{i}.content exceeds the number of toolUse blocks of previous"
            " turn.",
            pattern=r"number of toolResult blocks at messages?\.\d+\.content exceeds the number of toolUse blocks",
            cause="There are more results than calls in the turn before.",
            status=400,
            link="https://github.com/pydantic/pydantic-ai/issues/2327",
        ),
        Evidence(
            entry="gemini-response-turn-order",
            api="gemini",
            text="Please ensure that function response turn comes immediately after a function call turn.",
            pattern=r"function response turn comes immediately after a function call turn",
            cause="A response does not stand directly after the turn with its call.",
            status=400,
            link="https://github.com/langchain-ai/langchain/issues/27799",
        ),
        Evidence(
            entry="responses-output-without-call",
            api="openai_responses",
            text="No tool call found for function call output with call_id {call_id}.",
            pattern=r"No tool call found for [\w ]{1,40} output with call_id",
            cause="An output's call is neither in the input nor in the chain that the server holds.",
            status=400,
            link="https://github.com/continuedev/continue/issues/10092",
        ),
        Evidence(
            entry="kimi-tool-call-id-not-found",
            provider="moonshot",
            api="openai_chat",
            text="Invalid request: tool_call_id {id} is not found",
            pattern=r"tool_call_id {1,4}\S{0,200} {0,4}is not found",
            cause="A tool message answers a call that is not there, or says no id at all.",
            status=400,
            link="https://platform.moonshot.ai/docs/guide/use-kimi-api-to-complete-tool-calls",
        ),
        Evidence(
            entry="mistral-unexpected-role",
            provider="mistral",
            api="openai_chat",
            text="Unexpected role 'tool' after role '{user|system}'",
            pattern=r"Unexpected role 'tool' after role",
            cause="A tool message does not stand behind the call that it answers.",
            status=400,
            link="https://github.com/onyx-dot-app/onyx/issues/6458",
        ),
        Evidence(
            entry="minimax-tool-id-not-found",
            provider="minimax",
            api="openai_chat",
            text="invalid params, tool result's tool id({id}) not found (2013)",
            pattern=r"tool result's tool id\([^)]{0,200}\) not found",
            cause="A result's call is not in the assistant message directly before.",
            status=400,
            link="https://github.com/MiniMax-AI/MiniMax-M2/issues/76",
        ),
        Evidence(
            entry="openai-tool-without-call",
            api="openai_chat",
            text="Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
            pattern=r"essages with role \W{1,6}tool\W{1,6} must be a response to a prece+ding message with",
            cause="A tool message answers a call that is not in the assistant message before its run.",
            status=400,
            link="https://github.com/run-llama/llama_index/issues/10493",
        ),
        Evidence(
            entry="litellm-missing-tool-call",
            provider="litellm",
            text="Missing corresponding tool call for tool response message. Received - message={m}",
            pattern=r"Missing corresponding tool call for tool response message",
            cause="LiteLLM found a tool message whose call it could not find, before it sent anything.",
            link="https://github.com/BerriAI/litellm/issues/29560",
        ),
    ),
)

RESULT_OUT_OF_PLACE: Final = PairingFault(
    name="result-out-of-place",
    summary="A result that stands elsewhere moves to its call.",
    evidence=(
        Evidence(
            entry="anthropic-did-not-find-tool-result",
            api="anthropic",
            text="messages.{i}: Did not find {n} `tool_result` block(s) at the beginning of this message. Messages following"
            " `tool_use` blocks must begin with a matching number of `tool_result` blocks.",
            pattern=r"Did not find \d+ `tool_result` block\(s\) at the beginning of this message",
            cause="The message after an assistant's calls does not begin with their results.",
            status=400,
            link="https://github.com/anthropics/claude-code/issues/37",
        ),
        Evidence(
            entry="anthropic-tool-result-role",
            api="anthropic",
            text="messages.{i}: `tool_result` blocks can only be in `user` messages",
            pattern=r"`tool_result` blocks can only be in `user` messages",
            cause="A result stands inside an assistant message.",
            status=400,
            link="https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use",
        ),
        Evidence(
            entry="anthropic-tool-result-id-missing",
            api="anthropic",
            text="messages.{i}.content.{j}.tool_result.tool_use_id: Field required",
            pattern=r"tool_result\.tool_use_id: Field required",
            cause="A result does not say which call it answers.",
            status=400,
            link="https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use",
        ),
        Evidence(
            entry="gemini-call-turn-order",
            api="gemini",
            text="Please ensure that function call turn comes immediately after a user turn or after a function response"
            " turn.",
            pattern=r"function call turn comes immediately after a user turn or after a function response turn",
            cause="A turn with calls comes first, or after another model turn.",
            status=400,
            link="https://github.com/google-gemini/gemini-cli/issues/26486",
        ),
        Evidence(
            entry="gemini-call-response-mixed",
            api="gemini",
            text="Please ensure that function call turn contains at least one function_call part which can not be mixed with"
            " function_response parts.",
            pattern=r"contains at least one function_(?:call|response) part which can not be mixed with",
            cause="Calls and responses stand in one turn.",
            status=400,
            link="https://github.com/googleapis/python-genai/issues/81",
        ),
        Evidence(
            entry="minimax-result-order",
            provider="minimax",
            api="openai_chat",
            text="invalid params, tool call result does not follow tool call (2013)",
            pattern=r"tool call result does not follow tool call",
            cause="Something stands between an assistant's calls and a result.",
            status=400,
            link="https://github.com/MiniMax-AI/MiniMax-M2/issues/69",
        ),
    ),
)

REPEATED_RESULT: Final = PairingFault(
    name="repeated-result",
    summary="Of several results for one call one stays: a real one rather than an error or a placeholder.",
    evidence=(
        Evidence(
            entry="anthropic-duplicate-tool-result",
            api="anthropic",
            text="messages.{i}.content.{j}: each tool_use must have a single result. Found multiple `tool_result` blocks with"
            " id: {id}",
            pattern=r"each tool_use must have a single result\. Found multiple `tool_result` blocks",
            cause="One call is answered twice.",
            status=400,
            link="https://github.com/Kilo-Org/kilocode/pull/3772",
        ),
    ),
)

REPEATED_CALL_ID: Final = PairingFault(
    name="repeated-call-id",
    summary="Within one turn a repeated call is dropped; different calls that share an id are renamed, with their results.",
    evidence=(
        Evidence(
            entry="anthropic-tool-use-ids-unique",
            api="anthropic",
            text="messages.{i}.content.{j}: `tool_use` ids must be unique",
            pattern=r"`tool_use` ids must be unique",
            cause="Two calls of one turn have the same id.",
            status=400,
            link="https://github.com/anthropics/claude-code/issues/20901",
        ),
        Evidence(
            api="bedrock",
            text="The toolUse blocks at messages.{i}.content contain duplicate Ids: {id}",
            pattern=r"The toolUse blocks at messages\.\d+\.content contain duplicate Ids",
            cause="Two calls of one turn have the same id.",
            status=400,
            link="https://github.com/bvcyber/Cyber-AutoAgent-ng/issues/72",
        ),
    ),
)

CALL_WITHOUT_ID: Final = PairingFault(
    name="call-without-id",
    summary="A call that lost its id takes that of the result behind it.",
    evidence=RESULT_WITHOUT_CALL.evidence,
)
"""What provokes the same words: not one of the kinds below."""

PAIRING_FAULTS: Final[tuple[PairingFault, ...]] = (
    CALL_WITHOUT_RESULT,
    RESULT_WITHOUT_CALL,
    RESULT_OUT_OF_PLACE,
    REPEATED_RESULT,
    REPEATED_CALL_ID,
)
