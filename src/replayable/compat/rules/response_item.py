"""The items of OpenAI's Responses API, as our parts tell them: their types and ids, and what may stand without an id.

A response that began with reasoning is one whole to the server: without the reasoning, what followed it is accepted only
without its item ids, as new input. So wherever reasoning leaves, or its id, the ids behind it leave too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ..._node import fields_of
from ...edits import map_messages, replace, same_items, with_parts
from ...facts import REASONING, facts_of
from ...item_ids import without_item_id
from ...messages import Message, Messages, OpaquePart, Part, ReasoningPart

__all__ = [
    "API",
    "CONTENT",
    "CONTINUES",
    "SAID",
    "TYPE",
    "by_value",
    "is_reference",
    "item_id",
    "item_of",
    "item_type",
    "map_reasoning",
    "value_of",
    "with_ids_of_whole_responses",
]

API: Final = "openai_responses"
# Notes of the format (see ``formats.openai_responses.names``).
CONTENT: Final = "$content"
CONTINUES: Final = "$continues"
SAID: Final = "$said"
TYPE: Final = "$type"

_ITEMS: Final = {"tool_call": "function_call", "tool_result": "function_call_output"}
_NOTHING: Final[dict[str, Any]] = {}


def value_of(part: OpaquePart) -> Mapping[str, Any]:
    """Return the wire object of a part that only this API knows; an empty one for other APIs' parts."""
    return part.value if part.api == API and isinstance(part.value, dict) else {}


def item_of(part: Part) -> tuple[str, str | None]:
    """The type of the item that a part of an answer is, or is in, and the item's id.

    The id is None where it has none, or where an earlier part of the same item tells it.
    """
    # Each part of a history is asked before each call: so this reads fields from the dict.
    fields = fields_of(part)
    kind = fields["type"]
    if kind == "reasoning":
        return kind, fields["id"]
    options = (fields["provider_options"] or _NOTHING).get(API) or _NOTHING
    if part.type == "opaque" and SAID not in options:
        value = value_of(part)
        item, identifier = value.get("type"), value.get("id")
        item = item if isinstance(item, str) else ""
    else:
        item = _ITEMS.get(kind, "message")
        if kind in _ITEMS and TYPE in options:
            item = str(options[TYPE])
        identifier = None if CONTINUES in options else options.get("id")
    return item, identifier if identifier and isinstance(identifier, str) else None


def item_type(part: Part) -> str:
    """The type of the item that a part of an answer is, or is in."""
    return item_of(part)[0]


def item_id(part: Part) -> str | None:
    """The item's id; None where it has none, or where an earlier part of the same item tells it."""
    return item_of(part)[1]


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


def map_reasoning(
    messages: Messages, change: Callable[[ReasoningPart], ReasoningPart | None]
) -> Messages | None:
    """Change or drop reasoning in a history; what follows it loses its item ids where it left or has no id itself.

    That holds up to the next reasoning, or to what is not the model's. None where no reasoning changes.
    """
    if all(
        change(part) is part
        for message in messages
        if facts_of(message) & REASONING and message.role == "assistant"
        for part in message.parts
        if part.type == "reasoning"
    ):
        return None
    return with_ids_of_whole_responses(messages, change)


def with_ids_of_whole_responses(
    messages: Messages, change: Callable[[ReasoningPart], ReasoningPart | None] = lambda part: part
) -> Messages | None:
    """Do what ``map_reasoning`` does, also where no reasoning changes but some came without its id."""
    orphaned = False

    def replayed(message: Message) -> Message | None:
        nonlocal orphaned
        if message.role != "assistant":
            orphaned = False
            return message
        if not orphaned and not facts_of(message) & REASONING:
            return message
        parts: list[Part] = []
        for part in message.parts:
            new: Part | None = part
            if part.type == "reasoning":
                new = change(part)
                orphaned = new is None or new.id is None
            elif orphaned:
                new = by_value(part)
            if new is not None:
                parts.append(new)
        if same_items(parts, message.parts):
            return message
        return with_parts(message, parts) if parts else None

    return map_messages(messages, replayed)
