"""Finds what differs between two versions of a history: identity tells what stayed, and what was made of what is guessed."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Sequence
from itertools import islice
from operator import is_not, lt
from typing import Any, TypeAlias

from ._node import fields_of
from .changes import Action, Change, differ
from .messages import Message, Part

__all__ = ["Places", "compare"]


class Places:
    """Where messages stand in the caller's history; what was made of a message has its place.

    Kept by object id: whoever asks keeps the objects alive.
    """

    __slots__ = ("_count", "_given", "_index", "_outer", "_read")

    def __init__(self, messages: Sequence[Message], *, outer: Places | None = None) -> None:
        self._outer = outer
        self._given: list[Sequence[Message]] = [messages]
        # Read when the first change asks: most runs have none.
        self._read = self._count = 0
        self._index: dict[int, int] = {}

    def extend(self, messages: Sequence[Message]) -> None:
        """Note the messages that follow."""
        self._given.append(messages)

    def of(self, message: Message) -> int | None:
        """Return a message's index; None for one that is not the caller's."""
        while self._read < len(self._given):
            messages = self._given[self._read]
            self._index.update(
                zip(map(id, messages), range(self._count, self._count + len(messages)), strict=True)
            )
            self._count += len(messages)
            self._read += 1
        index = self._index.get(id(message))
        return self._outer.of(message) if index is None and self._outer is not None else index

    def inherit(self, new: Message, old: Message) -> None:
        """Give a message the index of the one of which it was made."""
        index = self.of(old)
        if index is not None:
            self._index[id(new)] = index


# A message, and where it stands in its version of the history.
_Standing: TypeAlias = tuple[int, Message]


def compare(
    before: Sequence[Message],
    after: Sequence[Message],
    places: Places,
    *,
    processor: str,
    rule: str | None = None,
) -> list[Change]:
    """Return what differs between two versions of a history, and give what is new the places of what it was made of.

    Linear in the number of messages and parts (n log n in that of the moved messages).
    """
    if before is after:
        return []
    comparison = _Comparison(before, after, places, processor, rule)
    comparison.run()
    return comparison.changes


class _Comparison:
    def __init__(
        self,
        before: Sequence[Message],
        after: Sequence[Message],
        places: Places,
        processor: str,
        rule: str | None,
    ) -> None:
        self.before, self.after = before, after
        self.places, self.processor, self.rule = places, processor, rule
        self.changes: list[Change] = []
        self.fresh_parts: set[int] = set()
        self.moved_parts: set[int] = set()
        self.unmatched: list[_Standing] = []

    def run(self) -> None:
        start, end_before, end_after = _common_ends(self.before, self.after)
        kept = _kept(self.before, range(start, end_before), self.after, range(start, end_after))
        in_place = _longest_increasing(kept)
        kept_new, kept_old = {new for new, _ in kept}, {old for _, old in kept}
        kept_in_place = {old for _, old in in_place}
        for new, old in kept:
            if old not in kept_in_place:
                message = self.before[old]
                self._note("moved", new, message, before=message, after=message)
        gaps: list[tuple[list[_Standing], list[_Standing]]] = []
        new_from = old_from = start
        for new_to, old_to in (*in_place, (end_after, end_before)):
            if new_from < new_to or old_from < old_to:
                gone = [(i, self.before[i]) for i in range(old_from, old_to) if i not in kept_old]
                fresh = [(i, self.after[i]) for i in range(new_from, new_to) if i not in kept_new]
                gaps.append((gone, fresh))
            new_from, old_from = new_to + 1, old_to + 1
        self.fresh_parts = {id(part) for _, fresh in gaps for _, message in fresh for part in message.parts}
        for gone, fresh in gaps:
            self._compare_gap(gone, fresh)
        for new, message in self.unmatched:
            # A message made of nothing but parts that left others is told by their moves.
            if not message.parts or not all(id(part) in self.moved_parts for part in message.parts):
                self._note("added", new, message, after=message)

    def _compare_gap(self, gone: list[_Standing], fresh: list[_Standing]) -> None:
        partner = _partners([message for _, message in gone], [message for _, message in fresh])
        matched = set(partner.values())
        for number, (index, message) in enumerate(gone):
            if number not in matched:
                self._removed(index, message)
        for number, (index, message) in enumerate(fresh):
            if number in partner:
                self._compare_messages(gone[partner[number]][1], message, index)
            else:
                self.unmatched.append((index, message))

    def _removed(self, index: int, message: Message) -> None:
        if self.fresh_parts.isdisjoint(map(id, message.parts)):
            self._note("removed", index, message, before=message)
        else:
            for part_index, part in enumerate(message.parts):
                self._part_left(index, message, part_index, part)

    def _part_left(self, index: int, message: Message, part_index: int, part: Part) -> None:
        if id(part) in self.fresh_parts:
            self.moved_parts.add(id(part))
            self._note("moved", index, message, part_index=part_index, before=part, after=part)
        else:
            self._note("removed", index, message, part_index=part_index, before=part)

    def _compare_messages(self, old: Message, new: Message, index: int) -> None:
        self.places.inherit(new, old)
        some = len(self.changes)
        if old.parts is not new.parts:
            self._compare_parts(old, new, index)
        if len(self.changes) == some or _other_fields_differ(old, new):
            self._note("changed", index, old, before=old, after=new)

    def _compare_parts(self, old: Message, new: Message, index: int) -> None:
        changed = _changed_in_place(old, new, self.fresh_parts)
        if changed is not None:
            for part_index, before, after in changed:
                self._note("changed", index, old, part_index=part_index, before=before, after=after)
            return
        kept = set(map(id, old.parts)).intersection(map(id, new.parts))
        # By type, the last one first.
        fresh: dict[str, list[tuple[int, Part]]] = {}
        for part_index in range(len(new.parts) - 1, -1, -1):
            part = new.parts[part_index]
            if id(part) not in kept:
                fresh.setdefault(part.type, []).append((part_index, part))
        for part_index, part in enumerate(old.parts):
            if id(part) in kept:
                continue
            waiting = fresh.get(part.type)
            if not waiting and len(old.parts) == len(new.parts):
                # A part that became one of another type (a file that became a text) is one change, not two.
                waiting = next((parts for parts in reversed(fresh.values()) if parts), None)
            if waiting and id(part) not in self.fresh_parts:
                self._note("changed", index, old, part_index=part_index, before=part, after=waiting.pop()[1])
            else:
                self._part_left(index, old, part_index, part)
        for parts in reversed(fresh.values()):
            for part_index, part in reversed(parts):
                self._note("added", index, old, part_index=part_index, after=part)

    def _note(
        self,
        action: Action,
        index: int,
        message: Message,
        *,
        part_index: int | None = None,
        before: Any = None,
        after: Any = None,
    ) -> None:
        """List a change; ``index`` is where the message stands now, which counts if it is none of the caller's."""
        added = action == "added" and part_index is None
        place = None if added else self.places.of(message)
        self.changes.append(
            Change(
                processor=self.processor,
                rule=self.rule,
                action=action,
                message_id=message.id,
                message_index=index if place is None else place,
                part_index=part_index,
                before=before,
                after=after,
                added_message=place is None,
            )
        )


