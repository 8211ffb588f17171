"""Changes before and after, message by message."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any, Final

from .._node import Node
from ..changes import Change, describe
from .screen import Line, Style
from .text import clipped

__all__ = ["differences"]

_AROUND: Final = 2  # unchanged lines shown on each side
_MOST_LINES: Final = 40
_LONGEST_LINE: Final = 300


def differences(changes: Sequence[Change]) -> Iterator[Line]:
    """Yield the lines of a before / after of each change, those of one message together, in the history's order."""
    messages: dict[tuple[int, bool], list[Change]] = {}
    for change in changes:
        index = -1 if change.message_index is None else change.message_index
        messages.setdefault((index, change.added_message), []).append(change)
    for (index, added), changed in sorted(messages.items(), key=lambda item: item[0]):
        name = f"{'added message' if added else 'message'} {index}" if index >= 0 else "request"
        stored = next(
            (f" (id {change.message_id})" for change in changed if change.message_id is not None), ""
        )
        yield 0, [(name + stored, "strong")]
        for change in changed:
            yield 2, [(_headline(change), "name")]
            yield from _before_and_after(change)


def _headline(change: Change) -> str:
    """What happened to which part, and by whom; the message stands above."""
    part = "" if change.part_index is None else f" part {change.part_index}"
    moved = f": {describe(change.before)}" if change.action == "moved" else ""
    return f"{change.action}{part} by {change.rule or change.processor}{moved}"


def _before_and_after(change: Change) -> Iterator[Line]:
    if change.action == "moved":
        return
    before, after = _lines_of(change.before), _lines_of(change.after)
    start = _same(before, after)
    end = _same(before[start:][::-1], after[start:][::-1])
    yield from _told(" ", "faint", before[max(0, start - _AROUND) : start])
    yield from _told("-", "bad", before[start : len(before) - end])
    yield from _told("+", "good", after[start : len(after) - end])
    yield from _told(" ", "faint", before[len(before) - end :][:_AROUND])


def _same(one: list[str], other: list[str]) -> int:
    """How many lines at the beginning are the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _told(mark: str, style: Style, lines: list[str]) -> Iterator[Line]:
    for line in lines[:_MOST_LINES]:
        yield 4, [(f"{mark} {clipped(line, _LONGEST_LINE)}", style)]
    if len(lines) > _MOST_LINES:
        yield 4, [(f"{mark} ... ({len(lines) - _MOST_LINES} lines more)", style)]


def _lines_of(value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, Node):
        kind = {name: getattr(value, name) for name in ("role", "type") if hasattr(value, name)}
        value = _without_notes(kind | value.model_dump(mode="json", exclude_defaults=True))
    return json.dumps(value, indent=2, ensure_ascii=False, default=repr).splitlines()


def _without_notes(node: dict[str, Any]) -> dict[str, Any]:
    """The same without what the formats note beside the provider's own fields."""
    kept = {key: value for key, value in node.items() if key != "provider_options"}
    for name in ("parts", "content"):
        if isinstance(kept.get(name), list):
            kept[name] = [_without_notes(part) for part in kept[name]]
    options = {
        api: fields
        for api, given in (node.get("provider_options") or {}).items()
        if (fields := {key: value for key, value in given.items() if not key.startswith("$")})
    }
    return kept | {"provider_options": options} if options else kept
