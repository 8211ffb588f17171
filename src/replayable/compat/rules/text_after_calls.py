"""Rule maker for text that follows tool calls in one answer."""

from __future__ import annotations

from collections.abc import Set
from functools import partial

from typing_extensions import Unpack

from ...edits import map_messages, with_parts
from ...facts import BEHIND_CALLS, facts_of
from ...messages import Message, Part
from ..rule import CompatRule
from .making import RuleFields, message_rule

__all__ = ["text_before_calls"]


def text_before_calls(name: str, *, apis: Set[str], **fields: Unpack[RuleFields]) -> CompatRule:
    """Move text (and files) that stands behind the client's calls of an answer in front of the first of them.

    Reasoning and what the provider's server ran stay where they are.

    Args:
        name: The rule's name.
        apis: Those that read. What only another API knows is written as text there, and moves as well.
        fields: See ``RuleFields``.
    """
    reordered = partial(_reordered, apis=apis)
    return message_rule(
        name, lambda messages: map_messages(messages, reordered), needs=BEHIND_CALLS, **fields
    )


def _reordered(message: Message, apis: Set[str]) -> Message:
    parts: tuple[Part, ...] = message.parts
    if not facts_of(message) & BEHIND_CALLS:
        return message
    first = next(
        index for index, part in enumerate(parts) if part.type == "tool_call" and not part.provider_executed
    )
    late = [part for part in parts[first:] if _is_text(part, apis)]
    rest = [part for part in parts[first:] if not _is_text(part, apis)]
    return with_parts(message, (*parts[:first], *late, *rest)) if late else message


def _is_text(part: Part, apis: Set[str]) -> bool:
    return part.type in ("text", "file") or (part.type == "opaque" and part.api not in apis)
