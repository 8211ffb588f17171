"""Images, documents, videos and audio as blocks: by their bytes, or by their place in S3."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from ..._node import build, defaults, piece_of
from ...compat.rules.documents import DocumentNames
from ...media import extension_of, media_kind, media_type_named, usable_file_id
from ...messages import FilePart, Message
from ..wire import Wire, options_of, rest, sent
from .blobs import base64_of, bytes_of, without_bytes
from .names import API, BYTES, CACHE_POINT, TYPE

__all__ = ["FILE_KINDS", "document_names", "extras", "files_of", "new_file", "read_file", "same_file"]

FILE_KINDS: Final = ("image", "document", "video", "audio")

# https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ImageBlock.html, ..._DocumentBlock.html,
# ..._VideoBlock.html and ..._AudioBlock.html
_FORMATS: Final = {
    "image": frozenset({"png", "jpeg", "gif", "webp"}),
    "document": frozenset({"pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"}),
    "video": frozenset({"mkv", "mov", "mp4", "webm", "flv", "mpeg", "mpg", "wmv", "three_gp"}),
    "audio": frozenset(
        [
            "mp3",
            "opus",
            "wav",
            "aac",
            "flac",
            "mp4",
            "ogg",
            "mkv",
            "mka",
            "x-aac",
            "m4a",
            "mpeg",
            "mpga",
            "pcm",
            "webm",
        ],
    ),
}
_S3: Final = re.compile(r"s3://[a-z0-9][.a-z0-9-]{1,61}[a-z0-9](/.*)?", re.DOTALL)
_LONGEST_URI: Final = 1024
_BODY: Final = frozenset({"format", "name", "source"})

# --- reading ------------------------------------------------------------------------------------------------------


def read_file(kind: str, body: Any, wire: Wire, holder: str | None = None) -> FilePart | None:
    """Read the body of a block; None when its source is neither bytes nor a place in S3.

    Args:
        kind: ``image``, ``document``, ``video`` or ``audio``.
        body: What the block holds.
        wire: The whole block.
        holder: The block's kind, where the file stands inside of another one.
    """
    source = body.get("source") if isinstance(body, dict) else None
    if not isinstance(source, dict) or len(source) != 1:
        return None
    fields = defaults(FilePart).copy()
    options: Wire = {TYPE: holder or kind}
    match source:
        case {"bytes": bytes() | bytearray() as data}:
            fields["data"], options[BYTES] = base64_of(data), True
        case {"bytes": str(text)}:
            fields["data"], options[BYTES] = text, False
        case {"s3Location": {"uri": str(uri), **more}}:
            # Only Bedrock can fetch it, so it is no URL.
            fields["file_id"] = uri
            if more:
                options["s3Location"] = more
        case _:
            return None
    given, name = body.get("format"), body.get("name")
    if isinstance(given, str):
        fields["media_type"] = media_type_named(given, kind)
    if isinstance(name, str):
        fields["filename"] = name
    options.update(without_bytes(rest(body, _BODY)))
    for key, value, read in (
        ("format", given, isinstance(given, str)),
        ("name", name, isinstance(name, str)),
    ):
        if key in body and not read:
            options[key] = value
    fields["provider_options"] = {API: options}
    if isinstance(given, str) and extension_of(build(FilePart, fields)) != given:
        options["format"] = given
    return build(FilePart, fields, wire, piece_of(API))


def files_of(messages: Iterable[Message]) -> Iterable[FilePart]:
    """Yield the files of messages, those in tool results too."""
    for message in messages:
        for part in message.parts:
            if part.type == "file":
                yield part
            elif part.type == "tool_result" and part.content is not None:
                yield from (item for item in part.content if item.type == "file")


# --- writing ------------------------------------------------------------------------------------------------------


def extras(options: Wire) -> Wire:
    """Return the options that are fields of a block's body."""
    return {key: value for key, value in sent(options).items() if key != CACHE_POINT}


def same_file(part: FilePart) -> Wire | None:
    """Write a file that was read from this API in the block in which it stood; None when its data is no base64."""
    options = options_of(part, API)
    holder = options[TYPE]
    source = _source(part, options, as_bytes=bool(options.get(BYTES)))
    if source is None:
        return None
    body: Wire = {} if part.filename is None else {"name": part.filename}
    short = extension_of(part)
    if short is not None:
        body["format"] = short
    more = extras(options)
    more.pop("s3Location", None)
    body = {**body, **more, "source": source}
    return {holder: {"image": body}} if holder == "guardContent" else {holder: body}


def new_file(
    part: FilePart, names: DocumentNames, *, as_bytes: bool, kinds: Iterable[str] = FILE_KINDS
) -> tuple[str, Wire] | None:
    """Write a file of another API: the kind of the block, and its body; None when no block can hold it."""
    kind = media_kind(part)
    short = extension_of(part)
    if kind not in kinds or short not in _FORMATS[kind]:
        return None
    source = _source(part, {}, as_bytes=as_bytes)
    if source is None:
        return None
    body: Wire = {"format": short}
    if kind == "document":
        body["name"] = names.new(part.filename)
    return kind, {**body, "source": source}


def _source(part: FilePart, options: Wire, *, as_bytes: bool) -> Wire | None:
    if part.data is not None:
        data = bytes_of(part.data)
        if not data:
            return None
        return {"bytes": data if as_bytes else part.data}
    uri = usable_file_id(part, API) or part.url or ""
    if TYPE in options or (len(uri) <= _LONGEST_URI and _S3.fullmatch(uri)):
        return {"s3Location": {**options.get("s3Location", {}), "uri": uri}}
    return None


def document_names(messages: Iterable[Message]) -> DocumentNames:
    """Return what makes names of new documents; those of this API in the messages are taken."""
    own = (part for part in files_of(messages) if options_of(part, API))
    return DocumentNames(part.filename for part in own if part.filename is not None)
