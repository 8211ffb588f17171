"""Rule maker for calls and results of a provider's own server, which must stand together in one answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from typing_extensions import Unpack

from ..._node import make
from ...edits import with_parts
from ...facts import SERVER_TOOLS, facts_of
from ...messages import Message, Messages, Part, ToolCallPart
from ...prompt import Prompt, with_messages
from ...provider_error import ProviderError
from ..rule import CompatRule
from .making import RuleFields

__all__ = ["paired_server_tools"]

_ANSWERING: Final = ("assistant", "tool")


def paired_server_tools(
    name: str,
    *,
    is_known: Callable[[ToolCallPart, Prompt], bool],
    unknown: str,
    may_be_pending: Callable[[ToolCallPart, Prompt], bool],
    **fields: Unpack[RuleFields],
) -> CompatRule:
    """Drop a server's call that has no result behind it in the same turn, and a result that has no call before it.

    A call that the server does not know as its own leaves with its result. The calls of the last turn stay where they
    may still be running; after a rejection they go too.

    Args:
        name: The rule's name.
        is_known: Whether the server can have made a call: its id and its tool's name are such as it gives.
        unknown: A pattern of the words with which the server says that a call can't be its own.
        may_be_pending: Whether the server may still be running a call of the prompt's last turn.
        fields: See ``RuleFields``.
    """

    names_unknown = re.compile(unknown)

    def fix(messages: Messages, error: ProviderError) -> Messages | None:
        prompt = make(Prompt, messages=messages)
        is_refused = error.matches(names_unknown) is not None
        return _paired(messages, lambda call: not is_refused or is_known(call, prompt), may_be_pending=_never)

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        messages = _paired(
            prompt.messages,
            lambda call: is_known(call, prompt),
            may_be_pending=lambda call: may_be_pending(call, prompt),
        )
        return None if messages is None else with_messages(prompt, messages)

    return CompatRule(
        name=name,
        summary=fields["summary"],
        apply_to_prompt=apply_to_prompt,
        fix=fix,
        needs=SERVER_TOOLS,
        evidence=fields["evidence"],
        examples=fields.get("examples", ()),
    )


def _paired(
    messages: Messages,
    is_known: Callable[[ToolCallPart], bool],
    *,
    may_be_pending: Callable[[ToolCallPart], bool],
) -> Messages | None:
    changed = False
    out: list[Message] = []
    start = 0
    while start < len(messages):
        end = start + 1
        # One turn: the server may answer after the client did, in a later message of the same loop.
        while messages[start].role in _ANSWERING and end < len(messages) and messages[end].role in _ANSWERING:
            end += 1
        turn = messages[start:end]
        if any(facts_of(message) & SERVER_TOOLS for message in turn):
            leaving = _unpaired(turn, is_known, may_be_pending if end == len(messages) else _never)
            if leaving:
                changed = True
                kept = ((message, _without(message, leaving)) for message in turn)
                turn = tuple(new for message, new in kept if new.parts or not message.parts)
        out.extend(turn)
        start = end
    return tuple(out) if changed else None


def _never(_call: ToolCallPart) -> bool:
    return False


def _unpaired(
    turn: Messages, is_known: Callable[[ToolCallPart], bool], may_be_pending: Callable[[ToolCallPart], bool]
) -> set[int]:
    """The parts that leave, by identity."""
    calls: list[ToolCallPart] = []
    by_id: dict[str | None, ToolCallPart] = {}
    leaving: set[int] = set()
    answered: set[str | None] = set()
    for message in turn:
        for part in message.parts:
            if part.type == "tool_call" and part.provider_executed:
                calls.append(part)
                by_id[part.tool_call_id] = part
            elif part.type == "tool_result" and part.provider_executed:
                call = by_id.get(part.tool_call_id)
                if call is None or not is_known(call):
                    leaving.add(id(part))
                answered.add(part.tool_call_id)
    for call in calls:
        if not is_known(call) or (call.tool_call_id not in answered and not may_be_pending(call)):
            leaving.add(id(call))
    return leaving


def _without(message: Message, leaving: set[int]) -> Message:
    parts: list[Part] = [part for part in message.parts if id(part) not in leaving]
    return message if len(parts) == len(message.parts) else with_parts(message, parts)
