"""From an Ollama chat request to a prompt."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from ..._node import build, defaults, make, piece_of
from ...facts import build_message
from ...messages import (
    AssistantMessage,
    FilePart,
    Message,
    Part,
    ReasoningPart,
    SystemMessage,
    TextPart,
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
    fault,
    list_of_messages,
    message_reader,
    optional_text,
    read_each,
    rest,
    text_part,
)
from .names import API, CONTENT, NAMELESS, THINKING

__all__ = ["decode"]

_WHOLE: Final = piece_of(API)
_COMMON: Final = frozenset({"role", "content", "images"})
_ASSISTANT: Final = _COMMON | {"thinking", "tool_calls"}
_TOOL: Final = _COMMON | {"tool_call_id", "tool_name"}
_CALL: Final = frozenset({"id", "type", "function"})
_FUNCTION: Final = frozenset({"name", "arguments"})


@reads_other_apis(API)
def decode(request: Any, *, provider: str | None = None, model: str | None = None) -> Prompt:
    """Read a request body of ``/api/chat``, or a bare list of messages.

    Args:
        request: The body as it would be sent; it is borrowed, not copied, and never changed.
        provider: Who made the assistant messages, if known; else they are known by their API alone.
        model: The model that made them.

    Raises:
        HistoryFormatError: Something in it is not of the shape that this API has.
    """
    wire, wires, path = list_of_messages(request)
    messages = tuple(read_each(wires, path, _message_reader(provider, model)))
    fields = {**defaults(Prompt), "messages": messages, "api": API}
    if wire is not None:
        tools = wire.get("tools")
        read = {"messages"}
        if isinstance(tools, LIST):
            fields["tools"] = tuple(read_tool(tool, API) for tool in tools)
            read.add("tools")
        think = wire.get("think")
        # Some models take a level: "low", "medium", "high".
        fields["thinking"] = think if isinstance(think, bool) or think is None else True
        fields["request"] = rest(wire, frozenset(read))
    return remember_list(build(Prompt, fields, request, _WHOLE), wires)


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


def _said(wire: Wire, extra: Wire) -> list[TextPart | FilePart]:
    """The text and the images of a message."""
    parts: list[TextPart | FilePart] = []
    text = optional_text(wire, "content")
    if text is None:
        extra[CONTENT] = "null" if "content" in wire else "absent"
    else:
        parts.append(text_part(text))
    images = wire.get("images")
    if images:
        parts.extend(read_each(as_list(images, "images", "a list of images"), "images", _image))
    elif "images" in wire:
        extra["images"] = images
    return parts


def _image(value: Any) -> FilePart:
    if not isinstance(value, str):
        raise fault("", value, "an image in base64")
    return make(FilePart, media_type="image/*", data=value, provider_options={API: {}})


def _simple(cls: type[UserMessage] | type[SystemMessage], wire: Wire) -> UserMessage | SystemMessage:
    extra = rest(wire, _COMMON)
    fields = defaults(cls).copy()
    fields["parts"], fields["provider_options"] = tuple(_said(wire, extra)), _options(extra)
    if cls is SystemMessage:
        fields["placement"] = "list"
    return build_message(cls, fields, wire, _WHOLE)


def _assistant(wire: Wire, provider: str | None, model: str | None) -> AssistantMessage:
    extra = rest(wire, _ASSISTANT)
    parts: list[Part] = []
    thinking = optional_text(wire, "thinking")
    if thinking is not None:
        parts.append(make(ReasoningPart, text=thinking, provider_options={API: {THINKING: True}}))
    elif "thinking" in wire:
        extra["thinking"] = None
    parts.extend(_said(wire, extra))
    calls = wire.get("tool_calls")
    if calls:
        parts.extend(
            read_each(
                as_list(calls, "tool_calls", "a list of tool calls"),
                "tool_calls",
                lambda call: read_function_call(call, API, objects=True),
            )
        )
    elif "tool_calls" in wire:
        extra["tool_calls"] = calls
    fields = defaults(AssistantMessage).copy()
    fields["parts"], fields["provider_options"] = tuple(parts), _options(extra)
    fields["provider"], fields["api"], fields["model"] = provider, API, model
    return build_message(AssistantMessage, fields, wire, _WHOLE)


def _tool(wire: Wire) -> ToolMessage:
    extra = rest(wire, _TOOL)
    parts = _said(wire, extra)
    for key in ("tool_call_id", "tool_name"):
        if key in wire and not wire[key]:
            # An empty name is sent by some clients; it says nothing, and goes back as it is.
            extra[key] = wire[key]
    if "tool_name" not in wire:
        extra[NAMELESS] = True
    output: Any = None
    content: tuple[TextPart | FilePart, ...] | None = tuple(parts)
    if not parts:
        content = None
    elif len(parts) == 1 and parts[0].type == "text":
        output, content = parts[0].text, None
    result = defaults(ToolResultPart).copy()
    result["tool_call_id"] = optional_text(wire, "tool_call_id") or None
    result["tool_name"] = optional_text(wire, "tool_name") or None
    result["output"], result["content"] = output, content
    fields = defaults(ToolMessage).copy()
    fields["parts"], fields["provider_options"] = (build(ToolResultPart, result),), _options(extra)
    return build_message(ToolMessage, fields, wire, _WHOLE)
