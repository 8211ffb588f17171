"""Anthropic's Messages API: Anthropic itself, and Claude on Vertex, Bedrock and Azure where that API is spoken."""

from __future__ import annotations

from typing import Final

from ...messages import (
    AssistantMessage,
    Messages,
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
from ..provider import Provider
from ..rule import Evidence, Example
from ..rules.arguments import arguments_as_object
from ..rules.empties import drop_empty
from ..rules.part_fields import MESSAGE, without_foreign_fields
from ..rules.reasoning import drop_foreign_reasoning, strip_foreign_reasoning
from ..rules.reasoning_fields import require_reasoning
from ..rules.system_messages import developer_as_system
from ..rules.system_position import later_system_as_user
from ..rules.thinking_mode import thinking_mode
from ..rules.tool_call_ids import tool_call_id_format, unique_over_history
from .anthropic_files import CACHE_BREAKPOINTS, FILE_RULES
from .anthropic_turns import FOREIGN_BLOCKS, SERVER_TOOL_PAIRS, TEXT_BEFORE_CALLS, THINKING_RULES, TURN_RULES
from .claude_models import takes_system_in_list
from .claude_reasoning import is_claudes, is_known_claudes, is_signed, may_be_claudes
from .claude_tools import TOOL_NAME_LENGTH, TOOL_NAMES

__all__ = ["ANTHROPIC", "ANTHROPIC_COMPATIBLE"]

API: Final = "anthropic"


def _recognise(model: ModelRef) -> bool:
    if model.api == API:
        # Other vendors speak this API too, by other rules: DeepSeek wants back what Anthropic refuses.
        return model.provider == "anthropic" or model.maker == "anthropic"
    return model.provider == "anthropic" and model.api is None


_KIMI_ID: Final = "functions.search:0"


def _turn(tool_call_id: str, output: str) -> Messages:
    return (
        UserMessage("How warm is it?"),
        AssistantMessage([ToolCallPart(tool_call_id=tool_call_id, tool_name="weather", input={})]),
        ToolMessage(parts=[ToolResultPart(tool_call_id=tool_call_id, output=output)]),
    )


TOOL_ID_FORMAT: Final = tool_call_id_format(
    "anthropic-tool-id-format",
    pattern=r"[a-zA-Z0-9_-]+",
    summary="Tool call ids with characters that Anthropic refuses, and missing ones, are rewritten; call and result together.",
    evidence=(
        Evidence(
            entry="anthropic-tool-id-pattern",
            text="messages.{i}.content.{j}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
            pattern=r"tool_use(?:\.id|_id): String should match pattern '\^\[a-zA-Z0-9_-\]\+\$'",
            cause="Another provider made the call's id, with characters that Anthropic does not take.",
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

# Anthropic takes them as a rule, in recorded traffic; gateways that fuse turns, or a stricter server, may not.
UNIQUE_IDS: Final = unique_over_history(
    "anthropic-unique-tool-ids",
    before_call=False,
    summary="A call whose id an earlier turn's call has gets another one, once the provider has said so; call and result together.",
    evidence=(
        Evidence(
            entry="anthropic-tool-use-ids-unique",
            api="anthropic",
            text="messages.{i}.content.{j}: `tool_use` ids must be unique",
            pattern=r"`tool_use` ids must be unique",
            cause="Calls of different turns have one id, as models that count anew in each turn make them.",
            status=400,
            link="https://github.com/NVIDIA-NeMo/Switchyard/issues/502",
        ),
    ),
    examples=(
        Example(
            title="Ids that count anew in each turn",
            before=(*_turn("call_0", "4 degrees"), *_turn("call_0", "5 degrees")),
            after=(*_turn("call_0", "4 degrees"), *_turn("call_0_1_15ae3265bc", "5 degrees")),
        ),
    ),
)

STRIP_FOREIGN_REASONING: Final = strip_foreign_reasoning(
    "anthropic-strip-foreign-reasoning-content",
    owns=is_signed,
    known_own=is_signed,
    summary="Reasoning that came without a signature, or over another wire, leaves the prompt; Anthropic's own stays byte for byte.",
    evidence=(
        Evidence(
            entry="anthropic-thinking-signature-required",
            text="messages.{i}.content.{j}.thinking.signature: Field required",
            pattern=r"thinking\.signature(?:\.str)?: (?:Field required|Input should be a valid string)",
            cause="A thinking block has no signature: another provider made it, or the stream broke before it came.",
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
    owns=may_be_claudes,
    known_own=is_known_claudes,
    summary="Thinking that another provider of the same wire signed leaves the prompt; once Anthropic has refused a"
    " signature, all thinking goes that it isn't known to have made, whole turns of it.",
    evidence=(
        Evidence(
            entry="anthropic-invalid-thinking-signature",
            text="messages.{i}.content.{j}: Invalid `signature` in `thinking` block",
            pattern=r"Invalid `signature` in `(?:redacted_)?thinking` block",
            cause="Another model, account or provider signed a thinking block, or its text was changed.",
            status=400,
            link="https://github.com/anthropics/anthropic-sdk-python/issues/1598",
        ),
        Evidence(
            entry="anthropic-thinking-cannot-be-modified",
            pattern=r"`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified",
            cause="In the latest turn a thinking block was changed, dropped or moved.",
            text="messages.{i}.content.{j}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot"
            " be modified. These blocks must remain as they were in the original response.",
            status=400,
            link="https://github.com/anthropics/claude-code/issues/63404",
        ),
        Evidence(
            entry="anthropic-thinking-empty",
            text="messages.{i}.content.{j}.thinking: each thinking block must contain thinking",
            pattern=r"each thinking block must contain thinking",
            cause="A thinking block is empty: the stream broke right after it began, or its text is not shown.",
            status=400,
            link="https://github.com/langchain4j/langchain4j/pull/6246",
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
            entry="anthropic-empty-text-block",
            text="messages: text content blocks must be non-empty",
            pattern=r"text content blocks must be non-empty",
            cause="A text block is empty.",
            status=400,
            link="https://github.com/anthropics/claude-code/issues/59812",
        ),
        Evidence(
            entry="anthropic-whitespace-text-block",
            text="messages: text content blocks must contain non-whitespace text",
            pattern=r"text content blocks must contain non-whitespace text",
            cause="A text block holds nothing but white space.",
            status=400,
            link="https://github.com/anthropics/claude-code/issues/23440",
        ),
        Evidence(
            entry="anthropic-empty-message",
            text="messages.{i}: all messages must have non-empty content except for the optional final assistant message",
            pattern=r"messages must have non-empty content",
            cause="A message other than a final answer is empty.",
            status=400,
            link="https://github.com/anthropics/claude-code/issues/3196",
        ),
        Evidence(
            entry="anthropic-cache-control-empty",
            text="messages.{i}.content.{j}.text: cache_control cannot be set for empty text blocks",
            pattern=r"cache_control cannot be set for empty text blocks",
            cause="A cache breakpoint stands on an empty text block.",
            status=400,
            link="https://github.com/askalf/dario/issues/1066",
        ),
    ),
    examples=(
        Example(
            title="A blank line before a call",
            before=(
                UserMessage("Where is Oslo?"),
                AssistantMessage(
                    [TextPart("\n\n"), ToolCallPart(tool_call_id="toolu_1", tool_name="search", input={})]
                ),
                ToolMessage([ToolResultPart(tool_call_id="toolu_1", output="In Norway.")]),
            ),
            after=(
                UserMessage("Where is Oslo?"),
                AssistantMessage([ToolCallPart(tool_call_id="toolu_1", tool_name="search", input={})]),
                ToolMessage([ToolResultPart(tool_call_id="toolu_1", output="In Norway.")]),
            ),
        ),
    ),
)

DEVELOPER_ROLE: Final = developer_as_system(
    "anthropic-developer-role",
    summary="A message of OpenAI's role developer is a system message here.",
    evidence=(
        Evidence(
            text='messages: Unexpected role "developer". The Messages API accepts a top-level `system` parameter, not "system"'
            " as an input message role.",
            status=400,
            link="https://docs.claude.com/en/api/messages",
        ),
    ),
)

SYSTEM_POSITION: Final = later_system_as_user(
    "anthropic-system-position",
    in_list=takes_system_in_list,
    summary="A system message among the others becomes a user message between <system> tags, where the model takes none there.",
    evidence=(
        Evidence(
            entry="anthropic-system-role",
            pattern=r"Unexpected role \W{0,6}\w{1,20}\W{0,6}\. The Messages API accepts a top-level `system` parameter",
            cause="A message of the role system, tool or developer stands among the others.",
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

TOOL_INPUT: Final = arguments_as_object(
    "anthropic-tool-input",
    summary="The arguments of a call that are no JSON object become one.",
    evidence=(
        Evidence(
            entry="anthropic-tool-input-dict",
            text="messages.{i}.content.{j}.tool_use.input: Input should be a valid dictionary",
            pattern=r"tool_use\.input: (?:Input should be a(?:n object| valid dictionary)|Field required)",
            cause="The arguments of a call are a text, a list or null.",
            status=400,
            link="https://github.com/prism-php/prism/issues/659",
        ),
    ),
    examples=(
        Example(
            title="Arguments that are a list",
            before=(
                UserMessage("Where is Oslo?"),
                AssistantMessage([ToolCallPart(tool_call_id="toolu_1", tool_name="search", input=["Oslo"])]),
                ToolMessage([ToolResultPart(tool_call_id="toolu_1", output="In Norway.")]),
            ),
            after=(
                UserMessage("Where is Oslo?"),
                AssistantMessage(
                    [ToolCallPart(tool_call_id="toolu_1", tool_name="search", input={"input": ["Oslo"]})]
                ),
                ToolMessage([ToolResultPart(tool_call_id="toolu_1", output="In Norway.")]),
            ),
        ),
    ),
)

# Fields that SDKs and gateways add to what they store, seen to be refused.
FOREIGN_FIELDS: Final = without_foreign_fields(
    "anthropic-foreign-fields",
    api=API,
    foreign={
        MESSAGE: frozenset({"reasoning", "reasoning_content", "reasoning_details", "tool_calls"}),
        "tool_call": frozenset({"index", "text", "partial_json"}),
        "text": frozenset({"parsed_output"}),
        "reasoning": frozenset({"cache_control"}),
    },
    refused=r"messages\.\d{1,7}(?:\.[\w-]{1,64}){0,8}\.(\w{1,64}): Extra inputs are not permitted",
    summary="Fields that only an SDK, a gateway or another API knows leave the prompt; after a rejection the one it names.",
    evidence=(
        Evidence(
            entry="anthropic-extra-inputs",
            text="messages.{i}.content.{j}.tool_use.index: Extra inputs are not permitted",
            pattern=r"messages\.\d{1,7}(?:\.[\w-]{1,64}){1,8}: Extra inputs are not permitted",
            cause="A block or a message holds a field that Anthropic does not know.",
            status=400,
            link="https://github.com/langchain-ai/langchain/issues/31208",
        ),
    ),
    examples=(
        Example(
            title="The place of a call in the stream that it came from",
            before=(
                AssistantMessage(
                    [
                        ToolCallPart(
                            tool_call_id="toolu_1",
                            tool_name="search",
                            input={},
                            provider_options={"anthropic": {"index": 0}},
                        )
                    ]
                ),
                ToolMessage([ToolResultPart(tool_call_id="toolu_1", output="In Norway.")]),
            ),
            after=(
                AssistantMessage([ToolCallPart(tool_call_id="toolu_1", tool_name="search", input={})]),
                ToolMessage([ToolResultPart(tool_call_id="toolu_1", output="In Norway.")]),
            ),
        ),
    ),
)

DEEPSEEK_THINKING: Final = require_reasoning(
    "deepseek-anthropic-thinking",
    of=lambda message: True,
    text="",
    api=API,
    field="thinking",
    when=lambda prompt: thinking_mode(prompt) == "enabled" and _is_deepseek(prompt),
    summary="Where DeepSeek thinks over Anthropic's wire, an answer without thinking gets an empty one.",
    evidence=(
        Evidence(
            entry="deepseek-anthropic-thinking-required",
            provider="deepseek",
            text="The `content[].thinking` in the thinking mode must be passed back to the API.",
            pattern=r"`content\[\]\.thinking` in the thinking mode must be passed back",
            cause="This request thinks, and an answer holds no thinking: it was stripped, or another model made it.",
            status=400,
            link="https://api-docs.deepseek.com/guides/anthropic_api",
        ),
    ),
    examples=(
        Example(
            title="An answer that another model gave",
            before=(UserMessage("Where is Oslo?"), AssistantMessage("Norway."), UserMessage("Thanks.")),
            after=(
                UserMessage("Where is Oslo?"),
                AssistantMessage(
                    [
                        ReasoningPart(text="", provider_options={"anthropic": {"$field": "thinking"}}),
                        TextPart("Norway."),
                    ]
                ),
                UserMessage("Thanks."),
            ),
        ),
    ),
)


DEEPSEEK_REDACTED: Final = strip_foreign_reasoning(
    "deepseek-anthropic-redacted-thinking",
    owns=lambda _message, part: bool(part.text) or part.encrypted is None,
    when=lambda prompt: _is_deepseek(prompt),
    summary="Redacted thinking, which Claude alone can read, leaves the prompt where DeepSeek speaks Anthropic's wire.",
    evidence=(
        Evidence(
            text='content, array, type="redacted_thinking": Not Supported',
            cause="Claude made an answer, and a part of its thinking is encrypted.",
            link="https://api-docs.deepseek.com/guides/anthropic_api",
        ),
    ),
    examples=(
        Example(
            title="Thinking that Claude encrypted",
            before=(UserMessage("2 + 2?"), AssistantMessage([ReasoningPart(encrypted="EmwKAhgB"), "4"])),
            after=(UserMessage("2 + 2?"), AssistantMessage("4")),
        ),
    ),
)


def _is_deepseek(prompt: Prompt) -> bool:
    return prompt.model is not None and prompt.model.provider == "deepseek"


ANTHROPIC: Final = Provider(
    name="anthropic",
    recognise=_recognise,
    api=API,
    owns_reasoning=is_claudes,
    rules=(
        STRIP_FOREIGN_REASONING,
        STRIP_FOREIGN_SIGNED_REASONING,
        TOOL_ID_FORMAT,
        UNIQUE_IDS,
        TOOL_NAMES,
        TOOL_NAME_LENGTH,
        TOOL_INPUT,
        FOREIGN_FIELDS,
        SERVER_TOOL_PAIRS,
        FOREIGN_BLOCKS,
        *FILE_RULES,
        CACHE_BREAKPOINTS,
    ),
    # What is empty goes first: it decides neither where a system message stands nor how a turn begins.
    structure=(DEVELOPER_ROLE, DROP_EMPTY, SYSTEM_POSITION, *THINKING_RULES, TEXT_BEFORE_CALLS, *TURN_RULES),
)


# Vendors that offer Anthropic's wire for their own models.
_VENDORS: Final = frozenset({"deepseek", "minimax", "moonshot", "qwen", "zhipu"})


def _recognise_compatible(model: ModelRef) -> bool:
    return model.api == API and model.provider in _VENDORS and not _recognise(model)


UNSIGNED_REASONING: Final = drop_foreign_reasoning(
    "anthropic-drop-unsigned-reasoning",
    api=API,
    summary="Reasoning that came over another wire and that nobody signed leaves the prompt.",
    evidence=(
        Evidence(
            text="messages.{i}.content.{j}.thinking.signature: Field required",
            cause="A thinking block has no signature: another API's reasoning was sent as one.",
            status=400,
            link="https://github.com/earendil-works/pi/pull/1523",
        ),
    ),
    examples=(
        Example(
            title="An answer that was cut while the model thought",
            before=(
                UserMessage("Hello"),
                AssistantMessage(
                    [
                        ReasoningPart(
                            text="A greeting.",
                            provider_options={"openai_chat": {"$field": "reasoning_content"}},
                        )
                    ]
                ),
                UserMessage("Are you there?"),
            ),
            after=(UserMessage("Hello"), UserMessage("Are you there?")),
        ),
    ),
)

# Thinking of theirs needs no signature that holds, and what Anthropic's own servers run is unknown to them.
ANTHROPIC_COMPATIBLE: Final = ANTHROPIC.based(
    "anthropic-compatible",
    recognise=_recognise_compatible,
    without=(
        STRIP_FOREIGN_REASONING.name,
        STRIP_FOREIGN_SIGNED_REASONING.name,
        SERVER_TOOL_PAIRS.name,
        CACHE_BREAKPOINTS.name,
        *(rule.name for rule in (*FILE_RULES, *THINKING_RULES)),
    ),
    add=(DEEPSEEK_REDACTED, UNSIGNED_REASONING),
    add_structure=(DEEPSEEK_THINKING,),
)
