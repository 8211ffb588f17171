"""Others that speak OpenAI's Responses API in ways of their own: DeepSeek, and llama.cpp's server."""

from __future__ import annotations

from typing import Final

from ...messages import (
    AssistantMessage,
    OpaquePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from ..provider import Provider
from ..rule import Evidence, Example
from ..rules.response_forms import known_items, readable_reasoning, typed_messages
from ..rules.text_after_calls import text_before_calls
from .local_servers import LLAMACPP_ARGUMENTS

__all__ = ["OTHER_RESPONSES"]

API: Final = "openai_responses"
_ASK: Final = UserMessage("Where is Oslo?")
_CALL: Final = ToolCallPart(tool_call_id="c1", tool_name="search", input={"q": "Oslo"})
_RESULT: Final = ToolMessage(parts=[ToolResultPart(tool_call_id="c1", output="In Norway.")])
_SERVER: Final = "https://github.com/ggml-org/llama.cpp/tree/master/tools/server"

TEXT_BEFORE_CALLS: Final = text_before_calls(
    "deepseek-responses-text-before-calls",
    apis=frozenset({API}),
    summary="What an answer says behind its calls stands before them: DeepSeek ends the turn at a message.",
    evidence=(
        Evidence(
            entry="responses-call-without-output",
            provider="deepseek",
            api=API,
            text="No tool output found for tool call {call_id}.",
            pattern=r"No tool output found for tool call",
            cause="A message stands between a call and its output.",
            status=400,
            link="https://api-docs.deepseek.com/guides/tool_calls",
        ),
    ),
    examples=(
        Example(
            title="A remark behind a call",
            before=(_ASK, AssistantMessage(parts=[_CALL, TextPart("One moment.")]), _RESULT),
            after=(_ASK, AssistantMessage(parts=[TextPart("One moment."), _CALL]), _RESULT),
        ),
    ),
)

DEEPSEEK_RESPONSES: Final = Provider(
    name="deepseek-responses",
    recognise=lambda model: model.provider == "deepseek" and model.api == API,
    api=API,
    structure=(TEXT_BEFORE_CALLS,),
)

TYPED_MESSAGES: Final = typed_messages(
    "llamacpp-responses-typed-messages",
    summary="An answer is written in full, as a message with a list of texts: the server knows no shorter form.",
    evidence=(
        Evidence(
            text="Cannot determine type of 'item'",
            pattern=r"Cannot determine type of 'item'",
            cause="An answer has a role and no type, or an item is of a type that the server does not know.",
            status=400,
            link=_SERVER,
        ),
    ),
    examples=(
        Example(
            title="An answer in short",
            before=(
                _ASK,
                AssistantMessage(parts=[TextPart("Norway.")]),
            ),
            after=(
                _ASK,
                AssistantMessage(
                    parts=[
                        TextPart("Norway.", provider_options={API: {"$type": "message", "$content": "list"}})
                    ]
                ),
            ),
        ),
    ),
)

KNOWN_ITEMS: Final = known_items(
    "llamacpp-responses-known-items",
    known=frozenset({"message", "function_call", "function_call_output", "reasoning"}),
    summary="References and items of tools that OpenAI's server runs leave the prompt: the server does not know them.",
    evidence=(
        Evidence(
            text="Cannot determine type of 'item'",
            pattern=r"Cannot determine type of 'item'",
            cause="An answer has a role and no type, or an item is of a type that the server does not know.",
            status=400,
            link=_SERVER,
        ),
    ),
    examples=(
        Example(
            title="A reference",
            before=(
                _ASK,
                AssistantMessage(
                    parts=[OpaquePart(api=API, value={"type": "item_reference", "id": "msg_1"})]
                ),
            ),
            after=(_ASK,),
        ),
    ),
)

READABLE_REASONING: Final = readable_reasoning(
    "llamacpp-responses-readable-reasoning",
    summary="Reasoning goes back as content that can be read; encrypted reasoning leaves.",
    evidence=(
        Evidence(
            text="item['content'] is not an array",
            pattern=r"item\['content'\] is (?:not an array|empty)",
            cause="A reasoning item has no content that can be read: OpenAI encrypts its own.",
            status=400,
            link=_SERVER,
        ),
    ),
    examples=(
        Example(
            title="Reasoning that OpenAI encrypted",
            before=(
                _ASK,
                AssistantMessage(
                    parts=[ReasoningPart(id="rs_1", encrypted="gAAAAABo"), TextPart("Norway.")], api=API
                ),
            ),
            after=(_ASK, AssistantMessage("Norway.", api=API)),
        ),
    ),
)

LLAMACPP_RESPONSES: Final = Provider(
    name="llamacpp-responses",
    recognise=lambda model: model.provider == "llamacpp" and model.api == API,
    api=API,
    rules=(KNOWN_ITEMS, READABLE_REASONING, LLAMACPP_ARGUMENTS),
    # Behind those of the model's template, which write answers too.
    structure=(TYPED_MESSAGES,),
)

OTHER_RESPONSES: Final = (DEEPSEEK_RESPONSES, LLAMACPP_RESPONSES)
