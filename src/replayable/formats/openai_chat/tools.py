"""Declared tools and the tool choice of an OpenAI Chat request."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from ..._node import build, defaults
from ...prompt import Prompt, ProviderTool, ToolChoice, ToolDefinition
from ..function_tools import provider_tool, read_function, read_tool, written_function, written_tools
from ..wire import LIST, Wire, as_list, options_of
from .names import API, LEGACY

__all__ = ["decode_tool_choice", "decode_tools", "encode_tool_choice", "encode_tools"]

_SAY_CHOICE: Final = frozenset({"tool_choice", "function_call", "parallel_tool_calls"})
# OpenAI says "required"; Mistral says "any" and takes both.
_CHOICES: Final = {"auto": "auto", "none": "none", "required": "required", "any": "required"}


Read: TypeAlias = tuple[str, ...]
"""The names of the request's fields that were read, and need not be kept beside."""


def decode_tools(wire: Wire) -> tuple[tuple[ToolDefinition | ProviderTool, ...] | None, Read]:
    """Read ``tools``, or the older ``functions``; None when there are none."""
    if isinstance(wire.get("tools"), LIST):
        return tuple(read_tool(tool, API) for tool in wire["tools"]), ("tools",)
    if wire.get("functions"):
        functions = as_list(wire["functions"], "functions", "a list of functions")
        return tuple(_older(function) for function in functions), ("functions",)
    return None, ()


def _older(function: Any) -> ToolDefinition | ProviderTool:
    return read_function(function, {LEGACY: True}, None, API) or provider_tool(function, API)


def decode_tool_choice(wire: Wire) -> tuple[ToolChoice | None, Read]:
    """Read ``tool_choice`` (or the older ``function_call``) and ``parallel_tool_calls``; None when neither says anything."""
    if _SAY_CHOICE.isdisjoint(wire):
        return None, ()
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
    if isinstance(allowed, dict) and isinstance(allowed.get("tools"), LIST):
        mode = allowed.get("mode")
        names = [_allowed_name(tool) for tool in allowed["tools"]]
        if isinstance(mode, str) and mode in _CHOICES and all(isinstance(name, str) for name in names):
            return {"type": _CHOICES[mode], "allowed": tuple(names)}
    return None


def _allowed_name(tool: Any) -> Any:
    function = tool.get("function") if isinstance(tool, dict) else None
    return function.get("name") if isinstance(function, dict) else None


def encode_tools(prompt: Prompt) -> tuple[Wire, list[ProviderTool]]:
    """Return the field that declares the tools, and the tools that this API doesn't know."""
    older = [
        written_function(tool, API)
        for tool in prompt.tools or ()
        if tool.type == "function" and LEGACY in options_of(tool, API)
    ]
    fields, foreign = written_tools(prompt, API)
    return {"functions": older} if older else fields, foreign


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
