"""Careful reading of untrusted JSON."""

from collections.abc import Mapping
from typing import Any


def as_mapping(value: object) -> Mapping[str, Any] | None:
    """The value when it is a JSON object, else `None`."""
    return value if isinstance(value, Mapping) else None


def as_text(value: object) -> str:
    """The value when it is a string, else the empty string."""
    return value if isinstance(value, str) else ""
