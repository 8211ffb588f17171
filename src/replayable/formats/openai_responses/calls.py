"""Calls and their results: of functions, of custom tools, and of the tools that OpenAI knows by type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..._node import build, defaults, piece_of
from ...messages import Message, Part, ToolCallPart, ToolResultPart
from ..arguments import ARGUMENTS, is_free_text, read_arguments, written_arguments
from ..model_facing import model_facing
from ..rewriting import Losses
from ..wire import (
    LIST,
    Wire,
    fault,
    kind_of,
    optional_text,
    options_of,
    read_each,
    rest,
    text_at,
    text_of_json,
    with_extras,
)
from .content import read_part, write_part
from .names import ABSENT, API, BY_ITEM, CONTENT, RESULT, TYPE

__all__ = [
    "CALL_TYPES",
    "OUTPUT_TYPES",
    "kind_of_call",
    "read_call",
    "read_found_tools",
    "read_output",
    "write_call",
    "write_output",
]

_WHOLE: Final = piece_of(API)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hosted:
    """A tool that OpenAI knows by the type of its item.

    Args:
        inputs: The fields of the item that are the call's input.
        results: The fields that are its result, where the item holds that too.
        by_server: OpenAI runs it; else the client does.
    """

    inputs: tuple[str, ...]
    results: tuple[str, ...] = ()
    by_server: bool = False


# https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
_HOSTED: Final = {
    "web_search_call": _Hosted(inputs=("action",), by_server=True),
    "file_search_call": _Hosted(inputs=("queries",), results=("results",), by_server=True),
    "code_interpreter_call": _Hosted(inputs=("code", "container_id"), results=("outputs",), by_server=True),
    "image_generation_call": _Hosted(inputs=("action",), results=("result",), by_server=True),
    "computer_call": _Hosted(inputs=("action", "actions")),
    "local_shell_call": _Hosted(inputs=("action",)),
    "shell_call": _Hosted(inputs=("action",)),
    "apply_patch_call": _Hosted(inputs=("operation",)),
}
CALL_TYPES: Final = frozenset({"function_call", "custom_tool_call", "mcp_call", "tool_search_call", *_HOSTED})
"""The types of the items that are calls."""
_MCP_RESULTS: Final = ("output", "error")

OUTPUT_TYPES: Final = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "computer_call": "computer_call_output",
    "local_shell_call": "local_shell_call_output",
    "shell_call": "shell_call_output",
    "apply_patch_call": "apply_patch_call_output",
}
"""The types of the client's calls, and those of the items that answer them."""
_FOUND_TOOLS: Final = "tool_search_output"

_FUNCTION: Final = frozenset({"type", "call_id", "name", "arguments"})
_CUSTOM: Final = frozenset({"type", "call_id", "name", "input"})
_SEARCH: Final = frozenset({"type", "arguments"})
_OUTPUT: Final = frozenset({"type", "call_id", "output"})


# --- reading calls ----------------------------------------------------------------------------------------------


def read_call(wire: Wire, kind: str) -> list[Part]:
    """Read a call, and its result where the item holds that too.

    Raises:
        HistoryFormatError: It lacks its name, or an id is no string.
    """
    match kind:
        case "function_call":
            return [_function(wire)]
        case "custom_tool_call":
            return [_client_call(wire, kind, text_at(wire, "name"), wire.get("input"), _CUSTOM)]
        case "tool_search_call":
            return [_tool_search(wire, kind)]
        case "mcp_call":
            options: Wire = {}
            raw, value = read_arguments(wire, options)
            fields = {"tool_name": text_at(wire, "name"), "input": value, "raw_input": raw}
            return _answered(wire, kind, fields, ("name", "arguments"), _MCP_RESULTS, options)
        case _:
            return _hosted(wire, kind, _HOSTED[kind])


def _hosted(wire: Wire, kind: str, hosted: _Hosted) -> list[Part]:
    name = kind.removesuffix("_call")
    value = {key: wire[key] for key in hosted.inputs if key in wire}
    if hosted.by_server:
        return _answered(wire, kind, {"tool_name": name, "input": value}, hosted.inputs, hosted.results, {})
    return [_client_call(wire, kind, name, value, frozenset({"type", "call_id", *hosted.inputs}))]


def _function(wire: Wire) -> ToolCallPart:
    options = rest(wire, _FUNCTION)
    raw, value = read_arguments(wire, options)
    fields = defaults(ToolCallPart).copy()
    fields["tool_call_id"], fields["tool_name"] = _call_id(wire, options), text_at(wire, "name")
    fields["input"], fields["raw_input"] = value, raw
    fields["provider_options"] = {API: options} if options else None
    return build(ToolCallPart, fields, wire, _WHOLE)


