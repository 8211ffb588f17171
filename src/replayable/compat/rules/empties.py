"""Rule makers for empty and blank content."""

from __future__ import annotations

from collections.abc import Callable

from typing_extensions import Unpack

from ...edits import replace, with_parts
from ...facts import BLANK, facts_of
from ...messages import Message, Messages, Part, TextPart
from ..rule import CompatRule
from .making import RuleFields, message_rule
from .placeholders import EMPTY

__all__ = ["drop_empty", "is_empty_answer", "without_empties"]


def _is_white_space(text: str) -> bool:
    return not text.strip()


def drop_empty(
    name: str,
    *,
    keep_last_answer: bool = True,
    is_blank: Callable[[str], bool] = _is_white_space,
    in_results: bool = True,
    **fields: Unpack[RuleFields],
) -> CompatRule:
    """Drop blank text, and messages with nothing in them.

    An empty user message stays as a placeholder where an assistant message (or nothing) stands before it: dropping it
    would put two answers in a row.

    Args:
        name: The rule's name.
        keep_last_answer: Whether the final message may be an empty answer.
        is_blank: Which texts go; white space counts as nothing unless given.
        in_results: Whether those in the content of results go, too.
        fields: See ``RuleFields``.
    """

    def change(messages: Messages) -> Messages | None:
        return without_empties(messages, keep_last_answer, is_blank=is_blank, in_results=in_results)

    return message_rule(name, change, needs=BLANK, **fields)


def without_empties(
    messages: Messages,
    keep_last_answer: bool = True,
    *,
    is_blank: Callable[[str], bool] = _is_white_space,
    in_results: bool = True,
) -> Messages | None:
    """Drop blank text, and messages with nothing in them (see ``drop_empty``).

    Args:
        messages: The history.
        keep_last_answer: Whether the final message may be an empty answer.
        is_blank: Which texts go; white space counts as nothing unless given.
        in_results: Whether those in the content of results go, too.
    """
    out: list[Message] = []
    changed = False
    last = len(messages) - 1 if keep_last_answer else -1
    for index, message in enumerate(messages):
        if index == last and is_empty_answer(message):
            out.append(message)
            continue
        new = _cleared(message, is_blank, in_results)
        if not new.parts and not (index == last and new.role == "assistant"):
            if new.role == "user" and not (out and out[-1].role in ("user", "tool")):
                new = with_parts(new, (TextPart(EMPTY),))
            else:
                changed = True
                continue
        changed = changed or new is not message
        out.append(new)
    return tuple(out) if changed else None


def is_empty_answer(message: Message) -> bool:
    """Tell of an answer whose whole content is the text "", which is as good as none."""
    if message.role != "assistant" or len(message.parts) != 1 or message.provider_options:
        return False
    only = message.parts[0]
    return only.type == "text" and not only.text and not only.provider_options


def _cleared(message: Message, is_blank: Callable[[str], bool], in_results: bool) -> Message:
    if not facts_of(message) & BLANK:
        return message
    parts: list[Part] = []
    for part in message.parts:
        if part.type == "text" and is_blank(part.text):
            continue
        if in_results and part.type == "tool_result" and part.content and not part.provider_executed:
            content = tuple(item for item in part.content if item.type != "text" or not is_blank(item.text))
            if len(content) < len(part.content):
                part = replace(part, content=content)
        parts.append(part)
    return with_parts(message, parts)
