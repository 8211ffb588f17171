"""Files as content parts of the OpenAI Chat API: each dialect has some of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ...compat.provider import Dialect, MediaPart
from ...media import MODEL_IMAGES, data_url, extension_of, located, media_kind, media_type_of, name_of
from ...messages import FilePart, Message
from ..wire import Wire, options_of, with_extras
from .names import API, FORM, TYPE, UNTYPED

__all__ = ["file_as_it_was", "files_of", "new_file", "takes_file"]

# https://platform.openai.com/docs/api-reference/chat/create
_OPENAI_MEDIA: Final[frozenset[MediaPart]] = frozenset({"image_url", "input_audio", "file"})
# https://platform.openai.com/docs/guides/audio
_AUDIO_FORMATS: Final = frozenset({"mp3", "wav"})


def files_of(message: Message) -> Iterator[FilePart]:
    """Yield the files of a message, those in its tool results too."""
    for part in message.parts:
        if part.type == "file":
            yield part
        elif part.type == "tool_result" and part.content is not None:
            yield from (item for item in part.content if item.type == "file")


def takes_file(part: FilePart, dialect: Dialect, *, in_result: bool) -> bool:
    """Whether a dialect takes a file that was read from this API in the part, and where, it stands."""
    options = options_of(part, API)
    kind = options.get(TYPE)
    if kind is not None and dialect.media is not None:
        bare = options.get(FORM) == "string"
        if kind not in dialect.media or (bare and not dialect.bare_files):
            return False
    return not in_result or dialect.media_in_results is not False


def file_as_it_was(part: FilePart) -> Wire:
    """Write a file that was read from this API in the part in which it stood."""
    options = options_of(part, API)
    kind = options[TYPE]
    holder: Any
    if kind == "file_id":
        return with_extras({"type": "file", "file_id": part.file_id}, options)
    if kind == "input_audio":
        data = part.url if part.data is None else part.data
        holder = data if options.get(FORM) == "string" else {"data": data}
    elif kind == "file":
        data = data_url(part, "") if part.data is not None and part.media_type else part.data
        fields = {"file_data": data, "file_id": part.file_id, "filename": part.filename}
        holder = {key: value for key, value in fields.items() if value is not None}
    else:
        url = part.url if part.url is not None else data_url(part, "application/octet-stream")
        holder = url if options.get(FORM) == "string" else {"url": url}
    if isinstance(holder, dict):
        holder = {**options.get(kind, {}), **holder}
    return with_extras({kind: holder} if UNTYPED in options else {"type": kind, kind: holder}, options)


def new_file(part: FilePart, dialect: Dialect, *, by_hand: bool) -> Wire | None:
    """Write a file in one of the parts that a dialect has; None when it has none for it.

    Args:
        part: The file.
        dialect: The provider's dialect.
        by_hand: Whether no API made the history: the id of an uploaded file means nothing to another provider.
    """
    media = _OPENAI_MEDIA if dialect.media is None else dialect.media
    kind, url = media_kind(part), located(part)
    if kind == "image":
        seen = media_type_of(part) in MODEL_IMAGES or part.data is None
        if url is None or not seen or "image_url" not in media:
            return None
        return {"type": "image_url", "image_url": {"url": url}}
    if kind == "audio" and "input_audio" in media and part.data and extension_of(part) in _AUDIO_FORMATS:
        if dialect.bare_files:
            return {"type": "input_audio", "input_audio": part.data}
        return {"type": "input_audio", "input_audio": {"data": part.data, "format": extension_of(part)}}
    if kind == "document":
        return _new_document(part, media, url, by_hand=by_hand)
    name: Any = f"{kind}_url"
    return {"type": name, name: {"url": url}} if url is not None and name in media else None


def _new_document(
    part: FilePart, media: frozenset[MediaPart], url: str | None, *, by_hand: bool
) -> Wire | None:
    if "document_url" in media and url is not None:
        named = {} if part.filename is None else {"document_name": part.filename}
        return {"type": "document_url", "document_url": url, **named}
    file_id = part.file_id if by_hand and not part.provider_options else None
    if "file_id" in media and file_id is not None:
        return {"type": "file", "file_id": file_id}
    if "file" in media and part.data is not None:
        file = {"file_data": data_url(part, "application/pdf"), "filename": name_of(part)}
    elif "file" in media and file_id is not None:
        file = {"file_id": file_id}
    else:
        return None
    return {"type": "file", "file": file}
