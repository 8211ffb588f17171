"""Which call a result answers: its name, which this wire demands, and its place, where position tells."""

from __future__ import annotations

from collections.abc import Sequence

from ..._node import wire_of
from ...facts import CALLS, facts_of
from ...messages import Message
from ...turns import matched_results, run_end
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
        answers.update(
            (id(result), (place, call.tool_name)) for result, place, call in matched_results(messages, index)
        )
    return answers


def _is_untouched(message: Message) -> bool:
    _, piece = wire_of(message)
    return piece is not None and piece.api == API
