"""What the content of a message or the output of a tool holds: texts, images, files."""

from __future__ import annotations

from typing import Any, Final

from ..._node import build, defaults, piece_of, wire_of
from ...media import data_url, file_stub, name_of, opaque_stub, split_data_url
from ...messages import FilePart, Message, OpaquePart, TextPart
from ..rewriting import Losses
from ..wire import Wire, as_object, kind_of, options_of, rest, text_at, text_part, with_extras
from .names import API, TYPE

__all__ = ["TEXTS", "read_part", "stub", "write_part"]

TEXTS: Final = frozenset({"input_text", "output_text", "text"})

_WHOLE: Final = piece_of(API)
_TEXT: Final = frozenset({"type", "text"})
_IMAGES: Final = frozenset({"input_image", "computer_screenshot"})
_PLACES: Final = {
    "input_image": ("image_url", "file_id"),
    "computer_screenshot": ("image_url", "file_id"),
    "input_file": ("file_data", "file_url", "file_id"),
}
"""Where a file stands in a part of each type."""
# OpenAI: "Invalid file data: … but got unsupported MIME type 'audio/mpeg'."
_REFUSED: Final = ("audio/", "video/")


def read_part(value: Any) -> TextPart | FilePart | OpaquePart:
    """Read one entry of the content of a message, or of a tool's output.

    Raises:
        HistoryFormatError: It is no object, or a text without text.
    """
    wire = as_object(value, "", "a content part (an object with a type)")
    kind = kind_of(wire)
    if kind in TEXTS:
        options = rest(wire, _TEXT)
        if kind != "input_text":
            options[TYPE] = kind
        return text_part(text_at(wire, "text"), {API: options} if options else None, wire, _WHOLE)
    keys = _PLACES.get(kind, ())
    place = next((key for key in keys if isinstance(wire.get(key), str)), None)
    if place is None:
        return build(OpaquePart, {**defaults(OpaquePart), "api": API, "value": wire}, wire, _WHOLE)
    fields = {**defaults(FilePart), "media_type": None if kind == "input_file" else "image/*"}
    fields.update(_located(wire[place], place))
    known = {"type", place}
    if kind == "input_file" and isinstance(wire.get("filename"), str):
        known.add("filename")
        fields["filename"] = wire["filename"]
    fields["provider_options"] = {API: {**rest(wire, frozenset(known)), TYPE: kind}}
    return build(FilePart, fields, wire, _WHOLE)


def _located(value: str, place: str) -> Wire:
    """The fields of a file that stands in a field of this name, as bytes, URL or id."""
    if place == "file_id":
        return {"file_id": value}
    split = split_data_url(value)
    if split is not None:
        return {"media_type": split[0], "data": split[1]}
    # Not the data URL that the API asks for, but data all the same.
    return {"data": value} if place == "file_data" else {"url": value}


# --- writing ----------------------------------------------------------------------------------------------------


def write_part(part: Any, message: Message, losses: Losses) -> Wire:
    """Write a text, a file or an unknown part; what this API can't hold becomes a text."""
    wire, piece = wire_of(part)
    if piece == _WHOLE and isinstance(wire, dict):
        return wire
    options = options_of(part, API)
    if part.type == "text":
        return with_extras({"type": options.get(TYPE, "input_text"), "text": part.text}, options)
    if part.type == "opaque" and part.api == API:
        value: Wire = part.value
        return value
    file = _written(part, options) if part.type == "file" else None
    if file is None:
        return {"type": "input_text", "text": stub(part, message, losses)}
    if "filename" not in file:
        losses.filename(part)
    return with_extras(file, options)


def stub(part: FilePart | OpaquePart, message: Message, losses: Losses) -> str:
    """Return the text that stands in for a part, and note that it does."""
    text = file_stub(part) if part.type == "file" else opaque_stub(part)
    losses.part("not-supported-here", message, part, TextPart(text))
    return text


def _written(part: FilePart, options: Wire) -> Wire | None:
    own = options.get(TYPE)
    media_type = part.media_type or ""
    if own in _IMAGES or (own is None and media_type.startswith("image/")):
        wire = _holder(part, "image_url", "image_url", "image/png", own=own is not None)
        if wire is None or own == "computer_screenshot":
            return None if wire is None else {"type": own, **wire}
        # The SDK's types demand the detail.
        return {"type": "input_image", **({} if own else {"detail": "auto"}), **wire}
    if own is None and media_type.startswith(_REFUSED):
        return None
    wire = _holder(part, "file_data", "file_url", "application/pdf", own=own is not None)
    if wire is None:
        return None
    # Data needs a name, from whose ending the API tells the type.
    name = part.filename or (name_of(part) if own is None and part.data is not None else None)
    return {"type": "input_file", **wire, **({} if name is None else {"filename": name})}


def _holder(part: FilePart, data_key: str, url_key: str, default: str, *, own: bool) -> Wire | None:
    if part.data is not None:
        bare = own and part.media_type is None
        return {data_key: part.data if bare else data_url(part, default)}
    if part.url is not None:
        return {url_key: part.url}
    # Another provider's file ids mean nothing here.
    return {"file_id": part.file_id} if own and part.file_id is not None else None
