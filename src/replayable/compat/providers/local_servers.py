"""Servers that people run themselves (vLLM, SGLang, llama.cpp, LM Studio), whatever the model's template asks for."""

from __future__ import annotations

import re
from typing import Final

from ...media import media_kind
from ...messages import AssistantMessage, FilePart, SystemMessage, ToolCallPart, UserMessage
from ...prompt import Prompt
from ..provider import Dialect, Provider
from ..rule import Evidence, Example
from ..rules.arguments import arguments_as_object, function_type
from ..rules.content import files_as_text
from ..rules.making import for_models, thinking_said
from ..rules.reasoning import CUT_WHILE_THINKING, drop_bare_reasoning
from ..rules.roles import last_user, merge_last
from ..rules.system_messages import developer_as_system
from .serving import chat_model

__all__ = ["LLAMACPP", "LMSTUDIO", "LOCAL_SERVERS", "MERGE_LAST", "SGLANG", "VLLM"]

_CHAT: Final = "openai_chat"
_CUT: Final = ToolCallPart(tool_call_id="c1", tool_name="search", raw_input='{"q": "Os')
_MENDED: Final = ToolCallPart(tool_call_id="c1", tool_name="search", input={"raw_arguments": '{"q": "Os'})

DEVELOPER_AS_SYSTEM: Final = developer_as_system(
    "template-developer-as-system",
    summary="A developer message becomes a system message: templates of open models know no other.",
    evidence=(
        Evidence(
            text="Unexpected message role.",
            pattern=r"Jinja Exception: Unexpected (?:message )?role|Unexpected message role\.",
            cause="A message has the role developer, which only OpenAI's models know.",
            status=500,
            link="https://github.com/ggml-org/llama.cpp/issues/27367",
        ),
        # Templates that ask for one system message at the start say this of a developer's, too.
        Evidence(
            entry="template-system-first",
            text="System message must be at the beginning.",
            pattern=r"System message must be at the beginning",
            cause="A message has the role developer, which only OpenAI's models know.",
            status=500,
            link="https://github.com/ggml-org/llama.cpp/issues/27367",
        ),
    ),
    examples=(
        Example(
            title="Instructions written for OpenAI",
            before=(SystemMessage("Be brief.", provider_options={_CHAT: {"role": "developer"}}),),
            after=(SystemMessage("Be brief."),),
        ),
    ),
)

VLLM_ARGUMENTS: Final = arguments_as_object(
    "vllm-arguments",
    summary="Arguments that are no JSON object become one.",
    evidence=(
        Evidence(
            entry="vllm-tool-arguments-json",
            text="Unterminated string starting at: line 1 column {c} (char {n}) | Expecting value: line 1 column 1 (char 0) | Can"
            " only get item pairs from a mapping.",
            pattern=r"(?:Unterminated string starting at|Expecting value|Expecting ',' delimiter|Expecting property name enclosed in"
            r" double quotes|Extra data|Invalid control character at): line \d+ column \d+ \(char \d+\)|Can only get item pairs"
            r" from a mapping",
            cause="The arguments of an earlier call are no JSON object: a stream was cut, or they are empty.",
            status=400,
            link="https://github.com/vllm-project/vllm/pull/48922",
        ),
    ),
    examples=(
        Example(
            title="Arguments that were cut",
            before=(UserMessage("Where is Oslo?"), AssistantMessage(parts=[_CUT])),
            after=(UserMessage("Where is Oslo?"), AssistantMessage(parts=[_MENDED])),
        ),
    ),
)

_PARSE: Final = Evidence(
    entry="llamacpp-tool-call-parse",
    text="Missing tool call type | Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse error",
    pattern=r"Missing tool call type|Failed to parse tool call arguments as JSON|json\.exception\.parse_error",
    cause="A call in the history does not say that it is a function's, or its arguments are no JSON.",
    status=500,
    link="https://github.com/lemonade-sdk/lemonade/pull/1481",
)

LLAMACPP_ARGUMENTS: Final = arguments_as_object(
    "llamacpp-arguments",
    summary="Arguments that are no JSON object become one.",
    evidence=(_PARSE,),
    examples=(
        Example(
            title="Arguments that were cut",
            before=(UserMessage("Where is Oslo?"), AssistantMessage(parts=[_CUT])),
            after=(UserMessage("Where is Oslo?"), AssistantMessage(parts=[_MENDED])),
        ),
    ),
)

CALL_TYPE: Final = function_type(
    "llamacpp-call-type",
    summary="A call that does not say what it is says that it is a function's.",
    evidence=(_PARSE,),
)

MERGE_LAST: Final = merge_last(
    "llamacpp-merge-last-answers",
    summary="Several answers at the end become one.",
    evidence=(
        Evidence(
            entry="llamacpp-two-assistant-tail",
            text="Cannot have 2 or more assistant messages at the end of the list.",
            pattern=r"Cannot have 2 or more assistant messages at the end of the list",
            cause="The history ends with two answers.",
            status=400,
            link="https://github.com/NousResearch/hermes-agent/pull/80265",
        ),
    ),
    examples=(
        Example(
            title="Two answers",
            before=(UserMessage("Hello"), AssistantMessage("Hi"), AssistantMessage("there")),
            after=(UserMessage("Hello"), AssistantMessage(["Hi", "there"])),
        ),
    ),
)

