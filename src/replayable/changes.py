"""What a change is, and how it is told in one line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Action", "Change", "describe", "differ"]

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
        case "provider":
            wire = value.value if isinstance(value.value, dict) else {}
            return f"{_named(value.api)} tool {_shown(wire.get('type') or ', '.join(key for key in wire if isinstance(key, str)))}"
        # The type of a tool choice may be "tool".
        case "system" | "user" | "assistant" | "tool" if hasattr(value, "role"):
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


def differ(one: Any, other: Any) -> bool:
    """Tell whether two values differ, however deep they nest."""
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
    fields = [name for name in before if name != "parts" and differ(before[name], after[name])]
    told = [
        f"{name} {_shown(before[name])} -> {_shown(after[name])}"
        if name in ("tool_call_id", "tool_name")
        else name
        for name in fields
    ]
    return f"{describe(change.before)}: " + ", ".join(told or ["parts"])
