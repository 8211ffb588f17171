"""Rule makers for OpenAI's server-side item ids."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...edits import map_messages, with_parts
from ...item_ids import has_item_id, without_item_id
from ...messages import Message, Messages
from ...provider_error import ProviderError
from ..evidence import compiled
from ..rule import CompatRule, Evidence, Example

__all__ = ["drop_orphaned_item_ids"]


def drop_orphaned_item_ids(
    name: str,
    *,
    summary: str,
    evidence: tuple[Evidence, ...],
    examples: tuple[Example, ...] = (),
) -> CompatRule:
    """After the rejection, drop the item ids of every answer that lost its reasoning, so that it is replayed by value.

    The first group of each evidence's pattern is the id of the item that the provider named: its answer is treated so in
    any case.
    """
    patterns = [compiled(name, said.pattern) for said in evidence if said.pattern is not None]

    def fix(messages: Messages, error: ProviderError) -> Messages | None:
        named = {match[1] for pattern in patterns if (match := error.matches(pattern))}

        def change(message: Message) -> Message:
            if message.role != "assistant" or not any(has_item_id(part) for part in message.parts):
                return message
            whole = any(part.type == "reasoning" and (part.id or has_item_id(part)) for part in message.parts)
            if whole and not _names(message, named):
                return message
            return with_parts(message, tuple(without_item_id(part) for part in message.parts))

        return map_messages(messages, change)

    return CompatRule(
        name=name,
        summary=summary,
        fix=fix,
        evidence=evidence,
        examples=examples,
    )


def _names(message: Message, ids: set[str]) -> bool:
    return any(item_id in ids for part in message.parts for item_id in _item_ids(part.provider_options, 0))


def _item_ids(value: Any, depth: int) -> Iterator[str]:
    # Options nest a level or two; deeper is somebody's data, as deep as it likes.
    if not isinstance(value, dict) or depth > 5:
        return
    for key, item in value.items():
        if key in ("id", "itemId", "item_id") and isinstance(item, str):
            yield item
        else:
            yield from _item_ids(item, depth + 1)
