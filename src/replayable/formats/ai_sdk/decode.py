"""From a prompt of the AI SDK, or a list of its messages, to a prompt."""

from __future__ import annotations

from typing import Any, Final

from ..._node import build, defaults, make, piece_of
from ...errors import HistoryFormatError
from ...facts import build_message
from ...messages import SystemMessage, TextPart
from ...prompt import Prompt, remember_list
from ..wire import as_list, as_object, rest
from .names import API
from .read import read_messages
from .tools import decode_tool_choice, decode_tools

__all__ = ["SYSTEM", "decode", "list_key"]

SYSTEM: Final = piece_of(f"{API}.system")
"""The piece of a system message whose wire object is the request's own ``system``."""


def list_key(wire: dict[str, Any]) -> str:
    """Return the field in which a request holds its messages."""
    return "prompt" if isinstance(wire.get("prompt"), list) or "messages" not in wire else "messages"


def decode(request: Any, *, provider: str | None = None, model: str | None = None) -> Prompt:
    """Read the options of a model call (``{prompt, tools, …}``), a request with ``messages``, or a bare list of messages.

    Model messages of all versions and UI messages are read; a UI message with several steps becomes several messages.

    Args:
        request: As it would be passed to the SDK, as JSON; it is borrowed, not copied, and never changed.
        provider: Who made the assistant messages, if known; else they are known by their API alone.
        model: The model that made them.

    Raises:
        HistoryFormatError: Something in it is not of the shape that this API has.
    """
    if isinstance(request, list):
        messages = read_messages(request, "", API, provider, model)
        fields = {**defaults(Prompt), "messages": messages, "api": API}
        return remember_list(build(Prompt, fields, request, piece_of(API)), request)
    wire = as_object(request, "", "a request (an object with prompt or messages) or a list of messages")
    key = list_key(wire)
    if key not in wire:
        raise HistoryFormatError(path=key, found="nothing", expected="a list of messages")
    wires = as_list(wire[key], key, "a list of messages")
    messages = read_messages(wires, key, API, provider, model)
    known = {key, "tools", "toolChoice"} if isinstance(wire.get("tools"), list) else {key, "toolChoice"}
    system = wire.get("system")
    if isinstance(system, str):
        known.add("system")
        fields = {**make(SystemMessage, parts=(make(TextPart, text=system),), placement="top").__dict__}
        messages = (build_message(SystemMessage, fields, system, SYSTEM), *messages)
    choice = decode_tool_choice(wire)
    if choice is None:
        known.discard("toolChoice")
    fields = {
        **defaults(Prompt),
        "messages": messages,
        "tools": decode_tools(wire),
        "tool_choice": choice,
        "thinking": _thinking(wire.get("providerOptions")),
        "api": API,
        "request": rest(wire, frozenset(known)),
    }
    return remember_list(build(Prompt, fields, wire, piece_of(API)), wires)


def _thinking(options: Any) -> bool | None:
    """Whether reasoning is switched on, where the options of the one provider that needs to know it say so."""
    own = options.get("anthropic") if isinstance(options, dict) else None
    thinking = own.get("thinking") if isinstance(own, dict) else None
    if not isinstance(thinking, dict):
        return None
    return {"enabled": True, "adaptive": True, "disabled": False}.get(str(thinking.get("type")))
