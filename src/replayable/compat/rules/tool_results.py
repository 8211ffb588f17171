"""Rule makers for what a tool's result may hold."""

from __future__ import annotations

from collections.abc import Callable

from typing_extensions import Unpack

from ..._node import make
from ...edits import replace, with_parts
from ...facts import FILES, TOOL, facts_of
from ...messages import ContentPart, Message, Messages, Part, TextPart, ToolResultPart, UserMessage
from ...turns import run_end
from ..rule import CompatRule
from .making import RuleFields, message_rule

__all__ = ["files_after_results", "moved_files"]


def files_after_results(
    name: str, *, moves: Callable[[ContentPart], bool], **fields: Unpack[RuleFields]
) -> CompatRule:
    """Move files of tool results into a user message behind the run of results; a text says where they are."""
    return message_rule(name, lambda messages: moved_files(messages, moves), needs=FILES, **fields)


def moved_files(messages: Messages, moves: Callable[[ContentPart], bool]) -> Messages | None:
    """Move files of tool results into a user message behind the run."""
    out: list[Message] = []
    files: list[ContentPart] = []
    changed = False
    for index, message in enumerate(messages):
        if facts_of(message) & TOOL and facts_of(message) & FILES:
            message = _without_files(message, moves, files)
            changed = changed or bool(files)
        out.append(message)
        if files and run_end(messages, index) == index + 1:
            out.append(make(UserMessage, parts=tuple(files)))
            files.clear()
    return tuple(out) if changed else None


def _without_files(
    message: Message, moves: Callable[[ContentPart], bool], files: list[ContentPart]
) -> Message:
    parts: list[Part] = []
    for part in message.parts:
        if part.type == "tool_result" and any(moves(item) for item in part.content or ()):
            part = _without_file(part, moves, files)
        parts.append(part)
    return with_parts(message, parts)


def _without_file(
    part: ToolResultPart, moves: Callable[[ContentPart], bool], files: list[ContentPart]
) -> ToolResultPart:
    content: list[ContentPart] = []
    for item in part.content or ():
        if moves(item):
            files.append(item)
            kind = (item.media_type if item.type == "file" else None) or "file"
            content.append(TextPart(f"[{kind}: see the next user message]"))
        else:
            content.append(item)
    return replace(part, content=tuple(content))
