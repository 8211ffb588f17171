"""Reading a conversation again: of one that only grew since its last request, only what is new is read.

An agent sends its whole history with every call, and a client's own layers may build its objects anew each time. So what
was read before is known by its content, and it was read from copies, which nobody else can write into: a caller who
changes a message in place sends another content, and it is read anew.

Python takes ``True`` for equal to ``1``, and dicts whose keys stand in another order. So what is known only serves to find
that a request needs no change, and goes out as it came. One that needs a change is read whole, from what the caller sent.
"""

from __future__ import annotations

import marshal
from dataclasses import dataclass, field
from itertools import takewhile
from threading import Lock
from typing import Any, Final

from ..errors import HistoryFormatError
from ..facts import CALLS, IRREGULAR, SERVER_TOOLS, Survey, facts_of, facts_of_all, survey
from ..formats import Format
from ..messages import Message, Messages
from ..prompt import Prompt, read_from

__all__ = ["KnownHistories", "KnownHistory"]

_MOST_BYTES: Final = 32 * 2**20
_MOST: Final = 256
# Values that nobody can write into.
_LEAVES: Final = frozenset({str, int, float, bool, bytes, type(None)})


@dataclass(slots=True, eq=False)
class KnownHistory:
    """The list of messages of a request as it was sent, and what was read from it.

    Attributes:
        format: Name of the request's format.
        items: Private copies of the messages.
        size: Bytes that they take.
        messages: What was read from them.
        survey: What is known of those.
        read_whole: Set it where a request with these messages can't go out as it came: the next one is read whole at once.
    """

    format: str = ""
    items: list[Any] = field(default_factory=list)
    size: int = 0
    messages: Messages = ()
    survey: Survey = field(default_factory=Survey)
    read_whole: bool = False


_NOTHING: Final = KnownHistory()


class KnownHistories:
    """Reads requests, and remembers the latest one of each conversation.

    It remembers the 256 conversations that were sent last, of 32 MiB of messages at the most, which then take about four
    times as much. Any number of threads may use it.
    """

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._known: list[KnownHistory] = []
        self._size = 0
        self._lock = Lock()

    def read(self, codec: Format, request: Any) -> tuple[Prompt, KnownHistory | None]:
        """Do what ``codec.decode(request)`` does.

        Returns:
            The prompt; and where a part of it was read from equal messages, the history that is now known.

        Raises:
            HistoryFormatError: What ``codec.decode`` raises.
        """
        name = codec.marks.turns[0]
        wires: Any = request.get(name) if isinstance(request, dict) else None
        if not wires or not isinstance(wires, list):
            return codec.decode(request), None
        known = self._find(codec.name, wires)
        if known.read_whole:
            return codec.decode(request), None
        try:
            items = _copied(wires[len(known.items) :])
            rest = codec.decode({**request, name: items})
            if not _stands_alone(known, rest):
                known = _NOTHING
                items = _copied(wires)
                rest = codec.decode({**request, name: items})
        except (_NotPlainError, RecursionError, HistoryFormatError):
            # The place of a fault counts from the beginning.
            return codec.decode(request), None
        outside = _outside_of_list(rest)
        messages = known.messages + rest.messages[len(outside) :]
        found = survey(messages, known.survey)
        history = KnownHistory(codec.name, known.items + items, known.size + _size(items), messages, found)
        # What a server holds or has run may be told anywhere.
        history.read_whole = bool(rest.server_state or found.facts & SERVER_TOOLS)
        self._replace(known, history)
        whole = Survey(facts_of_all(outside) | found.facts, len(outside) + found.paired)
        return read_from(rest, request, wires, outside + messages, whole), history

    def _find(self, name: str, wires: list[Any]) -> KnownHistory:
        """The latest known history that a list of messages begins with."""
        for known in reversed(self._known.copy()):
            count = len(known.items)
            # Conversations that begin alike mostly differ in the last message.
            if known.format == name and all(
                _are_equal(known.items[start:], wires[start:count]) for start in (count - 1, 0)
            ):
                return known
        return _NOTHING

    def _replace(self, known: KnownHistory, history: KnownHistory) -> None:
        with self._lock:
            self._forget(known)
            self._known.append(history)
            self._size += history.size
            while self._size > self._most_bytes or len(self._known) > _MOST:
                self._forget(self._known[0])

    def _forget(self, known: KnownHistory) -> None:
        for index, history in enumerate(self._known):
            # Another thread may have forgotten it.
            if history is known:
                del self._known[index]
                self._size -= history.size
                return


class _NotPlainError(Exception):
    """A value that may be written into, or compared, in ways of its own (an SDK's object, a number of numpy's)."""


def _copied(value: Any) -> Any:
    """A copy of a plain value, down to what nobody can write into."""
    kind = type(value)
    if kind is dict:
        return {key: item if type(item) in _LEAVES else _copied(item) for key, item in value.items()}
    if kind is list:
        return [_copied(item) for item in value]
    if kind in _LEAVES:
        return value
    raise _NotPlainError


def _are_equal(known: list[Any], wires: list[Any]) -> bool:
    try:
        return known == wires
    except (ValueError, RecursionError):
        # An array says neither yes nor no.
        return False


def _size(items: list[Any]) -> int:
    """Bytes that plain values take, about: as many as marshal writes, which is quick."""
    return len(marshal.dumps(items))


def _outside_of_list(prompt: Prompt) -> Messages:
    """The messages that come from the request's fields beside its list."""
    return tuple(takewhile(_is_outside, prompt.messages))


def _is_outside(message: Message) -> bool:
    return message.role == "system" and message.placement == "top"


def _stands_alone(known: KnownHistory, rest: Prompt) -> bool:
    """Whether the rest of a history reads the same without what stands before it.

    It does when it begins with an answer that follows no other answer. But where calls have no ids of their own, results
    belong to them by position, until the next calls; and who ran a server's call may be told by a result anywhere.
    """
    messages = rest.messages[len(_outside_of_list(rest)) :]
    if not messages or not known.messages:
        return True
    if messages[0].role != "assistant" or known.messages[-1].role == "assistant":
        return False
    if facts_of_all(messages) & SERVER_TOOLS:
        return False
    return not known.survey.facts & IRREGULAR or bool(facts_of(messages[0]) & CALLS)
