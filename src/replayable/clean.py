"""``CleanMessages``: ``clean_messages`` as a processor."""

from __future__ import annotations

import re
from typing import Final

from typing_extensions import override

from .errors import ConfigurationError
from .facts import UNPAIRED
from .pairing import MissingResults, clean_messages
from .processor import APIErrorArgs, ErrorRepair, LLMRequestArgs, Processor
from .prompt import Prompt, facts_of_prompt, with_messages

__all__ = ["CleanMessages"]

# What providers, gateways and client libraries say when calls and results are not paired. Backticks are gone from the
# texts, and quotes may be single, double or escaped.
_UNPAIRED: Final = tuple(
    re.compile(pattern)
    for pattern in (
        # Anthropic, also through Bedrock, Vertex and gateways
        r"tool_use ids were found without tool_result blocks immediately after",
        r"Did not find \d+ tool_result block\(s\) at the beginning of this message",
        r"unexpected tool_use_id found in tool_result blocks",
        r"each tool_use must have a single result\. Found multiple tool_result blocks",
        r"tool_use ids must be unique",
        r"tool_result blocks can only be in user messages",
        r"tool_result\.tool_use_id: Field required",
        # OpenAI, DeepSeek, Cohere and others
        r"ssistant message with \W{1,6}tool_calls\W{1,6} must be followed by tool messages",
        r"essages with role \W{1,6}tool\W{1,6} must be a response to a prece+ding message with",
        r"insufficient tool messages following tool_calls message",
        # OpenAI Responses
        r"No tool call found for [\w ]{1,40} output with call_id",
        r"No tool output found for [\w ]{0,40}call ",
        # Gemini
        r"lease ensure that function call turn comes immediately after",
        r"lease ensure that function response turn comes immediately after",
        r"number of function response parts is equal to (?:the )?number of function call parts",
        # Bedrock Converse
        r"Expected toolResult blocks at messages\.\d+\.content for the following Ids",
        r"number of toolResult blocks at messages?\.\d+\.content exceeds the number of toolUse blocks",
        # Mistral, Kimi, MiniMax
        r"Not the same number of function calls and responses",
        r"tool_call_id {1,4}\S{0,200} {0,4}is not found",
        r"tool result's tool id\([^)]{0,200}\) not found",
        r"tool call result does not follow tool call",
        # LiteLLM, AI SDK, LangGraph
        r"Missing corresponding tool call for tool response message",
        r"Tool results? (?:is|are) missing for tool call",
        r"Found AIMessages with tool_calls that do not have a corresponding ToolMessage",
    )
)


class CleanMessages(Processor):
    """Repairs orphaned tool calls and results.

    Before a call this changes the prompt only. After a rejection that says that calls and results are not paired, the
    stored history is repaired too; what is still pending in it (a call that waits for approval or broke off) stays, since
    its result may yet come. Where the provider holds part of the history, calls and results that have no partner here are
    left alone.

    Args:
        missing_results: As for ``clean_messages``.

    Raises:
        ConfigurationError: ``missing_results`` is neither ``"drop"`` nor ``"placeholder"``.
    """

    id = "clean-messages"

    def __init__(self, missing_results: MissingResults = "drop") -> None:
        if missing_results not in ("drop", "placeholder"):
            raise ConfigurationError(
                f"missing_results must be 'drop' or 'placeholder', not {missing_results!r}"
            )
        self.missing_results: MissingResults = missing_results

    @override
    def process_llm_request(self, args: LLMRequestArgs) -> Prompt | None:
        prompt = args.prompt
        if not facts_of_prompt(prompt) & UNPAIRED:
            return None
        messages = clean_messages(
            prompt.messages, missing_results=self.missing_results, open_ended=bool(prompt.server_state)
        )
        return None if messages is prompt.messages else with_messages(prompt, messages)

    @override
    def process_api_error(self, args: APIErrorArgs) -> ErrorRepair | None:
        if not any(args.error.matches(pattern) for pattern in _UNPAIRED):
            return None
        messages = clean_messages(
            args.messages,
            missing_results=self.missing_results,
            open_ended=args.server_state,
            keep_pending=True,
        )
        return None if messages is args.messages else ErrorRepair(messages=tuple(messages), retry=True)
