"""The record of every change, found by comparing what went in with what came out; a rule's author reports nothing."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

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
        message_index: Where the message stood in the history that was handed in (starts at 0); for an added message,
            where it stands now. None when the change is not about a message.
        part_index: The part within the message; None when it is about the whole message.
        before: The message, part or value before; None for ``added``.
        after: The message, part or value afterwards; None for ``removed``.
    """

    processor: str
    action: Action
    rule: str | None = None
    message_id: str | None = None
    message_index: int | None = None
    part_index: int | None = None
    before: Any = None
    after: Any = None

    def __str__(self) -> str:
        source = self.processor if self.rule is None else f"{self.processor}/{self.rule}"
        place = "" if self.message_index is None else f" message {self.message_index}"
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
    """

    __slots__ = ("_keep", "_origin", "changes")

    def __init__(self, messages: Sequence[Message]) -> None:
        self.changes: list[Change] = []
        self._keep: list[Sequence[Message]] = [messages]
        self._origin: dict[int, int] | None = None

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
        if self._origin is None:
            # Object ids are unique only while the objects live: `_keep` holds every version that was compared.
            self._origin = {id(message): index for index, message in enumerate(self._keep[0])}
        self._keep.append(after)
        _Comparison(before, after, processor, rule, self._origin, self.changes).run()


class _Comparison:
    """Compares two versions of a history in linear time (n log n in the number of changed messages)."""

    def __init__(
        self,
        before: Sequence[Message],
        after: Sequence[Message],
        processor: str,
        rule: str | None,
        origin: dict[int, int],
        changes: list[Change],
    ) -> None:
        start, end_before, end_after = 0, len(before), len(after)
        while start < min(end_before, end_after) and before[start] is after[start]:
            start += 1
        while end_before > start and end_after > start and before[end_before - 1] is after[end_after - 1]:
            end_before, end_after = end_before - 1, end_after - 1
        self.start = start
        self.before, self.after = before[start:end_before], after[start:end_after]
        self.processor, self.rule, self.origin, self.changes = processor, rule, origin, changes
        self.kept_parts = {id(part) for message in self.after for part in message.parts}
        self.moved_parts: set[int] = set()
        self.unmatched: list[tuple[int, Message]] = []

    def run(self) -> None:
        # One object may stand in several places.
        old_indexes: dict[int, deque[int]] = defaultdict(deque)
        for index, message in enumerate(self.before):
            old_indexes[id(message)].append(index)
        kept = [
            (new, old_indexes[id(message)].popleft())
            for new, message in enumerate(self.after)
            if old_indexes[id(message)]
        ]
        in_place = _longest_increasing(kept)
        for _, old in kept:
            if old not in in_place:
                self._note("moved", old_message=self.before[old], after=self.before[old])
        kept_old = {old for _, old in kept}
        kept_new = {new for new, _ in kept}
        anchors = [*(pair for pair in kept if pair[1] in in_place), (len(self.after), len(self.before))]
        new_from = old_from = 0
        for new_to, old_to in anchors:
            gone = [self.before[i] for i in range(old_from, old_to) if i not in kept_old]
            fresh = [(i, self.after[i]) for i in range(new_from, new_to) if i not in kept_new]
            self._compare_gap(gone, fresh)
            new_from, old_from = new_to + 1, old_to + 1
        for new, message in self.unmatched:
            # A message made of nothing but parts that left others is told by their moves.
            if not message.parts or not all(id(part) in self.moved_parts for part in message.parts):
                self._note("added", new_index=self.start + new, message_id=message.id, after=message)

    def _compare_gap(self, gone: list[Message], fresh: list[tuple[int, Message]]) -> None:
        partner = _partners(gone, [message for _, message in fresh])
        matched = set(partner.values())
        for index, message in enumerate(gone):
            if index not in matched:
                self._removed(message)
        for number, (index, message) in enumerate(fresh):
            if number in partner:
                old = gone[partner[number]]
                if id(old) in self.origin:
                    self.origin[id(message)] = self.origin[id(old)]
                self._compare_messages(old, message)
            else:
                self.unmatched.append((index, message))

    def _removed(self, message: Message) -> None:
        moved = [index for index, part in enumerate(message.parts) if id(part) in self.kept_parts]
        if not moved:
            self._note("removed", old_message=message, before=message)
            return
        for index, part in enumerate(message.parts):
            action: Action = "moved" if id(part) in self.kept_parts else "removed"
            self._note(
                action,
                old_message=message,
                part_index=index,
                before=part,
                after=part if action == "moved" else None,
            )

    def _compare_messages(self, old: Message, new: Message) -> None:
        own = {id(part) for part in new.parts}
        fresh: dict[str, deque[Part]] = defaultdict(deque)
        old_parts = {id(part) for part in old.parts}
        for part in new.parts:
            if id(part) not in old_parts:
                fresh[part.type].append(part)
        some = len(self.changes)
        for index, part in enumerate(old.parts):
            if id(part) in own:
                continue
            if id(part) in self.kept_parts:
                self._note("moved", old_message=old, part_index=index, before=part, after=part)
            elif fresh[part.type]:
                after = fresh[part.type].popleft()
                self._note("changed", old_message=old, part_index=index, before=part, after=after)
            else:
                # A part that became one of another type (a file that became a text) is one change, not two.
                other = next((queue for queue in fresh.values() if queue), None)
                if other is not None and len(old.parts) == len(new.parts):
                    self._note(
                        "changed", old_message=old, part_index=index, before=part, after=other.popleft()
                    )
                else:
                    self._note("removed", old_message=old, part_index=index, before=part)
        index_of = {id(part): index for index, part in enumerate(new.parts)}
        for queue in fresh.values():
            for part in queue:
                self._note("added", old_message=old, part_index=index_of[id(part)], after=part)
        if (
            any(
                name != "parts" and _differ(value, new.__dict__.get(name))
                for name, value in old.__dict__.items()
            )
            or len(self.changes) == some
        ):
            self._note("changed", old_message=old, before=old, after=new)

    def _note(
        self,
        action: Action,
        *,
        old_message: Message | None = None,
        new_index: int | None = None,
        message_id: str | None = None,
        part_index: int | None = None,
        before: Any = None,
        after: Any = None,
    ) -> None:
        if action == "moved" and part_index is not None:
            self.moved_parts.add(id(before))
        if old_message is not None:
            new_index, message_id = self.origin.get(id(old_message)), old_message.id
            if action == "moved" and before is None:
                before = old_message
        self.changes.append(
            Change(
                processor=self.processor,
                rule=self.rule,
                action=action,
                message_id=message_id,
                message_index=new_index,
                part_index=part_index,
                before=before,
                after=after,
            )
        )


def _longest_increasing(pairs: list[tuple[int, int]]) -> set[int]:
    """Return the old indexes that keep their order (patience sorting); all others were moved."""
    tails: list[int] = []
    tail_pairs: list[int] = []
    previous: list[int] = []
    for number, (_, old) in enumerate(pairs):
        place = bisect_left(tails, old)
        previous.append(tail_pairs[place - 1] if place else -1)
        if place == len(tails):
            tails.append(old)
            tail_pairs.append(number)
        else:
            tails[place], tail_pairs[place] = old, number
    chosen: set[int] = set()
    number = tail_pairs[-1] if tail_pairs else -1
    while number >= 0:
        chosen.add(pairs[number][1])
        number = previous[number]
    return chosen


def _partners(gone: list[Message], fresh: list[Message]) -> dict[int, int]:
    """Say which fresh message was made of which gone one: they share a part, or an id, or else their shape in order."""
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
