"""Rule maker for cache breakpoints, of which a provider takes only so many."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from typing_extensions import Unpack

from ...edits import map_parts, replace
from ...facts import PART_FIELDS
from ...messages import Message, Messages, Part
from ...prompt import Prompt, with_messages
from ..rule import CompatRule
from .making import RuleFields
from .wire_fields import options_of, with_options

__all__ = ["limited_cache_breakpoints"]


def limited_cache_breakpoints(
    name: str, *, api: str, field: str, limit: int, **fields: Unpack[RuleFields]
) -> CompatRule:
    """Take the oldest breakpoints from the messages while there are too many.

    Those of tools and of the system prompt stay: they hold longest.

    Args:
        name: The rule's name.
        api: The API whose breakpoints they are.
        field: What it calls them: ``cache_control`` …
        limit: How many it takes in one request.
        fields: See ``RuleFields``.
    """

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        if prompt.api != api:
            # A breakpoint of another wire is not sent.
            return None
        of_tools = sum(1 for tool in prompt.tools or () if _is_cached_tool(tool, api, field))
        messages = _limited(prompt.messages, api, field, limit - of_tools)
        return None if messages is None else with_messages(prompt, messages)

    return CompatRule(
        name=name,
        summary=fields["summary"],
        apply_to_prompt=apply_to_prompt,
        fix=lambda messages, _error: _limited(messages, api, field, limit - 1),
        needs=PART_FIELDS,
        evidence=fields["evidence"],
        examples=fields.get("examples", ()),
    )


def _limited(messages: Messages, api: str, field: str, limit: int) -> Messages | None:
    marked = [
        (node, message.role)
        for message in messages
        for node in _nodes(message)
        if _is_marked(node, api, field)
    ]
    removable = [id(node) for node, role in marked if role != "system"]
    leaving = set(removable[: max(len(marked) - limit, 0)])
    if not leaving:
        return None

    def unmarked(node: Any) -> Any:
        if id(node) not in leaving:
            return node
        rest = {key: value for key, value in options_of(node, api).items() if key != field}
        return with_options(node, api, rest)

    def change(_message: Message, part: Part) -> Part:
        if part.type == "tool_result" and part.content:
            content = tuple(map(unmarked, part.content))
            if any(new is not old for new, old in zip(content, part.content, strict=True)):
                return replace(part, content=content)
        new: Part = unmarked(part)
        return new

    return map_parts(messages, change, needs=PART_FIELDS)


def _nodes(message: Message) -> Iterator[Any]:
    """The parts of a message, and what results hold."""
    for part in message.parts:
        yield part
        if part.type == "tool_result" and part.content:
            yield from part.content


def _is_marked(node: Any, api: str, field: str) -> bool:
    return bool(options_of(node, api).get(field))


def _is_cached_tool(tool: Any, api: str, field: str) -> bool:
    if tool.type == "provider":
        return isinstance(tool.value, dict) and bool(tool.value.get(field))
    return _is_marked(tool, api, field)
