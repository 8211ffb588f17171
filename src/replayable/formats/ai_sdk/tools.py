"""Declared tools and the tool choice of a call to a language model."""

from __future__ import annotations

from typing import Any, Final

from ..._node import build, defaults, piece_of
from ...prompt import Prompt, ProviderTool, ToolChoice, ToolDefinition
from ..wire import Wire, options_of, rest, sent
from .names import API

__all__ = ["decode_tool_choice", "decode_tools", "encode_tool_choice", "encode_tools"]

_WHOLE: Final = piece_of(API)
_TOOL: Final = frozenset({"type", "name", "description", "inputSchema", "strict"})
_TYPES: Final = ("auto", "none", "required", "tool")
_NO_INPUT: Final[Wire] = {"type": "object", "properties": {}}


def decode_tools(wire: Wire) -> tuple[ToolDefinition | ProviderTool, ...] | None:
    """Read ``tools``; None when there is no list of them (``generateText`` takes an object of functions)."""
    return tuple(_tool(tool) for tool in wire["tools"]) if isinstance(wire.get("tools"), list) else None


def _tool(tool: Any) -> ToolDefinition | ProviderTool:
    if not isinstance(tool, dict) or not isinstance(tool.get("name"), str) or tool.get("type") != "function":
        return build(ProviderTool, {"type": "provider", "api": API, "value": tool}, tool, _WHOLE)
    options = rest(tool, _TOOL)
    fields = {**defaults(ToolDefinition), "name": tool["name"]}
    for key, field, kind in (
        ("description", "description", str),
        ("inputSchema", "parameters", dict),
        ("strict", "strict", bool),
    ):
        if isinstance(tool.get(key), kind):
            fields[field] = tool[key]
        elif key in tool:
            options[key] = tool[key]
    fields["provider_options"] = {API: options} if options else None
    return build(ToolDefinition, fields, tool, _WHOLE)


def decode_tool_choice(wire: Wire) -> ToolChoice | None:
    """Read ``toolChoice``; None when there is none that is known."""
    given = wire.get("toolChoice")
    if not isinstance(given, dict) or given.get("type") not in _TYPES:
        return None
    name = given.get("toolName")
    fields = {
        **defaults(ToolChoice),
        "type": given["type"],
        "tool_name": name if isinstance(name, str) else None,
        "provider_options": {API: {"$wire": given}},
    }
    return build(ToolChoice, fields)


def encode_tools(prompt: Prompt) -> tuple[Wire, list[ProviderTool]]:
    """Return the field that declares the tools, and the tools that only another API knows."""
    if prompt.tools is None:
        return {}, []
    tools: list[Any] = []
    foreign: list[ProviderTool] = []
    for tool in prompt.tools:
        if isinstance(tool, ToolDefinition):
            tools.append(_encode_tool(tool))
        elif tool.api == API:
            tools.append(tool.value)
        else:
            foreign.append(tool)
    return ({"tools": tools} if tools or prompt.api == API else {}), foreign


def _encode_tool(tool: ToolDefinition) -> Wire:
    wire: Wire = {"type": "function", "name": tool.name}
    if tool.description is not None:
        wire["description"] = tool.description
    if tool.parameters is not None or API not in (tool.provider_options or {}):
        wire["inputSchema"] = _NO_INPUT if tool.parameters is None else tool.parameters
    if tool.strict is not None:
        wire["strict"] = tool.strict
    return {**wire, **sent(options_of(tool, API))}


def encode_tool_choice(choice: ToolChoice | None) -> tuple[Wire, bool]:
    """Return the field that says the tool choice, and whether it says all of it."""
    if choice is None:
        return {}, True
    given = options_of(choice, API).get("$wire")
    if given is not None:
        return {"toolChoice": given}, True
    only = choice.allowed[0] if choice.allowed is not None and len(choice.allowed) == 1 else None
    if only is not None and choice.type == "required":
        return {"toolChoice": {"type": "tool", "toolName": only}}, choice.parallel is None
    name = {"toolName": choice.tool_name} if choice.type == "tool" else {}
    complete = choice.allowed is None and choice.parallel is None
    return {"toolChoice": {"type": choice.type, **name}}, complete
