"""Rule maker for models that make one call at a time."""

from __future__ import annotations

from typing_extensions import Unpack

from ..._node import make
from ...edits import with_parts
from ...facts import CALLS, facts_of
from ...messages import AssistantMessage, Message, Messages, Part, ToolMessage, ToolResultPart
from ...turns import client_calls, client_results, run_end
from ..rule import CompatRule
from .making import RuleFields, message_rule

__all__ = ["one_call_at_a_time"]


def one_call_at_a_time(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Make several answers of one with several calls, each followed by its result; calls that wait for one stay together."""
    return message_rule(name, _one_by_one, needs=CALLS, **fields)


def _one_by_one(messages: Messages) -> Messages | None:
    out: list[Message] = []
    changed = False
    index = 0
    while index < len(messages):
        message = messages[index]
        end = run_end(messages, index) if message.role == "assistant" else index + 1
        run = messages[index:end]
        separate = _separate(message, run[1:]) if message.role == "assistant" else None
        changed = changed or separate is not None
        out.extend(run if separate is None else separate)
        index = end
    return tuple(out) if changed else None


def _separate(answer: AssistantMessage, results: Messages) -> list[Message] | None:
    """One answer and result for each call; None where there is one call only, or not just one result for each."""
    if not facts_of(answer) & CALLS:
        return None
    calls = [call.tool_call_id for _, call in client_calls(answer)]
    answered = {
        result.tool_call_id: (message, result) for message in results for _, result in client_results(message)
    }
    held = sum(len(message.parts) for message in results)
    if (
        len(calls) < 2
        or len(answered) != held
        or set(calls) != answered.keys()
        or len(set(calls)) < len(calls)
    ):
        return None
    out: list[Message] = []
    for parts, call_id in zip(_shares(answer), calls, strict=True):
        message, result = answered[call_id]
        out += (with_parts(answer, parts), _holding(message, result))
    return out


def _shares(answer: AssistantMessage) -> list[list[Part]]:
    """The parts of an answer, cut behind each of its calls; what follows the last one stays with it."""
    shares: list[list[Part]] = [[]]
    left = sum(1 for _ in client_calls(answer))
    for part in answer.parts:
        shares[-1].append(part)
        if part.type == "tool_call" and not part.provider_executed:
            left -= 1
            if left:
                shares.append([])
    return shares


def _holding(message: Message, result: ToolResultPart) -> Message:
    """The message that holds this result alone."""
    if len(message.parts) == 1 or message.role != "tool":
        return message
    return make(
        ToolMessage,
        parts=(result,),
        id=message.id,
        created_at=message.created_at,
        metadata=message.metadata,
        provider_options=message.provider_options,
    )
