"""Careful reading of untrusted JSON."""

from collections.abc import Mapping
from typing import Any

Placed = tuple[str, Mapping[str, Any]]
"""A JSON object and the path at which it stands."""


def as_mapping(value: object) -> Mapping[str, Any] | None:
    """The value when it is a JSON object, else `None`."""
    return value if isinstance(value, Mapping) else None


def as_text(value: object) -> str:
    """The value when it is a string, else the empty string."""
    return value if isinstance(value, str) else ""


def objects(path: str, value: object) -> list[Placed]:
    """The JSON objects of a list, each with its path; nothing when the value is no list."""
    if not isinstance(value, list):
        return []
    found = ((f"{path}[{index}]", as_mapping(item)) for index, item in enumerate(value))
    return [(where, data) for where, data in found if data is not None]


def holds_only_objects(value: object) -> bool:
    """Whether the value is a list of nothing but JSON objects."""
    return isinstance(value, list) and all(as_mapping(item) is not None for item in value)
