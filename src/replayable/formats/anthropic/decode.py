"""From an Anthropic Messages request to a prompt."""

from __future__ import annotations

from typing import Any, Final

from ..._node import build, defaults, piece_of, remember
from ...errors import HistoryFormatError
from ...facts import build_message
from ...messages import (
    AssistantMessage,
    FilePart,
    Message,
    OpaquePart,
    ReasoningPart,
    SystemMessage,
    ToolCallPart,
    ToolResultPart,
)
from ...prompt import Prompt, remember_list
from ..mixed import reads_other_apis
from ..user_turns import split_turn
from ..wire import (
    MISSING,
    Wire,
    as_object,
    content_of,
    fault,
    kind_of,
    list_of_messages,
    optional_text,
    read_each,
    rest,
    text_at,
    text_part,
)
from .names import ABSENT, API, CONTENT, TYPE
from .tools import decode_tool_choice, decode_tools

__all__ = ["SYSTEM", "decode"]

_WHOLE: Final = piece_of(API)
SYSTEM: Final = piece_of(f"{API}.system")
"""The piece of a system message whose wire object is the request's own ``system``."""
_REQUEST: Final = frozenset({"messages", "system", "tools", "tool_choice"})
_COMMON: Final = frozenset({"role", "content"})
_TEXT: Final = frozenset({"type", "text"})
_THINKING: Final = frozenset({"type", "thinking", "signature"})
_REDACTED: Final = frozenset({"type", "data"})
_CALL: Final = frozenset({"type", "id", "name", "input"})
_RESULT: Final = frozenset({"type", "tool_use_id", "content", "is_error"})
_SERVER_RESULT: Final = frozenset({"type", "tool_use_id", "content"})
_CALL_TYPES: Final = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})


@reads_other_apis(API)
def decode(request: Any, *, provider: str | None = None, model: str | None = None) -> Prompt:
    """Read a request body, or a bare list of messages.

    A user turn with tool results and other content becomes several messages; they go back as one.

    Args:
        request: The body as it would be sent; it is borrowed, not copied, and never changed.
        provider: Who made the assistant messages, if known; else they are known by their API alone.
        model: The model that made them.

    Raises:
        HistoryFormatError: Something in it is not of the shape that this API has.
    """
    wire, wires, path = list_of_messages(request)
    messages = _messages(wires, path, provider, model)
    fields = defaults(Prompt).copy()
    fields["messages"], fields["api"] = tuple(messages), API
    if wire is not None:
        fields["messages"] = (*_system(wire), *messages)
        fields["tools"] = decode_tools(wire)
        fields["tool_choice"] = decode_tool_choice(wire.get("tool_choice"))
        fields["thinking"] = _thinking(wire.get("thinking"))
        fields["server_state"] = _is_held(wire.get("thread"))
        # A form of these fields that we can't read is kept beside, as everything else.
        unread = {key for key in ("tools", "tool_choice") if fields[key] is None}
        if wire.get("system") is None:
            unread.add("system")
        fields["request"] = rest(wire, _REQUEST - unread)
    return remember_list(build(Prompt, fields, request, _WHOLE), wires)


def _thinking(value: Any) -> bool | None:
    if not isinstance(value, dict):
        return None
    return {"enabled": True, "adaptive": True, "disabled": False}.get(kind_of(value))


def _is_held(thread: Any) -> bool | None:
    """Whether a thread (beta) goes on: "so only the new turn's messages are sent", says ``BetaMessageThreadParam``."""
    return True if isinstance(thread, dict) and kind_of(thread) == "continue" else None


def _system(wire: Wire) -> tuple[SystemMessage, ...]:
    system = wire.get("system")
    if system is None:
        return ()
    try:
        parts, form = content_of({"content": system}, _block, "block")
    except HistoryFormatError as error:
        raise HistoryFormatError(
            path=error.path.replace("content", "system", 1),
            found=error.found,
            expected=error.expected,
            remedy=error.remedy,
        ) from None
    fields = defaults(SystemMessage).copy()
    fields["parts"], fields["placement"], fields["provider_options"] = parts, "top", _noted({}, form)
    return (build_message(SystemMessage, fields, system, SYSTEM),)


