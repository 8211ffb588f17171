"""Bytes on the wire: Python ``bytes`` for boto3, base64 text in raw HTTP; in our models always text, which JSON can hold."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any, Final

from .names import BYTES

__all__ = ["base64_of", "bytes_of", "with_bytes", "without_bytes"]

# No block nests that deep; what does stays as it is.
_DEPTH: Final = 64


def base64_of(value: bytes | bytearray) -> str:
    """Return bytes as base64 text."""
    return b64encode(value).decode("ascii")


def bytes_of(text: str) -> bytes | None:
    """Return what base64 text stands for; None when it is none."""
    try:
        return b64decode("".join(text.split()), validate=True)
    except ValueError:
        return None


def without_bytes(value: Any, depth: int = 0) -> Any:
    """Return a wire value with its bytes as ``{"$bytes": base64}``; the same object when it has none."""
    if isinstance(value, bytes | bytearray):
        return {BYTES: base64_of(value)}
    return _mapped(value, without_bytes, depth)


def with_bytes(value: Any, depth: int = 0) -> Any:
    """Return a value with the bytes that ``without_bytes`` took from it; the same object when it has none."""
    if isinstance(value, dict) and value.keys() == {BYTES} and isinstance(value[BYTES], str):
        found = bytes_of(value[BYTES])
        return value if found is None else found
    return _mapped(value, with_bytes, depth)


def _mapped(value: Any, change: Any, depth: int) -> Any:
    if depth >= _DEPTH:
        return value
    if isinstance(value, dict):
        fields = {key: change(item, depth + 1) for key, item in value.items()}
        return value if all(fields[key] is item for key, item in value.items()) else fields
    if isinstance(value, list):
        items = [change(item, depth + 1) for item in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    return value
