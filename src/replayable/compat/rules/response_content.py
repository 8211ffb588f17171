"""Rule makers for content on OpenAI's Responses API: its parts' types, apart for the model's words and the client's, and
outputs that have none."""

from __future__ import annotations

from typing import Any, Final

from typing_extensions import Unpack

from ..._node import make
from ...edits import map_parts, replace, same_items, with_parts
from ...facts import ANY_ROLE, ASSISTANT, OPAQUE, PART_FIELDS, RESULTS, facts_of
from ...messages import Message, Messages, OpaquePart, Part, UserMessage
from ...turns import run_end
from ..rule import CompatRule
from .making import RuleFields, message_rule
from .part_fields import fields_occur
from .response_item import API, CONTENT, SAID, TYPE, value_of
from .wire_fields import options_of, with_options

__all__ = ["content_types", "outputs_present"]

_OUTPUTS_OF_TEXT: Final = (None, "custom_tool_call_output")
_CLIENTS: Final = ("input_image", "input_file", "input_audio")
_clients_are_typed: Final = fields_occur(API, {"text": {TYPE}}, roles=ANY_ROLE & ~ASSISTANT)
_answers_are_typed: Final = fields_occur(API, {"text.content": {"type"}, "opaque": {SAID}}, roles=ASSISTANT)


def content_types(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Give each text the type that its speaker's texts have; files in an answer move into a user message behind it."""
    return message_rule(name, _typed, needs=PART_FIELDS | OPAQUE, **fields)


def _typed(messages: Messages) -> Messages | None:
    if not (_clients_are_typed(messages) or _answers_are_typed(messages)):
        return None
    out: list[Message] = []
    files: list[Part] = []
    for index, message in enumerate(messages):
        typed = _typed_message(message, files)
        if typed.parts or not message.parts:
            out.append(typed)
        if files and run_end(messages, index) == index + 1:
            out.append(make(UserMessage, parts=tuple(files)))
            files.clear()
    return None if same_items(out, messages) else tuple(out)


def _typed_message(message: Message, files: list[Part]) -> Message:
    if message.role == "tool" or not facts_of(message) & (PART_FIELDS | OPAQUE):
        return message
    parts: list[Part] = []
    for part in message.parts:
        if message.role != "assistant":
            parts.append(_without_type(part))
        elif (
            part.type == "opaque" and SAID in options_of(part, API) and value_of(part).get("type") in _CLIENTS
        ):
            files.append(make(OpaquePart, api=API, value=part.value))
        else:
            parts.append(_without_foreign_type(part))
    return with_parts(message, parts)


def _without_type(part: Part) -> Part:
    """A client's text without another type than theirs."""
    options = options_of(part, API)
    if part.type != "text" or TYPE not in options:
        return part
    new: Part = with_options(part, API, {key: value for key, value in options.items() if key != TYPE})
    return new


def _without_foreign_type(part: Part) -> Part:
    """An answer's text without another type than theirs."""
    options = options_of(part, API)
    content: Any = options.get("content")
    if part.type != "text" or not isinstance(content, dict) or "type" not in content:
        return part
    rest = {key: value for key, value in content.items() if key != "type"}
    others = {key: value for key, value in options.items() if key != "content"}
    new: Part = with_options(part, API, {**others, "content": rest} if rest else others)
    return new


def outputs_present(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Give an empty text to the outputs of functions and custom tools that are null or absent."""

    def change(_message: Message, part: Part) -> Part:
        if part.type != "tool_result" or part.provider_executed:
            return part
        options = options_of(part, API)
        if options.get(CONTENT) not in ("null", "absent") or options.get(TYPE) not in _OUTPUTS_OF_TEXT:
            return part
        options = {key: value for key, value in options.items() if key != CONTENT}
        new: Part = with_options(replace(part, output=""), API, options)
        return new

    return message_rule(
        name, lambda messages: map_parts(messages, change, needs=RESULTS), needs=RESULTS, **fields
    )
