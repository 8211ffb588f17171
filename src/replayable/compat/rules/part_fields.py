"""Rule maker for fields of parts that a provider does not know; and how to tell quickly whether there are any."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Set
from typing import Any, Final

from typing_extensions import Unpack

from ..._node import fields_of
from ...edits import map_messages, replace, same_items, with_parts
from ...facts import ANY_ROLE, PART_FIELDS, WIRE_FIELDS, facts_of
from ...messages import ContentPart, Message, Messages, Part
from ...prompt import Prompt, with_messages
from ...provider_error import ProviderError
from ..rule import CompatRule
from .making import RuleFields
from .wire_fields import options_of, with_options

__all__ = ["MESSAGE", "fields_occur", "without_foreign_fields"]

MESSAGE: Final = "message"
"""In place of a part's type: the message itself."""
_NONE: Final[frozenset[str]] = frozenset()


def fields_occur(
    api: str, fields: Mapping[str, Set[str]], *, roles: int = ANY_ROLE
) -> Callable[[Messages], bool]:
    """Return how to tell whether a history has any of some fields: one quick look at each part, before a rule takes its time.

    Args:
        api: Whose wire.
        fields: Their names, by where they stand (see ``without_foreign_fields``), at most one object deep.
        roles: The facts of the roles whose messages are looked at.
    """
    # By kind: the names beside the part, and those inside the objects that it holds.
    wanted: dict[str, tuple[Set[str], dict[str, Set[str]]]] = {}
    for path, names in fields.items():
        kind, _, holder = path.partition(".")
        beside, inside = wanted.get(kind, (_NONE, {}))
        wanted[kind] = (beside, {**inside, holder: names}) if holder else (names, inside)

    def has_any(kind: str, options: Mapping[str, Any]) -> bool:
        own = options.get(api)
        if not own:
            return False
        beside, inside = wanted[kind]
        if not beside.isdisjoint(own):
            return True
        for holder, names in inside.items():
            value = own.get(holder)
            if isinstance(value, dict) and not names.isdisjoint(value):
                return True
        return False

    def occur(messages: Messages) -> bool:
        # Nearly every part of some wires has options: so this reads fields from the dict, as the facts are told.
        for message in messages:
            facts = facts_of(message)
            if not (facts & (PART_FIELDS | WIRE_FIELDS) and facts & roles):
                continue
            about = fields_of(message)
            options = about["provider_options"]
            if options is not None and MESSAGE in wanted and has_any(MESSAGE, options):
                return True
            for part in about["parts"] if facts & PART_FIELDS else ():
                about = fields_of(part)
                options, kind = about["provider_options"], about["type"]
                if options is not None and kind in wanted and has_any(kind, options):
                    return True
                if kind == "tool_result" and about["content"]:
                    for item in about["content"]:
                        options, kind = item.provider_options, item.type
                        if options is not None and kind in wanted and has_any(kind, options):
                            return True
        return False

    return occur


def without_foreign_fields(
    name: str,
    *,
    api: str,
    foreign: Mapping[str, Set[str]],
    refused: str,
    null_is_absent: bool = False,
    **fields: Unpack[RuleFields],
) -> CompatRule:
    """Drop the fields of parts (and of messages) that are known to be none of the API's.

    Args:
        name: The rule's name.
        api: Whose wire.
        foreign: Fields by the type of the part (``tool_call``, ``text``, …, ``MESSAGE``), and by the field of it that holds
            an object (``tool_call.functionCall``).
        refused: A pattern with one group: the field that a rejection names; that field then goes everywhere.
        null_is_absent: Whether the API's own SDK sends no field whose value is None: such a field stays.
        fields: See ``RuleFields``.
    """
    names_field = re.compile(refused)
    are_there = fields_occur(api, foreign)

    def cleared(messages: Messages, named: frozenset[str]) -> Messages | None:
        def without(node: Any, kind: str) -> Any:
            options = options_of(node, api)
            kept = _kept(options, kind, foreign, named, null_is_absent)
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
        if (when is not None and not when(prompt)) or not are_there(prompt.messages):
            return None
        messages = cleared(prompt.messages, _NONE)
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


def _kept(
    options: dict[str, Any],
    kind: str,
    foreign: Mapping[str, Set[str]],
    named: Set[str],
    null_is_absent: bool,
) -> dict[str, Any]:
    """The fields that stay, in them and in the objects that they hold; the same object when all do."""
    kept: dict[str, Any] = {}
    for key, value in options.items():
        if key in named or (key in foreign.get(kind, ()) and not (null_is_absent and value is None)):
            continue
        if isinstance(value, dict) and f"{kind}.{key}" in foreign:
            value = _kept(value, f"{kind}.{key}", foreign, named, null_is_absent)
            if not value and options[key]:
                continue
        kept[key] = value
    same = len(kept) == len(options) and all(kept[key] is options[key] for key in kept)
    return options if same else kept
