"""Rule makers for reasoning items of OpenAI's Responses API: what has to follow them, and what the server can't read."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from typing_extensions import Unpack

from ..._node import make
from ...edits import chained, map_messages, replace, with_parts
from ...facts import OPAQUE, REASONING, facts_of
from ...messages import Message, Messages, OpaquePart, Part, ReasoningPart
from ...model_ref import ModelRef
from ...prompt import Prompt, with_messages
from ...provider_error import ProviderError
from ..rule import CompatRule
from .making import RuleFields, for_models, message_rule
from .response_item import API, SAID, item_type, map_reasoning, value_of, with_ids_of_whole_responses
from .wire_fields import options_of, with_options

__all__ = ["drop_reasoning_items", "followed_reasoning", "reasoning_without_content"]


def drop_reasoning_items(
    name: str,
    *,
    leaves: Callable[[ReasoningPart], bool],
    refused: Callable[[ReasoningPart], bool],
    **fields: Unpack[RuleFields],
) -> CompatRule:
    """Drop reasoning items that the server can't read, and the ids of what follows them.

    Args:
        name: The rule's name.
        leaves: Which ones leave before a call.
        refused: Which ones leave after the rejection; compaction items with encrypted content, too.
        fields: See ``RuleFields``.
    """

    def repair(messages: Messages) -> Messages | None:
        return chained(
            messages,
            lambda given: _without_where(given, refused),
            lambda given: map_messages(given, _without_compaction),
        )

    fields["repair"] = repair
    return message_rule(name, lambda messages: _without_where(messages, leaves), needs=REASONING, **fields)


def _without_where(messages: Messages, leaves: Callable[[ReasoningPart], bool]) -> Messages | None:
    return map_reasoning(messages, lambda part: None if leaves(part) else part)


def _without_compaction(message: Message) -> Message | None:
    if not facts_of(message) & OPAQUE:
        return message
    parts = [
        part
        for part in message.parts
        if part.type != "opaque"
        or item_type(part) != "compaction"
        or not value_of(part).get("encrypted_content")
    ]
    if len(parts) == len(message.parts):
        return message
    return with_parts(message, parts) if parts else None


def followed_reasoning(
    name: str, *, needs_id: Callable[[ModelRef], bool], **fields: Unpack[RuleFields]
) -> CompatRule:
    """Drop reasoning items that nothing of the model's follows, and take the id of those before a message without one.

    What follows reasoning without an id loses its ids, too: they say that there is a reasoning item before it.

    Args:
        name: The rule's name.
        needs_id: Which models want behind stored reasoning a message with an id of its own.
        fields: See ``RuleFields``.
    """
    wanted = for_models(needs_id)
    when = fields.get("when")

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        if when is not None and not when(prompt):
            return None
        messages = _followed(prompt.messages, needs_id=wanted(prompt))
        return None if messages is None else with_messages(prompt, messages)

    return CompatRule(
        name=name,
        summary=fields["summary"],
        apply_to_prompt=apply_to_prompt,
        fix=_followed_or_without_named,
        needs=REASONING,
        evidence=fields["evidence"],
        examples=fields.get("examples", ()),
    )


_NAMED: Final = re.compile(r"Item '([\w-]+)' of type 'reasoning'")


def _followed_or_without_named(messages: Messages, error: ProviderError) -> Messages | None:
    """What is seen to lack its follower goes, all at once; where nothing is, the item that the server named."""
    changed = _followed(messages, needs_id=True)
    named = error.matches(_NAMED)
    if changed is not None or named is None:
        return changed
    return _without_where(messages, lambda part: part.id == named[1])


def _followed(messages: Messages, *, needs_id: bool) -> Messages | None:
    follower: Part | None = None
    # What is to become of reasoning, by its identity; an answer's items may be followed by those of the next one.
    outcome: dict[int, ReasoningPart | None] = {}
    nameless = False
    for message in reversed(messages):
        if message.role != "assistant":
            follower = None
            continue
        if not message.parts:
            follower = _NOTHING_SAID
        for part in reversed(message.parts):
            if part.type != "reasoning":
                follower = part
                continue
            nameless = nameless or part.id is None
            if follower is None:
                outcome[id(part)] = None
            elif needs_id and part.id is not None and _is_message_without_id(follower):
                # By value it needs nothing behind it, as long as its content is there.
                outcome[id(part)] = replace(part, id=None) if part.encrypted is not None else None
    if not outcome and not nameless:
        return None
    return with_ids_of_whole_responses(messages, lambda part: outcome.get(id(part), part))


_NOTHING_SAID: Final = make(
    OpaquePart, api=API, value={"type": "message"}, provider_options={API: {SAID: True}}
)


def _is_message_without_id(part: Part) -> bool:
    return item_type(part) == "message" and not options_of(part, API).get("id")


def reasoning_without_content(
    name: str, *, is_own: Callable[[ReasoningPart], bool], **fields: Unpack[RuleFields]
) -> CompatRule:
    """Take the readable content out of reasoning items: their summary and state stay; what is not the server's own leaves.

    Args:
        name: The rule's name.
        is_own: Whether the server made a reasoning item, by what it looks like.
        fields: See ``RuleFields``.
    """

    def bare(part: ReasoningPart) -> ReasoningPart | None:
        options = options_of(part, API)
        if not options.get("content"):
            return part
        if not is_own(part):
            return None
        rest = {key: value for key, value in options.items() if key != "content"}
        stripped: ReasoningPart = with_options(part, API, rest)
        return replace(stripped, text=_summary(options.get("summary")))

    return message_rule(name, lambda messages: map_reasoning(messages, bare), needs=REASONING, **fields)


def _summary(entries: Any) -> str:
    listed = entries if isinstance(entries, list) else ()
    texts = [entry.get("text") for entry in listed if isinstance(entry, dict)]
    return "\n\n".join(text for text in texts if isinstance(text, str))
