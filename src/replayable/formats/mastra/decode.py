"""From Mastra's stored messages to a prompt."""

from __future__ import annotations

from typing import Any

from ..._node import build, defaults, piece_of
from ...errors import HistoryFormatError
from ...prompt import Prompt
from ..ai_sdk.read import read_messages
from ..wire import as_list, as_object, rest
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
    if isinstance(request, list):
        messages = read_messages(request, "", API, provider, model)
        return build(Prompt, {**defaults(Prompt), "messages": messages, "api": API}, request, piece_of(API))
    wire = as_object(request, "", "an object with messages, or a list of messages")
    if "messages" not in wire:
        raise HistoryFormatError(path="messages", found="nothing", expected="a list of messages")
    wires = as_list(wire["messages"], "messages", "a list of messages")
    fields = {
        **defaults(Prompt),
        "messages": read_messages(wires, "messages", API, provider, model),
        "api": API,
        "request": rest(wire, frozenset({"messages"})),
    }
    return build(Prompt, fields, wire, piece_of(API))
