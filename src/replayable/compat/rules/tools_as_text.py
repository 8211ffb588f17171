"""Rule makers that tell calls and their results as text, for models that take neither."""

from __future__ import annotations

from collections.abc import Callable

from typing_extensions import Unpack

from ..._node import make
from ...edits import same_items, with_parts
from ...facts import CALLS, TOOL
from ...json_value import json_text
from ...messages import (
    AssistantMessage,
    Message,
    Messages,
    Part,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    UserMessage,
)
from ...turns import run_end
from ..rule import CompatRule
from .making import ChangeMessages, RuleFields, message_rule

__all__ = ["told_as_text", "tools_as_text"]


def tools_as_text(
    name: str,
    *,
    of: Callable[[AssistantMessage], bool] = lambda message: True,
    since: Callable[[Messages], int] | None = None,
    **fields: Unpack[RuleFields],
) -> CompatRule:
    """Tell the client's calls, and the results behind them, as text: the assistant's and the user's.

    Args:
        name: The rule's name.
        of: Whose calls.
        since: Where the messages begin whose calls are told; None for all of them.
        fields: See ``RuleFields``.
    """
    return message_rule(name, told_as_text(of, since), needs=CALLS | TOOL, **fields)


def told_as_text(
    of: Callable[[AssistantMessage], bool], since: Callable[[Messages], int] | None = None
) -> ChangeMessages:
    """Return the change that tells calls and results as text."""

    def change(messages: Messages) -> Messages | None:
        start = since(messages) if since is not None else 0
        out: list[Message] = list(messages[:start])
        index = start
        while index < len(messages):
            message = messages[index]
            end = run_end(messages, index) if message.role == "assistant" else index + 1
            run = messages[index:end]
            if message.role == "assistant" and of(message) and any(map(_has_tools, run)):
                out.extend(_told(message, run[1:]))
            elif message.role == "tool" and since is None:
                # A result without a call before it, where no call is to stay.
                out.extend(_told(None, run))
            else:
                out.extend(run)
            index = end
        return None if same_items(out, messages) else tuple(out)

    return change


def _has_tools(message: Message) -> bool:
    return any(
        (part.type == "tool_call" or part.type == "tool_result") and not part.provider_executed
        for part in message.parts
    )


def _told(answer: AssistantMessage | None, results: Messages) -> list[Message]:
    out: list[Message] = []
    names: dict[str | None, str] = {}
    if answer is not None:
        parts: list[Part] = []
        for part in answer.parts:
            if part.type == "tool_call" and not part.provider_executed:
                names[part.tool_call_id] = part.tool_name
                parts.append(TextPart(_call_text(part)))
            elif part.type == "tool_result" and not part.provider_executed:
                parts.extend(_result_parts(part, names.get(part.tool_call_id)))
            else:
                parts.append(part)
        out.append(with_parts(answer, parts))
    told: list[Part] = []
    for message in results:
        for part in message.parts:
            if part.type == "tool_result":
                told.extend(_result_parts(part, names.get(part.tool_call_id)))
            else:
                told.append(part)
    return [*out, make(UserMessage, parts=tuple(told), id=results[0].id)] if told else out


def _call_text(call: ToolCallPart) -> str:
    given = call.raw_input if call.input is None and call.raw_input is not None else _json(call.input)
    return f"[Called the tool {call.tool_name} with {given}]"


def _result_parts(result: ToolResultPart, name: str | None) -> list[Part]:
    head = (
        f"[The tool {result.tool_name or name or ''} {'failed' if result.is_error else 'returned'}]".replace(
            "  ", " "
        )
    )
    if result.content is None:
        said = result.output if isinstance(result.output, str) else _json(result.output)
        return [TextPart(f"{head}\n{said}")]
    return [TextPart(head), *result.content]


def _json(value: object) -> str:
    try:
        return json_text({} if value is None else value)
    except (RecursionError, ValueError):
        # Nested deeper than Python can follow, or no JSON at all.
        return "{…}"
