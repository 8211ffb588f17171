"""Rule makers for what the server of OpenAI's Responses API holds, and what a request only points at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from typing_extensions import Unpack

from ..._node import make
from ...edits import chained, map_messages, with_parts
from ...facts import CALLS, OPAQUE, REASONING, facts_of
from ...messages import Message, Messages, ToolMessage
from ...pairing import clean_messages, placeholder_for
from ...prompt import Prompt, with_messages
from ...turns import client_calls, client_results, run_end
from ..rule import CompatRule
from .making import RuleFields
from .response_item import by_value, is_reference, map_reasoning

__all__ = ["all_by_value", "answered_beside_state", "items_by_value", "paired_without_references", "refers"]


def items_by_value(
    name: str, *, stores_nothing: Callable[[Prompt], bool], **fields: Unpack[RuleFields]
) -> CompatRule:
    """Drop what points at something that the server does not hold: references, and reasoning without its content.

    After a rejection all items are sent by value, without ids.

    Args:
        name: The rule's name.
        stores_nothing: For which prompts it is known that the server holds no items.
        fields: See ``RuleFields``.
    """

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        if not stores_nothing(prompt):
            return None
        messages = _without_pointers(prompt.messages)
        if messages is None:
            return None
        if not _builds_on_a_chain(prompt):
            # A reference may have been the call of a result.
            messages = tuple(clean_messages(messages, missing_results="placeholder"))
        return with_messages(prompt, messages)

    return CompatRule(
        name=name,
        summary=fields["summary"],
        apply_to_prompt=apply_to_prompt,
        fix=lambda messages, _error: all_by_value(messages),
        needs=REASONING | OPAQUE,
        evidence=fields["evidence"],
        examples=fields.get("examples", ()),
    )


def _builds_on_a_chain(prompt: Prompt) -> bool:
    request = prompt.request or {}
    return any(request.get(key) for key in ("previous_response_id", "conversation"))


def _without_pointers(messages: Messages) -> Messages | None:
    return chained(
        messages,
        lambda given: map_reasoning(
            given, lambda part: None if part.id is not None and part.encrypted is None else part
        ),
        lambda given: map_messages(given, _without_references),
    )


def _without_references(message: Message) -> Message | None:
    if not facts_of(message) & OPAQUE:
        return message
    parts = [part for part in message.parts if not is_reference(part)]
    if len(parts) == len(message.parts):
        return message
    return with_parts(message, parts) if parts else None


def all_by_value(messages: Messages) -> Messages | None:
    """Send all items by value: references and reasoning without its content leave, the others lose their ids."""
    return chained(
        messages,
        _without_pointers,
        lambda given: map_messages(given, _message_by_value),
        paired_without_references if any(map(refers, messages)) else lambda given: None,
    )


def paired_without_references(messages: Messages) -> Messages | None:
    """Pair a history once its references are gone: one may have been the call of a result."""
    paired = clean_messages(messages, missing_results="placeholder", keep_pending=True)
    return None if paired is messages else tuple(paired)


def _message_by_value(message: Message) -> Message:
    parts = [by_value(part) for part in message.parts]
    return with_parts(message, parts)


def answered_beside_state(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Answer the calls of the request itself with placeholders, where the server holds what came before them.

    Without such state this is a matter of ``clean_messages``; with it, results may belong to calls that the server holds,
    but never calls to results: the chain ends before the request. A reference may be anything.
    """

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        if not prompt.server_state or any(refers(message) for message in prompt.messages):
            return None
        messages = _answered(prompt.messages)
        return None if messages is None else with_messages(prompt, messages)

    return CompatRule(
        name=name,
        summary=fields["summary"],
        apply_to_prompt=apply_to_prompt,
        needs=CALLS,
        evidence=fields["evidence"],
        examples=fields.get("examples", ()),
    )


def refers(message: Message) -> bool:
    """Whether a message points at items that the server holds."""
    return bool(facts_of(message) & OPAQUE) and any(map(is_reference, message.parts))


def _answered(messages: Messages) -> Messages | None:
    # A result that stands elsewhere is moved to its call by whoever pairs them.
    answered = {result.tool_call_id for message in messages for _, result in client_results(message)}
    placed: dict[int, list[Message]] = {}
    for index, message in enumerate(messages):
        missing = [call for _, call in client_calls(message) if call.tool_call_id not in answered]
        if missing:
            placed[run_end(messages, index) - 1] = [
                make(ToolMessage, parts=(placeholder_for(call),)) for call in missing
            ]
    if not placed:
        return None
    return tuple(_with_placed(messages, placed))


def _with_placed(messages: Messages, placed: Mapping[int, list[Message]]) -> Iterator[Message]:
    for index, message in enumerate(messages):
        yield message
        yield from placed.get(index, ())
