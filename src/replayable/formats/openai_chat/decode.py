"""From an OpenAI Chat request to a prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, Final

from ..._node import build, defaults, make, piece_of
from ...errors import HistoryFormatError
from ...facts import SERVER_TOOLS, build_message, facts_of
from ...media import split_data_url
from ...messages import (
    AssistantMessage,
    ContentPart,
    FilePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from ...prompt import Prompt, remember_list
from ..arguments import read_arguments
from ..mixed import reads_other_apis
from ..wire import (
    LIST,
    MISSING,
    Wire,
    as_list,
    as_object,
    content_of,
    fault,
    kind_of,
    list_of_messages,
    message_reader,
    optional_text,
    options_of,
    read_each,
    rest,
    text_at,
    text_part,
)
from .names import API, BLOCKS, CONTENT, FIELD, FORM, LEGACY, SERVER, TYPE, UNTYPED
from .tools import decode_tool_choice, decode_tools

__all__ = ["decode", "thinking_text"]

_WHOLE: Final = piece_of(API)
_COMMON: Final = frozenset({"role", "content"})
_ASSISTANT: Final = frozenset(
    {
        "role",
        "content",
        "tool_calls",
        "function_call",
        "reasoning",
        "reasoning_content",
        "reasoning_details",
        BLOCKS,
        "refusal",
        "audio",
    }
)
_PLAIN_ANSWER: Final = frozenset({"role", "content", "tool_calls"})
_TOOL: Final = frozenset({"role", "content", "tool_call_id"})
_CALL: Final = frozenset({"id", "type", "function", "custom"})
_FUNCTION: Final = frozenset({"name", "arguments"})
_DETAIL: Final = frozenset({"text", "summary", "data", "signature", "id"})
_BLOCK_TEXT: Final = {"thinking": "thinking", "redacted_thinking": "data"}
_BLOCK: Final = {"thinking": "text", "signature": "signature", "data": "encrypted"}
# Anthropic's ids of calls that its server answers: LiteLLM hands these on beside the client's own, and takes them back.
_SERVER_ID: Final = "srvtoolu_"
_TEXT: Final = frozenset({"type", "text"})
_URL: Final = frozenset({"url"})
_AUDIO: Final = frozenset({"data"})
_FILE: Final = frozenset({"file_data", "file_id", "filename"})
_AUDIO_TYPES: Final = {"mp3": "audio/mpeg", "wav": "audio/wav"}
_URL_TYPES: Final = {
    "image_url": "image/*",
    "video_url": "video/*",
    "audio_url": "audio/*",
    "document_url": None,
    "file_url": None,
}
_USER_FIELDS: Final = defaults(UserMessage)
_SYSTEM_FIELDS: Final = defaults(SystemMessage)
_ASSISTANT_FIELDS: Final = defaults(AssistantMessage)
_TOOL_FIELDS: Final = defaults(ToolMessage)
_CALL_FIELDS: Final = defaults(ToolCallPart)
_RESULT_FIELDS: Final = defaults(ToolResultPart)
_by_server: Final = attrgetter("provider_executed")


@reads_other_apis(API)
def decode(request: Any, *, provider: str | None = None, model: str | None = None) -> Prompt:
    """Read a request body, or a bare list of messages.

    Args:
        request: The body as it would be sent; it is borrowed, not copied, and never changed.
        provider: Who made the assistant messages, if known; else they are known by their API alone.
        model: The model that made them.

    Raises:
        HistoryFormatError: Something in it is not of the shape that this API has.
    """
    wire, wires, path = list_of_messages(request)
    messages = tuple(read_each(wires, path, _message_reader(provider, model)))
    if any(facts_of(message) & SERVER_TOOLS for message in messages):
        answered = _answered(messages)
        if answered:
            messages = tuple(read_each(wires, path, _message_reader(provider, model, answered)))
    fields = defaults(Prompt).copy()
    fields["messages"], fields["api"] = messages, API
    if wire is not None:
        fields["tools"], about_tools = decode_tools(wire)
        fields["tool_choice"], about_choice = decode_tool_choice(wire)
        fields["thinking"] = _thinking(wire)
        request_fields = fields["request"] = wire.copy()
        for read in ("messages", *about_tools, *about_choice):
            del request_fields[read]
    return remember_list(build(Prompt, fields, request, _WHOLE), wires)


def _thinking(wire: Wire) -> bool | None:
    thinking = wire.get("thinking")
    if isinstance(thinking, dict):
        return {"enabled": True, "disabled": False}.get(kind_of(thinking))
    if isinstance(wire.get("enable_thinking"), bool):
        return bool(wire["enable_thinking"])
    return None


def _answered(messages: Sequence[Message]) -> frozenset[str | None]:
    """The ids of calls that tool messages answer: whatever they look like, the client ran those."""
    return frozenset(
        result.tool_call_id
        for message in messages
        if message.role == "tool"
        for result in message.parts
        if result.type == "tool_result" and (result.tool_call_id or "").startswith(_SERVER_ID)
    )


def _message_reader(
    provider: str | None, model: str | None, answered: frozenset[str | None] = frozenset()
) -> Callable[[Any], Message]:
    """Return what reads a message; ``answered`` are the ids of calls that the client ran."""
    system = partial(_simple, SystemMessage)
    return message_reader(
        {
            "system": system,
            "developer": system,
            "user": partial(_simple, UserMessage),
            "assistant": lambda wire: _assistant(wire, provider, model, answered),
            "tool": _tool,
            "function": _tool,
        }
    )


def _options(extra: Wire) -> dict[str, Wire] | None:
    return {API: extra} if extra else None


# --- messages --------------------------------------------------------------------------------------------------


def _simple(cls: type[UserMessage] | type[SystemMessage], wire: Wire) -> UserMessage | SystemMessage:
    parts, form = content_of(wire, _content_part, "part")
    extra = {} if _COMMON.issuperset(wire) else rest(wire, _COMMON)
    if form:
        extra[CONTENT] = form
    fields = defaults(cls).copy()
    fields["parts"] = parts
    if extra:
        fields["provider_options"] = {API: extra}
    if cls is SystemMessage:
        fields["placement"] = "list"
        if wire["role"] == "developer":
            fields["provider_options"] = _options({**extra, "role": "developer"})
    return build_message(cls, fields, wire, _WHOLE)


def _assistant(
    wire: Wire, provider: str | None, model: str | None, answered: frozenset[str | None]
) -> AssistantMessage:
    extra: Wire = {}
    reasoning: Sequence[Part] = ()
    said: Sequence[Part] = ()
    content, form = content_of(wire, _answer_part, "part")
    if not _PLAIN_ANSWER.issuperset(wire):
        extra = rest(wire, _ASSISTANT)
        reasoning = _reasoning(wire, extra)
        said = (*_refusal(wire, extra), *_spoken(wire, extra))
    calls = _calls(wire, extra, answered) if not _COMMON.issuperset(wire) else ()
    if form and not (form == "null" and calls):
        extra[CONTENT] = form
    fields = _ASSISTANT_FIELDS.copy()
    fields["parts"] = (*reasoning, *content, *said, *calls)
    if extra:
        fields["provider_options"] = {API: extra}
    fields["provider"], fields["api"], fields["model"] = provider, API, model
    if reasoning or calls:
        fields["api"] = _made_on(wire, reasoning, calls)
    return build_message(AssistantMessage, fields, wire, _WHOLE)


def _made_on(wire: Wire, reasoning: Sequence[Part], calls: Sequence[ToolCallPart]) -> str:
    """The API that an answer comes from: LiteLLM hands on the blocks that Anthropic, or Gemini, sealed."""
    sealed = any(map(_by_server, calls)) or (
        reasoning and any(options_of(part, API).get(FIELD) == BLOCKS for part in reasoning)
    )
    if not sealed:
        return API
    more = wire.get("provider_specific_fields")
    return "gemini" if isinstance(more, dict) and "thought_signatures" in more else "anthropic"


def _refusal(wire: Wire, extra: Wire) -> tuple[OpaquePart, ...]:
    refusal = wire.get("refusal")
    if isinstance(refusal, str):
        value = {"type": "refusal", "refusal": refusal}
        return (make(OpaquePart, api=API, value=value, provider_options={API: {FIELD: "refusal"}}),)
    if "refusal" in wire:
        extra["refusal"] = refusal
    return ()


def _spoken(wire: Wire, extra: Wire) -> tuple[FilePart, ...]:
    """OpenAI's spoken answer: ``{"id": "audio_…"}``, or all that its response said of it."""
    audio = wire.get("audio")
    if isinstance(audio, dict) and isinstance(audio.get("id"), str):
        options = {TYPE: "audio", "audio": rest(audio, frozenset({"id"}))}
        return (make(FilePart, media_type="audio/*", file_id=audio["id"], provider_options={API: options}),)
    if "audio" in wire:
        extra["audio"] = audio
    return ()


