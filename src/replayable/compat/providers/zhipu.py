"""Zhipu's API (Z.ai), which serves GLM. It says of every fault the same."""

from __future__ import annotations

from typing import Final

from ...messages import (
    AssistantMessage,
    SystemMessage,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from ..provider import Dialect, Provider
from ..rule import Evidence, Example
from ..rules.cleanup import full_cleanup
from ..rules.content import blank_messages
from ..rules.roles import leading_user, some_user
from ..rules.tool_call_ids import unique_over_history
from .serving import chat_model

__all__ = ["ZHIPU"]


def _evidence(cause: str) -> tuple[Evidence, ...]:
    # Without a pattern: the words don't tell which fault is meant.
    return (
        Evidence(
            text="The messages parameter is illegal. Please check the documentation. (1214)",
            cause=cause,
            status=400,
            link="https://github.com/MetaGLM/zhipuai-sdk-python-v4/issues/14",
        ),
    )


UNIQUE_IDS: Final = unique_over_history(
    "zhipu-unique-ids",
    summary="A call whose id an earlier call has gets another one; call and result together.",
    evidence=_evidence("Two calls of the history have one id."),
)

LEADING_USER: Final = leading_user(
    "zhipu-leading-user",
    summary="A user message comes before an answer that stands first.",
    evidence=_evidence("The first message besides the system's is an answer."),
    examples=(
        Example(
            title="A history that was cut",
            before=(SystemMessage("Be brief."), AssistantMessage("Hi"), UserMessage("Well?")),
            after=(
                SystemMessage("Be brief."),
                UserMessage("(The conversation continues here.)"),
                AssistantMessage("Hi"),
                UserMessage("Well?"),
            ),
        ),
    ),
)

SOME_USER: Final = some_user(
    "zhipu-some-user",
    summary="A history in which no user says anything gets a user message.",
    evidence=_evidence("There is no user message."),
)

BLANK_MESSAGES: Final = blank_messages(
    "zhipu-blank-messages",
    "user",
    "assistant",
    summary="A message that says nothing leaves the prompt; a user's says that it was empty.",
    evidence=_evidence("A message says nothing."),
    examples=(
        Example(
            title="A stream that broke off",
            before=(UserMessage("Hello"), AssistantMessage(""), UserMessage("Are you there?")),
            after=(UserMessage("Hello"), UserMessage("Are you there?")),
        ),
    ),
)

CLEAN_UP: Final = full_cleanup(
    "zhipu-clean-up",
    summary="After a refusal that says nothing more the whole history is cleaned up, once: pairs, ids, arguments, reasoning,"
    " empties, order.",
    evidence=(
        Evidence(
            entry="zhipu-1214",
            text="messages 参数非法。请检查文档。 | The messages parameter is illegal. Please check the documentation.",
            pattern=r"(?:messages|history|prompt) ?参数非法|[Tt]he messages parameter is illegal",
            cause="Something in the history is not as the API wants it; the provider does not say what.",
            status=400,
            link="https://github.com/MetaGLM/zhipuai-sdk-python-v4/issues/14",
        ),
    ),
    examples=(
        Example(
            title="Several faults",
            before=(
                AssistantMessage(parts=[ToolCallPart(tool_call_id="c1", tool_name="search", input={})]),
                ToolMessage(parts=[ToolResultPart(tool_call_id="c1", output="Found.")]),
                UserMessage("Hello"),
                UserMessage("Are you there?"),
            ),
            after=(
                UserMessage("(The conversation continues here.)"),
                AssistantMessage(parts=[ToolCallPart(tool_call_id="c1", tool_name="search", input={})]),
                ToolMessage(parts=[ToolResultPart(tool_call_id="c1", output="Found.")]),
                UserMessage(["Hello", "Are you there?"]),
            ),
        ),
    ),
)

ZHIPU: Final = Provider(
    name="zhipu",
    recognise=chat_model("zhipu"),
    # https://docs.z.ai/guides/capabilities/thinking-mode
    dialect=Dialect(reasoning_fields=("reasoning_content",)),
    rules=(UNIQUE_IDS,),
    structure=(BLANK_MESSAGES, LEADING_USER, SOME_USER, CLEAN_UP),
)
