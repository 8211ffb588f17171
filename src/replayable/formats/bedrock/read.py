"""Reading the blocks of a Converse message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..._node import build, defaults, fields_of, piece_of, wire_of
from ...errors import HistoryFormatError
from ...messages import OpaquePart, Part, ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from ..wire import (
    LIST,
    MISSING,
    Wire,
    as_list,
    as_object,
    optional_text,
    read_each,
    rest,
    text_at,
    text_of_json,
    text_part,
)
from .blobs import base64_of, bytes_of, without_bytes
from .files import FILE_KINDS, read_file
from .names import ABSENT, API, BASE64, BYTES, CACHE_POINT, CONTENT, TYPE

__all__ = ["assistant_block", "block", "cited_text", "read_blocks", "user_block"]

_WHOLE: Final = piece_of(API)
_CALL: Final = frozenset({"toolUseId", "name", "input", "type"})
_RESULT: Final = frozenset({"toolUseId", "content", "status"})
_REASONING: Final = frozenset({"text", "signature"})
_STATUS: Final = {"success": False, "error": True}


def read_blocks(wire: Wire, key: str, read: Callable[[Any], Any]) -> tuple[Any, ...]:
    """Read the list of blocks in a field; a cache point is noted with the part before it.

    Raises:
        HistoryFormatError: It is no list of blocks.
    """
    items = as_list(wire.get(key, MISSING), key, "a list of content blocks")
    parts = read_each(items, key, read)
    return tuple(_with_cache_points(parts) if any(CACHE_POINT in item for item in items) else parts)


def _with_cache_points(parts: list[Any]) -> list[Any]:
    noted: list[Any] = []
    for part in parts:
        point = part.value.get(CACHE_POINT) if part.type == "opaque" else None
        options = (noted[-1].provider_options or {}).get(API, {}) if noted else {}
        if point is None or not noted or CACHE_POINT in options or noted[-1].type == "opaque":
            noted.append(part)
            continue
        before = noted[-1]
        changed = {"provider_options": {API: {**options, CACHE_POINT: point}}}
        noted[-1] = build(type(before), fields_of(before) | changed, *wire_of(before))
    return noted


def _kind(value: Any) -> tuple[Wire, str, Any]:
    """A block, its one member that is there, and what that holds; no member where there are several or none."""
    wire = as_object(value, "", "a content block (an object with one member)")
    if len(wire) == 1:
        return wire, *next(iter(wire.items()))
    there = [(key, body) for key, body in wire.items() if body is not None]
    return (wire, *there[0]) if len(there) == 1 else (wire, "", None)


def _options(extra: Wire) -> dict[str, Wire] | None:
    return {API: extra} if extra else None


def user_block(value: Any) -> Any:
    """Read a block of a user's message."""
    wire, kind, body = _kind(value)
    return _under(kind, _result, body, wire) if kind == "toolResult" else _content(wire, kind, body)


def assistant_block(value: Any) -> Any:
    """Read a block of an answer."""
    wire, kind, body = _kind(value)
    if kind == "toolUse":
        return _under(kind, _call, body, wire)
    if kind == "toolResult":
        return _under(kind, _result, body, wire)
    if kind == "reasoningContent" and isinstance(body, dict) and len(body) == 1:
        return _under(kind, _reasoning, body, wire)
    return _content(wire, kind, body)


def block(value: Any) -> Any:
    """Read a block that may stand anywhere: text, a file, or something that only this API knows."""
    return _content(*_kind(value))


def _under(kind: str, read: Callable[[Wire, Wire], Part], body: Any, wire: Wire) -> Part:
    try:
        return read(as_object(body, ""), wire)
    except HistoryFormatError as error:
        raise error.under(kind) from None


def _content(wire: Wire, kind: str, body: Any) -> Any:
    if kind == "text":
        return text_part(text_at(wire, "text"), None, wire, _WHOLE)
    part: Part | None = None
    if kind in FILE_KINDS:
        part = read_file(kind, body, wire)
    elif kind == "citationsContent" and isinstance(body, dict):
        part = _cited(body, wire)
    elif kind == "guardContent" and isinstance(body, dict) and len(body) == 1:
        part = _guarded(body, wire)
    if part is not None:
        return part
    return _opaque(wire)


def _opaque(wire: Wire) -> OpaquePart:
    return build(OpaquePart, defaults(OpaquePart) | {"api": API, "value": without_bytes(wire)}, wire, _WHOLE)


def _cited(body: Wire, wire: Wire) -> TextPart | None:
    content = body.get("content")
    text = cited_text(content)
    if text is None:
        return None
    options: Wire = {TYPE: "citationsContent", **rest(body, frozenset({"content"}))}
    if content != [{"text": text}]:
        options["content"] = content
    return text_part(text, {API: options}, wire, _WHOLE)