def _tool(wire: Wire) -> ToolMessage:
    # `name` and the role `function` go back to this API as they are, so they stay among the extra fields too.
    extra = {} if _TOOL.issuperset(wire) else rest(wire, _TOOL)
    if wire["role"] == "function":
        extra["role"] = "function"
    tool_call_id = optional_text(wire, "tool_call_id")
    if tool_call_id is None and "tool_call_id" in wire:
        extra["tool_call_id"] = None
    content: tuple[ContentPart, ...] | None = None
    output = wire.get("content")
    if isinstance(output, LIST):
        content = tuple(read_each(output, "content", _content_part))
        output, extra[CONTENT] = None, "list"
    elif output is None:
        extra[CONTENT] = "null" if "content" in wire else "absent"
    elif not isinstance(output, str):
        raise fault("content", output, "a string or a list of parts")
    result = _RESULT_FIELDS.copy()
    result["tool_call_id"], result["output"], result["content"] = tool_call_id, output, content
    fields = _TOOL_FIELDS.copy()
    fields["parts"] = (build(ToolResultPart, result),)
    if extra:
        fields["provider_options"] = {API: extra}
        if isinstance(extra.get("name"), str):
            result["tool_name"] = extra["name"]
    return build_message(ToolMessage, fields, wire, _WHOLE)


