"""Rule makers for reasoning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from typing_extensions import Unpack

from ...edits import map_messages, replace, same_items, with_parts
from ...facts import REASONING
from ...messages import AssistantMessage, Message, Messages, Part, ReasoningPart, TextPart, UserMessage
from ...prompt import Prompt, with_messages
from ..provider import OwnsReasoning
from ..rule import CompatRule, Evidence, Example
from .making import RuleFields, message_rule
from .wire_fields import options_of

__all__ = [
    "CUT_WHILE_THINKING",
    "drop_bare_reasoning",
    "drop_foreign_reasoning",
    "is_unsigned_of_another",
    "reasoning_as_text",
    "strip_foreign_reasoning",
    "without_mirrors",
]

# Where an OpenAI-Chat-like wire holds reasoning beside its parts (OpenRouter repeats `reasoning_details` as a string).
_MIRRORS: Final = frozenset({"reasoning", "reasoning_content"})


def strip_foreign_reasoning(
    name: str,
    *,
    owns: OwnsReasoning,
    summary: str,
    evidence: tuple[Evidence, ...],
    examples: tuple[Example, ...] = (),
    error_patterns: tuple[str, ...] = (),
    known_own: OwnsReasoning | None = None,
    when: Callable[[Prompt], bool] = lambda prompt: True,
) -> CompatRule:
    """Drop the reasoning that the provider would not take back; a message that this empties leaves the prompt.

    Args:
        name: The rule's name.
        owns: What the provider takes back.
        summary: The rule's summary.
        evidence: The provider's words.
        examples: Before and after.
        error_patterns: With these, or patterns of the evidence, the rule also repairs the stored history after such a
            rejection.
        known_own: What the provider is known to have made; needed with patterns.
        when: For which prompts the rule runs before a call.
    """
    answers = bool(error_patterns) or any(said.pattern is not None for said in evidence)
    reactive = known_own if answers else None
    return CompatRule(
        name=name,
        summary=summary,
        apply_to_prompt=lambda prompt: (
            _without_foreign(prompt, owns, as_text=False) if when(prompt) else None
        ),
        error_patterns=error_patterns,
        fix=(lambda messages, _error: _without_unproven_turns(messages, reactive)) if reactive else None,
        needs=REASONING,
        evidence=evidence,
        examples=examples,
    )


CUT_WHILE_THINKING: Final = Example(
    title="An answer that was cut while the model thought",
    before=(
        UserMessage("Hello"),
        AssistantMessage(parts=[ReasoningPart(text="A greeting.")]),
        UserMessage("Are you there?"),
    ),
    after=(UserMessage("Hello"), UserMessage("Are you there?")),
)
"""What ``drop_bare_reasoning`` does, for any provider."""


def drop_bare_reasoning(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Drop the answers that hold nothing but reasoning."""

    def change(message: Message) -> Message | None:
        return None if all(part.type == "reasoning" for part in message.parts) else message

    return message_rule(
        name, lambda messages: map_messages(messages, change, needs=REASONING), needs=REASONING, **fields
    )


def drop_foreign_reasoning(name: str, *, api: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Drop the reasoning that came over another wire without a signature or anything else that this one could hold.

    Args:
        name: The rule's name.
        api: The format of this wire.
        fields: See ``RuleFields``.
    """

    def stays(part: Part) -> bool:
        return part.type != "reasoning" or not is_unsigned_of_another(part, api)

    def change(message: Message) -> Message | None:
        if message.role != "assistant" or all(map(stays, message.parts)):
            return message
        parts = tuple(filter(stays, message.parts))
        return with_parts(without_mirrors(message), parts) if parts else None

    return message_rule(
        name, lambda messages: map_messages(messages, change, needs=REASONING), needs=REASONING, **fields
    )


def is_unsigned_of_another(part: ReasoningPart, api: str) -> bool:
    """Whether reasoning came over another wire than that of ``api``, and nothing vouches for it."""
    return (
        part.signature is None
        and (part.encrypted is None or bool(part.text))
        and bool(part.provider_options)
        and not options_of(part, api)
    )


def reasoning_as_text(owns: OwnsReasoning) -> CompatRule:
    """Turn the readable reasoning that a provider would not take back into text of the same message."""
    return CompatRule(
        name="foreign-reasoning-as-text",
        summary="Reasoning that the target provider would not take back is told as text between <thinking> tags.",
        apply_to_prompt=lambda prompt: _without_foreign(prompt, owns, as_text=True),
        needs=REASONING,
    )


def _without_foreign(prompt: Prompt, owns: OwnsReasoning, *, as_text: bool) -> Prompt | None:
    def change(message: Message) -> Message | None:
        if message.role != "assistant":
            return message
        parts: list[Part] = []
        for part in message.parts:
            if part.type != "reasoning" or owns(message, part):
                parts.append(part)
            elif as_text and part.text.strip():
                parts.append(TextPart(f"<thinking>\n{part.text}\n</thinking>"))
        if same_items(parts, message.parts):
            return message
        return with_parts(without_mirrors(message), parts) if parts else None

    messages = map_messages(prompt.messages, change, needs=REASONING)
    return None if messages is None else with_messages(prompt, messages)


def _without_unproven_turns(messages: Messages, known_own: OwnsReasoning) -> Messages | None:
    """Drop all reasoning of every turn that holds some of unproven origin: a provider checks a turn as a whole.

    Where all of it is proven, the provider has refused its own (another account, another model): then all of it goes.
    """
    unproven: set[int] = set()
    turn, turns = 0, []
    for message in messages:
        turn += message.role == "user"
        turns.append(turn)
        if message.role == "assistant" and any(
            part.type == "reasoning" and not known_own(message, part) for part in message.parts
        ):
            unproven.add(turn)
    numbers = iter(turns)

    def change(message: Message) -> Message | None:
        if (next(numbers) not in unproven and unproven) or message.role != "assistant":
            return message
        parts = tuple(part for part in message.parts if part.type != "reasoning")
        if len(parts) == len(message.parts):
            return message
        return with_parts(without_mirrors(message), parts) if parts else None

    return map_messages(messages, change)


def without_mirrors(message: AssistantMessage) -> AssistantMessage:
    """Drop what repeats a message's reasoning beside its parts."""
    options = message.provider_options or {}
    chat = options.get("openai_chat", {})
    if _MIRRORS.isdisjoint(chat):
        return message
    rest = {key: value for key, value in chat.items() if key not in _MIRRORS}
    return replace(message, provider_options={**options, "openai_chat": rest})