def _messages(wires: list[Any], path: str, provider: str | None, model: str | None) -> list[Message]:
    messages: list[Message] = []

    def read(value: Any) -> None:
        if not isinstance(value, dict):
            before = len(messages)
            read(as_object(value, "", "a message (an object with role and content)"))
            for message in messages[before:]:
                remember(message, value)
            return
        match value.get("role", MISSING):
            case "user":
                follows_results = bool(messages) and messages[-1].role == "tool"
                messages.extend(_user(value, follows_results=follows_results))
            case "assistant":
                messages.append(_assistant(value, provider, model))
            case "system" | "developer":
                messages.append(_listed_system(value))
            case role:
                raise fault("role", role, "one of the roles user, assistant, system")

    read_each(wires, path, read)
    return messages


def _options(extra: Wire) -> dict[str, Wire] | None:
    return {API: extra} if extra else None


def _noted(extra: Wire, form: str | None) -> dict[str, Wire] | None:
    return _options({**extra, CONTENT: form} if form else extra)


# --- messages --------------------------------------------------------------------------------------------------


def _user(wire: Wire, *, follows_results: bool) -> list[Message]:
    parts, form = content_of(wire, _user_block, "block")
    extra = {} if _COMMON.issuperset(wire) else rest(wire, _COMMON)
    if form:
        extra[CONTENT] = form
    return split_turn(wire, parts, extra, API, follows_results=follows_results)


def _assistant(wire: Wire, provider: str | None, model: str | None) -> AssistantMessage:
    parts, form = content_of(wire, _assistant_block, "block")
    fields = defaults(AssistantMessage).copy()
    fields["parts"], fields["provider_options"] = parts, _noted(rest(wire, _COMMON), form)
    fields["provider"], fields["api"], fields["model"] = provider, API, model
    return build_message(AssistantMessage, fields, wire, _WHOLE)


def _listed_system(wire: Wire) -> SystemMessage:
    parts, form = content_of(wire, _block, "block")
    extra = rest(wire, _COMMON)
    if wire["role"] == "developer":
        extra = {**extra, "role": "developer"}
    fields = defaults(SystemMessage).copy()
    fields["parts"], fields["placement"], fields["provider_options"] = parts, "list", _noted(extra, form)
    return build_message(SystemMessage, fields, wire, _WHOLE)


# --- content -----------------------------------------------------------------------------------------------------


def _as_block(value: Any) -> Wire:
    return as_object(value, "", "a content block (an object with a type)")


def _user_block(value: Any) -> Any:
    wire = _as_block(value)
    return _result(wire) if kind_of(wire) == "tool_result" else _block(wire)


def _assistant_block(value: Any) -> Any:
    wire = _as_block(value)
    kind = kind_of(wire)
    if kind == "thinking":
        return _reasoning(wire)
    if kind == "redacted_thinking" and isinstance(wire.get("data"), str):
        options = _options(rest(wire, _REDACTED))
        fields = {**defaults(ReasoningPart), "encrypted": wire["data"], "provider_options": options}
        return build(ReasoningPart, fields, wire, _WHOLE)
    if kind in _CALL_TYPES:
        return _call(wire)
    if kind == "tool_result":
        return _result(wire)
    if kind.endswith("_tool_result"):
        return _server_result(wire)
    return _block(wire)


def _block(value: Any) -> Any:
    """A block that may stand anywhere: text, an image, a document, or something that only this API knows."""
    wire = _as_block(value)
    kind = kind_of(wire)
    if kind == "text":
        return text_part(text_at(wire, "text"), _options(rest(wire, _TEXT)), wire, _WHOLE)
    if kind in ("image", "document"):
        part = _file(wire)
        if part is not None:
            return part
    return build(OpaquePart, {**defaults(OpaquePart), "api": API, "value": wire}, wire, _WHOLE)


