"""From Mastra's stored messages to a prompt."""

from __future__ import annotations

from typing import Any

from ..._node import build, defaults, piece_of
from ...prompt import Prompt, remember_list
from ..ai_sdk.read import read_messages
from ..wire import list_of_messages, rest
from .names import API

__all__ = ["decode"]


def decode(request: Any, *, provider: str | None = None, model: str | None = None) -> Prompt:
    """Read a list of stored messages, bare or as ``messages`` of an object.

    A stored message with several steps becomes several messages, which share its ``id`` and time. Messages of Mastra's
    first format, whose ``content`` is a string or a list, and messages of the AI SDK are read too.

    Args:
        request: The messages as JSON; ``createdAt`` may also be a ``datetime``. They are borrowed, never changed.
        provider: Who made the assistant messages, if known; else they are known by their API alone.
        model: The model that made them.

    Raises:
        HistoryFormatError: Something in it is not of the shape that stored messages have.
    """
    wire, wires, path = list_of_messages(request)
    fields = defaults(Prompt).copy()
    fields["messages"], fields["api"] = read_messages(wires, path, API, provider, model), API
    if wire is not None:
        fields["request"] = rest(wire, frozenset({"messages"}))
    return remember_list(build(Prompt, fields, request, piece_of(API)), wires)
