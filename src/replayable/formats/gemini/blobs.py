"""Bytes in a part, as google-genai's objects give them when they are dumped for Python: base64 text in our models."""

from __future__ import annotations

from base64 import b64decode, urlsafe_b64encode
from typing import Final

from ..wire import Wire
from .names import BYTES

__all__ = ["with_bytes", "without_bytes"]

_STANDARD: Final = str.maketrans("-_", "+/")
_HOLDERS: Final = frozenset({"thoughtSignature", "inlineData"})


def without_bytes(fields: Wire) -> Wire:
    """Return the fields of a part, known by their camelCase names, with base64 text for bytes; the same when there are none.

    Which ones these were is noted among them, under ``$bytes``. The text is in the URL-safe alphabet, as the SDK sends it.
    """
    if _HOLDERS.isdisjoint(fields):
        return fields
    signature, holder = fields.get("thoughtSignature"), fields.get("inlineData")
    texts: Wire = {}
    if isinstance(signature, bytes):
        texts["thoughtSignature"] = _text(signature)
    if isinstance(holder, dict) and isinstance(holder.get("data"), bytes):
        texts["inlineData"] = {**holder, "data": _text(holder["data"])}
    return {**fields, **texts, BYTES: list(texts)} if texts else fields


def with_bytes(wire: Wire, options: Wire) -> Wire:
    """Return a written part with the bytes that ``without_bytes`` noted among its options; the same when there are none."""
    names = options.get(BYTES)
    blobs: Wire = {}
    for name in names if isinstance(names, list) else ():
        value = wire.get(name)
        if isinstance(value, dict):
            blobs[name] = {**value, "data": _bytes(value.get("data"))}
        elif value is not None:
            blobs[name] = _bytes(value)
    return {**wire, **blobs} if blobs else wire


def _text(value: bytes) -> str:
    return urlsafe_b64encode(value).decode("ascii")


def _bytes(text: object) -> object:
    """What base64 text of either alphabet stands for; anything else as it is."""
    try:
        return b64decode(text.translate(_STANDARD), validate=True) if isinstance(text, str) else text
    except ValueError:
        return text
