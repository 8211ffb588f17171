"""Rule maker for fields of parts that a provider does not know."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from typing import Any, Final

from typing_extensions import Unpack

from ...edits import map_messages, replace, same_items, with_parts
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
_NONE: Final[frozenset[str]] = frozenset()


def without_foreign_fields(
    name: str, *, api: str, foreign: Mapping[str, Set[str]], refused: str, **fields: Unpack[RuleFields]
) -> CompatRule:
    """Drop the fields of parts (and of messages) that are known to be none of the API's.

    Args:
        name: The rule's name.
        api: Whose wire.
        foreign: Fields by the type of the part (``tool_call``, ``text``, …, ``MESSAGE``), and by the field of it that holds
            an object (``tool_call.functionCall``).
        refused: A pattern with one group: the field that a rejection names; that field then goes everywhere.
        fields: See ``RuleFields``.
    """
    names_field = re.compile(refused)
    suspects = _suspects(foreign)

    def cleared(messages: Messages, named: frozenset[str]) -> Messages | None:
        def without(node: Any, kind: str) -> Any:
            if node.provider_options is None:
                return node
            options = options_of(node, api)
            if named.isdisjoint(options) and suspects.get(kind, _NONE).isdisjoint(options):
                return node
            kept = _kept(options, kind, foreign, named)
            return node if kept is options else with_options(node, api, kept)

        def in_part(part: Part) -> Part:
            if part.type == "tool_result" and part.content:
                content: tuple[ContentPart, ...] = tuple(without(item, item.type) for item in part.content)
                if not same_items(content, part.content):
                    part = replace(part, content=content)
            new: Part = without(part, part.type)
            return new

        def change(message: Message) -> Message:
            if not facts_of(message) & (PART_FIELDS | WIRE_FIELDS):
                return message
            new: Message = without(with_parts(message, [in_part(part) for part in message.parts]), MESSAGE)
            return new

        return map_messages(messages, change)

    when = fields.get("when")

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        if when is not None and not when(prompt):
            return None
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


def _suspects(foreign: Mapping[str, Set[str]]) -> dict[str, frozenset[str]]:
    """By the type of the part: the fields that are foreign, or hold some that are. Hardly any options have one."""
    suspects: dict[str, set[str]] = {}
    for path, names in foreign.items():
        kind, _, held = path.partition(".")
        suspects.setdefault(kind, set()).update({held.partition(".")[0]} if held else names)
    return {kind: frozenset(names) for kind, names in suspects.items()}


def _kept(
    options: dict[str, Any], kind: str, foreign: Mapping[str, Set[str]], named: Set[str]
) -> dict[str, Any]:
    """The fields that stay, in them and in the objects that they hold; the same object when all do."""
    kept: dict[str, Any] = {}
    for key, value in options.items():
        if key in named or key in foreign.get(kind, ()):
            continue
        if isinstance(value, dict) and f"{kind}.{key}" in foreign:
            value = _kept(value, f"{kind}.{key}", foreign, named)
            if not value and options[key]:
                continue
        kept[key] = value
    same = len(kept) == len(options) and all(kept[key] is options[key] for key in kept)
    return options if same else kept