def cited_text(content: Any) -> str | None:
    """Return what the pieces of a text with citations say; None when they are no list."""
    if not isinstance(content, LIST):
        return None
    texts = [piece.get("text") for piece in content if isinstance(piece, dict)]
    return "".join(text for text in texts if isinstance(text, str))


def _guarded(body: Wire, wire: Wire) -> Part | None:
    """Text or an image that a guardrail is to look at."""
    text = body.get("text")
    if isinstance(text, dict) and isinstance(text.get("text"), str):
        options = {TYPE: "guardContent", **rest(text, frozenset({"text"}))}
        return text_part(text["text"], {API: options}, wire, _WHOLE)
    return read_file("image", body.get("image"), wire, "guardContent")


def _reasoning(body: Wire, wire: Wire) -> Part:
    text, redacted = body.get("reasoningText"), body.get("redactedContent")
    fields = defaults(ReasoningPart).copy()
    options: Wire = {}
    if isinstance(text, dict):
        options = rest(text, _REASONING)
        try:
            fields["text"] = optional_text(text, "text") or ""
            fields["signature"] = optional_text(text, "signature")
        except HistoryFormatError as error:
            raise error.under("reasoningText") from None
        if text.get("text") is None:
            options[ABSENT] = ["text"]
    elif isinstance(redacted, str | bytes | bytearray):
        fields["encrypted"], options = _redacted(redacted)
    else:
        return _opaque(wire)
    fields["provider_options"] = _options(options)
    return build(ReasoningPart, fields, wire, _WHOLE)


def _redacted(value: str | bytes | bytearray) -> tuple[str, Wire]:
    """Redacted reasoning as text: what Anthropic's own API calls ``data`` is bytes here."""
    options: Wire = {BYTES: not isinstance(value, str)}
    data = bytes_of(value) if isinstance(value, str) else bytes(value)
    if data is not None and data.isascii() and (not isinstance(value, str) or base64_of(data) == value):
        return data.decode("ascii"), options
    return (value if isinstance(value, str) else base64_of(value)), {**options, BASE64: True}


def _call(body: Wire, wire: Wire) -> ToolCallPart:
    extra = rest(body, _CALL)
    kind = body.get("type")
    if kind is not None:
        extra[TYPE] = kind
    absent = [key for key in ("toolUseId", "input") if key not in body]
    if absent:
        extra[ABSENT] = absent
    fields = defaults(ToolCallPart).copy()
    fields["tool_call_id"] = optional_text(body, "toolUseId")
    fields["tool_name"] = text_at(body, "name")
    fields["input"] = body.get("input")
    if kind is not None:
        fields["provider_executed"] = True
    if extra:
        fields["provider_options"] = {API: extra}
    return build(ToolCallPart, fields, wire, _WHOLE)


def _result(body: Wire, wire: Wire) -> ToolResultPart:
    extra = rest(body, _RESULT)
    fields = defaults(ToolResultPart).copy()
    fields["tool_call_id"] = optional_text(body, "toolUseId")
    if "toolUseId" not in body:
        extra[ABSENT] = ["toolUseId"]
    if isinstance(body.get("type"), str):
        # Only what Bedrock ran itself has one, e.g. `nova_code_interpreter_result`.
        fields["provider_executed"] = True
    status = body.get("status")
    if isinstance(status, str) and status in _STATUS:
        fields["is_error"] = _STATUS[status]
    elif "status" in body:
        extra["status"] = status
    content = body.get("content")
    if content is None:
        extra[CONTENT] = "null" if "content" in body else "absent"
    else:
        form = _answer(body, fields)
        if form is not None:
            extra[CONTENT] = form
    if extra:
        fields["provider_options"] = {API: extra}
    return build(ToolResultPart, fields, wire, _WHOLE)


def _answer(body: Wire, fields: Wire) -> str | None:
    """Fill in what a result says; return how it stood there where that does not follow from it."""
    content = as_list(body["content"], "content", "a list of content blocks")
    only = content[0] if len(content) == 1 and isinstance(content[0], dict) and len(content[0]) == 1 else {}
    if isinstance(only.get("text"), str):
        fields["output"] = only["text"]
    elif "json" in only:
        fields["output"] = only["json"]
        return "json" if only["json"] is None or not isinstance(only["json"], dict) else None
    elif content:
        fields["content"] = read_blocks(body, "content", _result_block)
    else:
        return "list"
    return None


def _result_block(value: Any) -> Any:
    wire, kind, body = _kind(value)
    if kind == "json":
        return text_part(text_of_json(body, "json"), {API: {TYPE: "json"}}, wire, _WHOLE)
    return _content(wire, kind, body)
