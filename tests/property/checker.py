"""Says what is wrong with the pairs of a history. Written from the definition, not from the code that repairs.

    Every client tool call is answered by exactly one result in the tool message(s) directly after its assistant message;
    every result has its call; call ids are unique within an assistant turn; no tool message is empty.

An empty id counts as no id. A result without an id belongs by position: there must be as many of them in a turn as calls
that no id answers. A client's answer to a call that the provider executed is neither needed nor wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from replayable.messages import AssistantMessage, Message, ToolCallPart, ToolMessage, ToolResultPart

__all__ = ["client_call_parts", "client_result_parts", "violations"]


def client_call_parts(message: Message) -> list[ToolCallPart]:
    """The calls of a message that the client has to answer."""
    return [part for part in message.parts if isinstance(part, ToolCallPart) and not part.provider_executed]


def client_result_parts(message: Message) -> list[ToolResultPart]:
    """The results in a message that the client gave."""
    return [part for part in message.parts if isinstance(part, ToolResultPart) and not part.provider_executed]


def violations(messages: Sequence[Message]) -> list[str]:
    """List every breach of the definition; an empty list means that the history is paired."""
    found: list[str] = []
    calls: list[ToolCallPart] = []
    server_ids: set[str | None] = set()
    results: list[ToolResultPart] = []

    def close_turn(at: int) -> None:
        found.extend(f"before message {at}: {problem}" for problem in _turn(calls, server_ids, results))
        results.clear()

    for index, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            if not message.parts:
                found.append(f"message {index}: a tool message without anything in it")
            results.extend(client_result_parts(message))
            continue
        close_turn(index)
        calls, server_ids = [], set()
        if isinstance(message, AssistantMessage):
            calls = client_call_parts(message)
            server_ids = {
                part.tool_call_id
                for part in message.parts
                if isinstance(part, ToolCallPart) and part.provider_executed and part.tool_call_id
            }
            called = {call.tool_call_id for call in calls}
            for result in client_result_parts(message):
                if result.tool_call_id not in server_ids or result.tool_call_id in called:
                    found.append(
                        f"message {index}: result {result.tool_call_id!r} inside an assistant message"
                    )
    close_turn(len(messages))
    return found


def _turn(calls: list[ToolCallPart], server_ids: set[str | None], results: list[ToolResultPart]) -> list[str]:
    problems: list[str] = []
    with_id = Counter(call.tool_call_id for call in calls if call.tool_call_id)
    problems.extend(f"{count} calls with the id {name!r}" for name, count in with_id.items() if count > 1)
    answers = Counter(result.tool_call_id for result in results if result.tool_call_id)
    for name, count in answers.items():
        if name in with_id:
            if count > 1:
                problems.append(f"{count} results for the call {name!r}")
        elif name not in server_ids:
            problems.append(f"result {name!r} without a call")
    unanswered = sum(1 for call in calls if not call.tool_call_id or call.tool_call_id not in answers)
    without_id = sum(1 for result in results if not result.tool_call_id)
    if unanswered > without_id:
        problems.append(f"{unanswered - without_id} calls without a result")
    if unanswered < without_id:
        problems.append(f"{without_id - unanswered} results without an id and without a call")
    return problems
