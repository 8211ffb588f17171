"""Ollama: its OpenAI-compatible API and its own."""

from __future__ import annotations

from typing import Final

from ...media import media_kind
from ...messages import AssistantMessage, ToolCallPart, UserMessage
from ..provider import Dialect, Provider
from ..rule import Evidence, Example
from ..rules.arguments import arguments_as_object, arguments_not_as_text
from ..rules.content import content_as_text, content_present
from ..rules.making import for_models
from .local_servers import MERGE_LAST
from .serving import chat_model

__all__ = ["OLLAMA", "OLLAMA_CHAT"]

_CHAT: Final = "openai_chat"

CONTENT_PRESENT: Final = content_present(
    "ollama-content-present",
    "system",
    "user",
    "assistant",
    "tool",
    api=_CHAT,
    summary="A message whose content is null or absent says an empty text instead, unless it makes calls.",
    evidence=(
        Evidence(
            entry="ollama-invalid-message",
            text="invalid message content type: <nil> | invalid message format",
            pattern=r"invalid message content type: ?<nil>|invalid message format",
            cause="A message has no content and makes no calls either.",
            status=400,
            link="https://github.com/tombii/better-ccflare/issues/141",
        ),
    ),
    examples=(
        Example(
            title="An answer that broke off",
            before=(UserMessage("Hello"), AssistantMessage(provider_options={_CHAT: {"$content": "null"}})),
            after=(UserMessage("Hello"), AssistantMessage("")),
        ),
    ),
)

CHAT_ARGUMENTS: Final = arguments_as_object(
    "ollama-chat-arguments",
    summary="Arguments that are no JSON object become one, as Ollama reads them itself.",
    evidence=(
        Evidence(
            text="invalid tool call arguments",
            pattern=r"invalid tool call arguments",
            cause="The arguments of an earlier call are no JSON object: a stream was cut, or they are empty.",
            status=400,
            link="https://github.com/duolahypercho/codex-router/issues/161",
            date="2026-08-11",
        ),
    ),
    examples=(
        Example(
            title="Arguments that were cut",
            before=(
                UserMessage("What time is it in Oslo?"),
                AssistantMessage(
                    parts=[ToolCallPart(tool_call_id="c1", tool_name="clock", raw_input='{"city": "Os')]
                ),
            ),
            after=(
                UserMessage("What time is it in Oslo?"),
                AssistantMessage(
                    parts=[
                        ToolCallPart(
                            tool_call_id="c1", tool_name="clock", input={"raw_arguments": '{"city": "Os'}
                        )
                    ]
                ),
            ),
        ),
    ),
)

CONTENT_AS_TEXT: Final = content_as_text(
    "ollama-content-as-text",
    "system",
    "user",
    "assistant",
    "tool",
    api="ollama_chat",
    # Images stand beside the text.
    keeps=lambda part: part.data is not None and media_kind(part) == "image",
    when=for_models(lambda model: model.api == "ollama_chat"),
    summary="The content of every message becomes one text, which is all that Ollama's own API takes.",
    evidence=(
        Evidence(
            entry="ollama-content-array",
            text="json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string",
            pattern=r"cannot unmarshal \w+ into Go struct field ChatRequest\.messages\.content",
            cause="A message's content is a list of parts.",
            status=400,
            link="https://github.com/BerriAI/litellm/issues/11273",
        ),
    ),
    examples=(
        Example(
            title="Two texts",
            before=(UserMessage(["Hello", "Are you there?"]),),
            after=(UserMessage("Hello\nAre you there?"),),
        ),
    ),
)

ARGUMENTS: Final = arguments_not_as_text(
    "ollama-arguments",
    api="ollama_chat",
    when=for_models(lambda model: model.api == "ollama_chat"),
    summary="Arguments that are text, or no object, become an object, which is all that Ollama's own API takes.",
    evidence=(
        Evidence(
            entry="ollama-arguments-string",
            text="json: cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments of type"
            " api.ToolCallFunctionArguments",
            pattern=r"cannot unmarshal \w+ into Go struct field ChatRequest\.messages\.tool_calls\.function\.arguments",
            cause="The arguments of a call are text, as OpenAI has them.",
            status=400,
            link="https://github.com/aliasrobotics/cai/issues/76",
        ),
    ),
    examples=(
        Example(
            title="Arguments that were encoded twice",
            before=(
                AssistantMessage(parts=[ToolCallPart(tool_call_id="c1", tool_name="clock", input="{}")]),
            ),
            after=(AssistantMessage(parts=[ToolCallPart(tool_call_id="c1", tool_name="clock", input={})]),),
        ),
    ),
)

OLLAMA: Final = Provider(
    name="ollama",
    recognise=chat_model("ollama"),
    # https://docs.ollama.com/api/openai-compatibility
    dialect=Dialect(reasoning_fields=("reasoning",)),
    rules=(CHAT_ARGUMENTS,),
    structure=(CONTENT_PRESENT, MERGE_LAST),
)

OLLAMA_CHAT: Final = Provider(
    name="ollama-chat",
    recognise=lambda model: model.provider == "ollama" and model.api == "ollama_chat",
    api="ollama_chat",
    # Its templates refuse nothing: a result whose call was lost is accepted, in recorded traffic, and the model reads it.
    takes_unpaired=lambda model: True,
    rules=(ARGUMENTS, CONTENT_AS_TEXT),
)
