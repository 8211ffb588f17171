"""Files on the wire: data URLs, media types, and the text that stands in for what a wire can't carry."""

from __future__ import annotations

from typing import Any, Final

from ..messages import FilePart, OpaquePart
from .wire import kind_of

__all__ = ["data_url", "file_stub", "opaque_stub", "split_data_url"]

# Fields in which unknown parts of the known APIs keep readable text.
_TEXT_FIELDS: Final = ("text", "content", "refusal", "data", "thinking", "summary")


def split_data_url(url: str) -> tuple[str, str] | None:
    """Return media type and base64 data of a data URL; None when it is another kind of URL."""
    head, comma, data = url.partition(",")
    if not comma or not head.startswith("data:") or not head.endswith(";base64"):
        return None
    media_type = head[len("data:") : -len(";base64")]
    # Parameters such as a charset would be lost: such a URL stays as it is.
    return None if not media_type or ";" in media_type else (media_type, data)


def data_url(part: FilePart, default: str) -> str:
    """Return a file's content as a data URL."""
    return f"data:{part.media_type or default};base64,{part.data or ''}"


def file_stub(part: FilePart) -> str:
    """Return the text that says which file was there."""
    kind = part.media_type or "file"
    name = f" {part.filename}" if part.filename else ""
    where = f" at {part.url}" if part.url and not part.url.startswith("data:") else ""
    return f"[{kind}{name}{where} omitted: not supported here]"


def opaque_stub(part: OpaquePart) -> str:
    """Return the readable text of a part that only another API knows, or a text that says what was there."""
    value: Any = part.value
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, dict):
        source = value.get("source")
        for place in (value, source if isinstance(source, dict) else {}):
            if place.get("type") == "base64":
                continue
            for key in _TEXT_FIELDS:
                text = place.get(key)
                if isinstance(text, str) and text.strip():
                    return text
        return f"[{kind_of(value)[:80] or 'part'} omitted: not supported here]"
    return "[part omitted: not supported here]"
