"""What the first bytes of a file say about it."""

import base64
import binascii
import re

# A multiple of four, long enough for the dimensions of a JPEG behind its metadata.
_HEAD_LENGTH = 4 * 32 * 1024
_JPEG_FRAME = re.compile(rb"\xff[\xc0-\xc3\xc5-\xc7\xc9-\xcb\xcd-\xcf]..\x08(..)(..)", re.DOTALL)
_PDF_PAGE = re.compile(rb"/Type\s*/Page\b")


def decode(data: str) -> bytes:
    """The bytes of base64 text; none when it is something else."""
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return b""


def head(data: str) -> bytes:
    """The first bytes of base64 text, which say what it is."""
    return decode(data[:_HEAD_LENGTH])


def size(data: str) -> int:
    """How many bytes base64 text stands for."""
    return len(data) * 3 // 4 - data[-2:].count("=")


def image_type(data: bytes) -> str:
    """The media type of an image that the providers read; empty when it is none of them."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return ""


def longest_side(data: bytes) -> int:
    """Width or height of an image in pixels, whichever is more; 0 when its head doesn't say."""
    match image_type(data):
        case "image/png" if len(data) >= 24:
            return max(int.from_bytes(data[start : start + 4]) for start in (16, 20))
        case "image/gif" if len(data) >= 10:
            return max(int.from_bytes(data[start : start + 2], "little") for start in (6, 8))
        case "image/jpeg":
            frame = _JPEG_FRAME.search(data)
            return max(int.from_bytes(side) for side in frame.groups()) if frame else 0
    return 0


def count_pages(data: bytes) -> int:
    """The pages of a PDF document, as far as its objects aren't compressed."""
    return len(_PDF_PAGE.findall(data))
