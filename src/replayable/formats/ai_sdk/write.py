"""From our messages to wire messages, for this format and for Mastra's stored messages.

What became several messages of ours goes back as one: the wire object itself where nobody touched any of it, else a new
one under the same id, of which the untouched parts are the same objects.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

from ..._node import wire_of
from ...media import file_stub, opaque_stub
from ...messages import (
    FilePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolResultPart,
)
from ..rewriting import Losses
from ..wire import Wire, options_of, sent
from .content import write_call, write_text
from .files import write_file
from .folding import Folded
from .names import (
    ABSENT,
    ASIDES,
    AT,
    CONTENT,
    CORE,
    LEGACY,
    OF,
    ROLE,
    STORED,
    STYLE,
    UI,
)
from .read import parsed_time
from .reasoning import write_reasoning
from .results import write_result

__all__ = ["write_messages"]

_FILE_KEYS: Final = {
    CORE: ("data", "mediaType", "filename"),
    UI: ("url", "mediaType", "filename"),
    STORED: ("data", "mimeType", "filename"),
}


def write_messages(
    messages: Sequence[Message], api: str, style: str, losses: Losses, *, own: bool
) -> list[Any]:
    """Write a list of messages.

    Args:
        messages: The messages.
        api: The format.
        style: The style of messages that don't remember theirs, where no other message does.
        losses: Where to note what can't be expressed.
        own: Whether the list was read from this format.
    """
    writer = _Writer(messages, api, style, losses, own=own)
    return [wire for style, group in writer.groups() for wire in writer.write(style, group)]


class _Writer:
    def __init__(
        self, messages: Sequence[Message], api: str, style: str, losses: Losses, *, own: bool
    ) -> None:
        self._messages = messages
        self._is_own = own
        self._api = api
        self._losses = losses
        styles = (options_of(message, api).get(STYLE) for message in messages)
        self._style: str = next((noted for noted in styles if noted is not None), style)
        self._legacy = _is_legacy(messages, api)
        # The tool of each call, for results that don't name it.
        self._names: dict[str | None, str] = {}

    # --- which messages are one on the wire ---------------------------------------------------------------------

    def groups(self) -> Iterator[tuple[str, list[Message]]]:
        """Yield the messages that are one on the wire together, and in which style."""
        group: list[Message] = []
        style = self._style
        of: Any = None
        for message in self._messages:
            options = options_of(message, self._api)
            # An answer that was added belongs to the calls before it.
            added = message.role == "tool" and STYLE not in options
            if group and style != CORE:
                same = of is not None and options.get(OF) == of and message.id == group[0].id
                if same or (added and group[0].role in ("assistant", "tool")):
                    group.append(message)
                    continue
            if group:
                yield style, group
            group, of = [message], options.get(OF)
            style = options.get(STYLE, style if added else self._style)
        if group:
            yield style, group

    def write(self, style: str, group: list[Message]) -> list[Any]:
        """Write the messages of a group: one wire message, or none when nothing of them can be expressed."""
        for message in group:
            for part in message.parts:
                if part.type == "tool_call":
                    self._names[part.tool_call_id] = part.tool_name
        wire = self._untouched(group)
        if wire is not None:
            return [wire]
        self._losses.fields_of(node for message in group for node in (message, *message.parts))
        options = options_of(group[0], self._api)
        if style == CORE:
            return self._losses.blaming(group[0], partial(self._core, group[0], options))
        return self._losses.blaming(group[0], partial(self._with_parts, group, options, style))

    def _untouched(self, group: list[Message]) -> Any:
        wire, piece = wire_of(group[0])
        if piece is None or piece.api != self._api or piece.total != len(group):
            return None
        for position, message in enumerate(group):
            other, other_piece = wire_of(message)
            if other is not wire or other_piece is None or other_piece.position != position:
                return None
        return wire

    def _envelope(self, message: Message, options: Wire, role: str) -> Wire:
        wire: Wire = {} if message.id is None else {"id": message.id}
        wire["role"] = options.get(ROLE, role)
        extra = sent(options)
        if message.id is not None:
            extra.pop("id", None)
        # A time goes back as it was written, as long as it is the same time.
        if message.created_at is not None and parsed_time(extra.get("createdAt")) != message.created_at:
            extra["createdAt"] = message.created_at.isoformat().replace("+00:00", "Z")
        return {**wire, **extra}

    # --- model messages -------------------------------------------------------------------------------------------

    def _core(self, message: Message, options: Wire) -> list[Any]:
        wire: Wire = {"role": message.role}
        if self._is_own:
            # A prompt for a model has no ids; only a list that had some keeps them.
            wire = self._envelope(message, options, message.role)
        items: list[Any] = []
        asides = deque(options.get(ASIDES, ()))
        form = options.get(CONTENT) or ("string" if message.role == "system" else None)
        # This wire takes nothing but text there.
        text_only = message.role == "system" and form == "string"
        for part in message.parts:
            while asides and asides[0][0] < options_of(part, self._api).get(AT, -1):
                items.append(asides.popleft()[1])
            item = self._remembered(part)
            if item is None and text_only and (part.type == "file" or part.type == "opaque"):
                item = self._stub(part, message)
            items.extend([item] if item is not None else self._item(part, message))
        items.extend(aside for _, aside in asides)
        if message.parts and not items:
            return []
        plain = all(item.get("type") == "text" and item.keys() == {"type", "text"} for item in items)
        if text_only:
            wire["content"] = "\n\n".join(str(item.get("text", "")) for item in items)
        elif form == "string" and len(items) == 1 and plain:
            wire["content"] = items[0]["text"]
        elif items or form not in ("null", "absent"):
            wire["content"] = items
        elif form == "null":
            wire["content"] = None
        return [wire]

    def _remembered(self, part: Part) -> Any:
        """The wire object of a part that nobody touched."""
        wire, piece = wire_of(part)
        return wire if piece is not None and piece.api == self._api and piece.total == 1 else None

    def _item(self, part: Part, message: Message) -> list[Any]:
        match part.type:
            case "text":
                return [write_text(part, self._api)]
            case "opaque" if message.role == "tool" and part.api != self._api:
                # Beside results this wire takes no text that could stand in for it.
                self._losses.part("not-supported-here", message, part)
                return []
            case "file" | "opaque":
                return [self.other(part, message, CORE)]
            case "reasoning":
                wire, complete = write_reasoning(part, message, self._api, "providerOptions")
                return self.reasoning([part], wire, message, complete=complete)
            case "tool_call":
                return [write_call(part, self._api, legacy=self._legacy)]
            case "tool_result":
                self.result(part, message)
                name = self._names.get(part.tool_call_id, "unknown")
                return [write_result(part, self._api, tool_name=name, legacy=self._legacy)]

    # --- what both styles share -----------------------------------------------------------------------------------

    def other(self, part: FilePart | OpaquePart, message: Message, style: str) -> Wire:
        """Write a file or a part that only one API knows; a text in its place where this wire has none."""
        if part.type == "opaque" and part.api == self._api and isinstance(part.value, dict):
            return part.value
        # An image in an answer, say, is no less a file here.
        wire = write_file(part, self._api, _FILE_KEYS[style]) if part.type == "file" else None
        return wire if wire is not None else self._stub(part, message)

    def _stub(self, part: FilePart | OpaquePart, message: Message) -> Wire:
        text = file_stub(part) if part.type == "file" else opaque_stub(part)
        self._losses.part("not-supported-here", message, part, TextPart(text))
        return {"type": "text", "text": text}

    def reasoning(
        self, parts: Sequence[ReasoningPart], wire: Wire, message: Message, *, complete: bool
    ) -> list[Any]:
        """Return written reasoning; nothing of it when neither its text nor its state found a place."""
        if complete:
            return [wire]
        readable = any(part.text for part in parts)
        self._losses.part(
            "reasoning-of-unknown-maker", message, parts[0], TextPart(parts[0].text) if readable else None
        )
        return [wire] if readable else []

    def result(self, part: ToolResultPart, message: Message) -> None:
        """Note what the content of a result loses."""
        self._losses.fields_of(part.content or ())
        for item in part.content or ():
            if self._api in (item.provider_options or {}) or item.type == "text":
                continue
            if item.type == "file" and (item.data is not None or item.url is not None):
                continue
            if item.type == "opaque" and item.api == self._api:
                continue
            text = file_stub(item) if item.type == "file" else opaque_stub(item)
            self._losses.part("not-supported-here", message, item, TextPart(text))

    # --- messages with parts --------------------------------------------------------------------------------------

    def _with_parts(self, group: list[Message], options: Wire, style: str) -> list[Any]:
        first = group[0]
        folded = Folded(group, self._api, style, self)
        if folded.is_empty and any(message.parts for message in group):
            return []
        role = "assistant" if first.role == "tool" else first.role
        wire = self._envelope(first, options, role)
        inner: Any = wire.pop("content", {}) if style == STORED else {}
        holder: Wire = {**inner} if isinstance(inner, dict) else {}
        if style == STORED and self._api not in (first.provider_options or {}):
            holder["format"] = 2
        if folded.parts or "parts" not in options.get(ABSENT, ()):
            holder["parts"] = folded.parts
        if first.metadata is not None:
            holder["metadata"] = first.metadata
        holder.update(folded.fields)
        return [{**wire, "content": holder} if style == STORED else {**wire, **holder}]


def _is_legacy(messages: Sequence[Message], api: str) -> bool:
    """Whether a history calls its tools in the way of older versions throughout; what we added ourselves tells nothing."""
    noted = {
        LEGACY in options_of(part, api)
        for message in messages
        for part in message.parts
        if part.type == "tool_call" or (part.type == "tool_result" and not part.synthesized)
    }
    return noted == {True}
