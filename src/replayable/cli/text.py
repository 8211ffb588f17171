"""Untrusted text on its way to a terminal, and requests as JSON text."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

from .failures import CommandError

__all__ = [
    "can_write",
    "clipped",
    "counted",
    "is_terminal",
    "json_for",
    "json_of",
    "line_for",
    "printable",
    "terminal_json",
]


def printable(text: str) -> str:
    """Return the text on one line, with escapes for control characters and whatever else a terminal would act upon."""
    return (
        text
        if text.isprintable()
        else "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
    )


def line_for(stream: Any, text: str) -> str:
    """Return the text as one line that the stream can write."""
    text = printable(text)
    return text if can_write(text, stream) else text.encode("ascii", "backslashreplace").decode("ascii")


def clipped(text: str, length: int) -> str:
    """Return the text, or its beginning with the number of characters that are left out."""
    return text if len(text) <= length else f"{text[:length]}... ({len(text) - length} characters more)"


def counted(number: int, what: str) -> str:
    """Return how many: ``1 finding``, ``2 findings``."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def can_write(text: str, stream: Any) -> bool:
    """Tell whether a stream's encoding has all characters of the text."""
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def json_for(stream: Any, value: Any, *, indent: int | None = 2) -> str:
    """Return JSON text that the stream can write; bytes, which boto3 takes as such, as they are sent.

    Raises:
        CommandError: It is no JSON value, or nests too deep.
    """
    text = json_of(value, indent=indent)
    if not can_write(text, stream):
        # JSON's own escapes for what it can't (lone surrogates, a narrow encoding).
        text = json_of(value, indent=indent, escaped=True)
    return terminal_json(text) if is_terminal(stream) else text


def json_of(value: Any, *, indent: int | None = None, escaped: bool = False) -> str:
    """Return JSON text; bytes, which boto3 takes as such, as they are sent.

    Args:
        value: A JSON value, in which bytes may stand.
        indent: Spaces for each level; all on one line when left out.
        escaped: Write what is not ASCII as JSON's escapes.

    Raises:
        CommandError: It is no JSON value.
    """
    try:
        return json.dumps(value, indent=indent, ensure_ascii=escaped, allow_nan=False, default=_in_base64)
    except ValueError:
        raise CommandError("holds a number that JSON can't hold (NaN or an infinite one)") from None


def terminal_json(text: str) -> str:
    """Return the same JSON with JSON's escapes for what a terminal would act upon (the C1 controls, say)."""
    return "".join(char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in text)


def is_terminal(stream: Any) -> bool:
    """Tell whether a person reads the stream."""
    return bool(stream is not None and hasattr(stream, "isatty") and stream.isatty())


def _in_base64(value: Any) -> str:
    if isinstance(value, bytes):
        return b64encode(value).decode("ascii")
    raise TypeError(f"{type(value).__name__} is no JSON value")
