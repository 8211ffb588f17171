"""Reading a conversation again: of one that only grew since its last request, only what is new is read.

An agent sends its whole history with every call, and a client's own layers may build its objects anew each time. So what
was read before is known by its content, and it was read from copies, which nobody else can write into: a caller who
changes a message in place sends another content, and it is read anew; and what goes out is a copy of them, since a layer
behind the guard may write into it, and another conversation may begin with the same messages.
"""

from __future__ import annotations

import marshal
from itertools import takewhile
from threading import Lock
from typing import Any, Final, NamedTuple

from ..errors import HistoryFormatError
from ..facts import CALLS, IRREGULAR, SERVER_TOOLS, Survey, facts_of, facts_of_all, survey
from ..formats import Format
from ..messages import Message, Messages
from ..prompt import Prompt, read_from

__all__ = ["KnownHistories", "unshared"]

_MOST_BYTES: Final = 32 * 2**20
_MOST: Final = 256
# The last version in which a value's bytes tell nothing but its type and content. A list is a letter, the number of its
# items in four bytes, and the items.
_VERSION: Final = 2
_HEAD: Final = 5


class _History(NamedTuple):
    """The list of messages of a request as it was sent, and what was read from it."""

    format: str = ""
    length: int = 0
    items: bytes = b""
    messages: Messages = ()
    survey: Survey = Survey()


_NOTHING: Final = _History()


class KnownHistories:
    """Reads requests, and remembers the latest one of each conversation.

    It remembers the 256 conversations that were sent last, of 32 MiB of messages at the most, which then take about four
    times as much. Any number of threads may use it.
    """

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._known: list[_History] = []
        self._size = 0
        self._lock = Lock()

    def read(self, codec: Format, request: Any) -> Prompt:
        """Do what ``codec.decode(request)`` does; but a message that nobody touches may be written as an equal one.

        Raises:
            HistoryFormatError: What ``codec.decode`` raises.
        """
        field = codec.marks.turns[0]
        wires: Any = request.get(field) if isinstance(request, dict) else None
        content = _content(wires)
        if content is None:
            return codec.decode(request)
        known = self._find(codec.name, content)
        items = _items_behind(known, content, len(wires))
        if not _are_equal(items, wires[known.length :]):
            return codec.decode(request)
        try:
            rest = codec.decode({**request, field: items})
            if not _stands_alone(known, rest):
                known = _NOTHING
                items = _items_behind(known, content, len(wires))
                rest = codec.decode({**request, field: items})
        except HistoryFormatError:
            # The place of the fault counts from the beginning.
            return codec.decode(request)
        outside = _outside_of_list(rest)
        messages = known.messages + rest.messages[len(outside) :]
        found = survey(messages, known.survey)
        # Else something may refer to what stands elsewhere.
        if not (rest.server_state or found.facts & SERVER_TOOLS):
            self._replace(known, _History(codec.name, len(wires), content[_HEAD:], messages, found))
        whole = Survey(facts_of_all(outside) | found.facts, len(outside) + found.paired)
        return read_from(rest, request, wires, outside + messages, whole)

    def _find(self, name: str, content: bytes) -> _History:
        """The latest known history that a list of messages begins with."""
        for known in reversed(self._known.copy()):
            if known.format == name and content.startswith(known.items, _HEAD):
                return known
        return _NOTHING

    def _replace(self, known: _History, history: _History) -> None:
        with self._lock:
            self._forget(known)
            self._known.append(history)
            self._size += len(history.items)
            while self._size > self._most_bytes or len(self._known) > _MOST:
                self._forget(self._known[0])

    def _forget(self, known: _History) -> None:
        for index, history in enumerate(self._known):
            # Another thread may have forgotten it.
            if history is known:
                del self._known[index]
                self._size -= len(history.items)
                return


def unshared(request: Any, given: Any) -> Any:
    """Return a request that shares nothing with what is remembered: copies of all that was not given like this."""
    if request is given or not (isinstance(request, dict) and isinstance(given, dict)):
        return request
    return {key: value if value is given.get(key) else _copied(value) for key, value in request.items()}


def _copied(value: Any) -> Any:
    """A copy of a plain value; of a list, each item that is plain by itself."""
    if isinstance(value, list):
        items: list[Any] = value
        return [_copied_item(item) for item in items]
    return _copied_item(value)


def _copied_item(value: Any) -> Any:
    try:
        copy = marshal.loads(marshal.dumps(value, _VERSION))
    except ValueError:
        return value
    return copy if _are_equal(copy, value) else value


def _are_equal(copy: Any, value: Any) -> bool:
    """Whether a copy is what was copied: what lends its memory (a number of numpy's, say) is copied as bytes."""
    try:
        return bool(copy == value)
    except (ValueError, RecursionError):
        # An array says neither yes nor no.
        return False


def _content(wires: Any) -> bytes | None:
    """The content of a list of messages; None where it holds nothing, or what is no plain value (an SDK's object, say)."""
    try:
        return marshal.dumps(wires, _VERSION) if wires and isinstance(wires, list) else None
    except ValueError:
        return None


def _items_behind(known: _History, content: bytes, length: int) -> list[Any]:
    """Copies of the wire messages that stand behind a known history."""
    rest = content[_HEAD + len(known.items) :]
    items: list[Any] = marshal.loads(content[:1] + (length - known.length).to_bytes(4, "little") + rest)
    return items


def _outside_of_list(prompt: Prompt) -> Messages:
    """The messages that come from the request's fields beside its list."""
    return tuple(takewhile(_is_outside, prompt.messages))


def _is_outside(message: Message) -> bool:
    return message.role == "system" and message.placement == "top"


def _stands_alone(known: _History, rest: Prompt) -> bool:
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