def _call_id(wire: Wire, options: Wire) -> str | None:
    call_id = optional_text(wire, "call_id")
    if call_id is None and "call_id" in wire:
        options["call_id"] = None
    return call_id


def _client_call(wire: Wire, kind: str, name: str, value: Any, known: frozenset[str]) -> ToolCallPart:
    options = {**rest(wire, known), TYPE: kind}
    if kind == "custom_tool_call" and "input" not in wire:
        options[ABSENT] = ["input"]
    fields = {
        **defaults(ToolCallPart),
        "tool_call_id": _call_id(wire, options),
        "tool_name": name,
        "input": value,
        "provider_options": {API: options},
    }
    return build(ToolCallPart, fields, wire, _WHOLE)


def _tool_search(wire: Wire, kind: str) -> ToolCallPart:
    """A search for tools that are loaded later: the client's own, or OpenAI's (then its ``call_id`` is null)."""
    if wire.get("execution") == "client":
        options = {**rest(wire, _SEARCH | {"call_id"}), TYPE: kind}
        tool_call_id = _call_id(wire, options)
    else:
        options = {**rest(wire, _SEARCH), TYPE: kind}
        tool_call_id = optional_text(wire, "call_id") or optional_text(wire, "id")
    if "arguments" not in wire:
        options[ARGUMENTS] = "absent"
    fields = {
        **defaults(ToolCallPart),
        "tool_call_id": tool_call_id,
        "tool_name": "tool_search",
        "input": wire.get("arguments"),
        "provider_executed": wire.get("execution") != "client",
        "provider_options": {API: options},
    }
    return build(ToolCallPart, fields, wire, _WHOLE)


def _answered(
    wire: Wire, kind: str, fields: Wire, inputs: tuple[str, ...], results: tuple[str, ...], options: Wire
) -> list[Part]:
    """A call that OpenAI ran, and what came of it; the item's own id pairs them."""
    held = [key for key in results if wire.get(key) is not None]
    tool_call_id = optional_text(wire, "id")
    fields = {
        **defaults(ToolCallPart),
        **fields,
        "tool_call_id": tool_call_id,
        "provider_executed": True,
        "provider_options": {API: {**rest(wire, frozenset({"type", *inputs, *held})), **options, TYPE: kind}},
    }
    total = 1 + len(held)
    parts: list[Part] = [build(ToolCallPart, fields, wire, piece_of(API, 0, total))]
    for position, key in enumerate(held, start=1):
        answer = {
            **defaults(ToolResultPart),
            "tool_call_id": tool_call_id,
            "tool_name": fields["tool_name"],
            "output": wire[key],
            "is_error": True if key == "error" else None,
            "provider_executed": True,
            "provider_options": {API: {RESULT: key}},
        }
        parts.append(build(ToolResultPart, answer, wire, piece_of(API, position, total)))
    return parts


# --- reading results --------------------------------------------------------------------------------------------


def read_output(wire: Wire, kind: str, shell_calls: Mapping[str, str | None]) -> ToolResultPart:
    """Read an item that answers a call of the client.

    Args:
        wire: The item.
        kind: Its type.
        shell_calls: The ids of the ``local_shell_call`` items before it, and their calls' ids.

    Raises:
        HistoryFormatError: Its output is none that such an item has.
    """
    options = {} if _OUTPUT.issuperset(wire) else rest(wire, _OUTPUT)
    tool_call_id = _call_id(wire, options)
    if tool_call_id is None and kind == "local_shell_call_output":
        # Its type in the SDK has no other field for the call's id. Some put the id of the call's item there.
        item_id = optional_text(wire, "id")
        tool_call_id = shell_calls.get(item_id or "") or item_id
        if tool_call_id == item_id:
            options[ABSENT] = ["call_id"]
        else:
            options[BY_ITEM] = True
    output: Any = wire.get("output")
    content = None
    if output is None:
        options[CONTENT] = "null" if "output" in wire else "absent"
    elif isinstance(output, str) or kind == "shell_call_output":
        pass
    elif isinstance(output, LIST):
        content, output = tuple(read_each(output, "output", read_part)), None
        if not content:
            options[CONTENT] = "list"
    elif isinstance(output, dict) and kind_of(output) == "computer_screenshot":
        content, output = (read_part(output),), None
    else:
        raise fault("output", output, "a string or a list of content parts")
    if kind != "function_call_output":
        options[TYPE] = kind
    fields = defaults(ToolResultPart).copy()
    fields["tool_call_id"], fields["output"], fields["content"] = tool_call_id, output, content
    fields["provider_options"] = {API: options} if options else None
    return build(ToolResultPart, fields, wire, _WHOLE)


