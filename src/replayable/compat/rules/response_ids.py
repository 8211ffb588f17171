"""Rule makers for item ids of OpenAI's Responses API: such as the server makes, each of them once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from typing_extensions import Unpack

from ...edits import chained, map_messages, replace, same_items, with_parts
from ...facts import ASSISTANT, OPAQUE, PART_FIELDS, REASONING, TOOL, WIRE_FIELDS, facts_of
from ...messages import Message, Messages, Part, ReasoningPart
from ..rule import CompatRule
from .making import RuleFields, message_rule
from .response_item import (
    API,
    CONTINUES,
    by_value,
    is_reference,
    item_id,
    item_of,
    map_reasoning,
)
from .wire_fields import options_of, with_options

__all__ = ["distinct_items", "item_id_format"]

_MAY_HAVE_IDS: Final = PART_FIELDS | REASONING | OPAQUE


def item_id_format(
    name: str, *, prefixes: Mapping[str, str], pattern: str, **fields: Unpack[RuleFields]
) -> CompatRule:
    """Drop the item ids that the server did not make: items are replayed by value, reasoning without content leaves.

    Args:
        name: The rule's name.
        prefixes: How an item's id begins, by the item's type; other types' may begin as they like.
        pattern: What a whole id must match.
        fields: See ``RuleFields``.
    """
    fits = re.compile(pattern).fullmatch

    def is_valid(known: str, kind: str) -> bool:
        return known.startswith(prefixes.get(kind, "")) and fits(known) is not None

    def of_reasoning(part: ReasoningPart) -> ReasoningPart | None:
        if part.id is None or is_valid(part.id, "reasoning"):
            return part
        return replace(part, id=None) if part.encrypted is not None else None

    def change(message: Message) -> Message:
        facts = facts_of(message)
        if facts & WIRE_FIELDS:
            options = options_of(message, API)
            given = options.get("id")
            if isinstance(given, str) and not is_valid(given, "message"):
                message = with_options(
                    message, API, {key: value for key, value in options.items() if key != "id"}
                )
        if not _may_have_ids(facts):
            return message
        items = map(item_of, message.parts)
        bad = {known for kind, known in items if known is not None and not is_valid(known, kind)}
        if not bad:
            return message
        # All parts of a message item hold its id.
        parts = [by_value(part) if _id_at(part) in bad else part for part in message.parts]
        return with_parts(message, parts)

    def formed(messages: Messages) -> Messages | None:
        return chained(
            messages,
            lambda given: map_reasoning(given, of_reasoning),
            lambda given: map_messages(given, change),
        )

    return message_rule(name, formed, needs=_MAY_HAVE_IDS | WIRE_FIELDS, **fields)


def _may_have_ids(facts: int) -> bool:
    """Whether parts of a message with these facts may have: those of the client's have none."""
    return bool(facts & (ASSISTANT | TOOL) and facts & _MAY_HAVE_IDS)


def _id_at(part: Part) -> str | None:
    known = item_id(part) or options_of(part, API).get("id")
    return known if isinstance(known, str) else None


def distinct_items(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Send each item once: repeated reasoning is one, any other item that comes again comes by value."""
    return message_rule(name, _distinct, needs=_MAY_HAVE_IDS, **fields)


def _distinct(messages: Messages) -> Messages | None:
    if _are_distinct(messages):
        return None
    # The first part with an id, and those that have it again, each by its place.
    first: dict[str, tuple[int, int]] = {}
    again: dict[tuple[int, int], tuple[int, int]] = {}
    for place, part in _item_parts(messages):
        identifier = item_id(part)
        if identifier is not None and first.setdefault(identifier, place) != place:
            again[place] = first[identifier]
    if not again:
        return None
    out: list[Message] = []
    texts = _texts_of_repeated(messages, again)
    for index, message in enumerate(messages):
        parts: list[Part] = []
        repeated = False
        for position, part in enumerate(message.parts):
            place = index, position
            if CONTINUES not in options_of(part, API):
                repeated = place in again
            if place in texts and part.type == "reasoning":
                part = replace(part, text=texts[place])
            elif repeated:
                if part.type == "reasoning" or is_reference(part):
                    continue
                part = by_value(part)
            parts.append(part)
        if same_items(parts, message.parts):
            out.append(message)
        elif parts:
            out.append(with_parts(message, parts))
    return tuple(out)


def _are_distinct(messages: Messages) -> bool:
    ids = [
        known
        for message in messages
        if _may_have_ids(facts_of(message))
        for _, known in map(item_of, message.parts)
        if known is not None
    ]
    return len(set(ids)) == len(ids)


def _item_parts(messages: Messages) -> Iterator[tuple[tuple[int, int], Part]]:
    for index, message in enumerate(messages):
        if _may_have_ids(facts_of(message)):
            for position, part in enumerate(message.parts):
                yield (index, position), part


def _texts_of_repeated(
    messages: Messages, again: Mapping[tuple[int, int], tuple[int, int]]
) -> dict[tuple[int, int], str]:
    """The texts of reasoning that was split by the parts of its summary, by the place of the first part."""
    texts: dict[tuple[int, int], list[str]] = {}
    for place, origin in again.items():
        part, first = messages[place[0]].parts[place[1]], messages[origin[0]].parts[origin[1]]
        if part.type == "reasoning" and first.type == "reasoning":
            known = texts.setdefault(origin, [first.text])
            if part.text not in known:
                known.append(part.text)
    return {
        place: "\n\n".join(text for text in known if text) for place, known in texts.items() if len(known) > 1
    }
