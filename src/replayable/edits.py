"""Copy-on-write primitives over messages. Each returns None when it changed nothing; untouched messages keep their
identity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import is_
from typing import TypeVar

from ._node import fields_of, replace
from .facts import ANY_ROLE, build_message, known_of_all
from .messages import Message, MessageBase, Messages, Part

__all__ = ["chained", "drop_parts", "map_messages", "map_parts", "replace", "same_items", "with_parts"]

MessageT = TypeVar("MessageT", bound=MessageBase)


def chained(messages: Messages, *changes: Callable[[Messages], Messages | None]) -> Messages | None:
    """Make changes one after the other. A history of which nothing is left was changed, too: ``or`` would not see it."""
    current = messages
    for change in changes:
        changed = change(current)
        if changed is not None:
            current = changed
    return None if current is messages else current


def map_messages(
    messages: Sequence[Message], change: Callable[[Message], Message | None], *, needs: int = ANY_ROLE
) -> Messages | None:
    """Put the messages that have any fact of ``needs`` through ``change``.

    Args:
        messages: The history.
        change: Returns the same message, another one, or None to drop it.
        needs: Facts (see ``facts``); every message has one of ``ANY_ROLE``.
    """
    changed = False
    out: list[Message] = []
    for message, (facts, _) in zip(messages, known_of_all(messages), strict=True):
        if not facts & needs:
            out.append(message)
            continue
        new = change(message)
        changed = changed or new is not message
        if new is not None:
            out.append(new)
    return tuple(out) if changed else None


def map_parts(
    messages: Sequence[Message], change: Callable[[Message, Part], Part | None], *, needs: int
) -> Messages | None:
    """Put each part of the messages that have any fact of ``needs`` through ``change``.

    A message that this leaves without parts is dropped.

    Args:
        messages: The history.
        change: Returns the same part, another one, or None to drop it.
        needs: Facts (see ``facts``), of which a message must have one to be looked at.
    """

    def change_message(message: Message) -> Message | None:
        parts = [change(message, part) for part in message.parts]
        if same_items(parts, message.parts):
            return message
        kept = tuple(part for part in parts if part is not None)
        return with_parts(message, kept) if kept else None

    return map_messages(messages, change_message, needs=needs)


def drop_parts(
    messages: Sequence[Message], unwanted: Callable[[Message, Part], bool], *, needs: int
) -> Messages | None:
    """Drop the parts that are ``unwanted``, and the messages that this leaves without parts."""
    return map_parts(messages, lambda message, part: None if unwanted(message, part) else part, needs=needs)


def same_items(one: Sequence[object], other: Sequence[object]) -> bool:
    """Tell whether two sequences hold the same objects, in the same order."""
    return len(one) == len(other) and all(map(is_, one, other))


def with_parts(message: MessageT, parts: Sequence[Part]) -> MessageT:
    """Return the message with other parts, everything else as it was; the message itself where they are its own."""
    fields = fields_of(message)
    if same_items(parts, fields["parts"]):
        return message
    # With its facts: whoever changes messages looks at the facts of all of them next.
    fields = fields.copy()
    fields["parts"] = tuple(parts)
    return build_message(type(message), fields)
