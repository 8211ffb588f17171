"""Declared tools and the tool choice of an OpenAI Chat request."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from ..._node import build, defaults, piece_of
from ...prompt import Prompt, ProviderTool, ToolChoice, ToolDefinition
from ..wire import Wire, as_list, options_of, rest, with_extras
from .names import API, LEGACY, TYPE

__all__ = ["decode_tool_choice", "decode_tools", "encode_tool_choice", "encode_tools"]

_WHOLE: Final = piece_of(API)
_FUNCTION: Final = frozenset({"name", "description", "parameters", "strict"})
# OpenAI says "required"; Mistral says "any" and takes both.
_CHOICES: Final = {"auto": "auto", "none": "none", "required": "required", "any": "required"}


Read: TypeAlias = tuple[str, ...]
"""The names of the request's fields that were read, and need not be kept beside."""


def decode_tools(wire: Wire) -> tuple[tuple[ToolDefinition | ProviderTool, ...] | None, Read]:
    """Read ``tools``, or the older ``functions``; None when there are none."""
    if isinstance(wire.get("tools"), list):
        return tuple(_tool(tool) for tool in wire["tools"]), ("tools",)
    if wire.get("functions"):
        functions = as_list(wire["functions"], "functions", "a list of functions")
        tools = tuple(
            _definition(function, {LEGACY: True}, None) or _provider_tool(function) for function in functions
        )
        return tools, ("functions",)
    return None, ()


def _tool(tool: Any) -> ToolDefinition | ProviderTool:
    if isinstance(tool, dict):
        # Some servers take the function without its `type`.
        options = rest(tool, frozenset({"type", "function"}))
        if tool.get("type") != "function":
            options[TYPE] = tool.get("type", "$absent")
        if tool.get("type", "function") == "function":
            definition = _definition(tool.get("function"), options, tool)
            if definition is not None:
                return definition
    return _provider_tool(tool)


def _provider_tool(tool: Any) -> ProviderTool:
    return build(ProviderTool, {"type": "provider", "api": API, "value": tool}, tool, _WHOLE)


def _definition(function: Any, options: Wire, tool: Wire | None) -> ToolDefinition | None:
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
    fields["provider_options"] = {API: options} if options else None
    return build(ToolDefinition, fields, tool, _WHOLE if tool is not None else None)


def decode_tool_choice(wire: Wire) -> tuple[ToolChoice | None, Read]:
    """Read ``tool_choice`` (or the older ``function_call``) and ``parallel_tool_calls``; None when neither says anything."""
    read: dict[str, Any] = {}
    fields = defaults(ToolChoice).copy()
    key = "tool_choice" if "tool_choice" in wire else "function_call"
    choice = _choice(wire.get(key))
    if choice is not None:
        fields.update(choice)
        read[key] = wire[key]
    if isinstance(wire.get("parallel_tool_calls"), bool):
        fields["parallel"] = read["parallel_tool_calls"] = wire["parallel_tool_calls"]
    if not read:
        return None, ()
    fields["provider_options"] = {API: {"$wire": read}}
    return build(ToolChoice, fields), tuple(read)


def _choice(value: Any) -> dict[str, Any] | None:
    if isinstance(value, str) and value in _CHOICES:
        return {"type": _CHOICES[value]}
    if not isinstance(value, dict):
        return None
    function = value.get("function", value)
    if isinstance(function, dict) and isinstance(function.get("name"), str):
        return {"type": "tool", "tool_name": function["name"]}
    allowed = value.get("allowed_tools")
    if isinstance(allowed, dict) and isinstance(allowed.get("tools"), list):
        mode = allowed.get("mode")
        names = [_allowed_name(tool) for tool in allowed["tools"]]
        if isinstance(mode, str) and mode in _CHOICES and all(isinstance(name, str) for name in names):
            return {"type": _CHOICES[mode], "allowed": tuple(names)}
    return None


def _allowed_name(tool: Any) -> Any:
    function = tool.get("function") if isinstance(tool, dict) else None
    return function.get("name") if isinstance(function, dict) else None


def encode_tools(prompt: Prompt) -> tuple[Wire, list[ProviderTool]]:
    """Return the fields that declare the tools, and the tools that this API doesn't know."""
    if prompt.tools is None:
        return {}, []
    tools: list[Any] = []
    functions: list[Any] = []
    foreign: list[ProviderTool] = []
    for tool in prompt.tools:
        if isinstance(tool, ProviderTool):
            if tool.api == API:
                tools.append(tool.value)
            else:
                foreign.append(tool)
        elif LEGACY in options_of(tool, API):
            functions.append(_encode_function(tool))
        else:
            tools.append(_encode_tool(tool))
    if functions:
        return {"functions": functions}, foreign
    return ({"tools": tools} if tools or prompt.api == API else {}), foreign


def _encode_tool(tool: ToolDefinition) -> Wire:
    options = options_of(tool, API)
    kind = options.get(TYPE, "function")
    wire: Wire = {} if kind == "$absent" else {"type": kind}
    return with_extras({**wire, "function": _encode_function(tool)}, options)


def _encode_function(tool: ToolDefinition) -> Wire:
    wire: Wire = {"name": tool.name}
    if tool.description is not None:
        wire["description"] = tool.description
    if tool.parameters is not None:
        wire["parameters"] = tool.parameters
    if tool.strict is not None:
        wire["strict"] = tool.strict
    return {**options_of(tool, API).get("function", {}), **wire}


def encode_tool_choice(choice: ToolChoice | None, *, has_tools: bool) -> Wire:
    """Return the fields that say the tool choice; none without tools, which the API refuses."""
    if choice is None:
        return {}
    given = options_of(choice, API).get("$wire")
    # What was read goes back as it was, as long as it still says what the choice says.
    if given and decode_tool_choice(given)[0] == choice:
        return dict(given)
    if not has_tools:
        return {}
    wire: Wire = {"tool_choice": _encode_choice(choice)}
    if choice.parallel is not None:
        wire["parallel_tool_calls"] = choice.parallel
    return wire


def _encode_choice(choice: ToolChoice) -> Any:
    if choice.type == "tool":
        return {"type": "function", "function": {"name": choice.tool_name}}
    if choice.allowed is not None:
        tools = [{"type": "function", "function": {"name": name}} for name in choice.allowed]
        return {"type": "allowed_tools", "allowed_tools": {"mode": choice.type, "tools": tools}}
    return choice.type
