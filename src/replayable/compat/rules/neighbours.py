"""Whose messages stand next to each other."""

from __future__ import annotations

from collections.abc import Set
from itertools import pairwise
from operator import attrgetter

from ...messages import Messages

__all__ = ["follow"]

_role = attrgetter("role")


def follow(messages: Messages, pairs: Set[tuple[str, str]]) -> bool:
    """Tell whether a message of one role directly follows that of another anywhere; a long history is looked at quickly.

    Args:
        messages: The history.
        pairs: The roles, each the first one's and that of the one behind it.
    """
    return not pairs.isdisjoint(pairwise(map(_role, messages)))
