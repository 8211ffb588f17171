"""Rule makers for the reasoning that a provider demands back, or takes only in one field or not beside something else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from typing_extensions import Unpack

from ..._node import make
from ...edits import map_messages, map_parts, with_parts
from ...facts import ASSISTANT, CALLS, REASONING, facts_of
from ...messages import AssistantMessage, Message, Messages, Part, ReasoningPart
from ...turns import after_last_user
from ..rule import CompatRule
from .making import RuleFields, message_rule
from .reasoning import without_mirrors
from .wire_fields import options_of, with_options

__all__ = [
    "drop_reasoning_where",
    "makes_calls",
    "reasoning_in_field",
    "require_reasoning",
    "with_reasoning",
    "without_reasoning",
]


def makes_calls(message: AssistantMessage) -> bool:
    """Whether an answer makes calls that the client has to answer."""
    return bool(facts_of(message) & CALLS)


def require_reasoning(
    name: str,
    *,
    of: Callable[[AssistantMessage], bool],
    text: str,
    api: str,
    field: str,
    since_last_user: bool = False,
    **fields: Unpack[RuleFields],
) -> CompatRule:
    """Add reasoning to the answers that lack it, since the provider misses it.

    Args:
        name: The rule's name.
        of: The answers that need it.
        text: What it says: empty where the provider is content with that.
        api: On whose wire.
        field: In which field.
        since_last_user: Only answers behind the last user message.
        fields: See ``RuleFields``.
    """

    def change(messages: Messages) -> Messages | None:
        start = after_last_user(messages) if since_last_user else 0
        added = with_reasoning(messages[start:], of, text, api, field)
        return None if added is None else (*messages[:start], *added)

    return message_rule(name, change, needs=ASSISTANT, **fields)


def with_reasoning(
    messages: Messages, of: Callable[[AssistantMessage], bool], text: str, api: str, field: str
) -> Messages | None:
    """Add reasoning to the answers that lack it (see ``require_reasoning``)."""

    def change(message: Message) -> Message:
        if message.role != "assistant" or not of(message):
            return message
        if any(part.type == "reasoning" and goes_back(message, part) for part in message.parts):
            return message
        others = [part for part in message.parts if part.type != "reasoning"]
        added = make(ReasoningPart, text=text, provider_options={api: {"$field": field}})
        return with_parts(message, (added, *others))

    def goes_back(message: AssistantMessage, part: ReasoningPart) -> bool:
        if part.text.strip():
            return True
        # Without text it reaches the wire only in the field in which it came; on Anthropic's it is a block of its own.
        options = options_of(part, api)
        is_block = api == message.api == "anthropic" and field not in options.get("$absent", ())
        return not text and (options.get("$field") == field or is_block)

    return map_messages(messages, change)


def reasoning_in_field(name: str, *, api: str, field: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Send readable reasoning that stood in another field of the same wire in the field that the provider knows; what
    can't be read there (encrypted) leaves."""

    def change(_message: Message, part: Part) -> Part | None:
        stood = options_of(part, api).get("$field")
        if part.type != "reasoning" or stood in (None, field, "thinking"):
            return part
        return with_options(_plain(part), api, {"$field": field}) if part.text.strip() else None

    return message_rule(
        name, lambda messages: map_parts(messages, change, needs=REASONING), needs=REASONING, **fields
    )


def _plain(part: ReasoningPart) -> Any:
    return make(ReasoningPart, text=part.text, provider=part.provider, provider_options=part.provider_options)


def drop_reasoning_where(
    name: str,
    condition: Callable[[AssistantMessage], bool],
    *,
    needs: int = REASONING,
    **fields: Unpack[RuleFields],
) -> CompatRule:
    """Drop the reasoning of the answers for which something holds; a message that this empties leaves."""
    return message_rule(name, lambda messages: without_reasoning(messages, condition), needs=needs, **fields)


def without_reasoning(
    messages: Messages, condition: Callable[[AssistantMessage], bool] = lambda message: True
) -> Messages | None:
    """Drop the reasoning of some answers, and what repeats it beside the parts."""

    def change(message: Message) -> Message | None:
        if message.role != "assistant" or not facts_of(message) & REASONING or not condition(message):
            return message
        parts = tuple(part for part in message.parts if part.type != "reasoning")
        return with_parts(without_mirrors(message), parts) if parts else None

    return map_messages(messages, change)
