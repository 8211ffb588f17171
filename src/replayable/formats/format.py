"""What a format is: how it reads and writes, and by what its requests are recognised."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from ..prompt import Prompt
from .wire import Encoded, Wire

__all__ = ["Decode", "Format", "Marks"]


class Decode(Protocol):
    """How a format reads: see ``formats.openai_chat.decode``."""

    def __call__(self, request: Any, *, provider: str | None = None, model: str | None = None) -> Prompt:
        """Read a request."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What a format's requests and messages look like.

    ``turns``, ``roles`` and ``shapes`` say what may be there: whatever has another role or shape is another format. All
    others are marks: what this format has, and not every other one. A conversation that needs none of them reads the
    same in several formats.

    Args:
        turns: The fields of a request in one of which the list of messages stands.
        roles: The roles of its messages; None for a message without one.
        shapes: The forms of a message: ``content: text``, ``content: typed`` (a list of objects with a ``type``),
            ``content: untyped`` (without), ``content: object of parts`` (a stored message's), and the lists also as
            ``parts: …``; ``item`` for an entry that has a ``type`` in place of a role; ``text`` where a bare string may stand in place of
            the list of messages.
        request: Fields of a request.
        fields: Fields of a message.
        types: The ``type`` of a message, or of an item of its ``content`` or ``parts``.
        keys: Fields of an item of ``content`` or ``parts``.
        tools: Fields of a declared tool.
        more: Names what else in a message only this format has; None when the above is all.
    """

    turns: tuple[str, ...] = ("messages",)
    roles: frozenset[str | None] = frozenset({"system", "user", "assistant"})
    shapes: frozenset[str] = frozenset({"content: text", "content: typed"})
    request: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    keys: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()
    more: Callable[[Wire], Iterable[str]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One wire API.

    Args:
        name: Its name, e.g. ``openai_chat``.
        title: What people call it.
        decode: From a request (or a bare list of messages) to a prompt.
        encode: From a prompt to a request.
        marks: By what its requests are recognised.
    """

    name: str
    title: str
    decode: Decode
    encode: Callable[[Prompt], Encoded]
    marks: Marks
