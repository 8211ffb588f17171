"""From a Cohere chat request to a prompt."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from ..._node import build, defaults, piece_of
from ...facts import build_message
from ...media import split_data_url
from ...messages import (
    AssistantMessage,
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
from ..function_calls import read_function_call
from ..function_tools import read_tool
from ..mixed import reads_other_apis
from ..wire import (
    LIST,
    Wire,
    as_list,
    as_object,
    content_of,
    kind_of,
    list_of_messages,
    message_reader,
    optional_text,
    read_each,
    rest,
    text_at,
    text_of_json,
    text_part,
)
from .names import API, CONTENT, DATA, FIELD, FORM, TYPE
from .tools import decode_tool_choice

__all__ = ["decode"]

_WHOLE: Final = piece_of(API)
_COMMON: Final = frozenset({"role", "content"})
_ASSISTANT: Final = frozenset({"role", "content", "tool_calls", "tool_plan"})
_TOOL: Final = frozenset({"role", "content", "tool_call_id"})
_CALL: Final = frozenset({"id", "type", "function"})
_FUNCTION: Final = frozenset({"name", "arguments"})
_TEXT: Final = frozenset({"type", "text"})
_THINKING: Final = frozenset({"type", "thinking"})


@reads_other_apis(API)
def decode(request: Any, *, provider: str | None = None, model: str | None = None) -> Prompt:
    """Read a request body of ``/v2/chat``, or a bare list of messages.

    A ``tool_plan`` is what the assistant says before its calls: beside calls Cohere takes no other text. What a document
    in a result says is its data, as JSON text. The request's own ``documents`` stay beside the messages.

    Args:
        request: The body as it would be sent; it is borrowed, not copied, and never changed.
        provider: Who made the assistant messages, if known; else they are known by their API alone.
        model: The model that made them.

    Raises:
        HistoryFormatError: Something in it is not of the shape that this API has.
    """
    wire, wires, path = list_of_messages(request)
    messages = tuple(read_each(wires, path, _message_reader(provider, model)))
    fields = defaults(Prompt) | {"messages": messages, "api": API}
    if wire is not None:
        read = {"messages"}
        if isinstance(wire.get("tools"), LIST):
            fields["tools"] = tuple(read_tool(tool, API) for tool in wire["tools"])
            read.add("tools")
        fields["tool_choice"] = decode_tool_choice(wire.get("tool_choice"))
        if fields["tool_choice"] is not None:
            read.add("tool_choice")
        fields["thinking"] = _thinking(wire.get("thinking"))
        fields["request"] = rest(wire, frozenset(read))
    return remember_list(build(Prompt, fields, request, _WHOLE), wires)


def _thinking(value: Any) -> bool | None:
    return {"enabled": True, "disabled": False}.get(kind_of(value)) if isinstance(value, dict) else None


def _message_reader(provider: str | None, model: str | None) -> Callable[[Any], Message]:
    return message_reader(
        {
            "system": partial(_simple, SystemMessage),
            "user": partial(_simple, UserMessage),
            "assistant": lambda wire: _assistant(wire, provider, model),
            "tool": _tool,
        }
    )


def _options(extra: Wire) -> dict[str, Wire] | None:
    return {API: extra} if extra else None


# --- messages --------------------------------------------------------------------------------------------------


def _simple(cls: type[UserMessage] | type[SystemMessage], wire: Wire) -> UserMessage | SystemMessage:
    parts, form = content_of(wire, _block, "block")
    extra = {} if _COMMON.issuperset(wire) else rest(wire, _COMMON)
    if form:
        extra[CONTENT] = form
    fields = defaults(cls).copy()
    fields["parts"] = parts
    if extra:
        fields["provider_options"] = {API: extra}
    if cls is SystemMessage:
        fields["placement"] = "list"
    return build_message(cls, fields, wire, _WHOLE)


def _assistant(wire: Wire, provider: str | None, model: str | None) -> AssistantMessage:
    content, form = content_of(wire, _answer_block, "block")
    extra = {} if _ASSISTANT.issuperset(wire) else rest(wire, _ASSISTANT)
    if form:
        extra[CONTENT] = form
    parts: list[Part] = list(content)
    if "tool_plan" in wire:
        plan = optional_text(wire, "tool_plan")
        if plan is None:
            extra["tool_plan"] = None
        else:
            # Before what was said, behind what was thought.
            at = next((index for index, part in enumerate(parts) if part.type != "reasoning"), len(parts))
            parts.insert(at, text_part(plan, {API: {FIELD: "tool_plan"}}))
    if "tool_calls" in wire:
        calls = wire["tool_calls"]
        if calls:
            parts += read_each(as_list(calls, "tool_calls", "a list of tool calls"), "tool_calls", _call)
        else:
            extra["tool_calls"] = calls
    fields = defaults(AssistantMessage).copy()
    fields["parts"] = tuple(parts)
    if extra:
        fields["provider_options"] = {API: extra}
    fields["provider"], fields["api"], fields["model"] = provider, API, model
    return build_message(AssistantMessage, fields, wire, _WHOLE)


def _call(value: Any) -> ToolCallPart:
    return read_function_call(value, API)


def _tool(wire: Wire) -> ToolMessage:
    extra = {} if _TOOL.issuperset(wire) else rest(wire, _TOOL)
    if "tool_call_id" in wire and wire["tool_call_id"] is None:
        extra["tool_call_id"] = None
    fields = defaults(ToolResultPart).copy()
    fields["tool_call_id"] = optional_text(wire, "tool_call_id")
    output = wire.get("content")
    if isinstance(output, str):
        fields["output"] = output
    else:
        content, form = content_of(wire, _result_block, "block")
        if isinstance(output, LIST):
            fields["content"], form = content, "list"
        extra[CONTENT] = form
    message = defaults(ToolMessage).copy()
    message["parts"] = (build(ToolResultPart, fields),)
    if extra:
        message["provider_options"] = {API: extra}
    return build_message(ToolMessage, message, wire, _WHOLE)


# --- content ----------------------------------------------------------------------------------------------------


def _as_block(value: Any) -> Wire:
    return as_object(value, "", "a content block (an object with a type)")


def _block(value: Any) -> TextPart | FilePart | OpaquePart:
    wire = _as_block(value)
    kind = kind_of(wire)
    if kind == "text":
        return text_part(text_at(wire, "text"), _options(rest(wire, _TEXT)), wire, _WHOLE)
    part = _image(wire) if kind == "image_url" else None
    return part or build(OpaquePart, defaults(OpaquePart) | {"api": API, "value": wire}, wire, _WHOLE)


def _answer_block(value: Any) -> Part:
    wire = _as_block(value)
    if kind_of(wire) == "thinking" and isinstance(wire.get("thinking"), str):
        options = {FIELD: "thinking", **rest(wire, _THINKING)}
        fields = defaults(ReasoningPart) | {"text": wire["thinking"], "provider_options": {API: options}}
        return build(ReasoningPart, fields, wire, _WHOLE)
    return _block(wire)


def _result_block(value: Any) -> TextPart | FilePart | OpaquePart:
    wire = _as_block(value)
    part = _document(wire) if kind_of(wire) == "document" else None
    return part or _block(wire)


def _document(wire: Wire) -> TextPart | None:
    document = wire.get("document")
    if not isinstance(document, dict) or not isinstance(document.get("data"), dict | str):
        return None
    data = document["data"]
    options = {TYPE: "document", **rest(wire, frozenset({"type", "document"}))}
    more = rest(document, frozenset({"data"}))
    if more:
        options["document"] = more
    if isinstance(data, str):
        options[DATA] = "text"
    text = data if isinstance(data, str) else text_of_json(data, "document.data")
    return text_part(text, {API: options}, wire, _WHOLE)


def _image(wire: Wire) -> FilePart | None:
    holder = wire.get("image_url")
    url = holder.get("url") if isinstance(holder, dict) else holder
    if not isinstance(url, str):
        return None
    options: Wire = {TYPE: "image_url", **rest(wire, frozenset({"type", "image_url"}))}
    more = rest(holder, frozenset({"url"})) if isinstance(holder, dict) else {}
    if more:
        options["image_url"] = more
    if isinstance(holder, str):
        options[FORM] = "string"
    fields = defaults(FilePart) | {"provider_options": {API: options}}
    split = split_data_url(url)
    if split is None:
        fields["url"], fields["media_type"] = url, "image/*"
    else:
        fields["media_type"], fields["data"] = split
    return build(FilePart, fields, wire, _WHOLE)
