"""Declared tools on the wires that wrap each in ``{"type": "function", "function": …}``: OpenAI Chat and those like it."""

from __future__ import annotations

from typing import Any, Final

from .._node import build, defaults, piece_of
from ..prompt import Prompt, ProviderTool, ToolDefinition
from .wire import Wire, options_of, rest, with_extras

__all__ = ["provider_tool", "read_function", "read_tool", "written_function", "written_tool", "written_tools"]

_TYPE: Final = "$type"
"""Among a tool's options: its type, where that was not ``function``; ``$absent`` where the wire had none."""
_FUNCTION: Final = frozenset({"name", "description", "parameters", "strict"})


def read_tool(tool: Any, api: str) -> ToolDefinition | ProviderTool:
    """Read a declared tool; one that is no function is kept as it is."""
    if isinstance(tool, dict):
        # Some servers take the function without its `type`.
        options = rest(tool, frozenset({"type", "function"}))
        if tool.get("type") != "function":
            options[_TYPE] = tool.get("type", "$absent")
        if tool.get("type", "function") == "function":
            definition = read_function(tool.get("function"), options, tool, api)
            if definition is not None:
                return definition
    return provider_tool(tool, api)


def provider_tool(tool: Any, api: str) -> ProviderTool:
    """Keep a tool that only its own API knows."""
    return build(ProviderTool, {"type": "provider", "api": api, "value": tool}, tool, piece_of(api))


def read_function(function: Any, options: Wire, tool: Wire | None, api: str) -> ToolDefinition | None:
    """Read a declared function; None when it is none.

    Args:
        function: The function.
        options: What the tool around it says beyond it.
        tool: The tool around it, where there is one.
        api: The format.
    """
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        return None
    more = rest(function, _FUNCTION)
    fields = {**defaults(ToolDefinition), "name": function["name"]}
    for key, kind in (("description", str), ("parameters", dict), ("strict", bool)):
        if isinstance(function.get(key), kind):
            fields[key] = function[key]
        elif key in function:
            more[key] = function[key]
    if more:
        options = {**options, "function": more}
    fields["provider_options"] = {api: options} if options else None
    return build(ToolDefinition, fields, tool, piece_of(api) if tool is not None else None)


def written_tools(prompt: Prompt, api: str) -> tuple[Wire, list[ProviderTool]]:
    """Return the field that declares the tools, and the tools that this API doesn't know."""
    tools: list[Any] = []
    foreign: list[ProviderTool] = []
    for tool in prompt.tools or ():
        if isinstance(tool, ToolDefinition):
            tools.append(written_tool(tool, api))
        elif tool.api == api:
            tools.append(tool.value)
        else:
            foreign.append(tool)
    return ({"tools": tools} if tools or (prompt.api == api and prompt.tools is not None) else {}), foreign


def written_tool(tool: ToolDefinition, api: str) -> Wire:
    """Write a declared tool."""
    options = options_of(tool, api)
    kind = options.get(_TYPE, "function")
    wire: Wire = {} if kind == "$absent" else {"type": kind}
    return with_extras({**wire, "function": written_function(tool, api)}, options)


def written_function(tool: ToolDefinition, api: str) -> Wire:
    """Write a declared function."""
    wire: Wire = {"name": tool.name}
    if tool.description is not None:
        wire["description"] = tool.description
    if tool.parameters is not None:
        wire["parameters"] = tool.parameters
    if tool.strict is not None:
        wire["strict"] = tool.strict
    return {**options_of(tool, api).get("function", {}), **wire}
