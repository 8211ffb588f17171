"""Declared tools and the tool choice of an Anthropic request."""

from __future__ import annotations

from typing import Any, Final

from ..._node import build, defaults, piece_of
from ...prompt import Prompt, ProviderTool, ToolChoice, ToolDefinition
from ..rewriting import Losses
from ..wire import LIST, Wire, kind_of, options_of, rest, with_extras
from .names import API

__all__ = ["decode_tool_choice", "decode_tools", "encode_tool_choice", "encode_tools"]

_WHOLE: Final = piece_of(API)
_TOOL: Final = frozenset({"name", "description", "input_schema", "strict"})
_TYPES: Final = {"auto": "auto", "any": "required", "none": "none", "tool": "tool"}
_WIRE_TYPES: Final = {"auto": "auto", "required": "any", "none": "none", "tool": "tool"}
_NO_INPUT: Final[Wire] = {"type": "object", "properties": {}}


def decode_tools(wire: Wire) -> tuple[ToolDefinition | ProviderTool, ...] | None:
    """Read ``tools``; None when there are none."""
    return tuple(_tool(tool) for tool in wire["tools"]) if isinstance(wire.get("tools"), LIST) else None


def _tool(tool: Any) -> ToolDefinition | ProviderTool:
    if (
        not isinstance(tool, dict)
        or not isinstance(tool.get("name"), str)
        or tool.get("type", "custom") != "custom"
    ):
        return build(ProviderTool, {"type": "provider", "api": API, "value": tool}, tool, _WHOLE)
    options = rest(tool, _TOOL)
    fields = {**defaults(ToolDefinition), "name": tool["name"]}
    for key, field, kind in (
        ("description", "description", str),
        ("input_schema", "parameters", dict),
        ("strict", "strict", bool),
    ):
        if isinstance(tool.get(key), kind):
            fields[field] = tool[key]
        elif key in tool:
            options[key] = tool[key]
    fields["provider_options"] = {API: options} if options else None
    return build(ToolDefinition, fields, tool, _WHOLE)


def decode_tool_choice(given: Any) -> ToolChoice | None:
    """Read the field ``tool_choice``; None when it is none of the kinds that are known."""
    if not isinstance(given, dict) or kind_of(given) not in _TYPES:
        return None
    name, serial = given.get("name"), given.get("disable_parallel_tool_use")
    if kind_of(given) == "tool" and not isinstance(name, str):
        return None
    fields = {
        **defaults(ToolChoice),
        "type": _TYPES[kind_of(given)],
        "tool_name": name if isinstance(name, str) else None,
        "parallel": not serial if isinstance(serial, bool) else None,
        "provider_options": {API: {"$wire": given}},
    }
    return build(ToolChoice, fields)


def encode_tools(prompt: Prompt, losses: Losses) -> tuple[Wire, list[ProviderTool]]:
    """Return the field that declares the tools, and the tools that this API doesn't know."""
    if prompt.tools is None:
        return {}, []
    tools: list[Any] = []
    foreign: list[ProviderTool] = []
    for tool in prompt.tools:
        if isinstance(tool, ToolDefinition):
            tools.append(_encode_tool(tool, losses, is_own=prompt.api == API))
        elif tool.api == API:
            tools.append(tool.value)
        else:
            foreign.append(tool)
    return ({"tools": tools} if tools or prompt.api == API else {}), foreign


def _encode_tool(tool: ToolDefinition, losses: Losses, *, is_own: bool) -> Wire:
    wire: Wire = {"name": tool.name}
    if tool.description is not None:
        wire["description"] = tool.description
    if tool.parameters is not None:
        wire["input_schema"] = tool.parameters
        if "type" not in tool.parameters and not is_own:
            # "tools.0.custom.input_schema.type: Field required"
            wire["input_schema"] = {"type": "object", **tool.parameters}
            losses.value("tool-schema-type-demanded", tool.parameters, wire["input_schema"])
    elif API not in (tool.provider_options or {}):
        wire["input_schema"] = _NO_INPUT
    if tool.strict is not None:
        wire["strict"] = tool.strict
    return with_extras(wire, options_of(tool, API))


def encode_tool_choice(choice: ToolChoice | None, *, has_tools: bool) -> tuple[Wire, bool]:
    """Return the field that says the tool choice, and whether it says all of it.

    Anthropic has no way to name several allowed tools, and takes no choice without tools.
    """
    if choice is None:
        return {}, True
    given = options_of(choice, API).get("$wire")
    # What was read goes back as it was, as long as it still says what the choice says.
    if given is not None and decode_tool_choice(given) == choice:
        return {"tool_choice": given}, True
    if not has_tools:
        return {}, choice.type in ("auto", "none")
    only = choice.allowed[0] if choice.allowed is not None and len(choice.allowed) == 1 else None
    if only is not None and choice.type == "required":
        wire: Wire = {"type": "tool", "name": only}
    else:
        wire = {"type": _WIRE_TYPES[choice.type]}
        if choice.type == "tool":
            wire["name"] = choice.tool_name
    if choice.parallel is not None and choice.type != "none":
        wire["disable_parallel_tool_use"] = not choice.parallel
    narrowed = choice.allowed is not None and "name" not in wire
    return {"tool_choice": wire}, not narrowed
