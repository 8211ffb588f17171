"""From the parts of a Gemini content to ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..._node import build, defaults, make, piece_of
from ...errors import HistoryFormatError
from ...messages import (
    ContentPart,
    FilePart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from ..wire import Wire, as_list, as_object, optional_text, read_each, rest, text_at, text_of_json
from .blobs import without_bytes
from .names import ABSENT, API, BARE, BYTES, FORM, JSON, SNAKE, TYPE, URL_SAFE, WRAPPED
from .spelling import camel_case, snake_case

__all__ = ["model_part", "system_part", "user_part"]

_WHOLE: Final = piece_of(API)
_TEXT: Final = frozenset({"text"})
_CALL: Final = frozenset({"id", "name", "args"})
_RESULT: Final = frozenset({"id", "name", "response", "parts"})
_NAMED_RESPONSE: Final = frozenset({"name", "response"})
_BLOB: Final = frozenset({"data", "mimeType", "displayName"})
_FILE: Final = frozenset({"fileUri", "mimeType", "displayName"})
_THOUGHT: Final = frozenset({"text", "thought", "thoughtSignature"})
# Beside these a part may be a thought.
_CONTENT: Final = frozenset({"text", "inlineData", "fileData"})
_CODE: Final = "code_execution"
# What Google's servers ran: the field, its name for our call or result, and where its input or output stands.
_SERVER_CALLS: Final = {"toolCall": "args", "executableCode": None}
_SERVER_RESULTS: Final = {"toolResponse": "response", "codeExecutionResult": None}
_STANDARD: Final = str.maketrans("-_", "+/")
# Where only Google can fetch: https://ai.google.dev/gemini-api/docs/files and Cloud Storage.
_GOOGLE_FILES: Final = ("https://generativelanguage.googleapis.com/", "gs://")


def system_part(value: Any) -> TextPart | FilePart | OpaquePart:
    """Read a part of the system instruction: text or a file; a function's response is nothing that it can hold."""
    if isinstance(value, dict) and len(value) == 1 and isinstance(value.get("text"), str):
        return _plain_text(value)
    return _content(*_fields(value))


def user_part(value: Any) -> Part:
    """Read a part of a user's content: text, a file, a result, or something unknown."""
    if isinstance(value, dict) and len(value) == 1 and isinstance(value.get("text"), str):
        return _plain_text(value)
    wire, fields, snake = _fields(value)
    if fields.get("functionResponse") is not None:
        return _held("functionResponse", wire, fields, snake, _result)
    return _content(wire, fields, snake)


def model_part(value: Any) -> Part:
    """Read a part of the model's content: in addition calls, thoughts, and what Google's servers ran."""
    if isinstance(value, dict) and len(value) == 1 and isinstance(value.get("text"), str):
        return _plain_text(value)
    wire, fields, snake = _fields(value)
    if fields.get("functionCall") is not None:
        return _held("functionCall", wire, fields, snake, _call)
    if fields.get("functionResponse") is not None:
        return _held("functionResponse", wire, fields, snake, _result)
    for name in _SERVER_CALLS:
        if isinstance(fields.get(name), dict):
            return _server_call(name, wire, fields, snake)
    for name in _SERVER_RESULTS:
        if isinstance(fields.get(name), dict):
            return _server_result(name, wire, fields, snake)
    if _is_thought(fields):
        return _thought(wire, fields, snake)
    return _content(wire, fields, snake)


def _fields(value: Any) -> tuple[Any, Wire, list[str]]:
    """What stands on the wire, its fields by their camelCase names, and which of these were spelled otherwise."""
    if isinstance(value, str):
        return value, {"text": value, FORM: "text"}, []
    wire = as_object(value, "", "a part (an object with text, inlineData, functionCall or the like)")
    snake: list[str] = []
    return wire, without_bytes(camel_case(wire, snake)), snake


def _held(
    name: str, wire: Wire, fields: Wire, snake: list[str], read: Callable[[Wire, Wire, Wire, list[str]], Part]
) -> Part:
    """Read the object that a part holds; an error names its place."""
    options = {} if len(fields) == 1 else rest(fields, frozenset({name}))
    try:
        return read(wire, as_object(fields[name], ""), options, snake)
    except HistoryFormatError as error:
        raise error.under(_spelt(name, snake)) from None


def _spelt(name: str, snake: list[str]) -> str:
    """A field's name as it stands in the request."""
    return snake_case(name) if name in snake else name


def _options(options: Wire, snake: list[str]) -> dict[str, Wire] | None:
    if snake:
        options[SNAKE] = snake
    return {API: options} if options else None


