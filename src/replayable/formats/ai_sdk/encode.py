"""From a prompt to a prompt of the AI SDK, or a list of its messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ..._node import wire_of
from ...messages import Message, SystemMessage
from ...prompt import Prompt
from ..rewriting import Losses, fill_missing_ids
from ..wire import Encoded, Wire, wire_model
from .decode import SYSTEM, list_key
from .names import API, CORE
from .tools import encode_tool_choice, encode_tools
from .write import write_messages

__all__ = ["encode"]

_LIMITS: Final = ("max_tokens", "max_completion_tokens", "max_output_tokens")


def encode(prompt: Prompt) -> Encoded:
    """Write a prompt as the options of a model call, or as a bare list of messages when it came from one.

    What nobody touched comes back as the very object that was decoded. From another API the messages become model
    messages, and the declared function tools and the tool choice are converted; what this wire can't express is listed
    in ``changes``.
    """
    losses = Losses(API, prompt.messages)
    if prompt.api != API:
        return _converted(prompt, losses)
    system, listed = _split_system(prompt.messages)
    if prompt.request is None:
        wires = write_messages((*system, *listed), API, CORE, losses)
        return Encoded(request=wires, changes=tuple(losses.changes))
    wires = write_messages(listed, API, CORE, losses)
    model = wire_model(prompt) if isinstance(prompt.request.get("model"), str) else None
    if model is not None:
        losses.value("model", {"model": prompt.request["model"]}, {"model": model})
    system_text = _system_text(system)
    wire, piece = wire_of(prompt)
    if isinstance(wire, dict) and piece is not None and piece.api == API:
        key = list_key(wire)
        old = wire[key]
        same = len(old) == len(wires) and all(new is one for new, one in zip(wires, old, strict=True))
        same_system = (
            not isinstance(wire.get("system"), str)
            if system_text is None
            else system_text is wire.get("system")
        )
        if same and same_system and model is None:
            return Encoded(request=wire, changes=tuple(losses.changes))
        request: Wire = {**wire, key: wires}
    else:
        # Where the wire is forgotten, so is the field's name; a system text stands only beside `messages`.
        key = "messages" if system or "prompt" in prompt.request else "prompt"
        tools, _ = encode_tools(prompt)
        request = {**prompt.request, key: wires, **tools, **encode_tool_choice(prompt.tool_choice)[0]}
    if isinstance(request.get("system"), str):
        del request["system"]
    if system_text is not None:
        request["system"] = system_text
    if model is not None:
        request["model"] = model
    return Encoded(request=request, changes=tuple(losses.changes))


def _split_system(messages: Sequence[Message]) -> tuple[list[SystemMessage], Sequence[Message]]:
    """The system messages that stand beside the list, and the list."""
    top: list[SystemMessage] = []
    for message in messages:
        if message.role != "system" or message.placement != "top":
            break
        top.append(message)
    return top, messages[len(top) :]


def _system_text(system: Sequence[SystemMessage]) -> Any:
    if len(system) == 1:
        wire, piece = wire_of(system[0])
        if piece is SYSTEM:
            return wire
    texts = [part.text for message in system for part in message.parts if part.type == "text"]
    return "\n\n".join(texts) if system else None


def _converted(prompt: Prompt, losses: Losses) -> Encoded:
    wires = write_messages(fill_missing_ids(prompt.messages), API, CORE, losses)
    if prompt.request is None:
        losses.request(prompt, frozenset(), ())
        return Encoded(request=wires, changes=tuple(losses.changes))
    request: Wire = {"prompt": wires}
    tools, foreign = encode_tools(prompt)
    request.update(tools)
    choice, complete = encode_tool_choice(prompt.tool_choice)
    request.update(choice)
    if not complete:
        losses.value("tool-choice", prompt.tool_choice, choice)
    limits = [prompt.request[name] for name in _LIMITS if isinstance(prompt.request.get(name), int)]
    if limits:
        request["maxOutputTokens"] = limits[0]
    # The model is not among the options of a call: the call is made on it.
    losses.request(prompt, frozenset({"model", *_LIMITS}), foreign)
    return Encoded(request=request, changes=tuple(losses.changes))
