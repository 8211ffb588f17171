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
from ..prompt import Prompt, adopted_in, facts_of_prompt, with_messages

__all__ = ["KnownHistories", "KnownHistory"]

_MOST_BYTES: Final = 32 * 2**20
_MOST: Final = 256
# Values that nobody can write into.
_LEAVES: Final = frozenset({str, int, float, bool, bytes, type(None)})


@dataclass(frozen=True, slots=True, eq=False)
class _Frame:
    """A request but for its list of messages.

    Attributes:
        fields: Private copies of its other fields; None where they hold what can't be copied.
        size: Bytes that they take.
        prompt: What was read from them: a prompt with some messages of the list.
        outside: The messages of the prompt that come from them.
    """

    fields: dict[str, Any] | None = None
    size: int = 0
    prompt: Prompt = field(default_factory=Prompt)
    outside: Messages = ()


@dataclass(slots=True, eq=False)
class KnownHistory:
    """A request as it was sent, and what was read from it.

    Attributes:
        format: Name of the request's format.
        items: Private copies of its list of messages.
        size: Bytes that these take.
        messages: What was read from them.
        survey: What is known of those.
        frame: What stands beside the list.
        read_whole: Set it where a request with these messages can't go out as it came: the next one is read whole at once.
    """

    format: str = ""
    items: list[Any] = field(default_factory=list)
    size: int = 0
    messages: Messages = ()
    survey: Survey = field(default_factory=Survey)
    frame: _Frame = field(default_factory=_Frame)
    read_whole: bool = False

    @property
    def whole_size(self) -> int:
        """Bytes that the request takes."""
        return self.size + self.frame.size


_NOTHING: Final = KnownHistory()


class KnownHistories:
    """Reads requests, and remembers the latest one of each conversation.

    It remembers the 256 conversations that were sent last, of 32 MiB of requests at the most, which then take about four
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
            The prompt; and where a part of it was read from equal objects, the history that is now known: the prompt is
            written as another request then.

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
        beside = {key: value for key, value in request.items() if key != name}
        try:
            history = _grown(known, codec, beside, wires) or _grown(_NOTHING, codec, beside, wires)
        except (_NotPlainError, RecursionError, HistoryFormatError):
            history = None
        if history is None:
            # The place of a fault counts from the beginning.
            return codec.decode(request), None
        self._replace(known, history)
        outside, found = history.frame.outside, history.survey
        whole = Survey(facts_of_all(outside) | found.facts, len(outside) + found.paired)
        return with_messages(history.frame.prompt, outside + history.messages, whole), history

    def _find(self, name: str, wires: list[Any]) -> KnownHistory:
        """The latest known history that a list of messages begins with."""
        for known in reversed(self._known.copy()):
            count = len(known.items)
            # Conversations that begin alike mostly differ in the last message.
            if (
                known.format == name
                and _are_equal(known.items[-1:], wires[count - 1 : count])
                and _are_equal(known.items, wires[:count])
            ):
                return known
        return _NOTHING

    def _replace(self, known: KnownHistory, history: KnownHistory) -> None:
        with self._lock:
            self._forget(known)
            self._known.append(history)
            self._size += history.whole_size
            while self._size > self._most_bytes or len(self._known) > _MOST:
                self._forget(self._known[0])

    def _forget(self, known: KnownHistory) -> None:
        for index, history in enumerate(self._known):
            # Another thread may have forgotten it.
            if history is known:
                del self._known[index]
                self._size -= history.whole_size
                return


def _grown(
    known: KnownHistory, codec: Format, beside: dict[str, Any], wires: list[Any]
) -> KnownHistory | None:
    """Read a request that begins with a known history.

    Args:
        known: The history.
        codec: Of the request's format.
        beside: The request without its list of messages.
        wires: The list.

    Returns:
        None when what is new reads otherwise by itself.
    """
    items = _copied(wires[len(known.items) :])
    frame = known.frame
    read = codec.decode(items) if _are_equal(frame.fields, beside) else None
    if read is not None and not read.server_state:
        new = read.messages
    else:
        frame = _framed(codec, beside, items)
        read = frame.prompt
        new = read.messages[len(frame.outside) :]
    by_server = bool(facts_of_prompt(read) & SERVER_TOOLS)
    # What is of another API is told of the whole list.
    if adopted_in(read) or not _stands_alone(known, new, by_server=by_server):
        return None
    messages = known.messages + new
    return KnownHistory(
        codec.name,
        known.items + items,
        known.size + _size(items),
        messages,
        survey(messages, known.survey),
        frame,
        # What a server holds or has run may be told anywhere.
        read_whole=bool(read.server_state) or by_server,
    )


def _framed(codec: Format, beside: dict[str, Any], items: list[Any]) -> _Frame:
    """Read a request's fields beside its list, and some messages of the list."""
    try:
        fields = _copied(beside)
    except _NotPlainError:
        fields = None
    prompt = codec.decode({**(beside if fields is None else fields), codec.marks.turns[0]: items})
    outside = tuple(takewhile(_is_outside, prompt.messages))
    return _Frame(fields, 0 if fields is None else _size(fields), prompt, outside)


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


def _are_equal(known: Any, given: Any) -> bool:
    try:
        return bool(known == given)
    except (ValueError, RecursionError):
        # An array says neither yes nor no.
        return False


def _size(items: Any) -> int:
    """Bytes that plain values take, about: as many as marshal writes, which is quick."""
    return len(marshal.dumps(items))


def _is_outside(message: Message) -> bool:
    return message.role == "system" and message.placement == "top"


def _stands_alone(known: KnownHistory, new: Messages, *, by_server: bool) -> bool:
    """Whether new messages read the same without what stands before them; ``by_server``: a server ran some calls of theirs.

    They do when they begin with an answer that follows no other answer. But where calls have no ids of their own, results
    belong to them by position, until the next calls; and who ran a server's call may be told by a result anywhere.
    """
    if not new or not known.messages:
        return True
    if new[0].role != "assistant" or known.messages[-1].role == "assistant":
        return False
    if by_server:
        return False
    return not known.survey.facts & IRREGULAR or bool(facts_of(new[0]) & CALLS)