# --- content ----------------------------------------------------------------------------------------------------


def _plain_text(wire: Wire) -> TextPart:
    values = defaults(TextPart).copy()
    values["text"] = wire["text"]
    return build(TextPart, values, wire, _WHOLE)


def _content(wire: Any, fields: Wire, snake: list[str]) -> TextPart | FilePart | OpaquePart:
    """A part that may stand anywhere: text, a file, or something that only this API knows."""
    if fields.get("text") is not None:
        values = defaults(TextPart).copy()
        values["text"], values["provider_options"] = (
            text_at(fields, "text"),
            _options(rest(fields, _TEXT), snake),
        )
        return build(TextPart, values, wire, _WHOLE)
    for name, read in (("inlineData", _inline), ("fileData", _by_uri)):
        holder = fields.get(name)
        if isinstance(holder, dict):
            own_snake = [*snake]
            found = read(camel_case(holder, own_snake))
            if found is not None:
                values, more = found
                options = rest(fields, frozenset({name}))
                if values.get("data") != holder.get("data"):
                    options[URL_SAFE] = True
                if more:
                    options[name] = more
                values = defaults(FilePart) | values | {"provider_options": _options(options, own_snake)}
                return build(FilePart, values, wire, _WHOLE)
    return build(OpaquePart, defaults(OpaquePart) | {"api": API, "value": wire}, wire, _WHOLE)


def _inline(holder: Wire) -> tuple[Wire, Wire] | None:
    """The fields of a file by its bytes, and what else stood there; None when it is none."""
    data = holder.get("data")
    if isinstance(data, str) and ("-" in data or "_" in data) and not ("+" in data or "/" in data):
        # Nobody but Google reads this alphabet.
        data = data.translate(_STANDARD)
    values = {
        "data": data,
        "media_type": holder.get("mimeType"),
        "filename": holder.get("displayName"),
    }
    return _told(values, holder, _BLOB) if isinstance(values["data"], str) else None


def _by_uri(holder: Wire) -> tuple[Wire, Wire] | None:
    """The fields of a file by its URI; what only Google can fetch is known by its id."""
    uri = holder.get("fileUri")
    place = "file_id" if isinstance(uri, str) and uri.startswith(_GOOGLE_FILES) else "url"
    values = {place: uri, "media_type": holder.get("mimeType"), "filename": holder.get("displayName")}
    return _told(values, holder, _FILE) if isinstance(uri, str) else None


def _told(values: Wire, holder: Wire, known: frozenset[str]) -> tuple[Wire, Wire] | None:
    if not all(value is None or isinstance(value, str) for value in values.values()):
        return None
    return values, {key: value for key, value in holder.items() if key not in known or value is None}


# --- thoughts ----------------------------------------------------------------------------------------------------


def _is_thought(fields: Wire) -> bool:
    """A thought, or a signature that stands alone: beside an empty text or beside nothing."""
    signature = fields.get("thoughtSignature")
    if not (signature is None or isinstance(signature, str)):
        return False
    held = [
        name
        for name in fields
        if name not in ("thought", "thoughtSignature", BYTES) and fields[name] is not None
    ]
    if fields.get("thought") is True:
        return _CONTENT.issuperset(held[:1]) and not isinstance(fields.get("text", ""), list | dict)
    return signature is not None and (not held or (held == ["text"] and fields["text"] == ""))


def _thought(wire: Wire, fields: Wire, snake: list[str]) -> ReasoningPart:
    text = optional_text(fields, "text")
    # A thought that is no text (an image, say) stays among the options.
    options = {key: value for key, value in fields.items() if key not in _THOUGHT or value is None}
    absent = []
    if text is None:
        absent.append("text")
    if fields.get("thought") is not True:
        absent.append("thought")
        if "thought" in fields:
            options["thought"] = fields["thought"]
    if absent:
        options[ABSENT] = absent
    values = defaults(ReasoningPart) | {
        "text": text or "",
        "signature": fields.get("thoughtSignature"),
        "provider_options": _options(options, snake),
    }
    return build(ReasoningPart, values, wire, _WHOLE)


# --- calls and results --------------------------------------------------------------------------------------------


def _call(wire: Wire, inner: Wire, options: Wire, snake: list[str]) -> ToolCallPart:
    more = {} if _CALL.issuperset(inner) else rest(inner, _CALL)
    tool_call_id = optional_text(inner, "id")
    if tool_call_id is None and "id" in inner:
        more["id"] = None
    arguments = inner.get("args")
    if arguments is None:
        # Without arguments there is nothing to send, but it is an object nevertheless.
        arguments = {}
        if "args" in inner:
            more["args"] = None
        else:
            options[ABSENT] = ["args"]
    if more:
        options["functionCall"] = more
    values = defaults(ToolCallPart).copy()
    values["tool_call_id"], values["tool_name"] = tool_call_id, text_at(inner, "name")
    values["input"], values["provider_options"] = arguments, _options(options, snake)
    return build(ToolCallPart, values, wire, _WHOLE)


