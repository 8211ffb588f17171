"""Rule maker for fields of parts that a provider does not know."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from typing import Any, Final

from typing_extensions import Unpack

from ...edits import map_messages, replace, with_parts
from ...facts import PART_FIELDS, WIRE_FIELDS, facts_of
from ...messages import ContentPart, Message, Messages, Part
from ...prompt import Prompt, with_messages
from ...provider_error import ProviderError
from ..rule import CompatRule
from .making import RuleFields
from .wire_fields import options_of, with_options

__all__ = ["MESSAGE", "without_foreign_fields"]

MESSAGE: Final = "message"
"""In place of a part's type: the message itself."""


def without_foreign_fields(
    name: str, *, api: str, foreign: Mapping[str, Set[str]], refused: str, **fields: Unpack[RuleFields]
) -> CompatRule:
    """Drop the fields of parts (and of messages) that are known to be none of the API's.

    Args:
        name: The rule's name.
        api: Whose wire.
        foreign: Fields by the type of the part (``tool_call``, ``text``, …, ``MESSAGE``).
        refused: A pattern with one group: the field that a rejection names; that field then goes everywhere.
        fields: See ``RuleFields``.
    """
    names_field = re.compile(refused)

    def cleared(messages: Messages, named: frozenset[str]) -> Messages | None:
        def without(node: Any, kind: str) -> Any:
            options = options_of(node, api)
            unwanted = [key for key in options if key in named or key in foreign.get(kind, ())]
            if not unwanted:
                return node
            return with_options(
                node, api, {key: value for key, value in options.items() if key not in unwanted}
            )

        def in_part(part: Part) -> Part:
            if part.type == "tool_result" and part.content:
                content: tuple[ContentPart, ...] = tuple(without(item, item.type) for item in part.content)
                if any(new is not old for new, old in zip(content, part.content, strict=True)):
                    part = replace(part, content=content)
            new: Part = without(part, part.type)
            return new

        def change(message: Message) -> Message:
            if not facts_of(message) & (PART_FIELDS | WIRE_FIELDS):
                return message
            parts = [in_part(part) for part in message.parts]
            if any(new is not old for new, old in zip(parts, message.parts, strict=True)):
                message = with_parts(message, parts)
            new: Message = without(message, MESSAGE)
            return new

        return map_messages(messages, change)

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        messages = cleared(prompt.messages, frozenset())
        return None if messages is None else with_messages(prompt, messages)

    def fix(messages: Messages, error: ProviderError) -> Messages | None:
        named = {match[1] for text in error.texts for match in names_field.finditer(text)}
        return cleared(messages, frozenset(named))

    return CompatRule(
        name=name,
        summary=fields["summary"],
        apply_to_prompt=apply_to_prompt,
        fix=fix,
        needs=PART_FIELDS | WIRE_FIELDS,
        evidence=fields["evidence"],
        examples=fields.get("examples", ()),
    )
