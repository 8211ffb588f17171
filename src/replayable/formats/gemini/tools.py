"""Declared tools and the tool choice of a Gemini request."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from ..._node import build, defaults, piece_of
from ...json_value import same_json
from ...prompt import Prompt, ProviderTool, ToolChoice, ToolDefinition
from ..wire import LIST, Wire, options_of, rest, sdk_object, sent
from .names import API, BESIDE, FORM, NULLS, SCHEMA, SNAKE, STARTS
from .schema import json_schema
from .spelling import camel_case, snake_case, spelled

__all__ = ["decode_tool_choice", "decode_tools", "encode_tool_choice", "encode_tools"]

_WHOLE: Final = piece_of(API)
_TOOL: Final = frozenset({"name", "description", "parametersJsonSchema", "parameters"})
_DECLARATIONS: Final = "functionDeclarations"
_CONFIG: Final = "toolConfig"
_CALLING: Final = "functionCallingConfig"
# VALIDATED lets the model choose as AUTO does: https://ai.google.dev/api/caching#FunctionCallingConfig
_MODES: Final = {"AUTO": "auto", "ANY": "required", "NONE": "none", "VALIDATED": "auto"}
_WIRE_MODES: Final = {"auto": "AUTO", "required": "ANY", "none": "NONE", "tool": "ANY"}

Tools: TypeAlias = tuple[ToolDefinition | ProviderTool, ...]


def decode_tools(given: Any) -> Tools | None:
    """Read ``tools``; None when there are none. An object of tools holds function declarations, tools of Google's, or both."""
    form = "object" if isinstance(given, dict) else None
    if form:
        given = [given]
    if not isinstance(given, LIST):
        return None
    tools: list[ToolDefinition | ProviderTool] = []
    for item in given:
        tool = sdk_object(item) or item
        snake: list[str] = []
        fields = camel_case(tool, snake) if isinstance(tool, dict) else {}
        declared = fields.get(_DECLARATIONS)
        notes: Wire = {FORM: form} if form else {}
        declarations = declared if isinstance(declared, LIST) else []
        definitions = [_definition(sdk_object(item) or item) for item in declarations]
        if not definitions or None in definitions:
            tools.append(_provider_tool(tool))
            continue
        own = {
            key: value for key, value in tool.items() if key not in (_DECLARATIONS, snake_case(_DECLARATIONS))
        }
        if own and all(value is None for value in own.values()):
            # The SDK's object dumped whole: no tool stands beside.
            notes[NULLS], own = list(own), {}
        for index, (values, options) in enumerate(item for item in definitions if item is not None):
            noted = {**notes, **options}
            if snake or SNAKE in options:
                noted[SNAKE] = [*snake, *options.get(SNAKE, ())]
            if index == 0 and tools and isinstance(tools[-1], ToolDefinition):
                noted[STARTS] = True
            if own and index == len(definitions) - 1:
                noted[BESIDE] = True
            values["provider_options"] = {API: noted} if noted else None
            tools.append(build(ToolDefinition, values, declarations[index], _WHOLE))
        if own:
            tools.append(_provider_tool(own))
    return tuple(tools)


def _provider_tool(tool: Any) -> ProviderTool:
    return build(ProviderTool, {"type": "provider", "api": API, "value": tool}, tool, _WHOLE)


def _definition(declared: Any) -> tuple[Wire, Wire] | None:
    """The fields of a declared function, and its options; None when it is none."""
    if not isinstance(declared, dict) or not isinstance(declared.get("name"), str):
        return None
    snake: list[str] = []
    fields = camel_case(declared, snake)
    options = rest(fields, _TOOL)
    values = {**defaults(ToolDefinition), "name": fields["name"]}
    description = fields.get("description")
    if isinstance(description, str):
        values["description"] = description
    elif "description" in fields:
        options["description"] = description
    own = fields.get("parameters")
    for key in ("parametersJsonSchema", "parameters"):
        if key not in fields:
            continue
        schema = fields[key]
        if values["parameters"] is None and isinstance(schema, dict):
            values["parameters"] = schema if key != "parameters" else json_schema(schema)
            if key == "parameters":
                options[SCHEMA] = own
        else:
            options[key] = schema
    if snake:
        options[SNAKE] = snake
    return values, options


