"""Helpers to look into JSON that may be malformed."""

from __future__ import annotations

from typing import Any


def as_list(value: Any) -> list[Any]:
    """Return a list as it is, nothing for None, and any other value as the only entry."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def as_dict(value: Any) -> dict[str, Any]:
    """Return a dict as it is and anything else as an empty one."""
    return value if isinstance(value, dict) else {}


def as_id(value: Any) -> str | None:
    """Return a non-empty id, else None."""
    return value if isinstance(value, str) and value else None
