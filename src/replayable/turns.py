"""A turn with tools: an assistant message with calls, and the run of tool messages directly after it."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence

from .facts import CALLS, TOOL, facts_of
from .messages import Message, ToolCallPart, ToolResultPart

__all__ = [
    "after_last_user",
    "client_calls",
    "client_results",
    "loop_start",
    "match_results",
    "matched_results",
    "run_end",
]


def client_calls(message: Message) -> Iterator[tuple[int, ToolCallPart]]:
    """Yield the calls that the client, not the provider's server, has to answer, each with its part index."""
    if facts_of(message) & CALLS:
        for index, part in enumerate(message.parts):
            if part.type == "tool_call" and not part.provider_executed:
                yield index, part


def client_results(message: Message) -> Iterator[tuple[int, ToolResultPart]]:
    """Yield the results that the client gave, each with its part index."""
    for index, part in enumerate(message.parts):
        if part.type == "tool_result" and not part.provider_executed:
            yield index, part


def after_last_user(messages: Sequence[Message]) -> int:
    """Return where the messages begin that stand behind the last user message; 0 where there is none."""
    index = len(messages)
    while index and messages[index - 1].role != "user":
        index -= 1
    return index


def loop_start(messages: Sequence[Message]) -> int:
    """Return where the messages begin that stand behind the last user message which follows no results.

    On Anthropic's wire results are the user's, so that words behind them are one turn with them and end no loop.
    """
    start = 0
    behind_results = False
    for index, message in enumerate(messages):
        if message.role != "user":
            behind_results = message.role == "tool"
        elif not behind_results:
            start = index + 1
    return start


def run_end(messages: Sequence[Message], index: int) -> int:
    """Return where the run of tool messages ends that starts directly after ``messages[index]``."""
    end = index + 1
    while end < len(messages) and facts_of(messages[end]) & TOOL:
        end += 1
    return end


def matched_results(
    messages: Sequence[Message], index: int
) -> Iterator[tuple[ToolResultPart, int, ToolCallPart]]:
    """Yield the results in the run behind ``messages[index]`` that answer one of its calls, with the call and its place."""
    calls = [call for _, call in client_calls(messages[index])]
    run = messages[index + 1 : run_end(messages, index)]
    results = [result for following in run for _, result in client_results(following)]
    for result, match in zip(results, match_results(calls, results), strict=True):
        if match is not None:
            yield result, match, calls[match]


def match_results(calls: Sequence[ToolCallPart], results: Sequence[ToolResultPart]) -> list[int | None]:
    """Say for each result of a turn's run which call it answers, as an index into ``calls``; None for none of them.

    By id first; where several calls share an id, in order. A result without an id answers a call that no id answers:
    the next one of its tool's name, else the next one by position.
    """
    # Mostly all have ids of their own.
    by_id = {call.tool_call_id: index for index, call in enumerate(calls)}
    if len(by_id) == len(calls) and all(result.tool_call_id for result in results):
        return [by_id.get(result.tool_call_id) for result in results]
    sharing: dict[str, list[int]] = defaultdict(list)
    for index, call in enumerate(calls):
        if call.tool_call_id:
            sharing[call.tool_call_id].append(index)
    used: dict[str, int] = defaultdict(int)
    answered: set[int] = set()
    matches: list[int | None] = []
    without_id: list[int] = []
    for number, result in enumerate(results):
        match: int | None = None
        if not result.tool_call_id:
            without_id.append(number)
        elif result.tool_call_id in sharing:
            same = sharing[result.tool_call_id]
            # More results than calls: they are rivals for the last one.
            match = same[min(used[result.tool_call_id], len(same) - 1)]
            used[result.tool_call_id] += 1
            answered.add(match)
        matches.append(match)
    if without_id:
        free = [index for index in range(len(calls)) if index not in answered]
        _match_by_position(calls, results, free, without_id, matches)
    return matches


def _match_by_position(
    calls: Sequence[ToolCallPart],
    results: Sequence[ToolResultPart],
    free: list[int],
    without_id: list[int],
    matches: list[int | None],
) -> None:
    by_name: dict[str, deque[int]] = defaultdict(deque)
    for index in free:
        by_name[calls[index].tool_name].append(index)
    for number in without_id:
        name = results[number].tool_name
        if name and by_name[name]:
            matches[number] = by_name[name].popleft()
    named = {matches[number] for number in without_id}
    left = deque(index for index in free if index not in named)
    for number in without_id:
        if matches[number] is None and left:
            matches[number] = left.popleft()
