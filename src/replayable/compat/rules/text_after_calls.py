"""Rule maker for text that follows tool calls in one answer."""

from __future__ import annotations

from typing_extensions import Unpack

from ...edits import map_messages, with_parts
from ...facts import BEHIND_CALLS, facts_of
from ...messages import Message, Part
from ..rule import CompatRule
from .making import RuleFields, message_rule

__all__ = ["text_before_calls"]


def text_before_calls(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Move text (and files) that stands behind the client's calls of an answer in front of the first of them.

    Reasoning and what the provider's server ran stay where they are.
    """
    return message_rule(
        name, lambda messages: map_messages(messages, _reordered), needs=BEHIND_CALLS, **fields
    )


def _reordered(message: Message) -> Message:
    parts: tuple[Part, ...] = message.parts
    if not facts_of(message) & BEHIND_CALLS:
        return message
    first = next(
        index for index, part in enumerate(parts) if part.type == "tool_call" and not part.provider_executed
    )
    late = [part for part in parts[first:] if part.type in ("text", "file")]
    rest = [part for part in parts[first:] if part.type not in ("text", "file")]
    return with_parts(message, (*parts[:first], *late, *rest))