def _common_ends(before: Sequence[Message], after: Sequence[Message]) -> tuple[int, int, int]:
    """Return where two versions start to differ, and where their common ends start in each."""
    start, end_before, end_after = 0, len(before), len(after)
    while start < min(end_before, end_after) and before[start] is after[start]:
        start += 1
    while end_before > start and end_after > start and before[end_before - 1] is after[end_after - 1]:
        end_before, end_after = end_before - 1, end_after - 1
    return start, end_before, end_after


def _kept(
    before: Sequence[Message], old_range: range, after: Sequence[Message], new_range: range
) -> list[tuple[int, int]]:
    """Return the new and the old index of each object that stands in both versions, in new order."""
    old_of: dict[int, int] = {}
    # One object may stand in several places: the next of them, by the one before.
    next_of: dict[int, int] = {}
    for old in reversed(old_range):
        key = id(before[old])
        if key in old_of:
            next_of[old] = old_of[key]
        old_of[key] = old
    kept: list[tuple[int, int]] = []
    for new in new_range:
        key = id(after[new])
        found = old_of.pop(key, None)
        if found is not None:
            kept.append((new, found))
            if found in next_of:
                old_of[key] = next_of[found]
    return kept


def _longest_increasing(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the pairs whose old indexes keep their order (patience sorting); all others were moved."""
    olds = [old for _, old in pairs]
    if all(map(lt, olds, islice(olds, 1, None))):
        return pairs
    tails: list[int] = []
    tail_pairs: list[int] = []
    previous: list[int] = []
    for number, old in enumerate(olds):
        place = bisect_left(tails, old)
        previous.append(tail_pairs[place - 1] if place else -1)
        if place == len(tails):
            tails.append(old)
            tail_pairs.append(number)
        else:
            tails[place], tail_pairs[place] = old, number
    chosen: list[tuple[int, int]] = []
    number = tail_pairs[-1]
    while number >= 0:
        chosen.append(pairs[number])
        number = previous[number]
    return chosen[::-1]


def _other_fields_differ(old: Message, new: Message) -> bool:
    before, after = fields_of(old), fields_of(new)
    # Mostly the parts differ and every other field is the very same object.
    if before.keys() == after.keys() and sum(map(is_not, before.values(), after.values())) == (
        before["parts"] is not after["parts"]
    ):
        return False
    return any(name != "parts" and differ(value, after.get(name)) for name, value in before.items())


def _changed_in_place(
    old: Message, new: Message, fresh_parts: set[int]
) -> list[tuple[int, Part, Part]] | None:
    """Return the parts that became others of their type, each at its place; None where it is not as plain as that."""
    if len(old.parts) != len(new.parts):
        return None
    changed = [
        (part_index, before, after)
        for part_index, (before, after) in enumerate(zip(old.parts, new.parts, strict=True))
        if before is not after
    ]
    # A part of the old message that is among the fresh ones was moved.
    plain = all(type(one) is type(other) and id(one) not in fresh_parts for _, one, other in changed)
    return changed if plain else None


def _stand_opposite(gone: list[Message], fresh: list[Message]) -> bool:
    """Whether each fresh message is plainly made of the gone one at its place, as ``_partners`` would find, too."""
    if len(gone) != len(fresh):
        return False
    if len(gone) == 1:
        return type(gone[0]) is type(fresh[0])
    owner = {id(part): number for number, message in enumerate(gone) for part in message.parts}
    for number, (old, new) in enumerate(zip(gone, fresh, strict=True)):
        if type(old) is not type(new) or old.id != new.id:
            return False
        owners = set(map(owner.get, map(id, new.parts))) - {None}
        if owners != {number} and (owners or _by_shape(old) != _by_shape(new)):
            return False
    return True


def _partners(gone: list[Message], fresh: list[Message]) -> dict[int, int]:
    """Say which fresh message was made of which gone one: they share a part, or an id, or else their shape in order."""
    if _stand_opposite(gone, fresh):
        return {number: number for number in range(len(gone))}
    partner: dict[int, int] = {}
    taken: set[int] = set()

    def pair(new: int, old: int) -> None:
        partner[new] = old
        taken.add(old)

    by_part = {id(part): index for index, message in enumerate(gone) for part in message.parts}
    for new, message in enumerate(fresh):
        old = next((by_part[id(part)] for part in message.parts if id(part) in by_part), None)
        if old is not None and old not in taken and gone[old].role == message.role:
            pair(new, old)
    for key in (_by_id, _by_shape, _by_role, _by_side):
        waiting: dict[object, deque[int]] = defaultdict(deque)
        for old, message in enumerate(gone):
            if old not in taken:
                waiting[key(message)].append(old)
        for new, message in enumerate(fresh):
            if new not in partner and key(message) is not None and waiting[key(message)]:
                pair(new, waiting[key(message)].popleft())
    return partner


def _by_id(message: Message) -> object:
    return (message.role, message.id) if message.id is not None else None


def _by_shape(message: Message) -> object:
    return (message.role, *map(type, message.parts))


def _by_role(message: Message) -> object:
    return message.role


def _by_side(message: Message) -> object:
    # A system message where none may stand is told as a user message.
    return "user" if message.role in ("system", "user") else None
