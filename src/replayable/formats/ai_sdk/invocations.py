"""Tool parts of UI and stored messages: one part holds a call and, once there is one, its result.

Three shapes: ``tool-invocation`` with an object inside (and the same object in the legacy ``toolInvocations``),
``tool-<name>``, and ``dynamic-tool``.
"""

from __future__ import annotations

from typing import Any, Final

from ..._node import build, defaults, make, piece_of
from ...errors import HistoryFormatError
from ...messages import CallState, ToolCallPart, ToolResultPart
from ..wire import Wire, as_object, optional_text, options_of, rest, sent, text_at, text_of_json
from .names import ABSENT, AT, SHAPE, STATE
from .provider_metadata import take_model_output, with_model_output
from .results import content_value

__all__ = [
    "is_tool_part",
    "read_invocation",
    "read_tool_part",
    "write_entry",
    "write_orphan",
    "write_tool_part",
]

# State on the wire -> state of the call, and what kind of answer there is.
_STATES: Final[dict[str, tuple[CallState, str | None]]] = {
    "partial-call": ("partial", None),
    "call": ("complete", None),
    "result": ("complete", "value"),
    "input-streaming": ("partial", None),
    "input-available": ("complete", None),
    "approval-requested": ("awaiting-approval", None),
    "approval-responded": ("complete", None),
    "output-available": ("complete", "value"),
    "output-error": ("complete", "error"),
    "output-denied": ("denied", "denied"),
}
_DENIED: Final = "The user did not allow this tool call."


def is_tool_part(kind: Any) -> bool:
    """Tell whether a part of this type is a tool part."""
    return isinstance(kind, str) and (kind in ("tool-invocation", "dynamic-tool") or kind.startswith("tool-"))


# --- reading ------------------------------------------------------------------------------------------------------


def read_tool_part(wire: Wire, api: str, notes: Wire) -> tuple[ToolCallPart | ToolResultPart, ...]:
    """Read a tool part: a call, and its result where there is one.

    Raises:
        HistoryFormatError: It is not of that shape.
    """
    kind: str = wire["type"]
    if kind == "tool-invocation" and "toolCallId" not in wire:
        try:
            inner = as_object(wire.get("toolInvocation"), "")
            options = {**rest(wire, frozenset({"type", "toolInvocation", "providerExecuted"})), **notes}
            return _read(inner, wire, api, {**options, SHAPE: "nested"})
        except HistoryFormatError as error:
            raise error.under("toolInvocation") from None
    notes = {**notes, SHAPE: "dynamic" if kind == "dynamic-tool" else "flat"}
    return _read(wire, wire, api, notes)


def read_invocation(wire: Wire, api: str, notes: Wire) -> tuple[ToolCallPart | ToolResultPart, ...]:
    """Read an entry of ``toolInvocations``, which has no part around it."""
    return _read(wire, wire, api, {**notes, SHAPE: "nested"})


def _read(inner: Wire, wire: Wire, api: str, options: Wire) -> tuple[ToolCallPart | ToolResultPart, ...]:
    flat = options[SHAPE] != "nested"
    executed = wire.get("providerExecuted")
    input_key, output_key = ("input", "output") if flat else ("args", "result")
    state = optional_text(inner, "state")
    name = inner["type"].removeprefix("tool-") if options[SHAPE] == "flat" else text_at(inner, "toolName")
    call_id = text_at(inner, "toolCallId")
    call_state, answer = _STATES.get(state or "", ("complete", "value" if output_key in inner else None))
    approval = inner.get("approval")
    approval = approval if isinstance(approval, dict) else {}
    if state == "approval-responded" and approval.get("approved") is False:
        call_state = "denied"
    output: Any = None
    is_error: bool | None = None
    known = {"state", "toolCallId", input_key, "type" if flat else "toolName"}
    if options[SHAPE] == "dynamic":
        known.add("toolName")
    if answer == "value":
        known.add(output_key)
        output = inner.get(output_key)
        if not flat and isinstance(inner.get("isError"), bool):
            known.add("isError")
            is_error = inner["isError"]
    elif answer == "error":
        known.add("errorText")
        output, is_error = optional_text(inner, "errorText") or "", True
    elif answer == "denied":
        reason = approval.get("reason")
        output, is_error = reason if isinstance(reason, str) and reason else _DENIED, True
    # A null goes back as it came.
    known -= {key for key in ("state", "errorText") if key in inner and inner[key] is None}
    absent = [
        key for key in (input_key, "state", output_key, "errorText") if key not in inner and key in known
    ]
    if inner is wire and flat:
        options = {**rest(inner, frozenset(known | {"providerExecuted"})), **options}
    else:
        more = rest(inner, frozenset(known))
        if more:
            options = {**options, "toolInvocation": more}
    if executed is not True and "providerExecuted" in wire:
        options["providerExecuted"] = executed
    model_output: Any = None
    if answer is not None:
        options, model_output = take_model_output(options, _metadata_key(options))
    if absent:
        options[ABSENT] = absent
    if state is not None and state != _usual_state(options, call_state, answer):
        options[STATE] = state
    pieces = 1 if answer is None else 2
    ran = executed is True
    call_fields = {
        **defaults(ToolCallPart),
        "tool_call_id": call_id,
        "tool_name": name,
        "input": inner.get(input_key),
        "state": call_state,
        "provider_executed": ran,
        "provider_options": {api: options},
    }
    call = build(ToolCallPart, call_fields, wire, piece_of(api, 0, pieces))
    if answer is None:
        return (call,)
    fields = {
        **defaults(ToolResultPart),
        "tool_call_id": call_id,
        "tool_name": name,
        "output": output,
        "is_error": is_error,
        "model_output": model_output,
        "provider_executed": ran,
        # Both stood in one place: whoever writes them without the call finds it again.
        "provider_options": {api: {AT: options[AT]}} if AT in options else None,
    }
    return call, build(ToolResultPart, fields, wire, piece_of(api, 1, pieces))


