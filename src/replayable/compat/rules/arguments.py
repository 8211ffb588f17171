"""Rule makers for the arguments of tool calls."""

from __future__ import annotations

from typing_extensions import Unpack

from ...edits import map_parts, replace
from ...facts import CALLS, NOT_AN_OBJECT, PART_FIELDS
from ...messages import Message, Messages, Part
from ...tool_input import input_object
from ..rule import CompatRule
from .making import RuleFields, message_rule
from .wire_fields import options_of, with_options

__all__ = ["arguments_as_object", "arguments_as_text", "arguments_not_as_text", "as_objects", "function_type"]


def arguments_as_object(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Make an object of the arguments that are none: empty ones become ``{}``, others stand inside one."""
    return message_rule(name, as_objects, needs=NOT_AN_OBJECT, **fields)


def as_objects(messages: Messages) -> Messages | None:
    """Make every client call's input an object."""

    def change(_message: Message, part: Part) -> Part:
        if part.type != "tool_call" or part.provider_executed or isinstance(part.input, dict):
            return part
        if options_of(part, "openai_chat").get("$type") == "custom":
            # A tool whose input is text, by OpenAI's own word.
            return part
        return replace(part, input=input_object(part), raw_input=None)

    return map_parts(messages, change, needs=CALLS)


def arguments_as_text(name: str, *, api: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Send as text the arguments that stood as an object, as null or not at all on a wire that has text there."""

    def change(_message: Message, part: Part) -> Part:
        options = options_of(part, api)
        if part.type != "tool_call" or "$arguments" not in options:
            return part
        new: Part = with_options(
            part, api, {key: value for key, value in options.items() if key != "$arguments"}
        )
        return new

    return message_rule(
        name, lambda messages: map_parts(messages, change, needs=PART_FIELDS), needs=PART_FIELDS, **fields
    )


def arguments_not_as_text(name: str, *, api: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Send as an object the arguments that stood as text on a wire that has objects there."""

    def change(_message: Message, part: Part) -> Part:
        options = options_of(part, api)
        if part.type != "tool_call" or (isinstance(part.input, dict) and options.get("$arguments") != "text"):
            return part
        kept = {key: value for key, value in options.items() if key != "$arguments"}
        new: Part = replace(with_options(part, api, kept), input=input_object(part), raw_input=None)
        return new

    return message_rule(
        name,
        lambda messages: map_parts(messages, change, needs=PART_FIELDS | NOT_AN_OBJECT),
        needs=PART_FIELDS | NOT_AN_OBJECT,
        **fields,
    )


def function_type(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Say ``type: function`` of the calls on OpenAI's Chat wire that don't say what they are."""

    def change(_message: Message, part: Part) -> Part:
        options = options_of(part, "openai_chat")
        if part.type != "tool_call" or options.get("$type", "function") not in (None, "$absent", ""):
            return part
        new: Part = with_options(
            part, "openai_chat", {key: value for key, value in options.items() if key != "$type"}
        )
        return new

    return message_rule(
        name, lambda messages: map_parts(messages, change, needs=PART_FIELDS), needs=PART_FIELDS, **fields
    )