def _file(wire: Wire) -> FilePart | None:
    """An image or document by bytes, URL or file id; None for other sources (plain text, nested content)."""
    source, kind = wire.get("source"), wire["type"]
    if not isinstance(source, dict):
        return None
    fields = dict(defaults(FilePart))
    match source:
        case {"type": "base64", "media_type": str(media_type), "data": str(data)}:
            fields["media_type"], fields["data"] = media_type, data
            known = frozenset({"type", "media_type", "data"})
        case {"type": "url", "url": str(url)}:
            # A document by URL is a PDF: https://docs.claude.com/en/docs/build-with-claude/pdf-support
            fields["media_type"] = "image/*" if kind == "image" else "application/pdf"
            fields["url"] = url
            known = frozenset({"type", "url"})
        case {"type": "file", "file_id": str(file_id)}:
            fields["media_type"] = "image/*" if kind == "image" else None
            fields["file_id"] = file_id
            known = frozenset({"type", "file_id"})
        case _:
            return None
    options: Wire = {**rest(wire, frozenset({"type", "source"})), TYPE: kind}
    more = rest(source, known)
    if more:
        options["source"] = more
    return build(FilePart, {**fields, "provider_options": {API: options}}, wire, _WHOLE)


def _reasoning(wire: Wire) -> ReasoningPart:
    extra = rest(wire, _THINKING)
    if "thinking" not in wire:
        extra[ABSENT] = ["thinking"]
    fields = {
        **defaults(ReasoningPart),
        "text": optional_text(wire, "thinking") or "",
        "signature": optional_text(wire, "signature"),
        "provider_options": _options(extra),
    }
    return build(ReasoningPart, fields, wire, _WHOLE)


def _call(wire: Wire) -> ToolCallPart:
    extra = rest(wire, _CALL)
    kind = wire["type"]
    if kind != "tool_use":
        extra[TYPE] = kind
    if "id" not in wire or "input" not in wire:
        extra[ABSENT] = [key for key in ("id", "input") if key not in wire]
    fields = defaults(ToolCallPart).copy()
    fields["tool_call_id"], fields["tool_name"] = optional_text(wire, "id"), text_at(wire, "name")
    fields["input"], fields["provider_executed"] = wire.get("input"), kind != "tool_use"
    fields["provider_options"] = _options(extra)
    return build(ToolCallPart, fields, wire, _WHOLE)


def _result(wire: Wire) -> ToolResultPart:
    extra = rest(wire, _RESULT)
    is_error = wire.get("is_error")
    if not isinstance(is_error, bool) and "is_error" in wire:
        # Whether a number or null may stand there is for the server to say.
        extra["is_error"], is_error = is_error, None
    if "tool_use_id" not in wire:
        extra[ABSENT] = ["tool_use_id"]
    output = wire.get("content")
    content = None
    if output is None:
        extra[CONTENT] = "null" if "content" in wire else "absent"
    elif not isinstance(output, str):
        content, output = content_of(wire, _block, "block")[0], None
    fields = defaults(ToolResultPart).copy()
    fields["tool_call_id"] = optional_text(wire, "tool_use_id")
    fields["output"], fields["content"], fields["is_error"] = output, content, is_error
    fields["provider_options"] = _options(extra)
    return build(ToolResultPart, fields, wire, _WHOLE)


def _server_result(wire: Wire) -> ToolResultPart:
    """The result of a tool that Anthropic ran, e.g. ``web_search_tool_result``: its content is only for Anthropic."""
    extra = {**rest(wire, _SERVER_RESULT), TYPE: wire["type"]}
    absent = [key for key in ("tool_use_id", "content") if key not in wire]
    if absent:
        extra[ABSENT] = absent
    fields = {
        **defaults(ToolResultPart),
        "tool_call_id": optional_text(wire, "tool_use_id"),
        "output": wire.get("content"),
        "provider_executed": True,
        "provider_options": _options(extra),
    }
    return build(ToolResultPart, fields, wire, _WHOLE)
