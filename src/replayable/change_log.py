"""The record of every change, found by comparing what went in with what came out; a rule's author reports nothing."""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from threading import Lock
from typing import NamedTuple

from typing_extensions import override

from .changes import Change, differ
from .comparison import Places, compare
from .messages import Message
from .prompt import Prompt

__all__ = ["ChangeLog"]


# Several threads may ask for the changes of one prompt.
_comparing = Lock()


class _Versions(NamedTuple):
    """What somebody got, and what was made of it."""

    before: Prompt | Sequence[Message]
    after: Prompt | Sequence[Message]
    processor: str
    rule: str | None


class ChangeLog:
    """Keeps what a chain of rules made of a history; what differs is looked for when somebody asks.

    ``len(log)`` is the number of records.

    Args:
        messages: The history as the caller handed it in.
        outer: A log that lives longer; its messages are the caller's too.
    """

    __slots__ = ("_changes", "_outer", "_places", "_read", "_records")

    def __init__(self, messages: Sequence[Message] = (), *, outer: ChangeLog | None = None) -> None:
        self._outer = outer
        self._places: Places = Places(messages, outer=None if outer is None else outer._places)
        # Never emptied: places are kept by object ids, which are unique only while the objects live.
        self._records: list[_Versions] = []
        self._read = 0
        self._changes: list[Change] = []

    def __len__(self) -> int:
        return len(self._records)

    def extend(self, messages: Sequence[Message]) -> None:
        """Note that the caller's history has grown by these messages."""
        self._places.extend(messages)

    def record(
        self,
        before: Prompt | Sequence[Message],
        after: Prompt | Sequence[Message],
        *,
        processor: str,
        rule: str | None = None,
    ) -> None:
        """Note two versions of a prompt or of its messages, unless they are one and the same."""
        versions = _Versions(before, after, processor, rule)
        if before is not after and not (_have_same_messages(before, after) and not _changed_fields(versions)):
            self._records.append(versions)

    @property
    def changes(self) -> list[Change]:
        """What differs between the versions of each record, in order."""
        if self._records:
            with _comparing:
                if self._outer is not None:
                    self._outer._compare()
                self._compare()
        return self._changes

    def _compare(self) -> None:
        for versions in self._records[self._read :]:
            self._changes += _changed_fields(versions)
            self._changes += compare(
                _messages(versions.before),
                _messages(versions.after),
                self._places,
                processor=versions.processor,
                rule=versions.rule,
            )
        self._read = len(self._records)

    @override
    def __getstate__(self) -> object:
        # In a copy, object ids mean nothing: what is to be compared is compared here.
        _ = self.changes
        return super().__getstate__()


def _messages(version: Prompt | Sequence[Message]) -> Sequence[Message]:
    return version.messages if isinstance(version, Prompt) else version


def _have_same_messages(before: Prompt | Sequence[Message], after: Prompt | Sequence[Message]) -> bool:
    one, other = _messages(before), _messages(after)
    return one is other or (len(one) == len(other) and all(map(is_, one, other)))


def _changed_fields(versions: _Versions) -> list[Change]:
    """The changes of what surrounds the messages, where it is known."""
    before, after = versions.before, versions.after
    if not isinstance(before, Prompt) or not isinstance(after, Prompt):
        return []
    return [
        Change(
            processor=versions.processor,
            rule=versions.rule,
            action="changed",
            before={name: getattr(before, name)},
            after={name: getattr(after, name)},
        )
        for name in ("tools", "tool_choice", "thinking", "request")
        if differ(getattr(before, name), getattr(after, name))
    ]
