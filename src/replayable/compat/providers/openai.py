"""OpenAI's Chat API, at OpenAI itself and on Azure."""

from __future__ import annotations

import re
from typing import Final

from ...facts import LONG_IDS
from ...media import media_kind
from ...messages import (
    AssistantMessage,
    FilePart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from ..evidence import KnownRejection
from ..provider import Dialect, Provider
from ..rule import Evidence, Example
from ..rules.content import content_present, files_as_text
from ..rules.making import for_models
from ..rules.system_messages import system_into_user
from ..rules.tool_call_ids import tool_call_id_format
from ..rules.tool_names import speaker_names, tool_names
from ..rules.tool_results import files_after_results
from ..rules.wire_fields import no_empty_list

__all__ = [
    "CHAT_DIALECT",
    "CONTENT_PRESENT",
    "IMAGES_FROM_USER",
    "NO_EMPTY_TOOL_CALLS",
    "OPENAI",
    "TOOL_CALL_ID_LENGTH",
]

_CHAT: Final = "openai_chat"
_IMAGE: Final = FilePart(media_type="image/png", data="iVBORw0KGgo=")
_LONG_ID: Final = "toolu_vrtx_" + "0123456789" * 4

TOOL_CALL_ID_LENGTH: Final = tool_call_id_format(
    "openai-tool-call-id-length",
    pattern=r"(?s:.{1,40})",
    max_length=40,
    needs=LONG_IDS,
    # Calls in the older `function_call` form have no id, and need none.
    fill_missing=False,
    summary="Tool call ids of more than 40 characters are shortened; call and result together.",
    evidence=(
        Evidence(
            entry="openai-tool-call-id-too-long",
            text="Invalid 'messages[{i}].tool_calls[{j}].id': string too long. Expected a string with maximum length 40,"
            " but got a string with length {n} instead.",
            pattern=r"'messages\[\d+\]\.(?:tool_calls\[\d+\]\.id|tool_call_id)': string too long",
            cause="A tool call id is longer than 40 characters: another provider or a gateway made it.",
            status=400,
            link="https://github.com/vercel/ai/issues/8132",
        ),
    ),
    examples=(
        Example(
            title="An id that another provider made",
            before=(
                UserMessage("Where is Oslo?"),
                AssistantMessage(
                    parts=[ToolCallPart(tool_call_id=_LONG_ID, tool_name="search", input={"q": "Oslo"})]
                ),
                ToolMessage(parts=[ToolResultPart(tool_call_id=_LONG_ID, output="In Norway.")]),
            ),
            after=(
                UserMessage("Where is Oslo?"),
                AssistantMessage(
                    parts=[
                        ToolCallPart(
                            tool_call_id="toolu_vrtx_012345678901234567_355afcae1c",
                            tool_name="search",
                            input={"q": "Oslo"},
                        )
                    ]
                ),
                ToolMessage(
                    parts=[
                        ToolResultPart(
                            tool_call_id="toolu_vrtx_012345678901234567_355afcae1c", output="In Norway."
                        )
                    ]
                ),
            ),
        ),
    ),
)

CONTENT_PRESENT: Final = content_present(
    "openai-content-present",
    "system",
    "user",
    "assistant",
    "tool",
    api=_CHAT,
    knows_refusals=True,
    summary="A message whose content is null or absent says an empty text instead, unless it makes calls.",
    evidence=(
        Evidence(
            entry="openai-content-null",
            text="Invalid value for 'content': expected a string, got null.",
            pattern=r"Invalid value for 'content': expected a string, got null",
            cause="A message has no content and makes no calls either.",
            status=400,
            link="https://github.com/langchain-ai/langchainjs/issues/4153",
        ),
    ),
    examples=(
        Example(
            title="An answer that broke off",
            before=(
                UserMessage("Hello"),
                AssistantMessage(provider_options={_CHAT: {"$content": "null"}}),
                UserMessage("Are you there?"),
            ),
            after=(UserMessage("Hello"), AssistantMessage(""), UserMessage("Are you there?")),
        ),
    ),
)

NO_EMPTY_TOOL_CALLS: Final = no_empty_list(
    "openai-no-empty-tool-calls",
    api=_CHAT,
    field="tool_calls",
    summary="An empty list of tool calls leaves the message.",
    evidence=(
        Evidence(
            entry="openai-tool-calls-empty-array",
            text="Invalid 'messages[{i}].tool_calls': empty array. Expected an array with minimum length 1, but got an empty"
            " array instead.",
            pattern=r"'messages(?:\[\d+\])?\.tool_calls': empty array|Empty tool_calls is not supported in message",
            cause="An assistant message holds `tool_calls: []`, as some servers return it.",
            status=400,
            link="https://github.com/openai/openai-python/issues/2061",
        ),
    ),
    examples=(
        Example(
            title="What a compatible server returned",
            before=(
                UserMessage("Hello"),
                AssistantMessage("Hi", provider_options={_CHAT: {"tool_calls": []}}),
            ),
            after=(UserMessage("Hello"), AssistantMessage("Hi")),
        ),
    ),
)

_NO_SYSTEM_ROLE: Final = ("o1-mini", "o1-preview")

SYSTEM_INTO_USER: Final = system_into_user(
    "openai-system-role",
    when=for_models(lambda model: (model.model or "").startswith(_NO_SYSTEM_ROLE)),
    summary="Instructions join the next user message where the model has neither a system nor a developer role.",
    evidence=(
        Evidence(
            entry="openai-system-role-unsupported",
            text="Unsupported value: 'messages[{i}].role' does not support '{system|developer}' with this model.",
            pattern=r"'(?:messages|input)\[\d+\]\.role' does not support '\w+' with this model",
            cause="The model (o1-mini, o1-preview) takes no message of that role.",
            status=400,
            link="https://github.com/pydantic/pydantic-ai/issues/974",
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

TOOL_NAMES: Final = tool_names(
    "openai-tool-names",
    summary="Tool names with characters that OpenAI refuses are rewritten: in calls, declared tools and the tool choice.",
    evidence=(
        Evidence(
            entry="openai-message-name-pattern",
            text="Invalid 'messages[{i}].tool_calls[{j}].function.name': string does not match pattern. Expected a string that"
            " matches the pattern '^[a-zA-Z0-9_-]+$'.",
            pattern=r"\.function\.name': string does not match pattern",
            cause="A tool has dots, spaces or the like in its name, as another provider allowed it.",
            status=400,
            link="https://github.com/FlowiseAI/Flowise/issues/2948",
        ),
        Evidence(
            text="Invalid 'messages[{i}].tool_calls[{j}].function.name': empty string. Expected a string with minimum length 1, but got an empty"
            " string instead.",
            pattern=r"\.function\.name': empty string",
            cause="A tool has no name: the stream of a call broke, or was put together wrongly.",
            status=400,
            link="https://github.com/continuedev/continue/issues/5091",
        ),
    ),
    examples=(
        Example(
            title="A name with a dot",
            before=(
                UserMessage("Where is Oslo?"),
                AssistantMessage(parts=[ToolCallPart(tool_call_id="c1", tool_name="maps.search", input={})]),
                ToolMessage(parts=[ToolResultPart(tool_call_id="c1", output="In Norway.")]),
            ),
            after=(
                UserMessage("Where is Oslo?"),
                AssistantMessage(
                    parts=[ToolCallPart(tool_call_id="c1", tool_name="maps_search_9bd256", input={})]
                ),
                ToolMessage(parts=[ToolResultPart(tool_call_id="c1", output="In Norway.")]),
            ),
        ),
    ),
)

SPEAKER_NAMES: Final = speaker_names(
    "openai-speaker-names",
    api=_CHAT,
    pattern=r"[^\s<|\\/>]{1,64}",
    summary="The `name` of a message is rewritten where it has characters that OpenAI refuses.",
    evidence=(
        Evidence(
            entry="openai-message-name-pattern",
            text="Invalid 'messages[{i}].name': string does not match pattern. Expected a string that matches the pattern"
            " '^[^\\s<|\\\\/>]+$'.",
            pattern=r"'(?:messages|input)\[\d+\]\.name': string does not match pattern",
            cause="A speaker's name holds spaces or the like.",
            status=400,
            link="https://github.com/FlowiseAI/Flowise/issues/2948",
        ),
    ),
    examples=(
        Example(
            title="First and last name",
            before=(UserMessage("Hello", provider_options={_CHAT: {"name": "Ola Nordmann"}}),),
            after=(UserMessage("Hello", provider_options={_CHAT: {"name": "Ola_Nordmann_54d055"}}),),
        ),
    ),
)

IMAGES_FROM_USER: Final = files_after_results(
    "openai-images-from-user",
    moves=lambda item: item.type == "file" and media_kind(item) == "image",
    summary="An image in a tool's result moves into a user message behind the results; one in an answer is named in a text.",
    evidence=(
        Evidence(
            entry="openai-image-role",
            text="Invalid 'messages[{i}]'. Image URLs are only allowed for messages with role 'user', but this message with"
            " role '{tool|assistant}' contains an image URL.",
            pattern=r"Image URLs are only allowed for messages with role 'user'",
            cause="A tool's result or an answer holds an image.",
            status=400,
            link="https://github.com/openai/openai-node/issues/1030",
        ),
    ),
    examples=(
        Example(
            title="A screenshot",
            before=(
                UserMessage("Look."),
                AssistantMessage(parts=[ToolCallPart(tool_call_id="c1", tool_name="screenshot", input={})]),
                ToolMessage(parts=[ToolResultPart(tool_call_id="c1", content=(_IMAGE,))]),
            ),
            after=(
                UserMessage("Look."),
                AssistantMessage(parts=[ToolCallPart(tool_call_id="c1", tool_name="screenshot", input={})]),
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

_HEARS: Final = re.compile(r"audio|realtime")
_OPENAI_NAME: Final = re.compile(r"gpt-|chatgpt-|o\d")

NO_AUDIO: Final = files_as_text(
    "openai-no-audio",
    refused=lambda part, _message: part.type == "file" and media_kind(part) == "audio",
    when=for_models(
        lambda model: bool(_OPENAI_NAME.match(model.model or "")) and not _HEARS.search(model.model or "")
    ),
    summary="Audio leaves a text that names it, where the model does not listen.",
    evidence=(
        Evidence(
            text="Invalid 'messages[{i}]'. Content blocks are expected to be either text or image_url type.",
            pattern=r"Content blocks are expected to be either text or image_url type",
            cause="A message holds audio, and the model takes text and images alone.",
            status=400,
            link="https://platform.openai.com/docs/guides/audio",
        ),
    ),
    examples=(
        Example(
            title="A voice message, and a model that reads",
            before=(UserMessage(["What is it?", FilePart(media_type="audio/wav", data="AAAA")]),),
            after=(UserMessage(["What is it?", "[audio/wav omitted: not supported here]"]),),
        ),
    ),
)

FILES_REFUSED: Final = KnownRejection(
    name="file-refused",
    reason="The provider has opened the file and refuses what is in it: no rule can make it another one.",
    remedy="Convert the file to a type that the model takes, or leave it out.",
    evidence=(
        Evidence(
            text="Invalid file data: '{field}'. Expected a file with an application/pdf MIME type, but got unsupported MIME"
            " type '{type}'.",
            pattern=r"Invalid file data: '[^']{0,200}'\. Expected a",
            cause="An attached file is of a type that the model does not take.",
            status=400,
            link="https://platform.openai.com/docs/guides/pdf-files",
        ),
        Evidence(
            text="You uploaded an unsupported image. Please make sure your image has of one the following formats:"
            " ['png', 'jpeg', 'gif', 'webp'].",
            pattern=r"You uploaded an unsupported image\.",
            cause="An attached image is of another format, or its bytes are broken.",
            status=400,
            link="https://platform.openai.com/docs/guides/images-vision",
        ),
        Evidence(
            text="The file type you uploaded is not supported. Please try again with a pdf",
            pattern=r"The file type you uploaded is not supported|Expected context stuffing file type",
            cause="An attached file is of a type that the model does not take.",
            status=400,
            link="https://platform.openai.com/docs/guides/pdf-files",
        ),
    ),
)

IMAGES_IN_ANSWERS: Final = files_as_text(
    "openai-images-in-answers",
    refused=lambda part, message: (
        message.role == "assistant" and part.type == "file" and media_kind(part) == "image"
    ),
    summary="An image in an answer leaves a text that names it.",
    evidence=(
        Evidence(
            entry="openai-image-role",
            text="Invalid 'messages[{i}]'. Image URLs are only allowed for messages with role 'user', but this message with"
            " role 'assistant' contains an image URL.",
            pattern=r"this message with role 'assistant' contains an image URL",
            cause="An answer holds an image: another model drew it.",
            status=400,
            link="https://github.com/openai/openai-node/issues/1030",
        ),
    ),
    examples=(
        Example(
            title="A drawing",
            before=(UserMessage("Draw."), AssistantMessage([_IMAGE])),
            after=(UserMessage("Draw."), AssistantMessage("[image/png omitted: not supported here]")),
        ),
    ),
)

# https://platform.openai.com/docs/api-reference/chat/create: tool messages hold text alone, and `max_tokens` is "not
# compatible with o-series models".
CHAT_DIALECT: Final = Dialect(
    media=frozenset({"image_url", "input_audio", "file", "audio"}),
    media_in_results=False,
    said=frozenset({"refusal"}),
    output_limit="max_completion_tokens",
)

OPENAI: Final = Provider(
    name="openai",
    recognise=lambda model: model.provider in ("openai", "azure") and model.api in ("openai_chat", None),
    dialect=CHAT_DIALECT,
    rules=(
        TOOL_CALL_ID_LENGTH,
        TOOL_NAMES,
        SPEAKER_NAMES,
        NO_AUDIO,
        IMAGES_FROM_USER,
        IMAGES_IN_ANSWERS,
        SYSTEM_INTO_USER,
    ),
    structure=(NO_EMPTY_TOOL_CALLS, CONTENT_PRESENT),
    known_rejections=(FILES_REFUSED,),
)