# https://github.com/ggml-org/llama.cpp/tree/master/tools/server: templates that open a thinking block unless told not to.
_THINKS: Final = re.compile(r"qwen-?3(?!.*(?:coder|instruct))|thinking", re.IGNORECASE)


def _thinks(prompt: Prompt) -> bool:
    options = (prompt.request or {}).get("chat_template_kwargs")
    if thinking_said(prompt, _CHAT) is False or (
        isinstance(options, dict) and options.get("enable_thinking") is False
    ):
        return False
    return for_models(lambda model: bool(_THINKS.search(model.model or "")))(prompt)


LAST_USER: Final = last_user(
    "llamacpp-last-user",
    when=_thinks,
    summary="A user message follows a last answer where the model would think first; one that says nothing goes instead.",
    evidence=(
        Evidence(
            entry="llamacpp-prefill-thinking",
            text="Assistant response prefill is incompatible with enable_thinking.",
            pattern=r"Assistant response prefill is incompatible with enable_thinking",
            cause="The history ends with an answer, and the model's template thinks before it answers.",
            status=400,
            link="https://github.com/ggml-org/llama.cpp/issues/20861",
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

NO_IMAGES: Final = files_as_text(
    "llamacpp-no-images",
    refused=lambda part, _message: part.type == "file" and media_kind(part) == "image",
    before_call=False,
    summary="Images leave a text that names them, once the server has said that it sees none.",
    evidence=(
        Evidence(
            text="image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
            pattern=r"image input is not supported",
            cause="A message holds an image, and the model, or the server as it was started, sees none.",
            status=500,
            link="https://github.com/ggml-org/llama.cpp/blob/master/docs/multimodal.md",
        ),
    ),
    examples=(
        Example(
            title="An image",
            before=(UserMessage(["What is it?", FilePart(media_type="image/png", data="iVBORw0KGgo=")]),),
            after=(UserMessage(["What is it?", "[image/png omitted: not supported here]"]),),
        ),
    ),
)

NO_OTHER_FILES: Final = files_as_text(
    "llamacpp-no-other-files",
    refused=lambda part, _message: part.type == "opaque" or media_kind(part) not in ("image", "audio"),
    before_call=False,
    summary="Files other than images and audio leave a text that names them, once the server has refused one.",
    evidence=(
        Evidence(
            text="unsupported content[].type",
            pattern=r"unsupported content\[\]\.type",
            cause="A message holds a video or a document.",
            status=400,
            link="https://github.com/ggml-org/llama.cpp/tree/master/tools/server",
        ),
    ),
    examples=(
        Example(
            title="A video",
            before=(
                UserMessage(["What is it?", FilePart(media_type="video/mp4", url="https://example.org/v")]),
            ),
            after=(
                UserMessage(
                    ["What is it?", "[video/mp4 at https://example.org/v omitted: not supported here]"]
                ),
            ),
        ),
    ),
)

VLLM: Final = Provider(
    name="vllm",
    recognise=chat_model("vllm"),
    # https://docs.vllm.ai/en/latest/features/reasoning_outputs.html
    dialect=Dialect(
        reasoning_fields=("reasoning", "reasoning_content"),
        media=frozenset({"image_url", "input_audio", "audio_url", "video_url"}),
    ),
    rules=(DEVELOPER_AS_SYSTEM, VLLM_ARGUMENTS),
)

SGLANG: Final = Provider(
    name="sglang",
    recognise=chat_model("sglang"),
    # https://docs.sglang.ai/advanced_features/separate_reasoning.html
    dialect=Dialect(reasoning_fields=("reasoning_content",)),
    rules=(DEVELOPER_AS_SYSTEM, VLLM_ARGUMENTS),
)

LLAMACPP: Final = Provider(
    name="llamacpp",
    recognise=chat_model("llamacpp"),
    # https://github.com/ggml-org/llama.cpp/tree/master/tools/server
    dialect=Dialect(reasoning_fields=("reasoning_content",)),
    rules=(DEVELOPER_AS_SYSTEM, CALL_TYPE, LLAMACPP_ARGUMENTS, NO_IMAGES, NO_OTHER_FILES),
    structure=(MERGE_LAST, LAST_USER),
)

LMSTUDIO_BARE_REASONING: Final = drop_bare_reasoning(
    "lmstudio-bare-reasoning",
    summary="An answer that holds nothing but reasoning goes: there is no field for it, and templates want turns in order.",
    evidence=(
        Evidence(
            text="conversation roles must alternate user and assistant roles except for tool calls and results",
            cause="An answer without content is no turn.",
            link="https://github.com/mcowger/generic-copilot/pull/43",
        ),
    ),
    examples=(CUT_WHILE_THINKING,),
)

LMSTUDIO: Final = Provider(
    name="lmstudio",
    recognise=chat_model("lmstudio"),
    rules=(DEVELOPER_AS_SYSTEM, LLAMACPP_ARGUMENTS, LMSTUDIO_BARE_REASONING),
)

LOCAL_SERVERS: Final = (VLLM, SGLANG, LLAMACPP, LMSTUDIO)
