"""MiniMax's API."""

from __future__ import annotations

from typing import Final

from ...messages import AssistantMessage, SystemMessage, ToolCallPart, UserMessage
from ..provider import Dialect, Provider
from ..rule import Evidence, Example
from ..rules.arguments import arguments_as_object
from ..rules.system_messages import developer_as_system, later_system_to_user, one_leading_system
from .serving import chat_model

__all__ = ["MINIMAX"]

ARGUMENTS: Final = arguments_as_object(
    "minimax-arguments",
    summary="Arguments that are no JSON object become one.",
    evidence=(
        Evidence(
            entry="minimax-bad-arguments",
            text="invalid params, invalid function arguments json string, tool_call_id: {id} (2013)",
            pattern=r"invalid function arguments json string, tool_call_id",
            cause="The arguments of an earlier call are no JSON: a stream was cut, or they are empty.",
            status=400,
            link="https://github.com/earendil-works/pi/issues/5468",
        ),
    ),
    examples=(
        Example(
            title="Arguments that were cut",
            before=(
                UserMessage("Where is Oslo?"),
                AssistantMessage(
                    parts=[ToolCallPart(tool_call_id="c1", tool_name="search", raw_input='{"q": "Os')]
                ),
            ),
            after=(
                UserMessage("Where is Oslo?"),
                AssistantMessage(
                    parts=[
                        ToolCallPart(
                            tool_call_id="c1", tool_name="search", input={"raw_arguments": '{"q": "Os'}
                        )
                    ]
                ),
            ),
        ),
    ),
)

_SYSTEM: Final = Evidence(
    entry="minimax-system-role",
    text="invalid params, chat content has invalid message role: {system|developer} (2013)",
    pattern=r"chat content has invalid message role: \w+",
    cause="A system message does not stand at the start, is a second one, or has the role developer.",
    status=400,
    link="https://github.com/BigPizzaV3/CodexPlusPlus/issues/267",
)

DEVELOPER: Final = developer_as_system(
    "minimax-developer-as-system",
    summary="A developer message becomes a system message.",
    evidence=(_SYSTEM,),
)

ONE_SYSTEM: Final = one_leading_system(
    "minimax-one-system",
    summary="Several system messages at the start become one.",
    evidence=(_SYSTEM,),
    examples=(
        Example(
            title="Two instructions",
            before=(SystemMessage("Be brief."), SystemMessage("Be kind."), UserMessage("Hello")),
            after=(SystemMessage("Be brief.\n\nBe kind."), UserMessage("Hello")),
        ),
    ),
)

SYSTEM_POSITION: Final = later_system_to_user(
    "minimax-system-position",
    summary="A system message behind another message becomes a user message between <system> tags.",
    evidence=(_SYSTEM,),
    examples=(
        Example(
            title="A reminder",
            before=(UserMessage("Hello"), SystemMessage("Be brief.")),
            after=(UserMessage("Hello"), UserMessage("<system>\nBe brief.\n</system>")),
        ),
    ),
)

MINIMAX: Final = Provider(
    name="minimax",
    recognise=chat_model("minimax"),
    # https://platform.minimax.io/docs/guides/text-m2-function-call
    dialect=Dialect(reasoning_fields=("reasoning_details", "reasoning_content")),
    rules=(DEVELOPER, ARGUMENTS),
    structure=(ONE_SYSTEM, SYSTEM_POSITION),
)
