"""From a Bedrock Converse request to a prompt."""

from __future__ import annotations

from typing import Any, Final

from ..._node import build, defaults, piece_of
from ...facts import build_message
from ...messages import AssistantMessage, Message, SystemMessage
from ...prompt import Prompt, remember_list
from ..mixed import reads_other_apis
from ..user_turns import split_turn
from ..wire import MISSING, Wire, as_object, fault, list_of_messages, read_each, rest
from .names import API
from .read import assistant_block, block, read_blocks, user_block
from .tools import decode_tool_config

__all__ = ["SYSTEM", "decode"]

_WHOLE: Final = piece_of(API)
SYSTEM: Final = piece_of(f"{API}.system")
"""The piece of a system message whose wire object is the request's own ``system``."""
_COMMON: Final = frozenset({"role", "content"})
# What models of Anthropic, Amazon and others take among `additionalModelRequestFields`.
_THINKING: Final = ("thinking", "reasoning_config", "reasoningConfig", "reasoning_effort")
# The ARN of a prompt from Prompt management: its messages stand before these, and its tools with it
# (https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-management-test.html).
_PROMPT: Final = ":prompt/"
_OFF: Final = frozenset({"disabled", "none"})


@reads_other_apis(API)
def decode(request: Any, *, provider: str | None = None, model: str | None = None) -> Prompt:
    """Read the body of a Converse request (or boto3's arguments, ``modelId`` included), or a bare list of messages.

    Bytes may stand in it as Python bytes, as boto3 takes them, or in base64, as they are sent. A user turn with tool
    results and other content becomes several messages; they go back as one. A cache point is noted with the part
    before it.

    Args:
        request: The body as it would be sent; it is borrowed, not copied, and never changed.
        provider: Who made the assistant messages, if known; else they are known by their API alone.
        model: The model that made them.

    Raises:
        HistoryFormatError: Something in it is not of the shape that this API has.
    """
    wire, wires, path = list_of_messages(request)
    messages = _messages(wires, path, provider, model)
    if wire is None:
        bare = build(Prompt, defaults(Prompt) | {"messages": tuple(messages), "api": API}, request, _WHOLE)
        return remember_list(bare, wires)
    tools, choice, left = decode_tool_config(wire.get("toolConfig"))
    # An empty list says nothing, and is kept beside.
    system = _system(wire) if wire.get("system") else ()
    known = {"messages", "toolConfig", *(("system",) if system else ())}
    others = rest(wire, frozenset(known))
    if left is not None or ("toolConfig" in wire and tools is None):
        others["toolConfig"] = left
    model_id = wire.get("modelId")
    fields = defaults(Prompt) | {
        "messages": (*system, *messages),
        "tools": tools,
        "tool_choice": choice,
        "thinking": _thinking(wire.get("additionalModelRequestFields")),
        "server_state": True if isinstance(model_id, str) and _PROMPT in model_id else None,
        "api": API,
        "request": others,
    }
    return remember_list(build(Prompt, fields, wire, _WHOLE), wires)


def _thinking(fields: Any) -> bool | None:
    for name in _THINKING if isinstance(fields, dict) else ():
        value = fields.get(name)
        kind = value.get("type") if isinstance(value, dict) else value
        if isinstance(kind, str):
            return kind not in _OFF
    return None


def _system(wire: Wire) -> tuple[SystemMessage, ...]:
    fields = defaults(SystemMessage) | {"parts": read_blocks(wire, "system", block), "placement": "top"}
    return (build_message(SystemMessage, fields, wire["system"], SYSTEM),)


def _messages(wires: list[Any], path: str, provider: str | None, model: str | None) -> list[Message]:
    messages: list[Message] = []

    def read(value: Any) -> None:
        wire = as_object(value, "", "a message (an object with role and content)")
        match wire.get("role", MISSING):
            case "user":
                parts = read_blocks(wire, "content", user_block)
                follows_results = bool(messages) and messages[-1].role == "tool"
                extra = rest(wire, _COMMON)
                messages.extend(split_turn(wire, parts, extra, API, follows_results=follows_results))
            case "assistant":
                messages.append(_assistant(wire, provider, model))
            case "system":
                messages.append(_listed_system(wire))
            case role:
                raise fault("role", role, "one of the roles user, assistant, system")

    read_each(wires, path, read)
    return messages


def _assistant(wire: Wire, provider: str | None, model: str | None) -> AssistantMessage:
    fields = defaults(AssistantMessage).copy()
    fields["parts"] = read_blocks(wire, "content", assistant_block)
    extra = rest(wire, _COMMON)
    if extra:
        fields["provider_options"] = {API: extra}
    fields["provider"], fields["api"], fields["model"] = provider, API, model
    return build_message(AssistantMessage, fields, wire, _WHOLE)


def _listed_system(wire: Wire) -> SystemMessage:
    extra = rest(wire, _COMMON)
    fields = defaults(SystemMessage) | {
        "parts": read_blocks(wire, "content", block),
        "placement": "list",
        "provider_options": {API: extra} if extra else None,
    }
    return build_message(SystemMessage, fields, wire, _WHOLE)