def decode_tool_choice(wire: Wire) -> ToolChoice | None:
    """Read ``toolConfig`` of a request; None when it says nothing about the choice that is known."""
    key = _CONFIG if _CONFIG in wire else snake_case(_CONFIG)
    given = sdk_object(wire.get(key)) or wire.get(key)
    config = camel_case(given, []).get(_CALLING) if isinstance(given, dict) else None
    if not isinstance(config, dict):
        return None
    fields = camel_case(config, [])
    mode, allowed = fields.get("mode"), fields.get("allowedFunctionNames")
    if not isinstance(mode, str) or mode.upper() not in _MODES:
        return None
    kind = _MODES[mode.upper()]
    names = tuple(allowed) if isinstance(allowed, LIST) and allowed else None
    if names is not None and not all(isinstance(name, str) for name in names):
        return None
    only = names[0] if names is not None and len(names) == 1 and kind == "required" else None
    values = {
        **defaults(ToolChoice),
        "type": "tool" if only is not None else kind,
        "tool_name": only,
        "allowed": None if only is not None else names,
        "provider_options": {API: {"$wire": {key: given}}},
    }
    return build(ToolChoice, values)


def encode_tools(prompt: Prompt) -> tuple[Wire, list[ProviderTool]]:
    """Return the field that declares the tools, and the tools that this API doesn't know."""
    if prompt.tools is None:
        return {}, []
    tools: list[Any] = []
    foreign: list[ProviderTool] = []
    # The object of tools to which the next function, and the next tool beside one, belong.
    functions: Wire | None = None
    beside: Wire | None = None
    form = None
    for tool in prompt.tools:
        if isinstance(tool, ProviderTool):
            if tool.api != API:
                foreign.append(tool)
            elif beside is not None and isinstance(tool.value, dict):
                beside.update(tool.value)
            else:
                tools.append(tool.value)
            functions = beside = None
            continue
        options = options_of(tool, API)
        form = options.get(FORM, form)
        if functions is None or STARTS in options:
            names = options.get(SNAKE)
            key = _DECLARATIONS
            functions = {snake_case(key) if isinstance(names, list) and key in names else key: []}
            nulls = options.get(NULLS)
            functions.update(dict.fromkeys(nulls if isinstance(nulls, list) else ()))
            tools.append(functions)
        next(iter(functions.values())).append(_function(tool, options))
        beside = functions if BESIDE in options else None
        if beside is not None:
            functions = None
    if form == "object" and len(tools) == 1:
        return {"tools": tools[0]}, foreign
    return ({"tools": tools} if tools or prompt.api == API else {}), foreign


def _function(tool: ToolDefinition, options: Wire) -> Wire:
    wire: Wire = {"name": tool.name}
    if tool.description is not None:
        wire["description"] = tool.description
    extra = sent(options)
    if tool.parameters is not None:
        given = options.get(SCHEMA)
        # A schema of Gemini's own goes back as it was, as long as it still means the same.
        if isinstance(given, dict) and same_json(json_schema(given), tool.parameters):
            wire["parameters"] = given
        else:
            extra.pop("parameters", None)
            wire["parametersJsonSchema"] = tool.parameters
    return spelled({**extra, **wire}, options)


def encode_tool_choice(choice: ToolChoice | None, *, has_tools: bool) -> tuple[Wire, bool]:
    """Return the field that says the tool choice, and whether it says all of it.

    Gemini can't be told to make one call at a time.
    """
    if choice is None:
        return {}, True
    given = options_of(choice, API).get("$wire")
    # What was read goes back as it was, as long as it still says what the choice says.
    if isinstance(given, dict) and decode_tool_choice(given) == choice:
        return given, True
    key, others = _beside(given)
    if not has_tools and not others:
        return {}, choice.type in ("auto", "none")
    config: Wire = {"mode": _WIRE_MODES[choice.type]}
    names = [choice.tool_name] if choice.type == "tool" else choice.allowed
    if names is not None:
        config["allowedFunctionNames"] = list(names)
        if choice.type in ("auto", "none"):
            # Names go with ANY and VALIDATED only, and the latter leaves the choice to the model.
            config["mode"] = "VALIDATED"
    return {key: {**others, _CALLING: config}}, choice.parallel is not False


def _beside(given: Any) -> tuple[str, Wire]:
    """The name of the configuration's field, and what else stood in it."""
    key, config = next(iter(given.items())) if isinstance(given, dict) and given else (_CONFIG, {})
    others = config if isinstance(config, dict) else {}
    return key, {
        name: value for name, value in others.items() if name not in (_CALLING, snake_case(_CALLING))
    }
