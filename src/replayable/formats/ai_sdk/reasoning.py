"""Reasoning in its forms: a text with metadata, a redacted block, and a part with ``details``."""

from __future__ import annotations

from collections.abc import Sequence

from ..._node import build, defaults, piece_of
from ...messages import Message, ReasoningPart
from ..wire import Wire, as_object, fault, optional_text, options_of, rest, sent, text_at
from .names import DETAIL, JOINED, SIGNED, TYPE
from .provider_metadata import reasoning_fields, with_reasoning

__all__ = ["read_reasoning", "write_details", "write_reasoning"]


def read_reasoning(wire: Wire, api: str, notes: Wire) -> tuple[ReasoningPart, ...]:
    """Read a part; one with several details becomes several.

    Raises:
        HistoryFormatError: It is not of that shape.
    """
    fields: Wire = {**defaults(ReasoningPart), **reasoning_fields(wire)}
    if wire.get("type") == "redacted-reasoning":
        fields.update(encrypted=text_at(wire, "data"), provider="anthropic")
        options = {**rest(wire, frozenset({"type", "data"})), TYPE: "redacted-reasoning", **notes}
        return (build(ReasoningPart, {**fields, "provider_options": {api: options}}, wire, piece_of(api)),)
    if "text" in wire or ("reasoning" not in wire and "details" not in wire):
        options = {**rest(wire, frozenset({"type", "text"})), **notes}
        fields["text"] = text_at(wire, "text")
        signature = options.get("signature")
        if isinstance(signature, str):
            del options["signature"]
            options[SIGNED] = True
            fields["signature"] = signature
            fields["provider"] = fields["provider"] or "anthropic"
        return (build(ReasoningPart, {**fields, "provider_options": {api: options}}, wire, piece_of(api)),)
    return _read_details(wire, api, notes, fields)


def _read_details(wire: Wire, api: str, notes: Wire, fields: Wire) -> tuple[ReasoningPart, ...]:
    text, given = optional_text(wire, "reasoning"), wire.get("details")
    if given is not None and not isinstance(given, list):
        raise fault("details", given, "a list")
    items = [as_object(item, f"details[{index}]") for index, item in enumerate(given or ())]
    details = [detail for detail in (_detail(item, fields) for item in items) if detail is not None]
    if not details or len(details) < len(items):
        known = frozenset({"type"} if text is None else {"type", "reasoning"})
        options = {**rest(wire, known), JOINED: text is not None, **notes}
        fields = {**fields, "text": text or "", "provider_options": {api: options}}
        return (build(ReasoningPart, fields, wire, piece_of(api)),)
    options = {**rest(wire, frozenset({"type", "details"})), **notes}
    joined = "".join(detail["text"] for detail in details)
    if text and text == joined:
        del options["reasoning"]
        options[JOINED] = True
    parts: list[ReasoningPart] = []
    for index, detail in enumerate(details):
        more = detail.pop("options")
        # What the metadata tells belongs to the first detail alone.
        told = fields if index == 0 else defaults(ReasoningPart)
        own = {**(options if index == 0 else notes), **more, DETAIL: index}
        parts.append(
            build(
                ReasoningPart,
                {**told, **detail, "provider_options": {api: own}},
                wire,
                piece_of(api, index, len(details)),
            )
        )
    return tuple(parts)


def _detail(wire: Wire, fields: Wire) -> Wire | None:
    """The fields of one detail; None for one that is not known."""
    # Only Anthropic signs and redacts in this form.
    maker = fields["provider"] or "anthropic"
    match wire:
        case {"type": "text", "text": str(text)}:
            signature = wire.get("signature")
            signed = isinstance(signature, str)
            more = rest(wire, frozenset({"type", "text", "signature"} if signed else {"type", "text"}))
            options: Wire = {"detail": more} if more else {}
            if not signed:
                return {"text": text, "options": options}
            return {
                "text": text,
                "signature": signature,
                "provider": maker,
                "options": {**options, SIGNED: True},
            }
        case {"type": "redacted", "data": str(data)}:
            more = rest(wire, frozenset({"type", "data"}))
            options = {TYPE: "redacted", **({"detail": more} if more else {})}
            return {"text": "", "encrypted": data, "provider": maker, "options": options}
        case _:
            return None


def write_reasoning(part: ReasoningPart, message: Message, api: str, key: str) -> tuple[Wire, bool]:
    """Write a reasoning part with its text, and tell whether all of it found a place."""
    options = options_of(part, api)
    if options.get(TYPE) == "redacted-reasoning":
        return {"type": "redacted-reasoning", "data": part.encrypted or "", **sent(options)}, True
    wire: Wire = {"type": "reasoning", "text": part.text}
    if options.get(SIGNED):
        if part.signature is not None:
            wire["signature"] = part.signature
        return {**wire, **sent(options)}, True
    more, complete = with_reasoning(sent(options), part, message, key)
    return {**wire, **more}, complete


def write_details(parts: Sequence[ReasoningPart], message: Message, api: str) -> tuple[Wire, bool]:
    """Write the details of one part together, and tell whether all of it found a place."""
    first = options_of(parts[0], api)
    own, complete = sent(first), True
    own.pop("detail", None)
    if not first.get(SIGNED) and first.get(TYPE) != "redacted":
        own, complete = with_reasoning(own, parts[0], message, "providerMetadata")
    text = "".join(part.text for part in parts)
    if JOINED in first and DETAIL not in first:
        # It had no details that are known; what it had stays.
        return {"type": "reasoning", **({"reasoning": text} if first.get(JOINED) else {}), **own}, complete
    wire: Wire = {"type": "reasoning"}
    if first.get(JOINED) or api not in (parts[0].provider_options or {}):
        wire["reasoning"] = text
    wire["details"] = [_write_detail(part, options_of(part, api)) for part in parts]
    return {**wire, **own}, complete


def _write_detail(part: ReasoningPart, options: Wire) -> Wire:
    more: Wire = options.get("detail", {})
    if options.get(TYPE) == "redacted" and part.encrypted is not None:
        return {"type": "redacted", "data": part.encrypted, **more}
    signed = {"signature": part.signature} if options.get(SIGNED) and part.signature is not None else {}
    return {"type": "text", "text": part.text, **signed, **more}
