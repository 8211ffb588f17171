"""Cohere's chat APIs: the second, and what the first (which OCI still serves) says."""

from __future__ import annotations

from typing import Final

from ...messages import AssistantMessage, ToolCallPart, ToolMessage, ToolResultPart, UserMessage
from ..provider import Provider
from ..rule import Evidence, Example
from ..rules.content import text_beside_calls
from ..rules.making import for_models
from ..rules.roles import assistant_between
from .serving import served_by

__all__ = ["COHERE"]

_FIRST_API: Final = for_models(lambda model: model.api == "cohere_v1")
_CALL: Final = ToolCallPart(tool_call_id="c1", tool_name="search", input={})

HISTORY_TEXT: Final = text_beside_calls(
    "cohere-history-text",
    when=_FIRST_API,
    summary="An answer that holds nothing but calls gets a text beside them, for Cohere's first chat API.",
    evidence=(
        Evidence(
            entry="cohere-history-message",
            text="invalid request: all elements in history must have a message.",
            pattern=r"all elements in history must have a message",
            cause="An answer in the history has no text, only calls.",
            status=400,
            link="https://github.com/kwaroran/Risuai/issues/458",
        ),
    ),
    examples=(
        Example(
            title="Calls alone",
            before=(UserMessage("Where is Oslo?"), AssistantMessage(parts=[_CALL])),
            after=(UserMessage("Where is Oslo?"), AssistantMessage(parts=["(Calling tools.)", _CALL])),
        ),
    ),
)

BRIDGE: Final = assistant_between(
    "cohere-user-after-tool",
    when=_FIRST_API,
    summary="A short assistant message comes between a tool's result and the user, for Cohere's first chat API.",
    evidence=(
        Evidence(
            entry="cohere-message-after-tool-results",
            text="invalid request: cannot specify message if the last entry in chat history contains tool results",
            pattern=r"cannot specify message if the last entry in chat history contains tool results",
            cause="A user message follows a tool's result without an answer between them.",
            status=400,
            link="https://github.com/oracle/langchain-oracle/pull/9",
        ),
    ),
    examples=(
        Example(
            title="A question before the answer",
            before=(
                AssistantMessage(parts=[_CALL]),
                ToolMessage(parts=[ToolResultPart(tool_call_id="c1", output="4 degrees")]),
                UserMessage("Well?"),
            ),
            after=(
                AssistantMessage(parts=[_CALL]),
                ToolMessage(parts=[ToolResultPart(tool_call_id="c1", output="4 degrees")]),
                AssistantMessage("(No answer.)"),
                UserMessage("Well?"),
            ),
        ),
    ),
)

COHERE: Final = Provider(
    name="cohere",
    recognise=lambda model: served_by(model) == "cohere",
    api="cohere_v2",
    rules=(HISTORY_TEXT,),
    structure=(BRIDGE,),
)
