"""Tool outputs of model messages: ``{"type": "text" | "json" | "error-text" | …, "value": …}``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ..._node import build, defaults, piece_of, wire_of
from ...media import file_stub, opaque_stub
from ...messages import ContentPart, OpaquePart, TextPart, ToolResultPart
from ..wire import Wire, options_of, rest, sent, text_at
from .files import read_item, write_item
from .names import ABSENT, LEGACY, OUTPUT

__all__ = ["TYPED_OUTPUTS", "content_value", "read_output", "read_result", "write_result"]

_RESULT: Final = frozenset({"type", "toolCallId", "toolName", "output"})
_LEGACY_RESULT: Final = frozenset({"type", "toolCallId", "toolName", "result"})
_DENIED: Final = "The user did not allow this tool call."
TYPED_OUTPUTS: Final = ("text", "json", "error-text", "error-json", "content")


def read_result(wire: Wire, api: str, notes: Wire, *, provider_executed: bool) -> ToolResultPart:
    """Read a ``tool-result`` part.

    Raises:
        HistoryFormatError: It is not of that shape.
    """
    fields = {
        **defaults(ToolResultPart),
        "tool_call_id": text_at(wire, "toolCallId"),
        "tool_name": text_at(wire, "toolName"),
        "provider_executed": provider_executed,
    }
    if "output" in wire or "result" not in wire:
        options = {**rest(wire, _RESULT), **notes}
        if "output" in wire:
            read_output(wire["output"], api, fields, options)
        else:
            options[ABSENT] = ["output"]
    else:
        options = {**rest(wire, _LEGACY_RESULT), LEGACY: True, **notes}
        fields["output"] = wire["result"]
        if isinstance(options.get("isError"), bool):
            fields["is_error"] = options.pop("isError")
    return build(
        ToolResultPart,
        {**fields, "provider_options": {api: options} if options else None},
        wire,
        piece_of(api),
    )


def read_output(output: Any, api: str, fields: Wire, options: Wire) -> None:
    """Read an output into the fields of a result; what they can't say goes into ``options``."""
    kind = output.get("type") if isinstance(output, dict) else None
    value = output.get("value") if isinstance(output, dict) else None
    known = {"type", "value"}
    match kind:
        case "text" | "error-text" if isinstance(value, str):
            fields["output"] = value
        case "json" | "error-json" if "value" in output:
            fields["output"] = value
            if isinstance(value, str):
                options[OUTPUT] = kind
        case "content" if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            fields["content"] = tuple(_read_item(item, api) for item in value)
        case "execution-denied":
            reason = output.get("reason")
            known = {"type", "reason"} if isinstance(reason, str) else {"type"}
            fields["output"] = reason if isinstance(reason, str) else _DENIED
            options[OUTPUT] = kind if "reason" in known else f"{kind} without reason"
        case _:
            fields["output"] = output
            options[OUTPUT] = "bare"
            return
    if kind in ("error-text", "error-json", "execution-denied"):
        fields["is_error"] = True
    more = rest(output, frozenset(known))
    if more:
        options["output"] = more


def _read_item(wire: Wire, api: str) -> ContentPart:
    if wire.get("type") == "text" and isinstance(wire.get("text"), str):
        more = rest(wire, frozenset({"type", "text"}))
        fields = {
            **defaults(TextPart),
            "text": wire["text"],
            "provider_options": {api: more} if more else None,
        }
        return build(TextPart, fields, wire, piece_of(api))
    part = read_item(wire, api)
    return part or build(OpaquePart, {**defaults(OpaquePart), "api": api, "value": wire}, wire, piece_of(api))


def write_result(part: ToolResultPart, api: str, *, tool_name: str, legacy: bool) -> Wire:
    """Write a ``tool-result`` part.

    Args:
        part: The result.
        api: The format.
        tool_name: The tool, where the result does not name it.
        legacy: Whether to write ``result`` rather than ``output``, where the part does not remember.
    """
    options = options_of(part, api)
    wire: Wire = {
        "type": "tool-result",
        "toolCallId": part.tool_call_id,
        "toolName": tool_name if part.tool_name is None else part.tool_name,
    }
    extra = sent(options)
    more = extra.pop("output", None)
    if options.get(LEGACY, legacy and not options):
        wire["result"] = part.output if part.content is None else content_value(part.content, api)
        if part.is_error is not None:
            wire["isError"] = part.is_error
        return {**wire, **extra}
    output = _output(part, options, api)
    if part.output is None and part.content is None and "output" in options.get(ABSENT, ()):
        return {**wire, **extra}
    wire["output"] = {**output, **more} if isinstance(more, dict) else output
    return {**wire, **extra}


def _output(part: ToolResultPart, options: Wire, api: str) -> Any:
    noted = options.get(OUTPUT)
    model_output = part.model_output
    if noted == "bare":
        return part.output
    if model_output is not None:
        # What the tool made for the model, rather than all that it returned.
        if (
            isinstance(model_output, dict)
            and model_output.get("type") in TYPED_OUTPUTS
            and "value" in model_output
        ):
            return model_output
        return {"type": "text" if isinstance(model_output, str) else "json", "value": model_output}
    if part.content is not None:
        texts = [item.text for item in part.content if item.type == "text"]
        if part.is_error and len(texts) == len(part.content):
            return {"type": "error-text", "value": "\n".join(texts)}
        return {"type": "content", "value": _items(part.content, api)}
    output = part.output
    if part.is_error and isinstance(noted, str) and noted.startswith("execution-denied"):
        return {"type": "execution-denied", **({"reason": output} if noted == "execution-denied" else {})}
    is_text = isinstance(output, str) and noted not in ("json", "error-json")
    kind = "text" if is_text else "json"
    return {"type": f"error-{kind}" if part.is_error else kind, "value": output}


def content_value(content: Sequence[ContentPart], api: str) -> Any:
    """Return a content list as plain data: a string when it is all text, else a list of items."""
    if all(item.type == "text" for item in content):
        return "\n".join(item.text for item in content if item.type == "text")
    return _items(content, api)


def _items(content: Sequence[ContentPart], api: str) -> list[Any]:
    items: list[Any] = []
    for item in content:
        wire, piece = wire_of(item)
        if piece is not None and piece.api == api:
            items.append(wire)
        elif item.type == "text":
            items.append({"type": "text", "text": item.text, **sent(options_of(item, api))})
        elif item.type == "file":
            items.append(write_item(item, api) or {"type": "text", "text": file_stub(item)})
        else:
            items.append(item.value if item.api == api else {"type": "text", "text": opaque_stub(item)})
    return items
