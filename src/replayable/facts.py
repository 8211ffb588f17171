"""What is known about a message, computed once and kept beside it.

A fact is a bit. One pass that ORs the facts of a history tells which rules can have anything to do at all, which is
why an unchanged history costs next to nothing. Facts depend on the part objects alone, never on the content of a
dict that a caller could still mutate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from .messages import Message, MessageBase, ToolCallPart, ToolResultPart

__all__ = ["facts_of", "facts_of_all", "ids_of", "remember_facts"]

SYSTEM: Final = 1 << 0
USER: Final = 1 << 1
ASSISTANT: Final = 1 << 2
TOOL: Final = 1 << 3

CALLS: Final = 1 << 4
"""Tool calls that the client has to answer."""
RESULTS: Final = 1 << 5
"""Tool results in a tool message."""
SERVER_TOOLS: Final = 1 << 6
"""Calls that the provider executed, or their results."""
REASONING: Final = 1 << 7
FILES: Final = 1 << 8
"""Files anywhere, inside tool results too."""
OPAQUE: Final = 1 << 9
BLANK: Final = 1 << 10
"""A text of white space only (inside a client's tool result too), or a message without parts."""
ODD_IDS: Final = 1 << 11
"""A tool call id that is missing, empty, or has characters outside ``[a-zA-Z0-9_-]``."""
IRREGULAR: Final = 1 << 12
"""Pairing has to look closer: an id is missing or repeated within the message, or a result stands in an assistant
message."""
UNSETTLED: Final = 1 << 13
"""A call that is not complete."""
NOT_AN_OBJECT: Final = 1 << 14
"""A call whose input is not a JSON object."""
LONG_IDS: Final = 1 << 15
"""A tool call id of more than 40 characters."""

_ROLES: Final = {"system": SYSTEM, "user": USER, "assistant": ASSISTANT, "tool": TOOL}
_plain_id: Final = re.compile(r"[a-zA-Z0-9_-]+").fullmatch
_set_facts = MessageBase.__dict__["_facts"].__set__
_set_ids = MessageBase.__dict__["_ids"].__set__
_get_facts = MessageBase.__dict__["_facts"].__get__
_get_ids = MessageBase.__dict__["_ids"].__get__

Ids = tuple[str | None, ...]


def facts_of(message: Message) -> int:
    """Return the facts of a message as a bit set."""
    try:
        facts: int = _get_facts(message)
    except AttributeError:
        facts = remember_facts(message)
    return facts


def ids_of(message: Message) -> Ids:
    """Return the ids of the client's calls in an assistant message, or of the client's results in a tool message."""
    try:
        ids: Ids = _get_ids(message)
    except AttributeError:
        remember_facts(message)
        ids = _get_ids(message)
    return ids


def facts_of_all(messages: Iterable[Message]) -> int:
    """Return the facts that occur anywhere in a history."""
    union = 0
    for message in messages:
        union |= facts_of(message)
    return union


def remember_facts(message: Message) -> int:
    """Compute the facts of a message, keep them with it, and return them."""
    facts = _ROLES[message.role]
    ids: list[str | None] = []
    parts = message.parts
    if not parts:
        facts |= BLANK
    for part in parts:
        if part.type == "text":
            if not part.text or part.text.isspace():
                facts |= BLANK
        elif part.type == "tool_call":
            facts |= _call_facts(part)
            if not part.provider_executed:
                ids.append(part.tool_call_id)
        elif part.type == "tool_result":
            facts |= _result_facts(part, in_tool_message=bool(facts & TOOL))
            if facts & TOOL and not part.provider_executed:
                ids.append(part.tool_call_id)
        elif part.type == "reasoning":
            facts |= REASONING
        elif part.type == "file":
            facts |= FILES
        else:
            facts |= OPAQUE
    if ids and (len(set(ids)) < len(ids) or not all(ids)):
        facts |= IRREGULAR
    _set_facts(message, facts)
    _set_ids(message, tuple(ids))
    return facts


def _id_facts(tool_call_id: str | None) -> int:
    if not tool_call_id:
        return ODD_IDS
    facts = 0 if _plain_id(tool_call_id) else ODD_IDS
    return facts | LONG_IDS if len(tool_call_id) > 40 else facts


def _call_facts(part: ToolCallPart) -> int:
    facts = SERVER_TOOLS if part.provider_executed else CALLS
    if not isinstance(part.input, dict):
        facts |= NOT_AN_OBJECT
    if part.state != "complete":
        facts |= UNSETTLED
    return facts | _id_facts(part.tool_call_id)


def _result_facts(part: ToolResultPart, *, in_tool_message: bool) -> int:
    if part.provider_executed:
        facts = SERVER_TOOLS
    else:
        facts = RESULTS if in_tool_message else IRREGULAR
    for item in part.content or ():
        if item.type == "file":
            facts |= FILES
        elif item.type == "text" and not part.provider_executed and (not item.text or item.text.isspace()):
            facts |= BLANK
    return facts | _id_facts(part.tool_call_id)
