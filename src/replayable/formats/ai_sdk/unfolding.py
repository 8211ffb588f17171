"""Cutting a message that holds several steps into messages of ours."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..._node import build, wire_of
from ...messages import Message, Part, TextPart, ToolMessage
from ..wire import Wire, options_of
from .names import ALSO

__all__ = ["Piece", "Unfolding"]


@dataclass(slots=True)
class Piece:
    """One of our messages in the making."""

    cls: type[Message]
    parts: list[Part] = field(default_factory=list)
    asides: list[Any] = field(default_factory=list)


class Unfolding:
    """Cuts the parts of one wire message into messages of ours."""

    def __init__(self, cls: type[Message]) -> None:
        self._cls = cls
        self._done: list[Piece] = []
        self._open = Piece(cls)
        self._results: list[Part] = []
        self._has_calls = False
        self._step: Any = None
        self._asides: list[Any] = []

    def aside(self, at: int, wire: Wire) -> None:
        """Take a part that no model reads; it belongs to the message of the part after it."""
        if wire.get("type") == "step-start" and self._has_calls:
            self._close()
        self._asides.append([at, wire])

    def add(self, parts: tuple[Part, ...], step: Any = None) -> None:
        """Take the parts of ours that one wire part is."""
        if parts[0].type == "tool_call":
            # Before there were step marks, each invocation told its step.
            if step is not None and self._step is not None and step != self._step and self._has_calls:
                self._close()
            self._step = step
            self._has_calls = self._has_calls or not parts[0].provider_executed
        elif self._has_calls:
            # What was said after a call was said knowing its answer.
            self._close()
        self._open.asides.extend(self._asides)
        self._asides = []
        for part in parts:
            if part.type == "tool_result" and not part.provider_executed:
                self._results.append(part)
            else:
                self._open.parts.append(part)

    def note_repeated(self, content: Any, api: str) -> bool:
        """Note at the last text that the message's ``content`` repeats it, if it does."""
        for piece in (self._open, *reversed(self._done)):
            for index in range(len(piece.parts) - 1, -1, -1):
                part = piece.parts[index]
                if part.type == "text":
                    if part.text != content:
                        return False
                    options = {**options_of(part, api), ALSO: True}
                    wire, at = wire_of(part)
                    fields = {**part.__dict__, "provider_options": {api: options}}
                    piece.parts[index] = build(TextPart, fields, wire, at)
                    return True
        return False

    def _close(self) -> None:
        self._done.append(self._open)
        if self._results:
            self._done.append(Piece(ToolMessage, self._results))
        self._open, self._results, self._has_calls = Piece(self._cls), [], False

    def pieces(self) -> list[Piece]:
        """Return the pieces; at least one."""
        if self._open.parts or not self._done:
            self._open.asides.extend(self._asides)
            self._close()
        elif self._asides:
            last = next(piece for piece in reversed(self._done) if piece.cls is self._cls)
            last.asides.extend(self._asides)
        return self._done