def _metadata_key(options: Wire) -> str:
    return "providerMetadata" if options.get(SHAPE, "nested") == "nested" else "callProviderMetadata"


def _usual_state(options: Wire, call_state: CallState, answer: str | None) -> str:
    """The state on the wire that follows from call and answer."""
    nested = options.get(SHAPE, "nested") == "nested"
    if answer == "denied":
        return "output-denied"
    if answer is not None:
        return "result" if nested else "output-error" if answer == "error" else "output-available"
    if call_state == "awaiting-approval":
        return "approval-requested"
    if call_state == "denied":
        return "approval-responded"
    if call_state == "partial":
        return "partial-call" if nested else "input-streaming"
    return "call" if nested else "input-available"


# --- writing ------------------------------------------------------------------------------------------------------


def write_tool_part(call: ToolCallPart, result: ToolResultPart | None, api: str, shape: str) -> Wire:
    """Write a call with its result as one part.

    Args:
        call: The call.
        result: Its result, if there is one.
        api: The format.
        shape: Which shape to write, where the call does not remember one: ``nested`` or ``flat``.
    """
    options = options_of(call, api)
    shape = options.get(SHAPE, shape)
    options = {**options, SHAPE: shape}
    inner = _inner(call, result, options, api)
    model_output = None if result is None else _model_output(result, api)
    extra = with_model_output(sent(options), _metadata_key(options), model_output)
    extra.pop("toolInvocation", None)
    if call.provider_executed:
        extra["providerExecuted"] = True
    if shape == "nested":
        return {"type": "tool-invocation", "toolInvocation": inner, **extra}
    kind = {"type": "dynamic-tool", "toolName": call.tool_name} if shape == "dynamic" else None
    return {**(kind or {"type": f"tool-{call.tool_name}"}), **inner, **extra}


def write_orphan(result: ToolResultPart, api: str, shape: str) -> Wire:
    """Write a result whose call is missing: these messages have no result without one."""
    call = make(
        ToolCallPart, tool_call_id=result.tool_call_id, tool_name=result.tool_name or "unknown", input={}
    )
    return write_tool_part(call, result, api, shape)


def write_entry(call: ToolCallPart, result: ToolResultPart | None, api: str) -> Wire:
    """Write an entry of ``toolInvocations`` that has no part."""
    return _inner(call, result, {**options_of(call, api), SHAPE: "nested"}, api)


def _inner(call: ToolCallPart, result: ToolResultPart | None, options: Wire, api: str) -> Wire:
    """What both shapes have in common."""
    nested = options[SHAPE] == "nested"
    input_key, output_key = ("args", "result") if nested else ("input", "output")
    answer = _answer(call, result, options, nested=nested)
    absent: Any = options.get(ABSENT, ())
    wire: Wire = {}
    if "state" not in absent:
        wire["state"] = _state(call, answer, options)
    wire["toolCallId"] = call.tool_call_id
    if nested:
        wire["toolName"] = call.tool_name
    arguments = call.raw_input if call.input is None and call.raw_input else call.input
    if arguments is not None or input_key not in absent:
        # A call from a wire that takes calls without arguments.
        wire[input_key] = {} if arguments is None and api not in (call.provider_options or {}) else arguments
    if result is not None and answer == "value":
        output = result.output if result.content is None else content_value(result.content, api)
        if output is not None or output_key not in absent:
            wire[output_key] = output
        if nested and result.is_error is not None:
            wire["isError"] = result.is_error
    elif result is not None and answer == "error":
        text = result.output if result.content is None else content_value(result.content, api)
        if text or "errorText" not in absent:
            wire["errorText"] = text if isinstance(text, str) else text_of_json(text, "errorText")
    more: Any = options.get("toolInvocation")
    return {**wire, **more} if nested and isinstance(more, dict) else wire


def _model_output(result: ToolResultPart, api: str) -> Any:
    """The model-facing output: for a list with files, which these messages hold as plain data, that list itself."""
    if result.model_output is None and result.content and any(item.type == "file" for item in result.content):
        return {"type": "content", "value": content_value(result.content, api)}
    return result.model_output


def _answer(call: ToolCallPart, result: ToolResultPart | None, options: Wire, *, nested: bool) -> str | None:
    if result is None:
        return None
    if call.state == "denied":
        return "denied"
    if result.is_error and (not nested or options.get(STATE) == "output-error"):
        return "error"
    return "value"


def _state(call: ToolCallPart, answer: str | None, options: Wire) -> str:
    noted = options.get(STATE)
    if isinstance(noted, str):
        state, expected = _STATES.get(noted, (call.state, answer))
        responded = noted == "approval-responded" and call.state in ("complete", "denied")
        if expected == answer and (state == call.state or responded):
            return noted
    return _usual_state(options, call.state, answer)