def read_found_tools(wire: Wire) -> ToolResultPart:
    """Read the answer to a search for tools; who searched stands there as in the call.

    Raises:
        HistoryFormatError: An id is no string.
    """
    by_server = wire.get("execution") != "client"
    options = {**rest(wire, frozenset({"type", "tools"})), TYPE: _FOUND_TOOLS}
    tool_call_id = optional_text(wire, "call_id")
    if not by_server and tool_call_id is not None:
        del options["call_id"]
    if "tools" not in wire:
        options[ABSENT] = ["tools"]
    fields = {
        **defaults(ToolResultPart),
        "tool_call_id": tool_call_id,
        "tool_name": "tool_search",
        "output": wire.get("tools"),
        "provider_executed": by_server,
        "provider_options": {API: options},
    }
    return build(ToolResultPart, fields, wire, _WHOLE)


# --- writing ----------------------------------------------------------------------------------------------------


def kind_of_call(part: ToolCallPart) -> str:
    """Return the type of the item that a call is written as."""
    kind = options_of(part, API).get(TYPE)
    if isinstance(kind, str) and kind in CALL_TYPES:
        return kind
    return "custom_tool_call" if is_free_text(part, API) else "function_call"


def write_call(part: ToolCallPart) -> Wire:
    """Write a call as an item; the results that stand in such an item are the caller's to add."""
    options = options_of(part, API)
    kind = kind_of_call(part)
    wire: Wire = {"type": kind}
    if part.tool_call_id is not None and not part.provider_executed:
        wire["call_id"] = part.tool_call_id
    if kind in ("function_call", "mcp_call"):
        wire["name"] = part.tool_name
        wire.update(written_arguments(part, options))
    elif kind == "custom_tool_call":
        wire["name"] = part.tool_name
        if part.input is not None or "input" not in options.get(ABSENT, ()):
            wire["input"] = part.input
    elif kind == "tool_search_call":
        if part.input is not None or ARGUMENTS not in options:
            wire["arguments"] = part.input
    elif isinstance(part.input, dict):
        wire.update((key, part.input[key]) for key in _HOSTED[kind].inputs if key in part.input)
    return with_extras(wire, options)


def write_output(part: ToolResultPart, message: Message, losses: Losses, answers: str) -> Wire:
    """Write a result as an item.

    Args:
        part: The result.
        message: The message that holds it.
        losses: Where is noted what can't be written.
        answers: The type of the call that it answers.
    """
    part = model_facing(part)
    options = options_of(part, API)
    if part.is_error and not part.synthesized:
        losses.field("is_error")
    kind = options.get(TYPE)
    if not isinstance(kind, str):
        kind = (
            _FOUND_TOOLS
            if answers == "tool_search_call"
            else OUTPUT_TYPES.get(answers, "function_call_output")
        )
    wire: Wire = {"type": kind}
    by_item = BY_ITEM in options and "id" in options
    if part.tool_call_id is not None and not part.provider_executed and not by_item:
        wire["id" if "call_id" in options.get(ABSENT, ()) else "call_id"] = part.tool_call_id
    if API not in (part.provider_options or {}) and kind not in (
        "function_call_output",
        "custom_tool_call_output",
    ):
        wire.update(_answer_for(kind, part, _text(part, message, losses)))
    elif kind == _FOUND_TOOLS:
        if part.output is not None or "tools" not in options.get(ABSENT, ()):
            wire["tools"] = part.output
    elif (
        part.output is not None or part.content is not None or options.get(CONTENT) not in ("absent", "null")
    ):
        wire["output"] = _output(part, message, losses, kind)
    elif options[CONTENT] == "null":
        wire["output"] = None
    return with_extras(wire, options)


def _output(part: ToolResultPart, message: Message, losses: Losses, kind: str) -> Any:
    if part.content is not None:
        losses.fields_of(part.content)
        written = [write_part(item, message, losses) for item in part.content]
        if kind == "computer_call_output" and len(written) == 1:
            return written[0]
        return written or ([] if options_of(part, API).get(CONTENT) == "list" else "")
    if isinstance(part.output, str) or kind == "shell_call_output":
        return part.output
    return "" if part.output is None else text_of_json(part.output, "output")


def _text(part: ToolResultPart, message: Message, losses: Losses) -> str:
    output = _output(part, message, losses, "function_call_output")
    return output if isinstance(output, str) else "\n".join(str(item.get("text", "")) for item in output)


def _answer_for(kind: str, part: ToolResultPart, text: str) -> Wire:
    """An answer that did not come from this API, in the form that the tool's answers have here."""
    match kind:
        case "shell_call_output":
            outcome = {"type": "exit", "exit_code": 1 if part.is_error else 0}
            return {"output": [{"stdout": text, "stderr": "", "outcome": outcome}]}
        case "apply_patch_call_output":
            return {"output": text, "status": "failed" if part.is_error else "completed"}
        case "tool_search_output":
            return {"execution": "client", "status": "completed", "tools": []}
        case _:
            return {"output": text}
