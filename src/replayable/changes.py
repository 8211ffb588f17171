"""The record of every change, found by comparing what went in with what came out; a rule's author reports nothing."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import is_not, lt
from typing import Any, Literal, TypeAlias

from .messages import Message, Part
from .prompt import Prompt

__all__ = ["Action", "Change", "ChangeLog", "describe"]

Action = Literal["added", "changed", "moved", "removed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One difference between a history and what was made of it.

    ``str(change)`` is one line that names ids, tools, fields and rules but never what anybody said.

    Args:
        processor: The ``id`` of the processor, or ``formats.<api>`` for what a wire could not express.
        rule: The rule, where the processor has rules.
        action: What happened: ``added``, ``changed``, ``moved``, ``removed``.
        message_id: The stored message's id, where it has one.
        message_index: Where the message stands in the history that was handed in (starts at 0), behind which the
            messages count that a run was extended by; for an added message, where it stands now. None when the change is
            not about a message.
        part_index: The part within the message; None when it is about the whole message.
        before: The message, part or value before; None for ``added``.
        after: The message, part or value afterwards; None for ``removed``.
        added_message: The message is none of the caller's: a processor added it, now or before.
    """

    processor: str
    action: Action
    rule: str | None = None
    message_id: str | None = None
    message_index: int | None = None
    part_index: int | None = None
    before: Any = None
    after: Any = None
    added_message: bool = False

    def __str__(self) -> str:
        source = self.processor if self.rule is None else f"{self.processor}/{self.rule}"
        known = "added message" if self.added_message and self.action != "added" else "message"
        place = "" if self.message_index is None else f" {known} {self.message_index}"
        if self.part_index is not None:
            place += f", part {self.part_index}"
        if self.message_id is not None:
            place += f" (id {_shown(self.message_id)})"
        return f"{source}: {self.action}{place}: {_what(self)}"


def describe(value: Any) -> str:
    """Name a message, part or JSON value without saying its content."""
    kind = getattr(value, "type", None) or getattr(value, "role", None)
    match kind:
        case "text":
            return f"text of {len(value.text)} characters"
        case "reasoning":
            return f"reasoning of {len(value.text)} characters" if value.text else "reasoning without text"
        case "file":
            return f"file {_named(value.media_type) if value.media_type else 'of unknown type'}"
        case "tool_call":
            return f"tool call {_shown(value.tool_name)} (id {_shown(value.tool_call_id)})"
        case "tool_result":
            return f"tool result (id {_shown(value.tool_call_id)})"
        case "opaque":
            wire = value.value.get("type") if isinstance(value.value, dict) else None
            return f"{_named(value.api)} part {_shown(wire)}"
        case "system" | "user" | "assistant" | "tool":
            return f"{kind} message with " + (
                ", ".join(describe(part) for part in value.parts[:3]) or "no parts"
            )
        case _:
            return (
                _named(", ".join(sorted(map(str, value))))
                if isinstance(value, dict)
                else type(value).__name__
            )


def _shown(value: Any) -> str:
    """An id or a name, quoted; cut, since it is untrusted."""
    # Only text: other values are wire oddities, and a huge integer has no `repr`.
    text = repr(value) if value is None or isinstance(value, str) else type(value).__name__
    return text if len(text) <= 80 else text[:77] + "..."


def _named(text: str) -> str:
    """A name as it is, unless it would break the line or run on."""
    return text if text.isprintable() and len(text) <= 80 else _shown(text)


def _differ(one: Any, other: Any) -> bool:
    if one is other:
        return False
    try:
        return bool(one != other)
    except RecursionError:
        # Nested deeper than Python can compare.
        return True


def _what(change: Change) -> str:
    if change.before is None:
        return describe(change.after)
    if change.after is None or change.action == "moved":
        return describe(change.before)
    before, after = getattr(change.before, "__dict__", None), getattr(change.after, "__dict__", None)
    if type(change.before) is not type(change.after) or before is None or after is None:
        return f"{describe(change.before)} -> {describe(change.after)}"
    fields = [name for name in before if name != "parts" and _differ(before[name], after[name])]
    told = [
        f"{name} {_shown(before[name])} -> {_shown(after[name])}"
        if name in ("tool_call_id", "tool_name")
        else name
        for name in fields
    ]
    return f"{describe(change.before)}: " + ", ".join(told or ["parts"])


