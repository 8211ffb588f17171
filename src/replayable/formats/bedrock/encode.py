"""From a prompt to a Bedrock Converse request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ..._node import wire_of
from ...change_log import ChangeLog
from ...compat.rules.tool_call_ids import tool_call_id_format
from ...compat.rules.tool_names import tool_names
from ...messages import Message, SystemMessage
from ...prompt import Prompt, ProviderTool, adopted_in, unchanged_list
from ..rewriting import (
    Losses,
    list_as_it_came,
    renewed_list,
    renewed_request,
    split_system,
    take_output_limit,
)
from ..user_turns import write_turns
from ..wire import Encoded, Wire, options_of, wire_model, with_extras
from .decode import SYSTEM
from .names import API
from .tools import NO_INPUT, encode_tool_choice, encode_tools
from .write import Writer

__all__ = ["encode"]

# https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html
_NAMES_AND_IDS: Final = (
    tool_call_id_format(
        "tool-call-ids",
        pattern=r"[a-zA-Z0-9_.:-]{1,64}",
        summary="Ids of calls of another API that Converse does not take, and missing ones, are rewritten.",
        evidence=(),
    ),
    tool_names(
        "tool-names",
        summary="Names of tools of another API that Converse does not take are rewritten, everywhere.",
        evidence=(),
    ),
)


def encode(prompt: Prompt) -> Encoded:
    """Write a prompt as the body of a Converse request with ``modelId``, as boto3 takes it, or as a bare list of messages.

    What nobody touched comes back as the very object that was decoded. From another API the messages, the declared
    function tools and the tool choice are converted; what this wire can't express is listed in ``changes``. Data is
    written as Python bytes, as boto3 takes it, unless the prompt holds data of this API in base64. Where calls or results
    are sent without any tool declared, which Converse refuses, the called tools are declared by their names.
    """
    if prompt.api == API and (unchanged_list(prompt, API) is not None or not adopted_in(prompt)):
        return _encode(prompt, Losses(API, prompt.messages))
    log = ChangeLog(prompt.messages)
    for rule in _NAMES_AND_IDS:
        suited = None if rule.apply_to_prompt is None else rule.apply_to_prompt(prompt)
        if suited is not None:
            log.record(prompt, suited, processor=f"formats.{API}", rule=rule.name)
            prompt = suited
    encoded = _encode(prompt, Losses(API, prompt.messages))
    return Encoded(request=encoded.request, changes=(*log.changes, *encoded.changes), system=encoded.system)


def _encode(prompt: Prompt, losses: Losses) -> Encoded:
    writer = Writer(losses, prompt.messages)
    system, listed = split_system(prompt.messages, as_placed=prompt.api == API)
    system_wire = _system_wire(system, writer, losses)
    wires = list_as_it_came(prompt, losses) or write_turns(
        listed, losses, api=API, blocks=lambda message: writer.blocks(message.parts, message), turn=_turn
    )
    if prompt.request is None:
        if system_wire is not None:
            losses.value("system-stands-beside-the-list", {"system": None}, {"system": system_wire})
        losses.request({})
        return Encoded(request=renewed_list(prompt, wires), changes=tuple(losses.changes), system=system_wire)
    if prompt.api != API:
        return _converted(prompt, system_wire, wires, losses)
    # An empty list of system blocks was kept beside.
    fields = {"messages": wires, "system": system_wire if system else prompt.request.get("system")}
    request = renewed_request(
        prompt, fields, losses, tools=lambda: _about_tools(prompt, losses), model_field="modelId"
    )
    return Encoded(request=request, changes=tuple(losses.changes))


def _turn(message: Message, blocks: list[Any]) -> Wire:
    role = "user" if message.role == "tool" else message.role
    return with_extras({"role": role, "content": blocks}, options_of(message, API))


def _about_tools(prompt: Prompt, losses: Losses) -> tuple[Wire, list[ProviderTool]]:
    tools, foreign = encode_tools(prompt)
    choice, complete = encode_tool_choice(prompt.tool_choice, has_tools=bool(tools))
    if not complete:
        losses.value("tool-choice", prompt.tool_choice, choice)
    config: Wire = {} if tools is None else {"tools": tools}
    if choice is not None:
        config["toolChoice"] = choice
    left = (prompt.request or {}).get("toolConfig") if prompt.api == API else None
    if isinstance(left, dict):
        config = {**left, **config}
    # "Member must have length greater than or equal to 1": no tools, no field.
    return ({"toolConfig": config} if tools or (prompt.api == API and config) else {}), foreign


def _converted(prompt: Prompt, system: Any, wires: list[Any], losses: Losses) -> Encoded:
    request: Wire = {}
    model = wire_model(prompt, "modelId")
    if model is not None:
        request["modelId"] = model
    request["messages"] = wires
    if system is not None:
        request["system"] = system
    limit, left = take_output_limit(prompt.request or {})
    if limit is not None:
        request["inferenceConfig"] = {"maxTokens": limit}
    about_tools, foreign = _about_tools(prompt, losses)
    demanded = None if about_tools else _demanded_tools(prompt.messages)
    if demanded is not None:
        about_tools = {"toolConfig": demanded}
        losses.value("tools-demanded", None, about_tools)
    request.update(about_tools)
    losses.fields_of(tool for tool in prompt.tools or () if tool.type == "function")
    losses.request(left, kept={"model"} if model is not None else frozenset(), foreign=foreign)
    return Encoded(request=request, changes=tuple(losses.changes))


def _demanded_tools(messages: Sequence[Message]) -> Wire | None:
    """The tools that were called.

    "The toolConfig field must be defined when using toolUse and toolResult content blocks."
    """
    parts = [
        part
        for message in messages
        for part in message.parts
        if (part.type == "tool_call" or part.type == "tool_result") and not part.provider_executed
    ]
    names = dict.fromkeys(part.tool_name for part in parts if part.tool_name is not None)
    if not parts:
        return None
    return {
        "tools": [
            {"toolSpec": {"name": name, "inputSchema": {"json": NO_INPUT}}} for name in names or ("tool",)
        ]
    }


# --- system -----------------------------------------------------------------------------------------------------


def _system_wire(system: list[SystemMessage], writer: Writer, losses: Losses) -> Any:
    if not system:
        return None
    if len(system) == 1:
        wire, piece = wire_of(system[0])
        if piece is SYSTEM:
            return wire
    losses.fields_of(node for message in system for node in (message, *message.parts))
    blocks: list[Any] = []
    for message in system:
        for block in writer.blocks(message.parts, message):
            if block == {"text": ""}:
                # "Member must have length greater than or equal to 1"
                losses.value("blank-system-text", block)
            else:
                blocks.append(block)
    return blocks or None
