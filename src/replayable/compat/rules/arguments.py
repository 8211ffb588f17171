"""Rule makers for the arguments of tool calls."""

from __future__ import annotations

from typing_extensions import Unpack

from ...edits import map_parts, replace
from ...facts import CALLS, NOT_AN_OBJECT
from ...messages import Message, Messages, Part
from ...tool_input import input_object
from ..rule import CompatRule
from .making import RuleFields, message_rule
from .wire_fields import options_of

__all__ = ["arguments_as_object", "as_objects"]


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
