"""Rule makers for Gemini's function calls and responses: an object as response, the name of the function, no ids."""

from __future__ import annotations

from typing import Any, Final

from typing_extensions import Unpack

from ...edits import map_messages, map_parts, replace, with_parts
from ...facts import CALLS, PART_FIELDS, RESULTS, TOOL, facts_of
from ...messages import Message, Messages, Part, ToolResultPart
from ...turns import matched_results
from ..rule import CompatRule
from .making import RuleFields, message_rule
from .part_fields import fields_occur
from .wire_fields import options_of, with_options

__all__ = ["named_responses", "response_objects", "unsent_ids"]

_API: Final = "gemini"
# Notes of the format (see ``formats.gemini.names``).
_ABSENT: Final = "$absent"
_BARE: Final = "$bare"
_UNKNOWN: Final = "unknown_tool"


def response_objects(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Put responses that were no object into one."""
    are_there = fields_occur(_API, {"tool_result": {_BARE}})

    def change(_message: Message, part: Part) -> Part:
        options = options_of(part, _API)
        if part.type != "tool_result" or _BARE not in options:
            return part
        new: Part = with_options(part, _API, {key: value for key, value in options.items() if key != _BARE})
        return new

    def bare_in_objects(messages: Messages) -> Messages | None:
        return map_parts(messages, change, needs=PART_FIELDS) if are_there(messages) else None

    return message_rule(name, bare_in_objects, needs=PART_FIELDS, **fields)


def named_responses(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Give responses that came without a name that of the function that was called."""
    return message_rule(name, _with_names, needs=RESULTS, **fields)


def _with_names(messages: Messages) -> Messages | None:
    if not any(
        _is_nameless(part) for message in messages if message.role == "tool" for part in message.parts
    ):
        return None
    called = {
        id(result): call.tool_name
        for index, message in enumerate(messages)
        if facts_of(message) & CALLS and not facts_of(message) & TOOL
        for result, _, call in matched_results(messages, index)
    }

    def change(message: Message) -> Message:
        if not facts_of(message) & TOOL:
            return message
        parts = [_named(part, called.get(id(part))) if _is_nameless(part) else part for part in message.parts]
        return with_parts(message, parts)

    return map_messages(messages, change)


def _is_nameless(part: Part) -> bool:
    """Whether a response's name is empty, or was left out: other APIs' results have none, which says nothing."""
    if part.type != "tool_result" or part.provider_executed or part.tool_name:
        return False
    options = options_of(part, _API)
    held = options.get("functionResponse")
    return (
        part.tool_name == ""
        or "name" in options.get(_ABSENT, ())
        or (isinstance(held, dict) and "name" in held)
    )


def _named(part: Any, called: str | None) -> ToolResultPart:
    options = options_of(part, _API)
    absent = [field for field in options.get(_ABSENT, ()) if field != "name"]
    rest = {key: value for key, value in options.items() if key != _ABSENT}
    named: ToolResultPart = replace(part, tool_name=called or part.tool_call_id or _UNKNOWN)
    return with_options(named, _API, {**rest, _ABSENT: absent} if absent else rest) if options else named


def unsent_ids(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """After the rejection, send calls and responses without their ids: name and position pair them."""

    def change(_message: Message, part: Part) -> Part:
        if (part.type != "tool_call" and part.type != "tool_result") or part.provider_executed:
            return part
        options = options_of(part, _API)
        absent = list(options.get(_ABSENT, ()))
        if part.tool_call_id is None or "id" in absent:
            return part
        new: Part = with_options(part, _API, {**options, _ABSENT: [*absent, "id"]})
        return new

    fields["before_call"] = False
    return message_rule(
        name,
        lambda messages: map_parts(messages, change, needs=CALLS | TOOL),
        needs=CALLS | RESULTS,
        **fields,
    )