class ChangeLog:
    """Collects the changes of a chain of rules, and tells message indexes as the caller knows them.

    Args:
        messages: The history as the caller handed it in.
        outer: A log that lives longer, whose places this one knows too.
    """

    __slots__ = ("_keep", "_places", "changes")

    def __init__(self, messages: Sequence[Message] = (), *, outer: ChangeLog | None = None) -> None:
        self.changes: list[Change] = []
        self._places: _Places = _Places(None if outer is None else outer._places)
        self._places.append(messages)
        # Object ids are unique only while the objects live: every version that was compared is kept.
        self._keep: list[Sequence[Message]] = []

    def extend(self, messages: Sequence[Message]) -> None:
        """Note that the caller's history has grown by these messages."""
        self._places.append(messages)

    def add(self, changes: Iterable[Change]) -> None:
        """Take over changes that were found elsewhere."""
        self.changes.extend(changes)

    def record(
        self,
        before: Prompt | Sequence[Message],
        after: Prompt | Sequence[Message],
        *,
        processor: str,
        rule: str | None = None,
    ) -> None:
        """Note what differs between two versions of a prompt or of its messages, by comparing identities."""
        if isinstance(before, Prompt) and isinstance(after, Prompt):
            for name in ("tools", "tool_choice", "thinking", "request"):
                old, new = getattr(before, name), getattr(after, name)
                if _differ(old, new):
                    self.changes.append(
                        Change(
                            processor=processor,
                            rule=rule,
                            action="changed",
                            before={name: old},
                            after={name: new},
                        )
                    )
        before = before.messages if isinstance(before, Prompt) else before
        after = after.messages if isinstance(after, Prompt) else after
        if before is after:
            return
        self._keep += (before, after)
        _Comparison(before, after, processor, rule, self._places, self.changes).run()


class _Places:
    """Where messages stand in the caller's history. What became of a message has its place."""

    __slots__ = ("_count", "_given", "_index", "_outer", "_read")

    def __init__(self, outer: _Places | None) -> None:
        self._outer = outer
        self._given: list[Sequence[Message]] = []
        # Read when the first change asks: most runs have none.
        self._read = self._count = 0
        self._index: dict[int, int] = {}

    def append(self, messages: Sequence[Message]) -> None:
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


class _Comparison:
    """Compares two versions of a history in linear time (n log n in the number of moved messages)."""

    def __init__(
        self,
        before: Sequence[Message],
        after: Sequence[Message],
        processor: str,
        rule: str | None,
        places: _Places,
        changes: list[Change],
    ) -> None:
        self.before, self.after = before, after
        self.processor, self.rule, self.places, self.changes = processor, rule, places, changes
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
    before, after = old.__dict__, new.__dict__
    # Mostly the parts differ and every other field is the very same object.
    if before.keys() == after.keys() and sum(map(is_not, before.values(), after.values())) == (
        old.parts is not new.parts
    ):
        return False
    return any(name != "parts" and _differ(value, after.get(name)) for name, value in before.items())


def _stand_opposite(gone: list[Message], fresh: list[Message]) -> bool:
    """Whether each fresh message is plainly made of the gone one at its place, as ``_partners`` would find, too."""
    if len(gone) != len(fresh):
        return False
    owner = {id(part): number for number, message in enumerate(gone) for part in message.parts}
    for number, (old, new) in enumerate(zip(gone, fresh, strict=True)):
        if type(old) is not type(new) or old.id != new.id:
            return False
        owners = {owner[id(part)] for part in new.parts if id(part) in owner}
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
    return (message.role, tuple(part.type for part in message.parts))


def _by_role(message: Message) -> object:
    return message.role


def _by_side(message: Message) -> object:
    # A system message where none may stand is told as a user message.
    return "user" if message.role in ("system", "user") else None
