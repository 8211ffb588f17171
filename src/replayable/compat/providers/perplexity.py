"""Perplexity's API, which takes turns strictly."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ...messages import (
    AssistantMessage,
    SystemMessage,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from ..provider import Provider
from ..rule import Evidence, Example
from ..rules.reasoning import CUT_WHILE_THINKING, drop_bare_reasoning
from ..rules.roles import last_user, leading_user, merge_runs
from ..rules.system_messages import later_system_to_user
from ..rules.tools_as_text import tools_as_text
from .serving import chat_model

__all__ = ["PERPLEXITY"]

_ALTERNATE: Final = Evidence(
    entry="perplexity-alternate",
    text="After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).",
    pattern=r"After the \(optional\) system message\(s\), user (?:and assistant roles|\(?or tool|or tool)",
    cause="Two turns of one side follow each other, an answer comes first, or a system message stands among the others.",
    status=400,
    link="https://github.com/perplexityai/api-discussion/issues/265",
)

TOOLS_AS_TEXT: Final = tools_as_text(
    "perplexity-tools-as-text",
    summary="Calls and results are told as text: Sonar models call no tools, and each result would be a turn of its own.",
    evidence=(_ALTERNATE,),
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

BARE_REASONING: Final = drop_bare_reasoning(
    "perplexity-bare-reasoning",
    summary="An answer that holds nothing but reasoning goes: there is no field for it, and no turn without content.",
    evidence=(replace(_ALTERNATE, pattern=None),),
    examples=(CUT_WHILE_THINKING,),
)

SYSTEM_POSITION: Final = later_system_to_user(
    "perplexity-system-position",
    summary="A system message behind another message becomes a user message between <system> tags.",
    evidence=(_ALTERNATE,),
    examples=(
        Example(
            title="A reminder",
            before=(UserMessage("Hello"), SystemMessage("Be brief.")),
            after=(UserMessage("Hello"), UserMessage("<system>\nBe brief.\n</system>")),
        ),
    ),
)

MERGE_RUNS: Final = merge_runs(
    "perplexity-merge-runs",
    "user",
    "assistant",
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
    "perplexity-leading-user",
    summary="A user message comes before an answer that stands first.",
    evidence=(_ALTERNATE,),
)

LAST_USER: Final = last_user(
    "perplexity-last-user",
    summary="A user message follows a last answer; one that says nothing goes instead.",
    evidence=(
        Evidence(
            entry="perplexity-last-user",
            text="Last message must have role `user`. | Last message must have role `user` or `tool`.",
            pattern=r"Last message must have role `user`",
            cause="The history ends with an answer or a system message.",
            status=400,
            link="https://github.com/BerriAI/litellm/issues/3918",
        ),
    ),
    examples=(
        Example(
            title="The loop called again after an answer",
            before=(UserMessage("Hello"), AssistantMessage("Hi")),
            after=(UserMessage("Hello"), AssistantMessage("Hi"), UserMessage("Continue.")),
        ),
    ),
)

PERPLEXITY: Final = Provider(
    name="perplexity",
    recognise=chat_model("perplexity"),
    rules=(TOOLS_AS_TEXT, BARE_REASONING),
    structure=(SYSTEM_POSITION, MERGE_RUNS, LEADING_USER, LAST_USER),
)
