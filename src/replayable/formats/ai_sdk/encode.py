"""From a prompt to a prompt of the AI SDK, or a list of its messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._node import wire_of
from ...messages import Message, SystemMessage
from ...prompt import Prompt, ProviderTool, unchanged_list
from ..rewriting import Losses, fill_missing_ids, renewed_list, renewed_request, take_output_limit
from ..wire import Encoded, Wire, options_of
from .decode import SYSTEM, list_key
from .names import API, CONTENT, CORE, STYLE
from .tools import encode_tool_choice, encode_tools
from .write import write_messages

__all__ = ["encode"]


def encode(prompt: Prompt) -> Encoded:
    """Write a prompt as the options of a model call, or as a bare list of messages when it came from one.

    What nobody touched comes back as the very object that was decoded. From another API the messages become model
    messages, and the declared function tools and the tool choice are converted; what this wire can't express is listed
    in ``changes``.
    """
    losses = Losses(API, prompt.messages)
    if prompt.api != API:
        return _converted(prompt, losses)
    unchanged = unchanged_list(prompt, API)
    system, listed = _split_system(prompt.messages)
    if prompt.request is None:
        wires = unchanged or write_messages((*system, *listed), API, CORE, losses, own=True)
        return Encoded(request=renewed_list(prompt, wires), changes=tuple(losses.changes))
    wires = unchanged or write_messages(listed, API, CORE, losses, own=True)
    given, _ = wire_of(prompt)
    known = given if isinstance(given, dict) else prompt.request
    fields: Wire = {list_key(given) if isinstance(given, dict) else _list_key(prompt, system): wires}
    if system or isinstance(known.get("system"), str):
        fields["system"] = _system_text(system)
    request = renewed_request(prompt, fields, losses, tools=lambda: _about_tools(prompt))
    return Encoded(request=request, changes=tuple(losses.changes))


def _list_key(prompt: Prompt, system: Sequence[SystemMessage]) -> str:
    """The field for the messages of a request that is forgotten: a model call has neither model nor system text, and
    never a content that is a string."""
    if system or {"model", "prompt", "system"} & (prompt.request or {}).keys():
        return "messages"
    noted = any({STYLE, CONTENT} & options_of(message, API).keys() for message in prompt.messages)
    return "messages" if noted else "prompt"


def _about_tools(prompt: Prompt) -> tuple[Wire, list[ProviderTool]]:
    tools, foreign = encode_tools(prompt)
    return {**tools, **encode_tool_choice(prompt.tool_choice)[0]}, foreign


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
    wires = write_messages(fill_missing_ids(prompt.messages, losses), API, CORE, losses, own=False)
    if prompt.request is None:
        losses.request({})
        return Encoded(request=wires, changes=tuple(losses.changes))
    request: Wire = {"prompt": wires}
    tools, foreign = encode_tools(prompt)
    request.update(tools)
    choice, complete = encode_tool_choice(prompt.tool_choice)
    request.update(choice)
    if not complete:
        losses.value("tool-choice", prompt.tool_choice, choice)
    limit, left = take_output_limit(prompt.request)
    if limit is not None:
        request["maxOutputTokens"] = limit
    # The model is not among the options of a call: the call is made on it.
    losses.request(left, kept={"model"}, foreign=foreign)
    return Encoded(request=request, changes=tuple(losses.changes))
