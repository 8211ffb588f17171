"""The field ``toolConfig`` of a Converse request: declared tools and the tool choice."""

from __future__ import annotations

from typing import Any, Final

from ..._node import build, defaults, piece_of
from ...prompt import Prompt, ProviderTool, ToolChoice, ToolDefinition
from ..wire import LIST, Wire, options_of, rest, with_extras
from .names import API

__all__ = ["decode_tool_config", "encode_tool_choice", "encode_tools"]

_WHOLE: Final = piece_of(API)
_SPEC: Final = frozenset({"name", "description", "inputSchema", "strict"})
_TYPES: Final = {"auto": "auto", "any": "required", "tool": "tool"}
_WIRE_TYPES: Final = {"auto": "auto", "required": "any"}
NO_INPUT: Final[Wire] = {"type": "object", "properties": {}}
"""The schema of a tool whose schema nobody knows."""


def decode_tool_config(
    given: Any,
) -> tuple[tuple[ToolDefinition | ProviderTool, ...] | None, ToolChoice | None, Any]:
    """Read ``toolConfig``: the tools, the choice, and what of it could not be read (None when it was read whole)."""
    if not isinstance(given, dict) or not isinstance(given.get("tools"), LIST):
        return None, None, given
    choice = _decode_tool_choice(given.get("toolChoice"))
    left = rest(given, frozenset({"tools", "toolChoice"} if choice is not None else {"tools"}))
    return tuple(map(_tool, given["tools"])), choice, left or None


def _tool(tool: Any) -> ToolDefinition | ProviderTool:
    spec = tool.get("toolSpec") if isinstance(tool, dict) and len(tool) == 1 else None
    if not isinstance(spec, dict) or not isinstance(spec.get("name"), str):
        # A cache point, a tool that Bedrock runs itself, or something new.
        return build(ProviderTool, {"type": "provider", "api": API, "value": tool}, tool, _WHOLE)
    fields = defaults(ToolDefinition) | {"name": spec["name"]}
    options = rest(spec, _SPEC)
    schema = spec.get("inputSchema")
    if isinstance(schema, dict) and schema.keys() == {"json"} and isinstance(schema["json"], dict):
        fields["parameters"] = schema["json"]
    elif "inputSchema" in spec:
        options["inputSchema"] = schema
    for key, kind in (("description", str), ("strict", bool)):
        if isinstance(spec.get(key), kind):
            fields[key] = spec[key]
        elif key in spec:
            options[key] = spec[key]
    fields["provider_options"] = {API: options} if options else None
    return build(ToolDefinition, fields, tool, _WHOLE)


def _decode_tool_choice(given: Any) -> ToolChoice | None:
    if not isinstance(given, dict) or len(given) != 1:
        return None
    kind, body = next(iter(given.items()))
    name = body.get("name") if isinstance(body, dict) else None
    if kind not in _TYPES or (kind == "tool" and not isinstance(name, str)):
        return None
    fields = defaults(ToolChoice) | {
        "type": _TYPES[kind],
        "tool_name": name if kind == "tool" else None,
        "provider_options": {API: {"$wire": given}},
    }
    return build(ToolChoice, fields)


def encode_tools(prompt: Prompt) -> tuple[list[Any] | None, list[ProviderTool]]:
    """Return the list of tools, and the tools that this API doesn't know."""
    if prompt.tools is None:
        return None, []
    tools: list[Any] = []
    foreign: list[ProviderTool] = []
    for tool in prompt.tools:
        if isinstance(tool, ToolDefinition):
            tools.append(_encode_tool(tool))
        elif tool.api == API:
            tools.append(tool.value)
        else:
            foreign.append(tool)
    return tools, foreign


def _encode_tool(tool: ToolDefinition) -> Wire:
    spec: Wire = {"name": tool.name}
    if tool.description or (tool.description is not None and API in (tool.provider_options or {})):
        spec["description"] = tool.description
    if tool.parameters is not None:
        spec["inputSchema"] = {"json": tool.parameters}
    elif API not in (tool.provider_options or {}):
        spec["inputSchema"] = {"json": NO_INPUT}
    if tool.strict is not None:
        spec["strict"] = tool.strict
    return {"toolSpec": with_extras(spec, options_of(tool, API))}


def encode_tool_choice(choice: ToolChoice | None, *, has_tools: bool) -> tuple[Wire | None, bool]:
    """Return the tool choice (None for none), and whether it says all of it.

    Converse can name one tool but not several, and has no word for "none" and for one call at a time.
    """
    if choice is None:
        return None, True
    given = options_of(choice, API).get("$wire")
    # What was read goes back as it was, as long as it still says what the choice says.
    if given is not None and _decode_tool_choice(given) == choice:
        return given, True
    if not has_tools or choice.type == "none":
        return None, not has_tools and choice.type in ("auto", "none")
    only = choice.allowed[0] if choice.allowed is not None and len(choice.allowed) == 1 else None
    name = choice.tool_name if choice.type == "tool" else only if choice.type == "required" else None
    wire: Wire = {"tool": {"name": name}} if name is not None else {_WIRE_TYPES[choice.type]: {}}
    return wire, choice.parallel is not False and (choice.allowed is None or name is not None)