# --- content ----------------------------------------------------------------------------------------------------


def _content_part(value: Any) -> TextPart | FilePart | OpaquePart:
    wire = as_object(value, "", "a content part (an object with a type)")
    if kind_of(wire) == "text":
        text = text_at(wire, "text")
        return text_part(text, _options(rest(wire, _TEXT)), wire, _WHOLE)
    part = _file(wire)
    return part or build(OpaquePart, {**defaults(OpaquePart), "api": API, "value": wire}, wire, _WHOLE)


def _answer_part(value: Any) -> Part:
    wire = as_object(value, "", "a content part (an object with a type)")
    return _thinking_chunk(wire) or _content_part(wire)


def _thinking_chunk(wire: Wire) -> ReasoningPart | None:
    """Mistral's: ``{"type": "thinking", "thinking": [{"type": "text", "text": …}], "closed": true}``."""
    text = thinking_text(wire.get("thinking"))
    if text is None or kind_of(wire) != "thinking":
        return None
    options = {API: {**rest(wire, frozenset({"type"})), FIELD: "thinking"}}
    return build(
        ReasoningPart, {**defaults(ReasoningPart), "text": text, "provider_options": options}, wire, _WHOLE
    )


def thinking_text(chunks: Any) -> str | None:
    """Return what the chunks of a thinking part say; None when they are no list."""
    if not isinstance(chunks, LIST):
        return None
    texts = [chunk.get("text") for chunk in chunks if isinstance(chunk, dict)]
    return "".join(text for text in texts if isinstance(text, str))


def _file(wire: Wire) -> FilePart | None:
    """A file part; None when it is none of the forms that are known."""
    kind = kind_of(wire)
    if "type" not in wire:
        # Some clients leave it out: then the field that is there tells.
        kind = next((key for key in wire if key in _URL_TYPES), "")
    holder = wire.get(kind)
    if kind in _URL_TYPES:
        fields, known = _by_url(kind, holder.get("url") if isinstance(holder, dict) else holder), _URL
    elif kind == "input_audio":
        fields, known = _audio(holder if isinstance(holder, dict) else {"data": holder}), _AUDIO
    elif kind == "file" and isinstance(wire.get("file_id"), str):
        return _flat_file(wire)
    elif kind == "file" and isinstance(holder, dict):
        fields, known = _uploaded(holder), _FILE - {"file_id"} if holder.get("file_data") else _FILE
    else:
        return None
    if fields is None:
        return None
    options: Wire = {**rest(wire, frozenset({"type", kind})), TYPE: kind}
    if "type" not in wire:
        options[UNTYPED] = True
    if isinstance(holder, dict):
        more = {key: value for key, value in holder.items() if key not in known or value is None}
        if more:
            options[kind] = more
    else:
        options[FORM] = "string"
    return build(FilePart, {**defaults(FilePart), **fields, "provider_options": {API: options}}, wire, _WHOLE)


