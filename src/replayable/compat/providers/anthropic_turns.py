"""Anthropic's rules for what stands where in an answer: text, calls, thinking, and what its own servers ran."""

from __future__ import annotations

import re
from typing import Final

from ...edits import chained
from ...messages import (
    AssistantMessage,
    Message,
    Messages,
    OpaquePart,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from ...model_ref import ModelRef
from ...prompt import Prompt
from ..evidence import Evidence
from ..rule import Example
from ..rules.foreign_parts import complete_reasoning, foreign_parts_as_text
from ..rules.making import for_models
from ..rules.placeholders import CONTINUE, OPENING
from ..rules.prefill import no_trailing_space
from ..rules.results_and_user import user_in_results, user_joins_results
from ..rules.roles import last_user, leading_user, merge_runs, merged, some_user
from ..rules.server_tool_pairs import paired_server_tools
from ..rules.text_after_calls import text_before_calls
from ..rules.thinking_mode import reasoning_first, stop_thinking_in_bare_loop, strip_reasoning_when_off
from .claude_models import is_legacy, refuses_prefill, thinks_by_default

__all__ = [
    "FOREIGN_BLOCKS",
    "LAST_USER",
    "NO_TRAILING_SPACE",
    "SERVER_TOOL_PAIRS",
    "TEXT_BEFORE_CALLS",
    "THINKING_RULES",
    "TURN_RULES",
]

_CALL: Final = ToolCallPart(tool_call_id="toolu_1", tool_name="search", input={"q": "Oslo"})
_RESULT: Final = ToolMessage([ToolResultPart(tool_call_id="toolu_1", output="In Norway.")])

TEXT_BEFORE_CALLS: Final = text_before_calls(
    "anthropic-text-before-calls",
    apis=frozenset({"anthropic", "bedrock"}),
    summary="Text that stands behind the calls of an answer moves in front of them.",
    evidence=(
        Evidence(
            entry="anthropic-tool-use-without-result",
            text="messages.{i}: `tool_use` ids were found without `tool_result` blocks immediately after: {id}.",
            pattern=r"`tool_use` ids were found without `tool_result` blocks immediately after",
            cause="A text follows the calls in the same answer, so that their results are not what comes next.",
            status=400,
            link="https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use",
        ),
    ),
    examples=(
        Example(
            title="An afterthought behind a call",
            before=(
                UserMessage("Where is Oslo?"),
                AssistantMessage([_CALL, TextPart("Let me look.")]),
                _RESULT,
            ),
            after=(
                UserMessage("Where is Oslo?"),
                AssistantMessage([TextPart("Let me look."), _CALL]),
                _RESULT,
            ),
        ),
    ),
)

# https://docs.claude.com/en/docs/agents-and-tools/tool-use/overview
_SERVER_ID: Final = re.compile(r"srvtoolu_[a-zA-Z0-9_]+")
_NOT_ITS_OWN: Final = r"server_tool_use\.id: String should match pattern '\^srvtoolu_"
_SERVER_TOOLS: Final = frozenset(
    {
        "advisor",
        "bash_code_execution",
        "code_execution",
        "text_editor_code_execution",
        "tool_search_tool_bm25",
        "tool_search_tool_regex",
        "web_fetch",
        "web_search",
    }
)


def _is_anthropics(call: ToolCallPart, prompt: Prompt) -> bool:
    if call.provider_options and call.provider_options.get("anthropic", {}).get(
        "type", "server_tool_use"
    ) != ("server_tool_use"):
        # A remote MCP server's call has ids and names of its own.
        return True
    # Looked for one by one: a borrowed name may be of a type that has no hash.
    declared = (
        tool.value.get("name")
        for tool in prompt.tools or ()
        if tool.type == "provider" and isinstance(tool.value, dict)
    )
    return bool(_SERVER_ID.fullmatch(call.tool_call_id or "")) and (
        call.tool_name in _SERVER_TOOLS or call.tool_name in declared
    )


def _may_be_pending(call: ToolCallPart, prompt: Prompt) -> bool:
    """A paused turn is sent back as it is; code that waits for a tool of the client goes on in its container."""
    runs_code = "code_execution" in call.tool_name
    waits = prompt.messages[-1].role == "tool"
    return not (runs_code and waits) or bool((prompt.request or {}).get("container"))


SERVER_TOOL_PAIRS: Final = paired_server_tools(
    "anthropic-server-tool-pairs",
    is_known=_is_anthropics,
    unknown=_NOT_ITS_OWN,
    may_be_pending=_may_be_pending,
    summary="A call of Anthropic's own server without its result, a result without its call, and a call that Anthropic's"
    " server can't have made leave the prompt.",
    evidence=(
        Evidence(
            entry="anthropic-unexpected-server-tool-result",
            text="messages.{i}.content.{j}: unexpected `tool_use_id` found in `web_search_tool_result` blocks:"
            " {srvtoolu_id}. Each `web_search_tool_result` block must have a corresponding `server_tool_use` block before it.",
            pattern=r"unexpected `tool_use_id` found in `\w{1,40}_tool_result` blocks",
            cause="The result of a tool that the server ran stands in an answer without the call before it.",
            status=400,
            link="https://github.com/anthropics/claude-code/issues/64383",
        ),
        Evidence(
            entry="anthropic-server-tool-use-without-result",
            text="messages.{i}: `web_search` tool use with id `srvtoolu_{id}` was found without a corresponding"
            " `web_search_tool_result` block",
            pattern=r"tool use with id `srvtoolu_\w{1,80}` was found without a corresponding `\w{1,40}_tool_result` block",
            cause="An answer holds a call that the server ran, but not its result: the stream broke, or it got lost.",
            status=400,
            link="https://github.com/AnswerDotAI/lisette/issues/108",
        ),
        Evidence(
            entry="anthropic-server-tool-id-pattern",
            text="messages.{i}.content.{j}.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",
            pattern=_NOT_ITS_OWN,
            cause="Another vendor of Anthropic's wire ran the tool, and gave the call an id of its own.",
            status=400,
            link="https://github.com/ding113/claude-code-hub/issues/470",
        ),
        Evidence(
            entry="anthropic-container-required",
            text="container_id is required when there are pending tool uses generated by code execution with tools.",
            pattern=r"container_id is required when there are pending tool uses generated by code execution",
            cause="The last turn waits for a tool of the client while code of the server runs, and the request names no"
            " container.",
            status=400,
            link="https://github.com/anthropics/anthropic-sdk-python/issues/1801",
        ),
    ),
    examples=(
        Example(
            title="A web search whose result got lost",
            before=(
                UserMessage("What's new in Oslo?"),
                AssistantMessage(
                    [
                        ToolCallPart(
                            tool_call_id="srvtoolu_1",
                            tool_name="web_search",
                            input={"query": "Oslo"},
                            provider_executed=True,
                        ),
                        TextPart("It snowed."),
                    ]
                ),
                UserMessage("Thanks."),
            ),
            after=(
                UserMessage("What's new in Oslo?"),
                AssistantMessage("It snowed."),
                UserMessage("Thanks."),
            ),
        ),
    ),
)

# Types of OpenAI's two APIs and of gateways, seen in content sent to Anthropic.
FOREIGN_BLOCKS: Final = foreign_parts_as_text(
    "anthropic-foreign-blocks",
    api="anthropic",
    foreign_types=frozenset({"input_text", "output_text", "reasoning", "refusal", "fallback"}),
    refused=r"Input tag '(\w{1,64})' found using '?type'? does not match any of the expected tags",
    summary="A block of another API's type becomes the text that it holds, or leaves.",
    evidence=(
        Evidence(
            entry="anthropic-unknown-block-type",
            text="messages.{i}.content.{j}: Input tag 'input_text' found using 'type' does not match any of the expected"
            " tags: {list}",
            pattern=r"Input tag '\w{1,64}' found using '?type'? does not match any of the expected tags",
            cause="A content block has a type of another API, or one that only comes out of this one.",
            status=400,
            link="https://docs.claude.com/en/api/messages",
        ),
    ),
    examples=(
        Example(
            title="Text as OpenAI's Responses API writes it",
            before=(
                UserMessage(
                    [OpaquePart(api="anthropic", value={"type": "input_text", "text": "Where is Oslo?"})]
                ),
            ),
            after=(UserMessage("Where is Oslo?"),),
        ),
    ),
)


_IN_A_ROW: Final = (
    r"roles must alternate between \W{0,6}user\W{0,6} and \W{0,6}assistant\W{0,6}, but found multiple"
)


def _in_turns(messages: Messages) -> Messages | None:
    return chained(
        messages,
        lambda given: user_in_results(given, "anthropic"),
        lambda given: merged(given, ("user", "assistant")),
    )


def _wants_strict_turns(model: ModelRef) -> bool:
    return is_legacy(model) or (model.provider == "minimax" and model.api == "anthropic")


THINKING_RULES: Final = (
    complete_reasoning(
        "anthropic-thinking-field",
        api="anthropic",
        field="thinking",
        summary="Thinking of which only the signature was stored is sent with an empty text.",
        evidence=(
            Evidence(
                entry="anthropic-thinking-field",
                text="messages.{i}.content.{j}.thinking.thinking: Field required",
                pattern=r"thinking\.thinking: Field required",
                cause="A thinking block was stored without its text.",
                status=400,
                link="https://docs.claude.com/en/docs/build-with-claude/extended-thinking",
            ),
        ),
        examples=(
            Example(
                title="Only the signature was stored",
                before=(
                    AssistantMessage(
                        [
                            ReasoningPart(
                                signature="c2ln", provider_options={"anthropic": {"$absent": ["thinking"]}}
                            ),
                            TextPart("Norway."),
                        ],
                        api="anthropic",
                    ),
                ),
                after=(
                    AssistantMessage([ReasoningPart(signature="c2ln"), TextPart("Norway.")], api="anthropic"),
                ),
            ),
        ),
    ),
    reasoning_first(
        "anthropic-thinking-first",
        summary="Thinking that does not begin its turn leaves the prompt, unless this request thinks adaptively.",
        evidence=(
            Evidence(
                entry="anthropic-thinking-not-first",
                text="messages.{i}.content.{j}: If an assistant message contains any thinking blocks, the first block must be"
                " `thinking` or `redacted_thinking`. Found `text`.",
                pattern=r"If an assistant message contains any thinking blocks, the first block must be `thinking`",
                cause="In an answer, or in several in a row, something stands in front of the thinking.",
                status=400,
                link="https://github.com/anthropics/claude-code/issues/20705",
            ),
        ),
        examples=(
            Example(
                title="Thinking that was stored behind the text",
                before=(
                    UserMessage("Where is Oslo?"),
                    AssistantMessage([TextPart("Norway."), ReasoningPart(text="Hm.", signature="c2ln")]),
                ),
                after=(UserMessage("Where is Oslo?"), AssistantMessage("Norway.")),
            ),
        ),
    ),
    stop_thinking_in_bare_loop(
        "anthropic-thinking-in-open-loop",
        refuses_prefill=refuses_prefill,
        summary="Where the open tool loop, or the final answer that the model is to continue, began without thinking,"
        " thinking is off for this request, and on again in the next turn; after a rejection the loop's calls and results are"
        " told as text, and a user message follows a final answer.",
        evidence=(
            Evidence(
                entry="anthropic-thinking-first-block",
                text="messages.{i}.content.{j}.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When"
                " `thinking` is enabled, a final `assistant` message must start with a thinking block",
                pattern=r"When `thinking` is enabled, a final `assistant` message must start with a thinking block",
                cause="This request thinks, but the answer that opened the tool loop holds no thinking: another model made"
                " it, or thinking was switched on since.",
                status=400,
                link="https://github.com/anomalyco/opencode/issues/3077",
            ),
            Evidence(
                text="messages.3.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`. When `thinking`"
                " is enabled, a final `assistant` message must start with a thinking block.",
                cause="The same of a final answer that Claude is to continue: one that was cut off at the output limit.",
                status=400,
                link="https://github.com/Aider-AI/aider/issues/3820",
                date="2025-04-16",
            ),
        ),
        examples=(
            Example(
                title="A loop that another model began",
                before=(UserMessage("Where is Oslo?"), AssistantMessage([_CALL]), _RESULT),
                after=(
                    UserMessage("Where is Oslo?"),
                    AssistantMessage('[Called the tool search with {"q":"Oslo"}]'),
                    UserMessage("[The tool search returned]\nIn Norway."),
                ),
            ),
            Example(
                title="An answer to be continued",
                before=(UserMessage("Where is Oslo?"), AssistantMessage("In")),
                after=(UserMessage("Where is Oslo?"), AssistantMessage("In"), UserMessage(CONTINUE)),
            ),
        ),
    ),
    strip_reasoning_when_off(
        "anthropic-thinking-when-off",
        thinks_by_default=thinks_by_default,
        summary="Where this request does not think, the thinking of the open tool loop leaves the prompt.",
        evidence=(
            Evidence(
                entry="anthropic-thinking-when-disabled",
                text="messages.{i}.content.{j}: When thinking is disabled, an `assistant` message in the final position cannot"
                " contain `thinking`. To use thinking blocks, enable `thinking` in your request.",
                pattern=r"When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`",
                cause="Thinking is off in this request (a forced tool, a summary), but the open tool loop holds some.",
                status=400,
                link="https://github.com/tailcallhq/forgecode/issues/1853",
            ),
        ),
        examples=(
            Example(
                title="The loop's thinking in a request that does not think",
                before=(
                    UserMessage("Where is Oslo?"),
                    AssistantMessage([ReasoningPart(text="Hm.", signature="c2ln"), _CALL]),
                    _RESULT,
                ),
                after=(
                    UserMessage("Where is Oslo?"),
                    AssistantMessage([_CALL]),
                    _RESULT,
                ),
            ),
        ),
    ),
)


def _ends_well(message: Message) -> bool:
    """A system message that the model takes there, or calls that wait for their results."""
    return message.role == "system" or any(part.type == "tool_call" for part in message.parts)


# What continues an answer: its text, as long as the model takes a final answer at all.
LAST_USER: Final = last_user(
    "anthropic-last-user",
    ends_well=_ends_well,
    when=for_models(refuses_prefill),
    summary="Where the model takes no answer to continue (Claude 4.6 and later), a user message that says so follows a"
    " final answer.",
    evidence=(
        Evidence(
            entry="anthropic-no-prefill",
            text="This model does not support assistant message prefill. The conversation must end with a user message.",
            pattern=r"does not support assistant message prefill",
            cause="The last message is the assistant's: a run was resumed, or what followed was filtered out."
            " On Bedrock also: an answer holds nothing but reasoning.",
            status=400,
            link="https://github.com/cortexkit/magic-context/issues/511",
        ),
        Evidence(
            text="400 Provider returned error: This model does not support assistant message prefill. The conversation must end"
            " with a user message.",
            cause="The same, through OpenRouter; Copilot and other gateways hand it on alike.",
            status=400,
            link="https://github.com/openclaw/openclaw/issues/75395",
            date="2026-04-30",
            api="openai_chat",
        ),
    ),
    examples=(
        Example(
            title="A run that is resumed",
            before=(
                UserMessage("Where is Oslo?"),
                AssistantMessage("In Norway."),
            ),
            after=(
                UserMessage("Where is Oslo?"),
                AssistantMessage("In Norway."),
                UserMessage(CONTINUE),
            ),
        ),
    ),
)

NO_TRAILING_SPACE: Final = no_trailing_space(
    "anthropic-prefill-trailing-whitespace",
    summary="White space at the end of a final answer is cut.",
    evidence=(
        Evidence(
            entry="anthropic-prefill-trailing-whitespace",
            text="messages: final assistant content cannot end with trailing whitespace",
            pattern=r"final assistant content cannot end with trailing whitespace",
            cause="The last message is the assistant's, and its text ends in white space.",
            status=400,
            link="https://github.com/anomalyco/opencode/issues/1295",
        ),
    ),
    examples=(
        Example(
            title="An answer to continue",
            before=(UserMessage("Where is Oslo?"), AssistantMessage("It is in ")),
            after=(UserMessage("Where is Oslo?"), AssistantMessage("It is in")),
        ),
    ),
)

TURN_RULES: Final = (
    LAST_USER,
    leading_user(
        "anthropic-first-user",
        when=for_models(_wants_strict_turns),
        summary="Where the first message must be the user's (before Claude 3, and other vendors of this wire), one is put in"
        " front.",
        evidence=(
            Evidence(
                entry="anthropic-first-user",
                text='messages: first message must use the "user" role',
                pattern=r"first message must use the \W{0,6}user\W{0,6} role",
                cause="The history begins with an answer.",
                status=400,
                link="https://docs.claude.com/en/api/messages",
            ),
        ),
        examples=(
            Example(
                title="A history that was cut",
                before=(
                    AssistantMessage("Hello."),
                    UserMessage("Where is Oslo?"),
                ),
                after=(
                    UserMessage(OPENING),
                    AssistantMessage("Hello."),
                    UserMessage("Where is Oslo?"),
                ),
            ),
        ),
    ),
    user_joins_results(
        "anthropic-user-joins-results",
        api="anthropic",
        when=for_models(_wants_strict_turns),
        # A history with more than one kind of the fault has one other try.
        repair=_in_turns,
        summary="Where roles must alternate, the results of a turn, and a user message directly behind them, go into one message"
        " of the wire.",
        evidence=(
            Evidence(
                entry="anthropic-roles-alternate",
                text='messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
                pattern=_IN_A_ROW,
                cause="Results, which are the user's on this wire, stand in several messages, or are followed by the user's.",
                status=400,
                link="https://github.com/FlowiseAI/Flowise/issues/2006",
            ),
        ),
    ),
    merge_runs(
        "anthropic-alternate",
        "user",
        "assistant",
        when=for_models(_wants_strict_turns),
        summary="Where roles must alternate (before Claude 3, and other vendors of this wire), messages of one role in a row"
        " become one.",
        evidence=(
            Evidence(
                entry="anthropic-roles-alternate",
                text='messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
                pattern=_IN_A_ROW,
                cause="Two messages of one role stand in a row.",
                status=400,
                link="https://docs.claude.com/en/api/messages",
            ),
        ),
        examples=(
            Example(
                title="A turn that failed, and its repetition",
                before=(
                    UserMessage("Hello?"),
                    UserMessage("Where is Oslo?"),
                ),
                after=(UserMessage(["Hello?", "Where is Oslo?"]),),
            ),
        ),
    ),
    # Merging decides what stands last.
    NO_TRAILING_SPACE,
    # What ended the history may have been all of it.
    some_user(
        "anthropic-some-message",
        # A bare list may become part of a request that is not empty.
        when=lambda prompt: (
            prompt.request is not None and all(message.role == "system" for message in prompt.messages)
        ),
        summary="A request without any message gets one of the user's.",
        evidence=(
            Evidence(
                entry="openai-messages-empty-array",
                text="messages: at least one message is required",
                pattern=r"messages: at least one message is required",
                cause="The history is empty, or holds nothing but the system prompt.",
                status=400,
                link="https://docs.claude.com/en/api/messages",
            ),
        ),
        examples=(
            Example(
                title="Only a system prompt",
                before=(SystemMessage("Be brief."),),
                after=(
                    SystemMessage("Be brief."),
                    UserMessage(OPENING),
                ),
            ),
        ),
    ),
)