def _result(wire: Wire, inner: Wire, options: Wire, snake: list[str]) -> ToolResultPart:
    more = {} if _RESULT.issuperset(inner) else rest(inner, _RESULT)
    tool_call_id, name = optional_text(inner, "id"), optional_text(inner, "name")
    if None in inner.values():
        more.update(dict.fromkeys((key for key in _RESULT if key in inner and inner[key] is None), None))
    output, is_error = inner.get("response"), None
    if not _NAMED_RESPONSE.issubset(inner):
        options[ABSENT] = [key for key in ("name", "response") if key not in inner]
    if isinstance(output, dict) and len(output) == 1:
        # "Callers can use keys of their choice … 'output' … and 'error'": https://ai.google.dev/api/caching#FunctionResponse
        if "output" in output:
            output, options[WRAPPED] = output["output"], True
        elif "error" in output:
            output, is_error = output["error"], True
            if output is None:
                options[WRAPPED] = True
    elif output is not None and not isinstance(output, dict):
        options[BARE] = True
    content: tuple[ContentPart, ...] | None = None
    if inner.get("parts") is not None:
        files = read_each(as_list(inner["parts"], "parts", "a list of parts"), "parts", _result_medium)
        content, output = (*_output_text(output, more), *files), None
    if more:
        options["functionResponse"] = more
    values = defaults(ToolResultPart).copy()
    values["tool_call_id"], values["tool_name"] = tool_call_id, name
    values["output"], values["content"], values["is_error"] = output, content, is_error
    values["provider_options"] = _options(options, snake)
    return build(ToolResultPart, values, wire, _WHOLE)


def _result_medium(value: Any) -> ContentPart:
    return _content(*_fields(value))


def _output_text(output: Any, more: Wire) -> tuple[TextPart, ...]:
    """The output beside media as text; an empty one says nothing."""
    if output is None:
        return ()
    if isinstance(output, str):
        return (make(TextPart, text=output),)
    if output == {}:
        more["response"] = output
        return ()
    text = text_of_json(output, "response")
    return (make(TextPart, text=text, provider_options={API: {JSON: True}}),)


# --- what Google's servers ran ------------------------------------------------------------------------------------


def _server_tool(
    field: str | None, name: str, fields: Wire, snake: list[str]
) -> tuple[str | None, str, Any, dict[str, Wire] | None]:
    """The id, the tool's name, the input or output, and the options of what a server ran."""
    inner = camel_case(fields[name], snake)
    options = rest(fields, frozenset({name}))
    options[TYPE] = name
    try:
        tool_call_id = optional_text(inner, "id")
    except HistoryFormatError as error:
        raise error.under(_spelt(name, snake)) from None
    if field is None:
        value: Any = {key: item for key, item in inner.items() if key != "id" or item is None}
        return tool_call_id, _CODE, value, _options(options, snake)
    more = {key: item for key, item in inner.items() if key not in (field, "id") or item is None}
    if field not in inner:
        options[ABSENT] = [field]
    if more:
        options[name] = more
    kind = inner.get("toolType")
    return (
        tool_call_id,
        kind.lower() if isinstance(kind, str) else "tool",
        inner.get(field),
        _options(options, snake),
    )


def _server_call(name: str, wire: Wire, fields: Wire, snake: list[str]) -> ToolCallPart:
    tool_call_id, tool_name, value, options = _server_tool(_SERVER_CALLS[name], name, fields, snake)
    values = defaults(ToolCallPart) | {
        "tool_call_id": tool_call_id,
        "tool_name": tool_name,
        "input": value,
        "provider_executed": True,
        "provider_options": options,
    }
    return build(ToolCallPart, values, wire, _WHOLE)


def _server_result(name: str, wire: Wire, fields: Wire, snake: list[str]) -> ToolResultPart:
    tool_call_id, tool_name, value, options = _server_tool(_SERVER_RESULTS[name], name, fields, snake)
    values = defaults(ToolResultPart) | {
        "tool_call_id": tool_call_id,
        "tool_name": tool_name,
        "output": value,
        "provider_executed": True,
        "provider_options": options,
    }
    return build(ToolResultPart, values, wire, _WHOLE)