def _flat_file(wire: Wire) -> FilePart:
    """Mistral's: ``{"type": "file", "file_id": …}``."""
    options = {**rest(wire, frozenset({"type", "file_id"})), TYPE: "file_id"}
    fields = {**defaults(FilePart), "file_id": wire["file_id"], "provider_options": {API: options}}
    return build(FilePart, fields, wire, _WHOLE)


def _by_url(kind: str, url: Any) -> Wire | None:
    if not isinstance(url, str):
        return None
    split = split_data_url(url)
    return {"url": url, "media_type": _URL_TYPES[kind]} if split is None else _inline(split)


def _inline(split: tuple[str, str]) -> Wire:
    media_type, data = split
    return {"media_type": media_type, "data": data}


def _audio(holder: Wire) -> Wire | None:
    data, given = holder.get("data"), holder.get("format")
    if not isinstance(data, str):
        return None
    if data.startswith(("https:", "http:", "data:")):
        # Mistral's, which holds a URL as well as the bare content.
        return {"url": data, "media_type": "audio/*"}
    return {"data": data, "media_type": _AUDIO_TYPES.get(given if isinstance(given, str) else "", "audio/*")}


def _uploaded(holder: Wire) -> Wire | None:
    data = holder.get("file_data")
    # Beside its content an id tells nothing: it stays among the options.
    fields = {"filename": holder.get("filename"), **({} if data else {"file_id": holder.get("file_id")})}
    if not all(value is None or isinstance(value, str) for value in (data, *fields.values())):
        return None
    split = split_data_url(data) if data else None
    return {**fields, **({"data": data} if split is None else _inline(split))}


# --- reasoning ---------------------------------------------------------------------------------------------------


def _reasoning(wire: Wire, extra: Wire) -> list[Part]:
    parts: list[Part] = []
    details = wire.get("reasoning_details")
    if isinstance(details, LIST) and details and all(isinstance(detail, dict) for detail in details):
        parts.extend(_detail(detail) for detail in details)
    elif "reasoning_details" in wire:
        extra["reasoning_details"] = details
    if BLOCKS in wire:
        blocks = wire[BLOCKS]
        if parts or not _are_thinking_blocks(blocks):
            extra[BLOCKS] = blocks
        else:
            parts.extend(_thinking_block(block) for block in blocks)
    for field in ("reasoning_content", "reasoning"):
        if field not in wire:
            continue
        text = wire[field]
        # Beside `reasoning_details` or `thinking_blocks` the string only repeats them.
        if isinstance(text, str) and not parts:
            parts.append(make(ReasoningPart, text=text, provider_options={API: {FIELD: field}}))
        else:
            extra[field] = text
    return parts


def _detail(detail: Wire) -> ReasoningPart:
    """One entry of OpenRouter's ``reasoning_details``: of type reasoning.text, reasoning.summary or reasoning.encrypted."""
    options: Wire = {FIELD: "reasoning_details"}
    fields = dict(defaults(ReasoningPart))
    for key, value in detail.items():
        if key not in _DETAIL or not isinstance(value, str):
            options[key] = value
    text_key = "summary" if detail.get("type") == "reasoning.summary" else "text"
    text, data = detail.get(text_key), detail.get("data")
    for key in ("text", "summary"):
        if key != text_key and isinstance(detail.get(key), str):
            options[key] = detail[key]
    fields["text"] = text if isinstance(text, str) else ""
    fields["encrypted"] = data if isinstance(data, str) else None
    for key in ("signature", "id"):
        fields[key] = detail[key] if isinstance(detail.get(key), str) else None
    if not isinstance(text, str):
        options["$text"] = "absent"
    return build(ReasoningPart, {**fields, "provider_options": {API: options}}, detail, _WHOLE)


