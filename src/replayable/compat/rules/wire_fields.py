"""Rule makers for fields of the wire that a provider doesn't know.

What a wire says beyond the models' own fields stands in ``provider_options[<api>]``, where keys with a ``$`` are notes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from typing_extensions import Unpack

from ...edits import map_messages, replace, same_items, with_parts
from ...facts import OPAQUE, REASONING, WIRE_FIELDS, facts_of
from ...media import opaque_stub
from ...messages import Message, MessageBase, Messages, Part, TextPart
from ...prompt import Prompt, with_messages
from ...provider_error import ProviderError
from ..evidence import compiled
from ..rule import CompatRule
from .making import RuleFields, message_rule

__all__ = ["no_empty_list", "only_known_fields", "options_of", "with_options", "without_fields"]


def options_of(node: MessageBase | Part, api: str) -> dict[str, Any]:
    """Return what one API's wire says beyond the model's fields; an empty dict when nothing. Not to be changed."""
    return (node.provider_options or {}).get(api) or {}


def with_options(node: Any, api: str, options: dict[str, Any]) -> Any:
    """Return a message or part with other options of one API; None where there are none left."""
    others = {name: value for name, value in (node.provider_options or {}).items() if name != api}
    if options:
        others[api] = options
    return replace(node, provider_options=others or None)


def without_fields(messages: Messages, api: str, unwanted: Callable[[str, str], bool]) -> Messages | None:
    """Drop fields of messages, of whole reasoning parts too where they stood in such a field; a refusal stays as text.

    Args:
        messages: The history.
        api: Whose wire.
        unwanted: Whether a field goes, from the message's role and the field's name.
    """

    def change(message: Message) -> Message | None:
        if not facts_of(message) & (WIRE_FIELDS | REASONING | OPAQUE):
            return message
        options = options_of(message, api)
        kept = {
            key: value
            for key, value in options.items()
            if not _is_field(key) or not unwanted(message.role, key)
        }
        new = message if len(kept) == len(options) else with_options(message, api, kept)
        parts: list[Part] = []
        for part in message.parts:
            field = options_of(part, api).get("$field")
            if not isinstance(field, str) or not unwanted(message.role, field):
                parts.append(part)
            elif part.type == "opaque" and (text := opaque_stub(part)).strip():
                parts.append(TextPart(text))
        if same_items(parts, message.parts):
            return new
        return with_parts(new, parts) if parts else None

    return map_messages(messages, change)


def _is_field(key: Any) -> bool:
    """Whether an option is a field of the wire: not a note, and not the role, which is never sent twice."""
    return isinstance(key, str) and not key.startswith("$") and key != "role"


def only_known_fields(
    name: str, *, api: str, known: frozenset[str], **fields: Unpack[RuleFields]
) -> CompatRule:
    """Drop the fields of messages that a provider does not know, all of them; after a rejection also the ones that it names.

    The reasoning fields (``reasoning``, ``reasoning_content``, ``reasoning_details``) count, too.

    Args:
        name: The rule's name.
        api: Whose wire.
        known: The fields that every message may have.
        fields: See ``RuleFields``. The last group of a pattern that matched is the path or name of the field refused.
    """
    patterns = [
        compiled(name, evidence.pattern) for evidence in fields["evidence"] if evidence.pattern is not None
    ]

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        when = fields.get("when")
        if when is not None and not when(prompt):
            return None
        messages = without_fields(prompt.messages, api, lambda _role, field: field not in known)
        return None if messages is None else with_messages(prompt, messages)

    def fix(messages: Messages, error: ProviderError) -> Messages | None:
        named = _named_fields(error, patterns)
        return without_fields(messages, api, lambda _role, field: field in named or field not in known)

    return CompatRule(
        name=name,
        summary=fields["summary"],
        apply_to_prompt=apply_to_prompt if fields.get("before_call", True) else None,
        fix=fix if patterns else None,
        needs=WIRE_FIELDS | REASONING | OPAQUE,
        evidence=fields["evidence"],
        examples=fields.get("examples", ()),
    )


def no_empty_list(name: str, *, api: str, field: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Drop a field of messages where it holds an empty list."""

    def change(message: Message) -> Message:
        options = options_of(message, api)
        if options.get(field) != []:
            return message
        new: Message = with_options(
            message, api, {key: value for key, value in options.items() if key != field}
        )
        return new

    return message_rule(name, lambda messages: map_messages(messages, change), needs=WIRE_FIELDS, **fields)


def _named_fields(error: ProviderError, patterns: list[re.Pattern[str]]) -> set[str]:
    """The names of the fields that a rejection speaks of: several may come at once, by newline."""
    return {
        field.strip("'\"").rpartition(".")[2]
        for text in error.texts
        for pattern in patterns
        for match in pattern.finditer(text)
        for field in match.groups()[-1:]
        if field
    }
