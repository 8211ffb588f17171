"""Rule maker for JSON in tool results, where a provider takes only objects."""

from __future__ import annotations

from typing import Any, Final

from typing_extensions import Unpack

from ...edits import map_parts, replace
from ...facts import PART_FIELDS
from ...json_value import parse_json
from ...messages import Message, Part
from ..rule import CompatRule
from .making import RuleFields, message_rule
from .wire_fields import options_of, with_options

__all__ = ["json_results_as_objects"]

# How the format notes that a result, or a text in it, stood there as JSON.
_CONTENT: Final = "$content"
_TYPE: Final = "$type"


def json_results_as_objects(name: str, *, api: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Send as text the JSON of a result that is no object.

    Args:
        name: The rule's name.
        api: On whose wire.
        fields: See ``RuleFields``.
    """

    def change(_message: Message, part: Part) -> Part:
        if part.type != "tool_result" or part.provider_executed:
            return part
        if part.content:
            content = tuple(as_text(item) for item in part.content)
            same = all(new is old for new, old in zip(content, part.content, strict=True))
            return part if same else replace(part, content=content)
        options = options_of(part, api)
        if options.get(_CONTENT) != "json" or isinstance(part.output, dict):
            return part
        kept = {key: value for key, value in options.items() if key != _CONTENT}
        text: Part = with_options(part, api, kept)
        return text if part.output is not None else replace(text, output="null")

    def as_text(item: Any) -> Any:
        options = options_of(item, api)
        if item.type != "text" or options.get(_TYPE) != "json":
            return item
        is_json, value = parse_json(item.text)
        if not is_json or isinstance(value, dict):
            return item
        return with_options(item, api, {key: kept for key, kept in options.items() if key != _TYPE})

    return message_rule(
        name,
        lambda messages: map_parts(messages, change, needs=PART_FIELDS),
        needs=PART_FIELDS,
        **fields,
    )