def _are_thinking_blocks(blocks: Any) -> bool:
    return isinstance(blocks, LIST) and bool(blocks) and all(map(_is_thinking_block, blocks))


def _is_thinking_block(block: Any) -> bool:
    kind = kind_of(block) if isinstance(block, dict) else ""
    return kind in _BLOCK_TEXT and isinstance(block.get(_BLOCK_TEXT[kind]), str)


def _thinking_block(block: Wire) -> ReasoningPart:
    """One of LiteLLM's ``thinking_blocks``: a block of Anthropic's, ``thinking`` or ``redacted_thinking``, as it was."""
    options: Wire = {FIELD: BLOCKS}
    fields = dict(defaults(ReasoningPart))
    for key, value in block.items():
        if key in _BLOCK and isinstance(value, str):
            fields[_BLOCK[key]] = value
        elif key != "type":
            options[key] = value
    return build(ReasoningPart, {**fields, "provider_options": {API: options}}, block, _WHOLE)


# --- calls --------------------------------------------------------------------------------------------------------


def _calls(wire: Wire, extra: Wire, answered: frozenset[str | None]) -> list[ToolCallPart]:
    def call(value: Any) -> ToolCallPart:
        return _call(value, answered)

    calls: list[ToolCallPart] = []
    given = wire.get("tool_calls")
    if given:
        calls.extend(read_each(as_list(given, "tool_calls", "a list of tool calls"), "tool_calls", call))
    elif "tool_calls" in wire:
        extra["tool_calls"] = given
    legacy = wire.get("function_call")
    if legacy:
        try:
            calls.append(_function(as_object(legacy, ""), {LEGACY: True}, None, None, server=False))
        except HistoryFormatError as error:
            raise error.under("function_call") from None
    elif "function_call" in wire:
        extra["function_call"] = legacy
    return calls


def _call(value: Any, answered: frozenset[str | None]) -> ToolCallPart:
    wire: Wire = (
        value
        if isinstance(value, dict)
        else as_object(value, "", "a tool call (an object with id and function)")
    )
    options = {} if _CALL.issuperset(wire) else rest(wire, _CALL)
    tool_call_id = optional_text(wire, "id")
    if tool_call_id is None and "id" in wire:
        options["id"] = None
    kind = wire.get("type")
    if kind != "function":
        options[TYPE] = wire.get("type", "$absent")
        if kind == "custom" and isinstance(wire.get("custom"), dict):
            return _custom(wire, options, tool_call_id)
    server = tool_call_id is not None and tool_call_id.startswith(_SERVER_ID) and tool_call_id not in answered
    try:
        return _function(
            as_object(wire.get("function", MISSING), ""), options, tool_call_id, wire, server=server
        )
    except HistoryFormatError as error:
        raise error.under("function") from None


def _custom(wire: Wire, options: Wire, tool_call_id: str | None) -> ToolCallPart:
    custom = wire["custom"]
    options["custom"] = rest(custom, frozenset({"name", "input"}))
    try:
        name = text_at(custom, "name")
    except HistoryFormatError as error:
        raise error.under("custom") from None
    fields = _CALL_FIELDS.copy()
    fields["tool_call_id"], fields["tool_name"] = tool_call_id, name
    fields["input"], fields["provider_options"] = custom.get("input"), {API: options}
    return build(ToolCallPart, fields, wire, _WHOLE)


def _function(
    function: Wire, options: Wire, tool_call_id: str | None, wire: Wire | None, *, server: bool
) -> ToolCallPart:
    fields = _CALL_FIELDS.copy()
    fields["tool_call_id"], fields["tool_name"] = tool_call_id, text_at(function, "name")
    if server:
        fields["provider_executed"], options[SERVER] = True, True
    fields["raw_input"], fields["input"] = read_arguments(function, options)
    if not _FUNCTION.issuperset(function):
        options["function"] = rest(function, _FUNCTION)
    if options:
        fields["provider_options"] = {API: options}
    return build(ToolCallPart, fields, wire, None if wire is None else _WHOLE)
