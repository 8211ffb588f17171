"""Rule makers for parts whose shape a provider refuses: types of other APIs, and fields that are missing."""

from __future__ import annotations

import re
from typing import Any, Final

from typing_extensions import Unpack

from ...edits import map_messages, map_parts, with_parts
from ...facts import OPAQUE, REASONING, facts_of
from ...messages import Message, Messages, Part, TextPart
from ...prompt import Prompt, with_messages
from ...provider_error import ProviderError
from ..rule import CompatRule
from .making import RuleFields, message_rule
from .wire_fields import options_of, with_options

__all__ = ["complete_reasoning", "foreign_parts_as_text", "strip_foreign_parts_of_results"]

# Where the formats note the fields that a wire object should have had.
_ABSENT: Final = "$absent"
# Fields in which parts of the known APIs keep what a reader would read.
_READABLE: Final = ("text", "content", "refusal")


def foreign_parts_as_text(
    name: str,
    *,
    api: str,
    foreign_types: frozenset[str],
    refused: str,
    **fields: Unpack[RuleFields],
) -> CompatRule:
    """Turn parts of another API's types into the text that they hold; one without any leaves.

    Args:
        name: The rule's name.
        api: The API as whose part it was stored.
        foreign_types: Types of other APIs, which this one is known not to take.
        refused: A pattern with one group: the type that a rejection names; then also parts of that type go.
        fields: See ``RuleFields``.
    """
    names_type = re.compile(refused)

    def as_text(messages: Messages, types: frozenset[str]) -> Messages | None:
        def change(_message: Message, part: Part) -> Part | None:
            if part.type != "opaque" or part.api != api or _type(part.value) not in types:
                return part
            text = next((part.value[key] for key in _READABLE if isinstance(part.value.get(key), str)), "")
            return TextPart(text) if text.strip() else None

        return map_parts(messages, change, needs=OPAQUE)

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        messages = as_text(prompt.messages, foreign_types)
        return None if messages is None else with_messages(prompt, messages)

    def fix(messages: Messages, error: ProviderError) -> Messages | None:
        named = error.matches(names_type)
        return as_text(messages, foreign_types | ({named[1]} if named else set()))

    return CompatRule(
        name=name,
        summary=fields["summary"],
        apply_to_prompt=apply_to_prompt,
        fix=fix,
        needs=OPAQUE,
        evidence=fields["evidence"],
        examples=fields.get("examples", ()),
    )


def strip_foreign_parts_of_results(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Drop what only another API knows from among results, where no API has a place for a text; a message of nothing else
    leaves, so that none is taken for a turn of results. Where nobody says which API is spoken, they stay."""

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        apis = {model.api for model in prompt.model.candidates()} if prompt.model is not None else {None}
        if None in apis:
            return None

        def change(message: Message) -> Message | None:
            if not facts_of(message) & OPAQUE or message.role != "tool":
                return message
            parts = [part for part in message.parts if part.type != "opaque" or part.api in apis]
            return with_parts(message, parts) if parts else None

        messages = map_messages(prompt.messages, change)
        return None if messages is None else with_messages(prompt, messages)

    return CompatRule(
        name=name,
        summary=fields["summary"],
        apply_to_prompt=apply_to_prompt,
        needs=OPAQUE,
        evidence=fields["evidence"],
        examples=fields.get("examples", ()),
    )


def _type(value: Any) -> str | None:
    kind = value.get("type") if isinstance(value, dict) else None
    return kind if isinstance(kind, str) else None


def complete_reasoning(name: str, *, api: str, field: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Send the field that a stored reasoning part lacks, empty: the provider demands the field, not a content.

    Args:
        name: The rule's name.
        api: The API whose part lacks it.
        field: The field.
        fields: See ``RuleFields``.
    """

    def change(_message: Message, part: Part) -> Part:
        options = options_of(part, api)
        absent = options.get(_ABSENT, ())
        if part.type != "reasoning" or field not in absent:
            return part
        others = [name for name in absent if name != field]
        rest = {key: value for key, value in options.items() if key != _ABSENT}
        completed: Part = with_options(part, api, {**rest, _ABSENT: others} if others else rest)
        return completed

    return message_rule(
        name, lambda messages: map_parts(messages, change, needs=REASONING), needs=REASONING, **fields
    )
