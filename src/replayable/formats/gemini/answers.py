"""Which call a result answers: its name for a wire that demands it, and its place where position tells."""

from __future__ import annotations

from collections.abc import Sequence

from ...facts import CALLS, facts_of
from ...messages import Message, Part
from ...turns import client_calls, client_results, match_results, run_end

__all__ = ["Answers"]


class Answers:
    """The calls that the results of a history answer.

    Args:
        messages: The history.
        in_call_order: Whether results are to follow the order of their calls.
    """

    def __init__(self, messages: Sequence[Message], *, in_call_order: bool) -> None:
        self._in_call_order = in_call_order
        # By the identity of the result, which lives as long as the history: the call's place in its turn, and its name.
        self._calls: dict[int, tuple[int, str]] = {}
        for index, message in enumerate(messages):
            if message.role != "assistant" or not facts_of(message) & CALLS:
                continue
            calls = [call for _, call in client_calls(message)]
            run = messages[index + 1 : run_end(messages, index)]
            results = [result for following in run for _, result in client_results(following)]
            for result, match in zip(results, match_results(calls, results), strict=True):
                if match is not None:
                    self._calls[id(result)] = match, calls[match].tool_name

    def name_of(self, result: Part) -> str | None:
        """The name of the tool that was called; None when nothing called it."""
        return self._calls[id(result)][1] if id(result) in self._calls else None

    def of_run(self, run: Sequence[Message]) -> list[tuple[Message, Part]]:
        """The parts of a run of tool messages, each with its message, in the order in which they are to be sent."""
        parts = [(message, part) for message in run for part in message.parts]
        if self._in_call_order:
            last = len(self._calls)
            parts.sort(key=lambda item: self._calls.get(id(item[1]), (last, ""))[0])
        return parts
