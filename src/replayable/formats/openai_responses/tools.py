"""Declared tools and the tool choice of an OpenAI Responses request."""

from __future__ import annotations

from typing import Any, Final

from ..._node import build, defaults, piece_of
from ...prompt import Prompt, ProviderTool, ToolChoice, ToolDefinition
from ..wire import LIST, Wire, kind_of, options_of, rest, with_extras
from .names import API

__all__ = ["decode_tool_choice", "decode_tools", "encode_tool_choice", "encode_tools"]

_WHOLE: Final = piece_of(API)
_TOOL: Final = frozenset({"type", "name", "description", "parameters", "strict"})
_CHOICES: Final = ("auto", "none", "required")
_NO_INPUT: Final[Wire] = {"type": "object", "properties": {}}


def decode_tools(wire: Wire) -> tuple[ToolDefinition | ProviderTool, ...] | None:
    """Read ``tools``; None when there are none."""
    return tuple(_tool(tool) for tool in wire["tools"]) if isinstance(wire.get("tools"), LIST) else None


def _tool(tool: Any) -> ToolDefinition | ProviderTool:
    if not isinstance(tool, dict) or tool.get("type") != "function" or not isinstance(tool.get("name"), str):
        return build(ProviderTool, {"type": "provider", "api": API, "value": tool}, tool, _WHOLE)
    options = rest(tool, _TOOL)
    fields = {**defaults(ToolDefinition), "name": tool["name"]}
    for key, kind in (("description", str), ("parameters", dict), ("strict", bool)):
        if isinstance(tool.get(key), kind):
            fields[key] = tool[key]
        elif key in tool:
            options[key] = tool[key]
    fields["provider_options"] = {API: options} if options else None
    return build(ToolDefinition, fields, tool, _WHOLE)


def decode_tool_choice(wire: Wire) -> tuple[ToolChoice | None, tuple[str, ...]]:
    """Read ``tool_choice`` and ``parallel_tool_calls``; None when neither says anything, and the fields that were read."""
    read: Wire = {}
    fields: dict[str, Any] = dict(defaults(ToolChoice))
    choice = _choice(wire.get("tool_choice"))
    if choice is not None:
        fields.update(choice)
        read["tool_choice"] = wire["tool_choice"]
    if isinstance(wire.get("parallel_tool_calls"), bool):
        fields["parallel"] = read["parallel_tool_calls"] = wire["parallel_tool_calls"]
    if not read:
        return None, ()
    fields["provider_options"] = {API: {"$wire": read}}
    return build(ToolChoice, fields), tuple(read)


def _choice(value: Any) -> Wire | None:
    if isinstance(value, str) and value in _CHOICES:
        return {"type": value}
    if not isinstance(value, dict):
        return None
    if kind_of(value) == "function" and isinstance(value.get("name"), str):
        return {"type": "tool", "tool_name": value["name"]}
    tools, mode = value.get("tools"), value.get("mode")
    if kind_of(value) != "allowed_tools" or not isinstance(tools, LIST) or mode not in ("auto", "required"):
        return None
    names = [tool.get("name") if isinstance(tool, dict) else None for tool in tools]
    if not all(
        isinstance(name, str) and kind_of(tool) == "function" for name, tool in zip(names, tools, strict=True)
    ):
        # One of OpenAI's own tools has no name.
        return None
    return {"type": mode, "allowed": tuple(names)}


def encode_tools(prompt: Prompt) -> tuple[Wire, list[ProviderTool]]:
    """Return the field that declares the tools, and the tools that this API doesn't know."""
    if prompt.tools is None:
        return {}, []
    tools: list[Any] = []
    foreign: list[ProviderTool] = []
    for tool in prompt.tools:
        if isinstance(tool, ToolDefinition):
            tools.append(_encode_tool(tool, own=prompt.api == API))
        elif tool.api == API:
            tools.append(tool.value)
        else:
            foreign.append(tool)
    return ({"tools": tools} if tools or prompt.api == API else {}), foreign


def _encode_tool(tool: ToolDefinition, *, own: bool) -> Wire:
    wire: Wire = {"type": "function", "name": tool.name}
    if tool.description is not None:
        wire["description"] = tool.description
    if tool.parameters is not None:
        wire["parameters"] = tool.parameters
    elif not own:
        wire["parameters"] = _NO_INPUT
    if tool.strict is not None:
        wire["strict"] = tool.strict
    elif not own:
        # Left out it would mean true here, and false on the other wires.
        wire["strict"] = False
    return with_extras(wire, options_of(tool, API))


def encode_tool_choice(choice: ToolChoice | None, *, has_tools: bool) -> Wire:
    """Return the fields that say the tool choice; none without tools, which the API refuses."""
    if choice is None:
        return {}
    given = options_of(choice, API).get("$wire")
    # What was read goes back as it was, as long as it still says what the choice says.
    if isinstance(given, dict) and decode_tool_choice(given)[0] == choice:
        return dict(given)
    if not has_tools:
        return {}
    wire: Wire = {"tool_choice": _encode_choice(choice)}
    if choice.parallel is not None:
        wire["parallel_tool_calls"] = choice.parallel
    return wire


def _encode_choice(choice: ToolChoice) -> Any:
    if choice.type == "tool":
        return {"type": "function", "name": choice.tool_name}
    if choice.allowed is not None:
        tools = [{"type": "function", "name": name} for name in choice.allowed]
        return {"type": "allowed_tools", "mode": choice.type, "tools": tools}
    return choice.type
