"""From an OpenAI Responses request to a prompt."""

from __future__ import annotations

from typing import Any, Final

from ..._node import build, defaults, piece_of
from ...facts import build_message
from ...messages import (
    AssistantMessage,
    Message,
    OpaquePart,
    Part,
    SystemMessage,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from ...prompt import Prompt, remember_list
from ..mixed import reads_other_apis
from ..wire import (
    LIST,
    MISSING,
    Wire,
    as_list,
    as_object,
    content_of,
    fault,
    kind_of,
    optional_text,
    read_each,
    rest,
    text_at,
    text_part,
)
from .calls import CALL_TYPES, OUTPUT_TYPES, read_call, read_found_tools, read_output
from .content import TEXTS, read_part
from .names import API, CONTENT, CONTINUES, INPUT, SAID, TYPE
from .reasoning import read_reasoning
from .tools import decode_tool_choice, decode_tools

__all__ = ["INSTRUCTIONS", "WHOLE_INPUT", "decode", "decode_own"]

_WHOLE: Final = piece_of(API)
INSTRUCTIONS: Final = piece_of(f"{API}.instructions")
"""The piece of a system message whose wire object is the request's own ``instructions``."""
WHOLE_INPUT: Final = piece_of(f"{API}.input")
"""The piece of a user message whose wire object is the request's own ``input``, a string."""
_COMMON: Final = frozenset({"type", "role", "content"})
_TEXT: Final = frozenset({"type", "text"})
_OUTPUTS: Final = frozenset(OUTPUT_TYPES.values())
_ROLES: Final = "one of the roles user, assistant, system, developer"


@reads_other_apis(API)
def decode(request: Any, *, provider: str | None = None, model: str | None = None) -> Prompt:
    """Read a request body, or a bare list of input items.

    The items of one answer (its reasoning, what it said, its calls) become one message; ``instructions`` become a system
    message. An item's id is kept apart from the ``call_id`` that pairs a call with its result.

    Args:
        request: The body as it would be sent; it is borrowed, not copied, and never changed.
        provider: Who made the assistant messages, if known; else they are known by their API alone.
        model: The model that made them.

    Raises:
        HistoryFormatError: Something in it is not of the shape that this API has.
    """
    return decode_own(request, provider=provider, model=model)


def decode_own(request: Any, *, provider: str | None = None, model: str | None = None) -> Prompt:
    """Do what ``decode`` does, but leave parts that another API has as they are."""
    if isinstance(request, LIST):
        listed = as_list(request, "")
        items = _Items(provider, model)
        messages = items.read(listed, "")
        fields = {**defaults(Prompt), "messages": messages, "server_state": items.refer or None, "api": API}
        return remember_list(build(Prompt, fields, request, _WHOLE), listed)
    wire = as_object(request, "", "a request (an object with input) or a list of input items")
    items = _Items(provider, model)
    messages = (*_instructions(wire), *_input(wire, items))
    tools = decode_tools(wire)
    choice, about_choice = decode_tool_choice(wire)
    known = {*about_choice, *(key for key in ("input", "instructions") if wire.get(key) is not None)}
    if tools is not None:
        known.add("tools")
    fields = {
        **defaults(Prompt),
        "messages": messages,
        "tools": tools,
        "tool_choice": choice,
        "thinking": _thinking(wire.get("reasoning")),
        "server_state": items.refer or any(wire.get(key) for key in ("previous_response_id", "conversation")),
        "api": API,
        "request": rest(wire, frozenset(known)),
    }
    prompt = build(Prompt, fields, wire, _WHOLE)
    given = wire.get("input")
    return remember_list(prompt, as_list(given, "input")) if isinstance(given, LIST) else prompt


def _thinking(reasoning: Any) -> bool | None:
    effort = reasoning.get("effort") if isinstance(reasoning, dict) else None
    return effort != "none" if isinstance(effort, str) else None


def _instructions(wire: Wire) -> tuple[SystemMessage, ...]:
    text = optional_text(wire, "instructions")
    if text is None:
        return ()
    fields = {**defaults(SystemMessage), "parts": (text_part(text),), "placement": "top"}
    return (build_message(SystemMessage, fields, text, INSTRUCTIONS),)


def _input(wire: Wire, items: _Items) -> tuple[Message, ...]:
    given = wire.get("input", MISSING)
    if given is None or (
        given is MISSING and wire.keys() & {"previous_response_id", "conversation", "prompt"}
    ):
        # The server holds all of it.
        return ()
    if not isinstance(given, str):
        return items.read(as_list(given, "input", "a string or a list of input items"), "input")
    fields = {**defaults(UserMessage), "parts": (text_part(given),), "provider_options": {API: {INPUT: True}}}
    return (build_message(UserMessage, fields, given, WHOLE_INPUT),)


def _options(extra: Wire) -> dict[str, Wire] | None:
    return {API: extra} if extra else None


class _Items:
    """Reads the items one by one; those that one answer consists of are gathered until something else comes."""

    def __init__(self, provider: str | None, model: str | None) -> None:
        self._provider = provider
        self._model = model
        self._messages: list[Message] = []
        # What the caller gave as the item that is read: an SDK's object is remembered in place of its wire.
        self._given: Any = None
        self._wires: list[Any] = []
        self._parts: list[Part] = []
        # A final answer is the end of one; an answer that the client put together, without ids, says one thing.
        self._complete = False
        self._shell_calls: dict[str, str | None] = {}
        self.refer = False

    def read(self, items: list[Any], path: str) -> tuple[Message, ...]:
        read_each(items, path, self._item)
        self._end_answer()
        return tuple(self._messages)

    def _item(self, value: Any) -> None:
        wire: Wire = (
            value
            if isinstance(value, dict)
            else as_object(value, "", "an input item (an object with a type or a role)")
        )
        self._given = value
        kind = wire.get("type")
        if kind == "message" or (kind is None and "role" in wire):
            self._message(wire)
        elif not isinstance(kind, str):
            self._unknown(wire, kind)
        elif kind in CALL_TYPES:
            self._answer(read_call(wire, kind))
            if kind == "local_shell_call" and isinstance(wire.get("id"), str):
                self._shell_calls[wire["id"]] = optional_text(wire, "call_id")
        elif kind in _OUTPUTS:
            self._result(read_output(wire, kind, self._shell_calls))
        elif kind == "reasoning":
            part = read_reasoning(wire)
            if self._complete:
                self._end_answer()
            self._answer([part])
        elif kind == "tool_search_output":
            self._found_tools(wire)
        else:
            self._unknown(wire, kind)

    # --- answers ------------------------------------------------------------------------------------------------

    def _answer(self, parts: list[Part]) -> None:
        self._wires.append(self._given)
        self._parts += parts

    def _end_answer(self) -> None:
        if self._wires:
            wires, parts = self._wires, self._parts
            self._wires, self._parts = [], []
            self._complete = False
            self._add_assistant(wires, tuple(parts), None)

    def _add_assistant(self, wires: list[Any], parts: tuple[Part, ...], options: Wire | None) -> None:
        fields = defaults(AssistantMessage).copy()
        fields["parts"], fields["provider_options"] = parts, {API: options} if options else None
        fields["provider"], fields["api"], fields["model"] = self._provider, API, self._model
        self._messages.append(build_message(AssistantMessage, fields, wires, _WHOLE))

    def _said(self, wire: Wire) -> None:
        item = rest(wire, _COMMON)
        if "type" in wire:
            item[TYPE] = wire["type"]
        content = wire.get("content")
        if not content and not isinstance(content, str):
            # Nothing was said, which only an answer of its own can tell.
            self._end_answer()
            form = "list" if isinstance(content, LIST) else "null" if "content" in wire else "absent"
            self._add_assistant([self._given], (), {**item, CONTENT: form})
            return
        if self._complete:
            self._end_answer()
        self._answer(_said_parts(wire, content, item))
        self._complete = "id" not in wire or wire.get("phase") == "final_answer"

    # --- the rest -----------------------------------------------------------------------------------------------

    def _message(self, wire: Wire) -> None:
        match wire.get("role", MISSING):
            case "assistant":
                self._said(wire)
            case "user":
                self._simple(UserMessage, wire)
            case "system" | "developer":
                self._simple(SystemMessage, wire)
            case role:
                raise fault("role", role, _ROLES)

    def _simple(self, cls: type[UserMessage] | type[SystemMessage], wire: Wire) -> None:
        parts, form = content_of(wire, read_part, "part")
        extra = {} if _COMMON.issuperset(wire) else rest(wire, _COMMON)
        if form:
            extra[CONTENT] = form
        if "type" in wire:
            extra[TYPE] = wire["type"]
        fields = defaults(cls).copy()
        fields["parts"] = parts
        if cls is SystemMessage:
            fields["placement"] = "list"
            if wire["role"] == "developer":
                extra["role"] = "developer"
        fields["provider_options"] = _options(extra)
        self._add(cls, fields)

    def _result(self, part: ToolResultPart) -> None:
        fields = defaults(ToolMessage).copy()
        fields["parts"] = (part,)
        self._add(ToolMessage, fields)

    def _add(self, cls: type[Message], fields: dict[str, Any]) -> None:
        """Add a message that is one item, behind the answer before it."""
        self._end_answer()
        self._messages.append(build_message(cls, fields, self._given, _WHOLE))

    def _found_tools(self, wire: Wire) -> None:
        part = read_found_tools(wire)
        if part.provider_executed:
            self._answer([part])
        else:
            self._result(part)

    def _unknown(self, wire: Wire, kind: Any) -> None:
        """An item that only this API knows: what the client answers, tools that came later, or something of the model."""
        if kind is None and not isinstance(wire.get("id"), str):
            raise fault("type", MISSING if "type" not in wire else None, "a type, or a role")
        # A reference needs no type.
        self.refer = self.refer or kind is None or kind == "item_reference"
        part = build(OpaquePart, {**defaults(OpaquePart), "api": API, "value": wire}, wire, _WHOLE)
        name = kind_of(wire)
        if wire.get("role") in ("developer", "system"):
            cls: type[SystemMessage] | type[UserMessage] = SystemMessage
        elif name.endswith(("_output", "_response")):
            cls = UserMessage
        else:
            self._answer([part])
            return
        fields = {**defaults(cls), "parts": (part,), "provider_options": {API: {CONTENT: "item"}}}
        if cls is SystemMessage:
            fields["placement"] = "list"
        self._add(cls, fields)


def _said_parts(wire: Wire, content: Any, item: Wire) -> list[Part]:
    """The parts of what an answer said; each holds the fields of the item that they share."""
    if isinstance(content, str):
        return [text_part(content, _options(item), wire, _WHOLE)]
    values = as_list(content, "content", "a string or a list of parts")
    item[CONTENT] = "list"
    total = len(values)
    parts: list[Part] = []

    def read(value: Any) -> None:
        entry = as_object(value, "", "a content part (an object with a type)")
        position = len(parts)
        options = {**item, CONTINUES: True} if position else item
        kind = kind_of(entry)
        if kind not in TEXTS:
            fields = {**defaults(OpaquePart), "api": API, "value": entry}
            fields["provider_options"] = {API: {**options, SAID: True}}
            parts.append(build(OpaquePart, fields, wire, piece_of(API, position, total)))
            return
        more = rest(entry, _TEXT)
        if kind != "output_text":
            more["type"] = kind
        if more:
            options = {**options, "content": more}
        parts.append(text_part(text_at(entry, "text"), {API: options}, wire, piece_of(API, position, total)))

    read_each(values, "content", read)
    return parts
