"""Alibaba's DashScope, which serves Qwen."""

from __future__ import annotations

from typing import Final

from ...messages import AssistantMessage, SystemMessage, ToolCallPart, UserMessage
from ..provider import Dialect, Provider
from ..rule import Evidence, Example
from ..rules.arguments import arguments_as_object
from ..rules.content import content_present
from ..rules.roles import some_user
from ..rules.system_messages import developer_as_system
from .openai import NO_EMPTY_TOOL_CALLS
from .serving import chat_model

__all__ = ["QWEN"]

_CHAT: Final = "openai_chat"

ARGUMENTS: Final = arguments_as_object(
    "qwen-arguments",
    summary="Arguments that are no JSON object become one.",
    evidence=(
        Evidence(
            entry="qwen-arguments-json",
            text='<400> InternalError.Algo.InvalidParameter: The "function.arguments" parameter of the code model must be in JSON'
            " format.",
            pattern=r"function\.arguments\W{1,4} parameter of the code model must be in JSON format",
            cause="The arguments of an earlier call are no JSON: a stream was cut, or they are empty.",
            status=400,
            link="https://github.com/HKUDS/nanobot/issues/1487",
        ),
    ),
    examples=(
        Example(
            title="No arguments",
            before=(
                UserMessage("What time is it?"),
                AssistantMessage(parts=[ToolCallPart(tool_call_id="c1", tool_name="clock", raw_input="")]),
            ),
            after=(
                UserMessage("What time is it?"),
                AssistantMessage(parts=[ToolCallPart(tool_call_id="c1", tool_name="clock", input={})]),
            ),
        ),
    ),
)

CONTENT_PRESENT: Final = content_present(
    "qwen-content-present",
    "system",
    "user",
    "assistant",
    "tool",
    api=_CHAT,
    summary="A message whose content is null or absent says an empty text instead, unless it makes calls.",
    evidence=(
        Evidence(
            entry="qwen-content-required",
            text="<400> InternalError.Algo.InvalidParameter: The content field is a required field.",
            pattern=r"InvalidParameter: The content field is a required field",
            cause="A message has no content and makes no calls either.",
            status=400,
            link="https://github.com/QwenLM/qwen-code/issues/5265",
        ),
    ),
    examples=(
        Example(
            title="An answer that broke off",
            before=(UserMessage("Hello"), AssistantMessage(provider_options={_CHAT: {"$content": "absent"}})),
            after=(UserMessage("Hello"), AssistantMessage("")),
        ),
    ),
)

SOME_USER: Final = some_user(
    "qwen-some-user",
    summary="A history in which no user says anything gets a user message.",
    evidence=(
        Evidence(
            entry="qwen-no-user",
            text="<400> InternalError.Algo.InvalidParameter: The input messages do not contain elements with the role of user",
            pattern=r"input messages do not contain elements with the role of user",
            cause="Only system messages, answers and results are left.",
            status=400,
            link="https://github.com/agentscope-ai/agentscope-java/issues/613",
        ),
    ),
    examples=(
        Example(
            title="Compacted",
            before=(SystemMessage("Be brief."),),
            after=(SystemMessage("Be brief."), UserMessage("(The conversation continues here.)")),
        ),
    ),
)

DEVELOPER_AS_SYSTEM: Final = developer_as_system(
    "qwen-developer-as-system",
    summary="A developer message becomes a system message.",
    evidence=(
        Evidence(
            text="developer is not one of ['system', 'assistant', 'user', 'tool', 'function']",
            pattern=r"developer is not one of \W{0,4}system",
            cause="A message has the role developer, which only OpenAI's models know.",
            status=400,
            link="https://github.com/maotoumao/Cebian/issues/46",
        ),
    ),
    examples=(
        Example(
            title="Instructions written for OpenAI",
            before=(
                SystemMessage("Be brief.", provider_options={_CHAT: {"role": "developer"}}),
                UserMessage("Hello"),
            ),
            after=(SystemMessage("Be brief."), UserMessage("Hello")),
        ),
    ),
)

QWEN: Final = Provider(
    name="qwen",
    recognise=chat_model("qwen"),
    # https://www.alibabacloud.com/help/en/model-studio/deep-thinking
    dialect=Dialect(reasoning_fields=("reasoning_content",)),
    rules=(ARGUMENTS,),
    structure=(DEVELOPER_AS_SYSTEM, NO_EMPTY_TOOL_CALLS, CONTENT_PRESENT, SOME_USER),
)
