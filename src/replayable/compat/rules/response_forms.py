"""Rule makers for servers that speak OpenAI's Responses API by the letter of a few items, such as llama.cpp's."""

from __future__ import annotations

from collections.abc import Set
from typing import Any, Final

from typing_extensions import Unpack

from ...edits import map_messages, map_parts, replace, with_parts
from ...facts import ASSISTANT, OPAQUE, REASONING, SERVER_TOOLS, facts_of
from ...messages import Message, Messages, Part
from ..rule import CompatRule
from .making import RuleFields, message_rule
from .response_item import API, CONTENT, CONTINUES, SAID, TYPE, item_type
from .response_state import paired_without_references, refers
from .wire_fields import options_of, with_options

__all__ = ["known_items", "readable_reasoning", "typed_messages"]

_IN_FULL: Final = {TYPE: "message", CONTENT: "list"}


def typed_messages(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Write answers in full: ``type: message``, and a list of texts."""

    def change(message: Message) -> Message:
        if message.role != "assistant":
            return message
        if not message.parts:
            empty: Message = _with_notes(message, _IN_FULL)
            return empty
        parts = [_in_full(part) for part in message.parts]
        return with_parts(message, parts)

    return message_rule(name, lambda messages: map_messages(messages, change), needs=ASSISTANT, **fields)


def _in_full(part: Part) -> Part:
    # What stands for another API's part is written as a text.
    is_said = item_type(part) == "message" or (part.type == "opaque" and part.api != API)
    if not is_said or CONTINUES in options_of(part, API):
        return part
    new: Part = _with_notes(part, _IN_FULL)
    return new


def _with_notes(node: Any, notes: dict[str, str]) -> Any:
    options = options_of(node, API)
    return node if notes.items() <= options.items() else with_options(node, API, {**options, **notes})


def readable_reasoning(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Send reasoning as readable content; what can't be read leaves, since the server could not open it."""

    def change(_message: Message, part: Part) -> Part | None:
        if part.type != "reasoning":
            return part
        if not part.text.strip():
            return None
        options = options_of(part, API)
        if options.get("content") and part.encrypted is None:
            return part
        content = [{"type": "reasoning_text", "text": part.text}]
        new: Part = with_options(replace(part, encrypted=None), API, {**options, "content": content})
        return new

    return message_rule(
        name, lambda messages: map_parts(messages, change, needs=REASONING), needs=REASONING, **fields
    )


def known_items(name: str, *, known: Set[str], **fields: Unpack[RuleFields]) -> CompatRule:
    """Drop the items of types that the server does not know: references, and what another's server ran.

    A reference may have been the call of a result, which leaves with it.

    Args:
        name: The rule's name.
        known: The types that it knows.
        fields: See ``RuleFields``.
    """

    def change(message: Message) -> Message | None:
        if not facts_of(message) & (OPAQUE | SERVER_TOOLS):
            return message
        parts = [part for part in message.parts if not _is_unknown(part)]
        if len(parts) == len(message.parts):
            return message
        return with_parts(message, parts) if parts else None

    def _is_unknown(part: Part) -> bool:
        if part.type == "opaque":
            return part.api == API and SAID not in options_of(part, API) and item_type(part) not in known
        return (part.type == "tool_call" or part.type == "tool_result") and part.provider_executed

    def keep_known(messages: Messages) -> Messages | None:
        kept = map_messages(messages, change)
        if kept is None or not any(map(refers, messages)):
            return kept
        return paired_without_references(kept) or kept

    return message_rule(name, keep_known, needs=OPAQUE | SERVER_TOOLS, **fields)
