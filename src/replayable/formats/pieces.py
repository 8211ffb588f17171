"""Wire messages of several pieces: of which of them every piece is there, untouched and adjacent."""

from __future__ import annotations

from collections.abc import Sequence

from .._node import Node, wire_of
from ..facts import TOOL, facts_of
from ..messages import Message

__all__ = ["intact_pieces", "intact_wires", "take_for_touched"]


def intact_wires(messages: Sequence[Message], api: str) -> list[int]:
    """Say for each message how many pieces the untouched wire message of ``api`` has that starts there.

    A run of tool messages of which one is new is to be written as one turn, since all its results must stand together:
    in it no wire message counts as untouched.

    Returns:
        For each message the number of pieces; -1 for a message inside such a wire message; 0 for one to be written anew.
    """
    intact = [0] * len(messages)
    index = 0
    while index < len(messages):
        total = intact_pieces(messages, index, api)
        if total:
            intact[index : index + total] = [total] + [-1] * (total - 1)
        index += total or 1
    if 0 in intact:
        _break_mixed_runs(messages, intact)
    return intact


def intact_pieces(nodes: Sequence[Node], index: int, api: str) -> int:
    """Return how many nodes from here on are all that one wire object of ``api`` was read as; 0 if one was touched."""
    wire, piece = wire_of(nodes[index])
    if piece is None or piece.api != api or piece.position != 0:
        return 0
    if piece.total > 1:
        following = nodes[index : index + piece.total]
        if len(following) < piece.total:
            return 0
        for position, node in enumerate(following):
            other, other_piece = wire_of(node)
            if other is not wire or other_piece is None or other_piece.position != position:
                return 0
    return piece.total


def _break_mixed_runs(messages: Sequence[Message], intact: list[int]) -> None:
    index = 0
    while index < len(intact):
        if not facts_of(messages[index]) & TOOL:
            index += 1
            continue
        end = index
        while end < len(intact) and facts_of(messages[end]) & TOOL:
            end += 1
        if not all(intact[index:end]):
            for place in range(index, end):
                take_for_touched(intact, place)
        index = end


def take_for_touched(intact: list[int], place: int) -> None:
    """Take the whole wire message of a message for touched."""
    if not intact[place]:
        return
    while intact[place] < 0:
        place -= 1
    total = intact[place]
    intact[place : place + total] = [0] * total
