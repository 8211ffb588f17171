"""What the chat templates of open models ask for, by family, on servers that render them."""

from __future__ import annotations

import dataclasses
import re
from typing import Final

from ...edits import chained
from ...messages import (
    AssistantMessage,
    FilePart,
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
from ..provider import Provider
from ..rule import CompatRule, Evidence, Example
from ..rules.reasoning_fields import drop_reasoning_where
from ..rules.roles import assistant_between, leading_user, merge_runs, merged, some_user, with_leading_user
from ..rules.single_calls import one_call_at_a_time
from ..rules.system_messages import (
    later_as_user,
    later_system_to_user,
    one_leading_system,
    system_into_user,
    with_one_leading_system,
)
from ..rules.tool_results import files_after_results
from ..rules.tools_as_text import told_as_text, tools_as_text
from ..rules.wire_fields import no_empty_list
from .mistral import BLANK_ANSWERS, SYSTEM_POSITION, TOOL_CALL_ID
from .serving import served_by

__all__ = ["TEMPLATES"]

# Ollama has templates of its own, in Go, which refuse nothing.
_SERVERS: Final = frozenset({"vllm", "sglang", "llamacpp", "lmstudio", "huggingface"})
_CALL: Final = ToolCallPart(tool_call_id="c1", tool_name="search", input={"q": "Oslo"})
_IMAGE: Final = FilePart(media_type="image/png", data="iVBORw0KGgo=")
_RESULT: Final = ToolMessage(parts=[ToolResultPart(tool_call_id="c1", output="In Norway.")])
_OTHER_CALL: Final = ToolCallPart(tool_call_id="c2", tool_name="search", input={"q": "Bergen"})
_OTHER_RESULT: Final = ToolMessage(parts=[ToolResultPart(tool_call_id="c2", output="West of it.")])


def _family(
    name: str, names: str, *, rules: tuple[CompatRule, ...] = (), structure: tuple[CompatRule, ...] = ()
) -> Provider:
    """A family of models, by a pattern of their names; its rules come beside those of the server's row."""
    found = re.compile(names, re.IGNORECASE).search

    def recognise(model: ModelRef) -> bool:
        return (
            served_by(model) in _SERVERS
            # The server renders the same template, whatever API it is spoken to in.
            and model.api in ("openai_chat", "openai_responses", "anthropic", None)
            and found((model.model or "")[:512]) is not None
        )

    return Provider(name=name, recognise=recognise, rules=rules, structure=structure)


# --- Several families -----------------------------------------------------------------------------------------------

# Servers leave `tool_calls: null` out before they render, an empty list not.
NO_EMPTY_TOOL_CALLS: Final = no_empty_list(
    "template-no-empty-tool-calls",
    api="openai_chat",
    field="tool_calls",
    summary="An empty list of tool calls leaves the message where a template takes it for calls.",
    evidence=(
        Evidence(
            text="This model only supports single tool-calls at once!",
            pattern=r"This model only supports single tool-calls at once",
            cause="An answer holds `tool_calls: []`, and the template of Llama 3 wants exactly one call where the field is.",
            status=400,
            link="https://github.com/vllm-project/vllm/issues/13978",
            date="2025-02-27",
        ),
        Evidence(
            text="UndefinedError: list object has no element 0",
            pattern=r"list object has no element 0",
            cause="An answer holds `tool_calls: []`, and the template of gpt-oss reads the first call where the field is.",
            status=400,
            link="https://huggingface.co/openai/gpt-oss-120b/blob/main/chat_template.jinja",
        ),
    ),
    examples=(
        Example(
            title="What a server returned",
            before=(
                UserMessage("Hello"),
                AssistantMessage("Hi", provider_options={"openai_chat": {"tool_calls": []}}),
            ),
            after=(UserMessage("Hello"), AssistantMessage("Hi")),
        ),
    ),
)

# --- Qwen 3.5 and later ---------------------------------------------------------------------------------------------

_SYSTEM_FIRST: Final = Evidence(
    entry="template-system-first",
    text="System message must be at the beginning.",
    pattern=r"System message must be at the beginning",
    cause="A system message stands behind another message, or there are two.",
    status=500,
    link="https://github.com/ggml-org/llama.cpp/issues/27367",
)

_ALTERNATE: Final = Evidence(
    entry="template-roles-alternate",
    text="Conversation roles must alternate user/assistant/user/assistant/...",
    pattern=r"[Cc]onversation roles must alternate",
    cause="Two turns of one side follow each other, an answer comes first, or the template knows no tools.",
    status=500,
    link="https://github.com/vllm-project/vllm/issues/6862",
)


def _alternating(messages: Messages) -> Messages | None:
    """All that these words may mean, at once: there is one other try."""
    return chained(
        messages,
        with_one_leading_system,
        later_as_user,
        with_leading_user,
        lambda given: merged(given, ("user", "assistant")),
    )


def _without_tools(messages: Messages) -> Messages | None:
    told = _AS_TEXT(messages)
    if told is None:
        return None
    turned = _alternating(told)
    return told if turned is None else turned


def _one_system(messages: Messages) -> Messages | None:
    return chained(messages, with_one_leading_system, later_as_user)


_AS_TEXT: Final = told_as_text(lambda message: True)

ONE_SYSTEM: Final = one_leading_system(
    "template-one-system",
    repair=_one_system,
    summary="Several system messages at the start become one.",
    evidence=(_SYSTEM_FIRST,),
    examples=(
        Example(
            title="Two instructions",
            before=(SystemMessage("Be brief."), SystemMessage("Be kind."), UserMessage("Hello")),
            after=(SystemMessage("Be brief.\n\nBe kind."), UserMessage("Hello")),
        ),
    ),
)

LATER_SYSTEM: Final = later_system_to_user(
    "template-system-position",
    summary="A system message behind another message becomes a user message between <system> tags.",
    evidence=(_SYSTEM_FIRST, dataclasses.replace(_ALTERNATE, pattern=None)),
    examples=(
        Example(
            title="A reminder",
            before=(UserMessage("Hello"), SystemMessage("Be brief.")),
            after=(UserMessage("Hello"), UserMessage("<system>\nBe brief.\n</system>")),
        ),
    ),
)

SOME_USER: Final = some_user(
    "template-some-user",
    summary="A history in which no user says anything gets a user message.",
    evidence=(
        Evidence(
            entry="template-no-user-query",
            text="No user query found in messages.",
            pattern=r"No user query found in messages",
            cause="No user message with text is left.",
            status=500,
            link="https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1586",
        ),
    ),
    examples=(
        Example(
            title="Compacted",
            before=(SystemMessage("Be brief."), AssistantMessage("Hi")),
            after=(
                SystemMessage("Be brief."),
                UserMessage("(The conversation continues here.)"),
                AssistantMessage("Hi"),
            ),
        ),
    ),
)

QWEN: Final = _family("template-qwen", r"qwen-?3\.[5-9]", structure=(ONE_SYSTEM, LATER_SYSTEM, SOME_USER))

# --- strict alternation ---------------------------------------------------------------------------------------------

TOOLS_AS_TEXT: Final = tools_as_text(
    "template-tools-as-text",
    repair=_without_tools,
    summary="Calls and results are told as text, for templates that know no tools.",
    # A template that says "except for tool calls and results" knows them.
    evidence=(
        dataclasses.replace(_ALTERNATE, pattern=rf"{_ALTERNATE.pattern} (?!.{{0,60}}except for tool)"),
    ),
    examples=(
        Example(
            title="A call that another model made",
            before=(UserMessage("Where is Oslo?"), AssistantMessage(parts=[_CALL]), _RESULT),
            after=(
                UserMessage("Where is Oslo?"),
                AssistantMessage('[Called the tool search with {"q":"Oslo"}]'),
                UserMessage("[The tool search returned]\nIn Norway."),
            ),
        ),
    ),
)

MERGE_RUNS: Final = merge_runs(
    "template-merge-runs",
    "user",
    "assistant",
    repair=_alternating,
    summary="Several user or assistant messages in a row become one.",
    evidence=(_ALTERNATE,),
    examples=(
        Example(
            title="Two questions",
            before=(UserMessage("Hello"), UserMessage("Are you there?")),
            after=(UserMessage(["Hello", "Are you there?"]),),
        ),
    ),
)

LEADING_USER: Final = leading_user(
    "template-leading-user",
    repair=_alternating,
    summary="A user message comes before an answer that stands first.",
    evidence=(
        _ALTERNATE,
        Evidence(
            entry="mistral-unexpected-role",
            text="Unexpected role 'assistant' after role ''",
            pattern=r"Unexpected role 'assistant' after role",
            cause="An answer comes first.",
            status=500,
            link="https://github.com/onyx-dot-app/onyx/issues/6458",
        ),
    ),
    examples=(
        Example(
            title="A history that was cut",
            before=(AssistantMessage("Hi"), UserMessage("Well?")),
            after=(
                UserMessage("(The conversation continues here.)"),
                AssistantMessage("Hi"),
                UserMessage("Well?"),
            ),
        ),
    ),
)

FILES_AFTER_RESULTS: Final = files_after_results(
    "template-files-after-results",
    moves=lambda item: item.type == "file",
    summary="A file in a tool's result moves into a user message behind the results, before the turns are counted.",
    evidence=(dataclasses.replace(_ALTERNATE, pattern=None),),
    examples=(
        Example(
            title="A screenshot",
            before=(
                AssistantMessage(parts=[_CALL]),
                ToolMessage(parts=[ToolResultPart(tool_call_id="c1", content=(_IMAGE,))]),
            ),
            after=(
                AssistantMessage(parts=[_CALL]),
                ToolMessage(
                    parts=[
                        ToolResultPart(
                            tool_call_id="c1", content=(TextPart("[image/png: see the next user message]"),)
                        )
                    ]
                ),
                UserMessage([_IMAGE]),
            ),
        ),
    ),
)

USER_AFTER_TOOL: Final = assistant_between(
    "template-user-after-tool",
    summary="A short assistant message comes between a tool's result and the user.",
    evidence=(_ALTERNATE,),
    examples=(
        Example(
            title="A question before the answer",
            before=(AssistantMessage(parts=[_CALL]), _RESULT, UserMessage("Well?")),
            after=(
                AssistantMessage(parts=[_CALL]),
                _RESULT,
                AssistantMessage("(No answer.)"),
                UserMessage("Well?"),
            ),
        ),
    ),
)

NO_SYSTEM: Final = system_into_user(
    "template-system-into-user",
    summary="Instructions join the next user message, for templates that know no system role.",
    evidence=(
        Evidence(
            entry="template-system-unsupported",
            text="System role not supported",
            pattern=r"System role not supported",
            cause="The model's template knows no system role.",
            status=500,
            link="https://github.com/nomic-ai/gpt4all/issues/3282",
        ),
    ),
    examples=(
        Example(
            title="Instructions",
            before=(SystemMessage("Be brief."), UserMessage("Hello")),
            after=(UserMessage(["Be brief.", "Hello"]),),
        ),
    ),
)

_ALTERNATION: Final = (LEADING_USER, MERGE_RUNS)

# Gemma 4 takes any order. Gemma 3 tells its instructions itself, older ones refuse them.
NO_SYSTEM_ROLE: Final = _family(
    "template-no-system",
    r"gemma-?(?:2-|\d+b)|(?:mistral-7b|mixtral-8x7b)-instruct-v0\.1",
    structure=(NO_SYSTEM,),
)

ALTERNATING: Final = _family(
    "template-alternating",
    r"gemma(?!-?[4-9]-)|llama-?2|mistral-7b(?!-instruct-v0\.3)|mixtral(?!-8x22b)",
    rules=(TOOLS_AS_TEXT,),
    structure=(ONE_SYSTEM, LATER_SYSTEM, *_ALTERNATION),
)

# These leave calls and results out of the alternation, and want ids of nine characters.
ALTERNATING_AROUND_TOOLS: Final = _family(
    "template-alternating-around-tools",
    r"mistral-7b-instruct-v0\.3|mixtral-8x22b|mistral-nemo",
    rules=(NO_EMPTY_TOOL_CALLS, FILES_AFTER_RESULTS, TOOL_CALL_ID),
    structure=(ONE_SYSTEM, LATER_SYSTEM, USER_AFTER_TOOL, *_ALTERNATION),
)

# Mistral's templates since the end of 2025 check what its API checks.
ORDERED: Final = _family(
    "template-ordered",
    r"devstral-small-2|devstral-2|ministral-3-\d+b|mistral-large-3",
    structure=(BLANK_ANSWERS, SYSTEM_POSITION, LEADING_USER),
)

# --- gpt-oss --------------------------------------------------------------------------------------------------------


def _speaks_and_calls(message: AssistantMessage) -> bool:
    kinds = {part.type for part in message.parts if part.type != "text" or part.text}
    # Of files in answers, and of what only another API knows, a text tells.
    return "tool_call" in kinds and not kinds.isdisjoint(("text", "file", "opaque"))


CONTENT_OR_THINKING: Final = drop_reasoning_where(
    "template-content-or-thinking",
    _speaks_and_calls,
    summary="Reasoning leaves the messages that hold text and calls as well.",
    evidence=(
        Evidence(
            entry="template-gptoss-content-thinking",
            text="Cannot pass both content and thinking in an assistant message with tool calls! Put the analysis message in one"
            " or the other, but not both.",
            pattern=r"Cannot pass both content and thinking in an assistant message with tool calls",
            cause="A message holds text, reasoning and calls, of which gpt-oss takes two.",
            status=500,
            link="https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/842",
        ),
    ),
    examples=(
        Example(
            title="Text, reasoning and a call",
            before=(AssistantMessage(parts=[ReasoningPart(text="Hm."), "I'll look.", _CALL]), _RESULT),
            after=(AssistantMessage(parts=["I'll look.", _CALL]), _RESULT),
        ),
    ),
)

GPT_OSS: Final = _family("template-gpt-oss", r"gpt-oss", rules=(NO_EMPTY_TOOL_CALLS, CONTENT_OR_THINKING))

# --- Llama 3 --------------------------------------------------------------------------------------------------------

SINGLE_CALLS: Final = one_call_at_a_time(
    "template-single-calls",
    summary="An answer with several calls becomes several answers, each with one call and its result.",
    evidence=(
        Evidence(
            text="This model only supports single tool-calls at once!",
            pattern=r"This model only supports single tool-calls at once",
            cause="An answer holds more than one call, which the template of Llama 3 has no words for.",
            status=400,
            link="https://github.com/vllm-project/vllm/issues/25108",
        ),
    ),
    examples=(
        Example(
            title="Two calls at once",
            before=(
                UserMessage("Where are Oslo and Bergen?"),
                AssistantMessage(["I'll look.", _CALL, _OTHER_CALL]),
                _RESULT,
                _OTHER_RESULT,
            ),
            after=(
                UserMessage("Where are Oslo and Bergen?"),
                AssistantMessage(["I'll look.", _CALL]),
                _RESULT,
                AssistantMessage([_OTHER_CALL]),
                _OTHER_RESULT,
            ),
        ),
    ),
)

LLAMA: Final = _family(
    "template-llama-3", r"llama-?3\.[1-3]", rules=(NO_EMPTY_TOOL_CALLS,), structure=(SINGLE_CALLS,)
)

# After a rejection of a model that nobody knows, rules are asked in this order: calls are told as text only where the
# order of roles has no other fault.
TEMPLATES: Final = (QWEN, NO_SYSTEM_ROLE, ALTERNATING_AROUND_TOOLS, ALTERNATING, ORDERED, GPT_OSS, LLAMA)
