"""User turns that hold tool results beside other content: read as several messages, and folded back into one.

Each stretch of results or of other content becomes a message of its own. The wire object itself goes back only when all
its pieces are there, untouched and adjacent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from .._node import defaults, piece_of, wire_of
from ..facts import build_message
from ..messages import Message, Part, ToolMessage, ToolResultPart, UserMessage
from .pieces import intact_wires, take_for_touched
from .rewriting import Losses
from .wire import Wire, options_of

__all__ = ["CONTINUES", "STARTS", "split_turn", "write_turns"]

CONTINUES: Final = "$continues"
"""On a message: it stood in the same wire message as the one before it."""
STARTS: Final = "$starts"
"""On a message of results: it started a wire message of its own although results stood before it."""


def split_turn(
    wire: object, parts: Sequence[Part], notes: Wire, api: str, *, follows_results: bool
) -> list[Message]:
    """Return the messages of a user turn, one for each stretch of results and of other content.

    Args:
        wire: The turn, as it is to be remembered.
        parts: Its content, in order.
        notes: Its fields beyond role and content, and how its content stood there: kept with the first message.
        api: Whose turn it is.
        follows_results: Whether the message before holds results.
    """
    stretches = _stretches(parts)
    messages: list[Message] = []
    for index, (is_tool, stretch) in enumerate(stretches):
        cls: type[ToolMessage] | type[UserMessage] = ToolMessage if is_tool else UserMessage
        own = notes if index == 0 else {CONTINUES: True}
        if index == 0 and is_tool and follows_results:
            own = {**own, STARTS: True}
        fields = defaults(cls).copy()
        fields["parts"], fields["provider_options"] = stretch, {api: own} if own else None
        messages.append(build_message(cls, fields, wire, piece_of(api, index, len(stretches))))
    return messages


def _stretches(parts: Sequence[Part]) -> list[tuple[bool, tuple[Part, ...]]]:
    """The stretches of results and of other content; whether it is one of results stands before each."""
    are_results = [type(part) is ToolResultPart for part in parts]
    if True not in are_results or False not in are_results:
        return [(True in are_results, tuple(parts))]
    stretches = groupby(zip(are_results, parts, strict=True), itemgetter(0))
    return [(is_tool, tuple(part for _, part in group)) for is_tool, group in stretches]


def write_turns(
    messages: Sequence[Message],
    losses: Losses,
    *,
    api: str,
    blocks: Callable[[Message], list[Any]],
    turn: Callable[[Message, list[Any]], Any],
) -> list[Any]:
    """Return the wire messages: those that nobody touched as they were, a run of results as one, all others anew.

    Args:
        messages: The messages, in order.
        losses: Where it is noted what the wire can't express.
        api: The wire's name.
        blocks: Writes the content of one message.
        turn: Puts a wire message together from the first message in it and all its blocks.
    """
    intact = _without_moved(messages, intact_wires(messages, api), api)
    wires: list[Any] = []
    # Of the turn that is being written: its messages, and their blocks.
    joined: list[Message] = []
    written: list[Any] = []
    for index, message in enumerate(messages):
        content: list[Any] = []
        if not intact[index]:
            losses.fields_of((message, *message.parts))
            content = losses.blaming(message, partial(blocks, message))
            if message.parts and not content:
                # Nothing in it was for this wire, as the losses say: an empty message would be refused.
                continue
        if joined and (intact[index] or not _joins(message, joined[-1], api)):
            wires.append(turn(joined[0], written))
            joined, written = [], []
        if intact[index] > 0:
            wires.append(wire_of(message)[0])
        elif not intact[index]:
            joined.append(message)
            written += content
    if joined:
        wires.append(turn(joined[0], written))
    return wires


def _without_moved(messages: Sequence[Message], intact: list[int], api: str) -> list[int]:
    """Take results that were moved behind others for touched, and these with them: they are to stand in one wire message."""
    for index in range(1, len(messages)):
        moved = intact[index] > 0 and messages[index].role == messages[index - 1].role == "tool"
        if moved and STARTS not in options_of(messages[index], api):
            take_for_touched(intact, index)
            take_for_touched(intact, index - 1)
    return intact


def _joins(message: Message, before: Message, api: str) -> bool:
    """Whether a message goes into the wire message of the one before it."""
    options = options_of(message, api)
    if message.role == "tool":
        return (before.role == "tool" and not options.get(STARTS)) or (
            before.role == "user" and CONTINUES in options
        )
    return message.role == "user" and CONTINUES in options and before.role in ("tool", "user")
