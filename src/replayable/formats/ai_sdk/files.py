"""Files: parts of a message, attachments, and items of a tool's output."""

from __future__ import annotations

import re
from typing import Any, Final

from ..._node import build, defaults, piece_of
from ...media import split_data_url
from ...messages import FilePart
from ..wire import Wire, options_of, rest, with_extras
from .names import DATA_URL, KEYS, TYPE

__all__ = ["read_file", "read_item", "write_file", "write_item"]

_CONTENT_KEYS: Final = ("data", "image", "url")
_MEDIA_KEYS: Final = ("mediaType", "mimeType", "contentType")
_NAME_KEYS: Final = ("filename", "name")
_URL: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")

# Items of a tool's output that hold bytes, an address, or a provider's file id, and the field in which they do.
_ITEMS: Final = {
    "media": "data",
    "file-data": "data",
    "image-data": "data",
    "file-url": "url",
    "image-url": "url",
    "file-id": "fileId",
    "image-file-id": "fileId",
}


def _key_in(wire: Wire, keys: tuple[str, ...]) -> str | None:
    return next((key for key in keys if isinstance(wire.get(key), str)), None)


def read_file(wire: Wire, api: str, notes: Wire) -> FilePart | None:
    """Read a file or image part, or an attachment; None when its content is no text."""
    content_key = _key_in(wire, _CONTENT_KEYS)
    if content_key is None:
        return None
    media_key, name_key = _key_in(wire, _MEDIA_KEYS), _key_in(wire, _NAME_KEYS)
    if media_key is not None and not wire[media_key]:
        media_key = None
    fields = dict(defaults(FilePart))
    fields["media_type"] = wire[media_key] if media_key else None
    fields["filename"] = wire[name_key] if name_key else None
    options: Wire = rest(wire, frozenset({"type", content_key, media_key or "type", name_key or "type"}))
    content: str = wire[content_key]
    split = split_data_url(content)
    if split is not None:
        options[DATA_URL] = split[0]
        fields["media_type"], fields["data"] = fields["media_type"] or split[0], split[1]
    elif content_key == "url" or _URL.match(content):
        fields["url"] = content
    else:
        fields["data"] = content
    kind = wire.get("type")
    if kind != "file":
        options[TYPE] = kind
    if kind == "image" and fields["media_type"] is None:
        fields["media_type"] = "image/*"
    options[KEYS] = [content_key, media_key, name_key]
    fields["provider_options"] = {api: {**options, **notes}}
    return build(FilePart, fields, wire, piece_of(api))


def write_file(part: FilePart, api: str, default_keys: tuple[str, str, str]) -> Wire | None:
    """Write a file part, or an attachment; None when it has neither bytes nor an address.

    Args:
        part: The file.
        api: The format.
        default_keys: The names of the fields for content, media type and name, where the part does not remember them.
    """
    options = options_of(part, api)
    content_key, media_key, name_key = options.get(KEYS, default_keys)
    if part.url is None and part.data is None:
        return None
    media_type = part.media_type
    in_url = options.get(DATA_URL) or (
        media_type or "application/octet-stream" if content_key == "url" else None
    )
    content = part.url
    if content is None:
        content = f"data:{in_url};base64,{part.data}" if in_url else part.data
    wire: Wire = {} if TYPE in options and options[TYPE] is None else {"type": options.get(TYPE, "file")}
    wire[content_key] = content
    if media_key is not None:
        wire[media_key] = media_type or "application/octet-stream"
    if part.filename is not None:
        wire[name_key or default_keys[2]] = part.filename
    return with_extras(wire, options)


def read_item(wire: Wire, api: str) -> FilePart | None:
    """Read an item of a tool's output; None when it is no file that is known."""
    kind = wire.get("type")
    key = _ITEMS.get(kind) if isinstance(kind, str) else None
    if key is None or not isinstance(wire.get(key), str):
        return None
    fields = dict(defaults(FilePart))
    field = {"data": "data", "url": "url", "fileId": "file_id"}[key]
    fields[field] = wire[key]
    media_type, filename = wire.get("mediaType"), wire.get("filename")
    fields["media_type"] = media_type if isinstance(media_type, str) and media_type else None
    fields["filename"] = filename if isinstance(filename, str) and filename else None
    if fields["media_type"] is None and str(kind).startswith("image"):
        fields["media_type"] = "image/*"
    told = {"mediaType": media_type, "filename": filename}
    known = {"type", key} | {name for name, value in told.items() if isinstance(value, str) and value}
    options = {**rest(wire, frozenset(known)), TYPE: kind, KEYS: sorted(known - {"type", key})}
    return build(FilePart, {**fields, "provider_options": {api: options}}, wire, piece_of(api))


def write_item(part: FilePart, api: str) -> Wire | None:
    """Write an item of a tool's output; None when it has neither bytes nor an address."""
    options = options_of(part, api)
    if part.data is None and part.url is None and TYPE not in options:
        return None
    stem = "image" if (part.media_type or "").startswith("image/") else "file"
    kind = options.get(TYPE) or f"{stem}-{'data' if part.data is not None else 'url'}"
    key = _ITEMS[kind]
    value: Any = {"data": part.data, "url": part.url, "fileId": part.file_id}[key]
    wire: Wire = {"type": kind, key: value}
    keys = options.get(KEYS, ("filename", "mediaType") if key == "data" else ())
    if "mediaType" in keys:
        wire["mediaType"] = part.media_type or "application/octet-stream"
    if "filename" in keys and part.filename is not None:
        wire["filename"] = part.filename
    return with_extras(wire, options)
