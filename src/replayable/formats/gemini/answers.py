"""Which call a result answers: its name, which this wire demands, and its place, where position tells."""

from __future__ import annotations

from collections.abc import Sequence

from ..._node import wire_of
from ...facts import CALLS, facts_of
from ...messages import Message
from ...turns import client_calls, client_results, match_results, run_end
from .names import API

__all__ = ["answers_of"]


def answers_of(messages: Sequence[Message]) -> dict[int, tuple[int, str]]:
    """Return the place in its turn, and the tool's name, of the call that a result answers, by the result's identity.

    Turns of which nobody touched a result are left out: these go back as they are.
    """
    answers: dict[int, tuple[int, str]] = {}
    for index, message in enumerate(messages):
        if message.role != "assistant" or not facts_of(message) & CALLS:
            continue
        run = messages[index + 1 : run_end(messages, index)]
        if all(_is_untouched(following) for following in run):
            continue
        calls = [call for _, call in client_calls(message)]
        results = [result for following in run for _, result in client_results(following)]
        for result, match in zip(results, match_results(calls, results), strict=True):
            if match is not None:
                answers[id(result)] = match, calls[match].tool_name
    return answers


def _is_untouched(message: Message) -> bool:
    _, piece = wire_of(message)
    return piece is not None and piece.api == API
