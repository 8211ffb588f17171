"""The items of OpenAI's Responses API, as our parts tell them: their types and ids, and what may stand without an id.

A response that began with reasoning is one whole to the server: without the reasoning, what followed it is accepted only
without its item ids, as new input. So wherever reasoning leaves, the ids behind it leave too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ...edits import replace, with_parts
from ...facts import REASONING, facts_of
from ...item_ids import without_item_id
from ...messages import Message, OpaquePart, Part, ReasoningPart
from .wire_fields import options_of

__all__ = [
    "API",
    "CONTINUES",
    "SAID",
    "TYPE",
    "by_value",
    "is_reference",
    "item_id",
    "item_type",
    "value_of",
    "without_reasoning_items",
]

API: Final = "openai_responses"
# Notes of the format (see ``formats.openai_responses.names``).
CONTINUES: Final = "$continues"
SAID: Final = "$said"
TYPE: Final = "$type"


def value_of(part: OpaquePart) -> Mapping[str, Any]:
    """Return the wire object of a part that only this API knows; an empty one for other APIs' parts."""
    return part.value if part.api == API and isinstance(part.value, dict) else {}


def item_type(part: Part) -> str:
    """The type of the item that a part of an answer is, or is in."""
    options = options_of(part, API)
    if part.type == "reasoning":
        return "reasoning"
    if part.type == "opaque" and SAID not in options:
        kind = value_of(part).get("type")
        return kind if isinstance(kind, str) else ""
    if part.type == "tool_call":
        return str(options.get(TYPE, "function_call"))
    if part.type == "tool_result":
        return str(options.get(TYPE, "function_call_output"))
    return "message"


def item_id(part: Part) -> str | None:
    """The item's id; None where it has none, or where an earlier part of the same item tells it."""
    if part.type == "reasoning":
        return part.id
    options = options_of(part, API)
    if part.type == "opaque" and SAID not in options:
        found = value_of(part).get("id")
    else:
        found = None if CONTINUES in options else options.get("id")
    return found if isinstance(found, str) and found else None


def by_value(part: Part) -> Part:
    """The part without its item id."""
    if part.type == "reasoning":
        return part if part.id is None else replace(without_item_id(part), id=None)
    if part.type == "opaque":
        value = value_of(part)
        if "id" in value and not is_reference(part):
            return replace(part, value={key: item for key, item in value.items() if key != "id"})
    return without_item_id(part)


def is_reference(part: Part) -> bool:
    """Whether a part is nothing but the id of an item that the server holds."""
    return part.type == "opaque" and part.api == API and item_type(part) in ("item_reference", "")


def without_reasoning_items(
    message: Message, change: Callable[[ReasoningPart], ReasoningPart | None]
) -> Message | None:
    """Change or drop reasoning; what follows dropped reasoning loses its item ids, up to the next one."""
    if message.role != "assistant" or not facts_of(message) & REASONING:
        return message
    if all(change(part) is part for part in message.parts if part.type == "reasoning"):
        return message
    parts: list[Part] = []
    orphaned = False
    for part in message.parts:
        if part.type != "reasoning":
            parts.append(by_value(part) if orphaned else part)
            continue
        new = change(part)
        orphaned = new is None
        if new is not None:
            parts.append(new)
    return with_parts(message, parts) if parts else None
