"""Reasoning in the fields and chunks in which the dialects of the OpenAI Chat API hold it."""

from __future__ import annotations

from typing import Final

from ...compat.provider import Dialect
from ...messages import ReasoningPart
from ..wire import Wire, options_of, with_extras
from .decode import thinking_text
from .names import API, BLOCKS, FIELD

__all__ = ["MIRRORS", "field_for", "reasoning_detail", "stood_in", "thinking_block", "thinking_chunk"]

MIRRORS: Final = frozenset({"reasoning", "reasoning_content"})
"""Fields of a message whose text may only repeat what stands in another one."""


def stood_in(part: ReasoningPart) -> str | None:
    """Return the field of this API's message in which reasoning stood; None when it came from elsewhere."""
    field: str | None = options_of(part, API).get(FIELD)
    return field


def field_for(part: ReasoningPart, dialect: Dialect) -> str | None:
    """Return the field for reasoning: where it stood if the dialect reads that, else the dialect's own; None for none."""
    field, fields = stood_in(part), dialect.reasoning_fields
    if field == "thinking" and not fields and dialect.media is not None:
        # A part of the content, where all parts that the provider takes are known.
        return None
    return fields[0] if fields and field not in fields else field


def _own_options(part: ReasoningPart, field: str) -> Wire:
    """What its wire said beside, if that is the form in which it is to be written."""
    return options_of(part, API) if stood_in(part) == field else {}


def thinking_chunk(part: ReasoningPart) -> Wire:
    """Write reasoning as Mistral does, in a chunk of the content."""
    options = _own_options(part, "thinking")
    wire: Wire = {"type": "thinking"}
    # The chunks as they stood there count as long as they still say the text.
    if thinking_text(options.get("thinking")) != part.text:
        wire["thinking"] = [{"type": "text", "text": part.text}]
    return with_extras(wire, options)


def thinking_block(part: ReasoningPart) -> Wire:
    """Write reasoning as LiteLLM does, as an entry of ``thinking_blocks``."""
    options = _own_options(part, BLOCKS)
    if part.encrypted is not None:
        return with_extras({"type": "redacted_thinking", "data": part.encrypted}, options)
    wire: Wire = {"type": "thinking", "thinking": part.text}
    if part.signature is not None:
        wire["signature"] = part.signature
    return with_extras(wire, options)


def reasoning_detail(part: ReasoningPart) -> Wire:
    """Write reasoning as OpenRouter does, as an entry of ``reasoning_details``."""
    options = _own_options(part, "reasoning_details")
    kind = "reasoning.encrypted" if part.encrypted and not part.text else "reasoning.text"
    # One from this API has its type, or had none, among the options.
    wire: Wire = {} if FIELD in options else {"type": kind}
    if part.text or (FIELD in options and "$text" not in options):
        wire["summary" if options.get("type") == "reasoning.summary" else "text"] = part.text
    if part.encrypted is not None:
        wire["data"] = part.encrypted
    if part.signature is not None:
        wire["signature"] = part.signature
    if part.id is not None:
        wire["id"] = part.id
    return with_extras(wire, options)
