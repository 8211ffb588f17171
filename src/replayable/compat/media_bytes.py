"""What the first bytes of a file say about it."""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from typing import Final

__all__ = ["byte_size", "head_of", "image_type", "longest_side"]

# A multiple of four, long enough for the dimensions of a JPEG behind its metadata.
_HEAD: Final = 4 * 32 * 1024
_JPEG_FRAME: Final = re.compile(rb"\xff[\xc0-\xc3\xc5-\xc7\xc9-\xcb\xcd-\xcf]..\x08(..)(..)", re.DOTALL)


def head_of(data: str) -> bytes:
    """Return the first bytes of base64 text; none when it is something else."""
    try:
        return b64decode(data[:_HEAD], validate=True)
    except (binascii.Error, ValueError):
        return b""


def byte_size(data: str) -> int:
    """Return how many bytes a base64 text stands for."""
    return len(data) * 3 // 4 - data[-2:].count("=")


def image_type(head: bytes) -> str | None:
    """Return the media type of an image by its first bytes; None for no PNG, JPEG, GIF or WebP."""
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if head[:4] == b"RIFF" and head[8:12] == b"WEBP" else None


def longest_side(head: bytes) -> int:
    """Return the width or height of an image in pixels, whichever is more; 0 when its first bytes don't tell."""
    kind = image_type(head)
    if kind == "image/png" and len(head) >= 24:
        return max(int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big"))
    if kind == "image/gif" and len(head) >= 10:
        return max(int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little"))
    frame = _JPEG_FRAME.search(head) if kind == "image/jpeg" else None
    return max(int.from_bytes(side, "big") for side in frame.groups()) if frame else 0
