"""From wire messages to ours, for this format and for Mastra's stored messages.

A message with ``parts`` may hold several steps, each of which is an assistant message and the tool message that answers
it. What stands beside its parts in legacy fields is read where Mastra and the SDK place it: tool invocations, reasoning
and attachments before the parts, the text after them.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from ..._node import build, defaults, make, piece_of, wire_of
from ...errors import HistoryFormatError
from ...json_value import same_json
from ...messages import (
    AssistantMessage,
    FilePart,
    Message,
    Part,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolMessage,
    UserMessage,
)
from ..wire import MISSING, Wire, as_list, as_object, fault, options_of, rest
from .content import ASIDES_OF_CONTENT, read_part, read_text
from .files import read_file
from .invocations import is_tool_part, read_invocation, read_tool_part
from .names import (
    ABSENT,
    ASIDES,
    AT,
    CONTENT,
    CORE,
    FIELD,
    LISTED,
    OF,
    ROLE,
    STORED,
    STYLE,
    UI,
)
from .reasoning import read_reasoning
from .unfolding import Piece, Unfolding

__all__ = ["HOLDER", "parsed_time", "read_messages"]

HOLDER: Final = frozenset(
    {"parts", "metadata", "content", "toolInvocations", "reasoning", "experimental_attachments"}
)
"""The fields of a message with parts that become parts or metadata of ours."""

_ENVELOPE: Final = frozenset({"id", "role", "content"})

_CLASSES: Final[dict[str, type[Message]]] = {
    "system": SystemMessage,
    "user": UserMessage,
    "assistant": AssistantMessage,
    "tool": ToolMessage,
    # Mastra's notifications to the agent.
    "signal": UserMessage,
}


def read_messages(
    wires: list[Any], path: str, api: str, provider: str | None, model: str | None
) -> tuple[Message, ...]:
    """Read a list of messages.

    Args:
        wires: The list.
        path: Its path in the request.
        api: The format.
        provider: Who made the assistant messages, if known.
        model: The model that made them.

    Raises:
        HistoryFormatError: Something in it is not of the shape that a message has.
    """
    reader = _Reader(wires, api, provider, model)
    messages: list[Message] = []
    for index, value in enumerate(wires):
        try:
            messages.extend(reader.read(value, index))
        except HistoryFormatError as error:
            raise error.under(f"{path}[{index}]") from None
    return tuple(messages)


def style_of_wire(wire: Wire) -> str:
    """Tell which style a message is written in."""
    if isinstance(wire.get("content"), dict):
        return STORED
    return UI if "parts" in wire or "toolInvocations" in wire or "experimental_attachments" in wire else CORE


def parsed_time(value: Any) -> datetime | None:
    """Return a time as ``createdAt`` holds it; None when it is no ISO 8601 text."""
    if isinstance(value, datetime):
        return value
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None


class _Reader:
    def __init__(self, wires: list[Any], api: str, provider: str | None, model: str | None) -> None:
        self._api = api
        self._provider = provider
        self._model = model
        objects = [wire for wire in wires if isinstance(wire, dict)]
        self._approvals = _approvals(objects)
        # Where all messages are of the model's style, none needs to say so.
        self._notes_core = any(style_of_wire(wire) != CORE for wire in objects)

    def read(self, value: Any, index: int) -> list[Message]:
        wire = as_object(value, "", "a message (an object with role)")
        role = wire.get("role", MISSING)
        if not isinstance(role, str) or role not in _CLASSES:
            raise fault("role", role, f"one of the roles {', '.join(_CLASSES)}")
        style = style_of_wire(wire)
        if style == CORE:
            return self._core(wire, role)
        if role == "tool":
            raise fault("role", role, "one of the roles system, user, assistant, where a message has parts")
        if style == STORED:
            if self._api != "mastra":
                raise fault("content", wire["content"], "a string or a list of parts")
            try:
                return self._with_parts(wire, wire["content"], role, style, index)
            except HistoryFormatError as error:
                raise error.under("content") from None
        return self._with_parts(wire, wire, role, style, index)

    # --- what all have -------------------------------------------------------------------------------------------

    def _message(
        self, piece: Piece, wire: Wire, notes: Wire, metadata: Any, position: int, total: int
    ) -> Message:
        message_id = wire.get("id")
        if piece.asides:
            notes = {**notes, ASIDES: piece.asides}
        fields: Wire = {
            **defaults(piece.cls),
            "parts": tuple(piece.parts),
            "id": message_id if isinstance(message_id, str) else None,
            "created_at": parsed_time(wire.get("createdAt")),
            "metadata": metadata if isinstance(metadata, dict) else None,
            "provider_options": {self._api: notes} if notes else None,
        }
        if piece.cls is AssistantMessage:
            fields.update(provider=self._provider, api=self._api, model=self._model)
        elif piece.cls is SystemMessage:
            fields["placement"] = "list"
        return build(piece.cls, fields, wire, piece_of(self._api, position, total))

    @staticmethod
    def _extra(wire: Wire, known: frozenset[str]) -> Wire:
        """The fields that no model of ours has; a time goes back as it was written."""
        extra = rest(wire, known)
        if "id" in wire and not isinstance(wire["id"], str):
            extra["id"] = wire["id"]
        if isinstance(extra.get("createdAt"), datetime):
            # It is no JSON; the message holds it.
            del extra["createdAt"]
        return extra

    # --- model messages --------------------------------------------------------------------------------------------

    def _core(self, wire: Wire, role: str) -> list[Message]:
        notes = self._extra(wire, frozenset({"id", "role", "content"}))
        if self._notes_core or self._api == "mastra":
            notes[STYLE] = CORE
        if role == "signal":
            notes[ROLE] = role
        piece = Piece(_CLASSES[role])
        content = wire.get("content")
        form: str | None = None
        if isinstance(content, str):
            if role == "tool":
                raise fault("content", content, "a list of parts")
            piece.parts.append(make(TextPart, text=content))
            form = None if role == "system" else "string"
        elif content is None:
            form = "null" if "content" in wire else "absent"
        else:
            self._content(as_list(content, "content", "a string or a list of parts"), role, piece)
            form = "list" if role == "system" else None
        if form:
            notes[CONTENT] = form
        return [self._message(piece, wire, notes, None, 0, 1)]

    def _content(self, items: list[Any], role: str, piece: Piece) -> None:
        own_calls = {
            item["toolCallId"]
            for item in items
            if isinstance(item, dict)
            and item.get("type") == "tool-call"
            and item.get("providerExecuted") is not True
            and isinstance(item.get("toolCallId"), str)
        }
        has_asides = any(isinstance(item, dict) and _is_aside(item) for item in items)
        for at, value in enumerate(items):
            try:
                item = as_object(value, "", "a part (an object with a type)")
                if _is_aside(item):
                    piece.asides.append([at, item])
                    continue
                notes = {AT: at} if has_asides else {}
                piece.parts.append(read_part(item, role, self._api, notes, self._approvals, own_calls))
            except HistoryFormatError as error:
                raise error.under(f"content[{at}]") from None

    # --- messages with parts ---------------------------------------------------------------------------------------

    def _with_parts(self, wire: Wire, holder: Wire, role: str, style: str, index: int) -> list[Message]:
        api = self._api
        notes: Wire = {STYLE: style}
        if role == "signal":
            notes[ROLE] = role
        # Lists of the legacy fields that no part stands for stay what they were.
        metadata = holder.get("metadata")
        known = HOLDER if isinstance(metadata, dict) else HOLDER - {"metadata"}
        pieces, kept = self._pieces(holder, role)
        if style == STORED:
            notes.update(self._extra(wire, _ENVELOPE))
            notes["content"] = {**rest(holder, known), **kept}
        else:
            notes.update(self._extra(wire, _ENVELOPE | known), **kept)
        if "parts" not in holder:
            notes[ABSENT] = ["parts"]
        if len(pieces) > 1:
            notes[OF] = index
        if holder.get("toolInvocations") and "toolInvocations" not in kept:
            notes[LISTED] = _note_listed(pieces, holder["toolInvocations"], api)
        return [
            self._message(piece, wire, notes, metadata, position, len(pieces))
            for position, piece in enumerate(pieces)
        ]

    def _pieces(self, holder: Wire, role: str) -> tuple[list[Piece], Wire]:
        """The pieces of a message, and the legacy fields that only repeat its parts."""
        given = holder.get("parts")
        wires = [] if given is None and "parts" not in holder else as_list(given, "parts", "a list of parts")
        kinds = {
            wire.get("type") for wire in wires if isinstance(wire, dict) and isinstance(wire.get("type"), str)
        }
        kept: Wire = {}
        unfolding = Unfolding(_CLASSES[role])
        for step, parts in self._legacy_before(holder, role, kinds, kept):
            unfolding.add(parts, step)
        for at, value in enumerate(wires):
            try:
                # A single part needs no position.
                notes = {AT: at} if len(wires) > 1 else {}
                wire = as_object(value, "", "a part (an object with a type)")
                parts = self._part(wire, role, notes)
            except HistoryFormatError as error:
                raise error.under(f"parts[{at}]") from None
            if parts:
                unfolding.add(parts, _step_of(wire))
            else:
                unfolding.aside(at, wire)
        self._text_beside(holder, kinds, kept, unfolding)
        return unfolding.pieces(), kept

    def _part(self, wire: Wire, role: str, notes: Wire) -> tuple[Part, ...]:
        """The parts of ours that one part is; none when no model reads it."""
        kind = wire.get("type")
        if kind == "text":
            return (read_text(wire, self._api, notes),)
        if kind == "file":
            file = read_file(wire, self._api, notes)
            return () if file is None else (file,)
        if role != "assistant":
            return ()
        if kind == "reasoning":
            return read_reasoning(wire, self._api, notes)
        return read_tool_part(wire, self._api, notes) if is_tool_part(kind) else ()

    def _legacy_before(
        self, holder: Wire, role: str, kinds: set[Any], kept: Wire
    ) -> Iterator[tuple[Any, tuple[Part, ...]]]:
        invocations = holder.get("toolInvocations")
        if isinstance(invocations, list) and invocations and role == "assistant":
            if not any(is_tool_part(kind) for kind in kinds):
                for index, value in enumerate(invocations):
                    path = f"toolInvocations[{index}]"
                    try:
                        entry = as_object(
                            value, "", "a tool invocation (an object with toolCallId and toolName)"
                        )
                        yield entry.get("step"), read_invocation(entry, self._api, {FIELD: "toolInvocations"})
                    except HistoryFormatError as error:
                        raise error.under(path) from None
        elif "toolInvocations" in holder:
            kept["toolInvocations"] = invocations
        reasoning = holder.get("reasoning")
        if isinstance(reasoning, str) and reasoning and role == "assistant" and "reasoning" not in kinds:
            options = {self._api: {FIELD: "reasoning"}}
            yield None, (make(ReasoningPart, text=reasoning, provider_options=options),)
        elif "reasoning" in holder:
            kept["reasoning"] = reasoning
        attachments = holder.get("experimental_attachments")
        files = self._attachments(attachments) if "file" not in kinds else None
        if files:
            yield None, files
        elif "experimental_attachments" in holder:
            kept["experimental_attachments"] = attachments

    def _attachments(self, value: Any) -> tuple[FilePart, ...] | None:
        """Attachments as files; None where one of them is none that is known."""
        if not isinstance(value, list) or not all(
            isinstance(item, dict) and "type" not in item for item in value
        ):
            return None
        files = [read_file(item, self._api, {FIELD: "experimental_attachments"}) for item in value]
        found = tuple(file for file in files if file is not None)
        return found if len(found) == len(files) else None

    def _text_beside(self, holder: Wire, kinds: set[Any], kept: Wire, unfolding: Unfolding) -> None:
        """The ``content`` beside the parts: the text itself where they hold none, else a repetition."""
        if "content" not in holder:
            return
        content = holder["content"]
        if isinstance(content, str) and content and "text" not in kinds:
            unfolding.add((make(TextPart, text=content, provider_options={self._api: {FIELD: "content"}}),))
        elif not unfolding.note_repeated(content, self._api):
            kept["content"] = content


def _is_aside(wire: Wire) -> bool:
    return isinstance(wire.get("type"), str) and wire["type"] in ASIDES_OF_CONTENT


def _step_of(wire: Wire) -> Any:
    inner = wire.get("toolInvocation", wire)
    return inner.get("step") if isinstance(inner, dict) else None


def _note_listed(pieces: list[Piece], entries: list[Any], api: str) -> list[Any]:
    """Note at each call what ``toolInvocations`` says of it; return what belongs to no part."""
    calls = {
        part.tool_call_id: part
        for piece in pieces
        for part in piece.parts
        if part.type == "tool_call" and FIELD not in options_of(part, api)
    }
    if not calls:
        # Then the entries are the calls.
        return []
    unlisted: list[Any] = []
    for index, entry in enumerate(entries):
        call_id = entry.get("toolCallId") if isinstance(entry, dict) else None
        call = calls.pop(call_id, None) if isinstance(call_id, str) else None
        if call is None:
            unlisted.append([index, entry])
            continue
        wire = wire_of(call)[0]
        same = isinstance(wire, dict) and same_json(wire.get("toolInvocation"), entry)
        options_of(call, api)[LISTED] = [index, True if same else entry]
    return unlisted


def _approvals(messages: list[Wire]) -> dict[str, str]:
    """The state of each call that needed the user's approval, by call id."""
    states: dict[str, str] = {}
    calls: dict[str, str] = {}
    for message in messages:
        content = message.get("content")
        for item in content if isinstance(content, list) else ():
            if not isinstance(item, dict) or not isinstance(item.get("approvalId"), str):
                continue
            call_id = item.get("toolCallId")
            if item.get("type") == "tool-approval-request" and isinstance(call_id, str):
                calls[item["approvalId"]] = call_id
                states[call_id] = "awaiting-approval"
            elif item.get("type") == "tool-approval-response" and item["approvalId"] in calls:
                approved = item.get("approved") is not False
                states[calls[item["approvalId"]]] = "complete" if approved else "denied"
    return states
