"""Folding messages of ours back into one message with parts."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any, Protocol

from ..._node import wire_of
from ...messages import FilePart, Message, OpaquePart, Part, ReasoningPart, ToolCallPart, ToolResultPart
from ..wire import Wire, options_of
from .content import write_text
from .files import write_file
from .invocations import write_entry, write_orphan, write_tool_part
from .names import ALSO, ASIDES, AT, DETAIL, FIELD, JOINED, LISTED, STORED
from .reasoning import write_details, write_reasoning

__all__ = ["Folded"]


class PartWriter(Protocol):
    """What the parts of both styles share, with the losses noted."""

    def other(self, part: FilePart | OpaquePart, message: Message, style: str) -> Wire:
        """Write a file or a part that only one API knows."""
        ...

    def reasoning(
        self, parts: Sequence[ReasoningPart], wire: Wire, message: Message, *, complete: bool
    ) -> list[Any]:
        """Return written reasoning, or nothing."""
        ...

    def result(self, part: ToolResultPart, message: Message) -> None:
        """Note what the content of a result loses."""
        ...


class Folded:
    """The parts of several messages as the parts of one.

    Args:
        group: The messages.
        api: The format.
        style: The style to write.
        writer: What writes the parts that both styles share.
    """

    def __init__(self, group: Sequence[Message], api: str, style: str, writer: PartWriter) -> None:
        self.parts: list[Any] = []
        self.fields: Wire = {}
        """The legacy fields beside the parts."""
        self._api = api
        self._style = style
        self._writer = writer
        self._entries: list[Any] = []
        self._answers = _answers(group, api)
        self._answering = {id(result) for result in self._answers.values()}
        for message in group:
            self._message(message)
        listed = options_of(group[0], api).get(LISTED)
        if listed is not None or self._entries:
            self._entries.extend(listed or ())
            self._entries.sort(key=lambda entry: entry[0])
            self.fields["toolInvocations"] = [entry for _, entry in self._entries]

    @property
    def is_empty(self) -> bool:
        """Whether no part found a place."""
        return not self.parts and not any(self.fields.values())

    def _message(self, message: Message) -> None:
        asides = deque(options_of(message, self._api).get(ASIDES, ()))
        index = 0
        while index < len(message.parts):
            part = message.parts[index]
            at = options_of(part, self._api).get(AT, -1)
            while asides and asides[0][0] < at:
                self.parts.append(asides.popleft()[1])
            index += self._part(part, message, index)
        self.parts.extend(aside for _, aside in asides)

    def _part(self, part: Part, message: Message, index: int) -> int:
        """Write a part, and return how many of the message's parts that was."""
        own = options_of(part, self._api)
        if part.type == "tool_call":
            self._call(part, message)
        elif part.type == "tool_result":
            if id(part) not in self._answering:
                self._writer.result(part, message)
                self.parts.append(write_orphan(part, self._api, self._shape))
        elif part.type == "reasoning":
            return self._reasoning(part, message, index)
        elif own.get(FIELD) == "experimental_attachments" and part.type == "file":
            wire = wire_of(part)[0] or write_file(part, self._api, ("url", "contentType", "name"))
            self.fields.setdefault("experimental_attachments", []).append(wire)
        elif part.type == "text" and own.get(FIELD) == "content":
            self.fields["content"] = part.text
        else:
            if part.type == "text" and own.get(ALSO):
                self.fields["content"] = part.text
            wire, piece = wire_of(part)
            if piece is not None and piece.api == self._api:
                self.parts.append(wire)
            elif part.type == "text":
                self.parts.append(write_text(part, self._api))
            else:
                self.parts.append(self._writer.other(part, message, self._style))
        return 1

    @property
    def _shape(self) -> str:
        return "nested" if self._style == STORED else "flat"

    def _call(self, call: ToolCallPart, message: Message) -> None:
        result = self._answers.get(id(call))
        if result is not None:
            self._writer.result(result, message)
        options = options_of(call, self._api)
        wire = self._untouched(call, result)
        if options.get(FIELD) == "toolInvocations":
            self._entries.append([len(self._entries), wire or write_entry(call, result, self._api)])
            return
        wire = wire or write_tool_part(call, result, self._api, self._shape)
        self.parts.append(wire)
        if LISTED in options:
            place, entry = options[LISTED]
            same = wire.get("toolInvocation") if entry is True else {**entry, "toolCallId": call.tool_call_id}
            self._entries.append([place, same])

    def _untouched(self, call: ToolCallPart, result: ToolResultPart | None) -> Any:
        wire, piece = wire_of(call)
        if piece is None or piece.api != self._api:
            return None
        if result is None:
            return wire if piece.total == 1 else None
        other, other_piece = wire_of(result)
        return wire if other is wire and other_piece is not None and piece.total == 2 else None

    def _reasoning(self, part: ReasoningPart, message: Message, index: int) -> int:
        options = options_of(part, self._api)
        if options.get(FIELD) == "reasoning":
            self.fields["reasoning"] = part.text
            return 1
        parts = [part]
        for following in message.parts[index + 1 :]:
            # Details after the first say so by their position.
            if following.type != "reasoning" or options_of(following, self._api).get(DETAIL, 0) < 1:
                break
            parts.append(following)
        wire, piece = wire_of(part)
        pieces = [wire_of(one) for one in parts]
        if (
            piece is not None
            and piece.api == self._api
            and piece.total == len(parts)
            and all(other is wire for other, _ in pieces)
        ):
            self.parts.append(wire)
            return len(parts)
        is_own = self._api in (part.provider_options or {})
        if DETAIL in options or JOINED in options or (not is_own and self._style == STORED):
            written, complete = write_details(parts, message, self._api)
        else:
            written, complete = write_reasoning(part, message, self._api, "providerMetadata")
        self.parts.extend(self._writer.reasoning(parts, written, message, complete=complete))
        return len(parts)


def _answers(group: Sequence[Message], api: str) -> dict[int, ToolResultPart]:
    """The result of each call, by the call's identity: the one that stood in the same part, else one that was added."""
    waiting: defaultdict[tuple[str | None, int | None], deque[ToolResultPart]] = defaultdict(deque)
    calls: list[ToolCallPart] = []
    for message in group:
        for part in message.parts:
            if part.type == "tool_call":
                calls.append(part)
            elif part.type == "tool_result":
                waiting[part.tool_call_id, options_of(part, api).get(AT)].append(part)
    answers: dict[int, ToolResultPart] = {}
    for call in calls:
        for at in (options_of(call, api).get(AT), None):
            results = waiting[call.tool_call_id, at]
            if results and id(call) not in answers:
                answers[id(call)] = results.popleft()
    return answers
