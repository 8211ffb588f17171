"""Files on the wire: what a file is, data URLs, and the text that stands in for what a wire can't carry."""

from __future__ import annotations

import re
from base64 import b64decode
from typing import Any, Final, Literal, TypeAlias

from .messages import FilePart, OpaquePart

__all__ = [
    "MODEL_IMAGES",
    "MediaKind",
    "data_url",
    "extension_of",
    "file_stub",
    "follows_text",
    "located",
    "media_kind",
    "media_type_named",
    "media_type_of",
    "name_of",
    "opaque_stub",
    "split_data_url",
    "usable_file_id",
]

MediaKind: TypeAlias = Literal["image", "audio", "video", "document"]

MODEL_IMAGES: Final = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
"""The images that models see. Anthropic, OpenAI and Bedrock name the same four:
https://docs.claude.com/en/docs/build-with-claude/vision, https://platform.openai.com/docs/guides/images-vision and
https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ImageBlock.html"""

# Media type -> the short name that wires use for it (OpenAI's audio, Bedrock's blocks), which is also the usual extension.
_SHORT: Final = {
    "image/jpeg": "jpeg",
    "image/png": "png",
    "image/gif": "gif",
    "image/webp": "webp",
    "audio/mpeg": "mp3",
    "audio/wav": "wav",
    "audio/flac": "flac",
    "audio/ogg": "ogg",
    "audio/opus": "opus",
    "audio/aac": "aac",
    "audio/mp4": "m4a",
    "audio/webm": "webm",
    "video/mp4": "mp4",
    "video/quicktime": "mov",
    "video/x-matroska": "mkv",
    "video/webm": "webm",
    "video/x-flv": "flv",
    "video/mpeg": "mpeg",
    "video/x-ms-wmv": "wmv",
    "video/3gpp": "three_gp",
    "application/pdf": "pdf",
    "text/csv": "csv",
    "application/msword": "doc",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.ms-excel": "xls",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "text/html": "html",
    "text/plain": "txt",
    "text/markdown": "md",
}
# Other spellings -> the usual one.
_SAME: Final = {
    "image/jpg": "image/jpeg",
    "audio/mp3": "audio/mpeg",
    "audio/x-wav": "audio/wav",
    "audio/wave": "audio/wav",
    "audio/vnd.wave": "audio/wav",
    "audio/x-flac": "audio/flac",
    "audio/x-m4a": "audio/mp4",
    "audio/m4a": "audio/mp4",
    "text/x-markdown": "text/markdown",
    "application/x-pdf": "application/pdf",
}
# Extension -> media type; `webm` is taken for a video.
_EXTENSIONS: Final = {
    **{short: media_type for media_type, short in _SHORT.items()},
    "jpg": "image/jpeg",
    "3gp": "video/3gpp",
    "mpg": "video/mpeg",
    "htm": "text/html",
}
# How base64 of a file's first bytes begins, where a media type only says `image/*` or nothing.
_MAGIC: Final = (
    ("iVBORw0KGgo", "image/png"),
    ("/9j/", "image/jpeg"),
    ("R0lGOD", "image/gif"),
    ("JVBERi", "application/pdf"),
    ("SUQz", "audio/mpeg"),
    ("//v", "audio/mpeg"),
    ("UklGR", "audio/wav"),
    ("ZkxhQw", "audio/flac"),
)
_EXTENSION: Final = re.compile(r"\.([A-Za-z0-9]{1,8})$")
_LONGEST_NAME: Final = 2048

# Fields in which unknown parts of the known APIs keep readable text.
_TEXT_FIELDS: Final = ("text", "content", "refusal", "transcript", "data", "thinking", "summary")


def split_data_url(url: str) -> tuple[str, str] | None:
    """Return media type and base64 data of a data URL; None when it is another kind of URL."""
    head, comma, data = url.partition(",")
    if not comma or not head.startswith("data:") or not head.endswith(";base64"):
        return None
    media_type = head[len("data:") : -len(";base64")]
    # Parameters such as a charset would be lost: such a URL stays as it is.
    return None if not media_type or ";" in media_type else (media_type, data)


def media_type_of(part: FilePart) -> str | None:
    """Return a file's media type in its usual spelling; None when nothing tells it.

    ``image/*`` and the like say only the kind: then the name and the first bytes tell more.
    """
    given = (part.media_type or "").partition(";")[0].strip().lower()
    if given and not given.endswith("/*"):
        return _SAME.get(given, given)
    told = _named(part.filename) or _named(_path_of(part.url)) or _begun(part.data, given.removesuffix("*"))
    return told if told is not None and told.startswith(given.removesuffix("*")) else given or None


def _path_of(url: str | None) -> str | None:
    return None if url is None or url.startswith("data:") else url.partition("?")[0].partition("#")[0]


def _named(name: str | None) -> str | None:
    match = _EXTENSION.search(name) if name is not None and len(name) <= _LONGEST_NAME else None
    return _EXTENSIONS.get(match[1].lower()) if match is not None else None


def _begun(data: str | None, kind: str) -> str | None:
    """The media type that the first bytes tell; of sounds, whose first bytes tell less, only for what is known to be one."""
    if data is None:
        return None
    begun = (media_type for start, media_type in _MAGIC if data.startswith(start))
    return next((media_type for media_type in begun if kind or not media_type.startswith("audio/")), None)


def media_kind(part: FilePart) -> MediaKind:
    """Return which kind of medium a file is; whatever is no image, audio or video counts as a document."""
    match (media_type_of(part) or "").partition("/")[0]:
        case "image" | "audio" | "video" as kind:
            return kind
        case _:
            return "document"


def media_type_named(short: str, kind: str) -> str | None:
    """Return the media type that a wire calls by a short name (``png``, ``mp3``, ``docx``) among media of a kind.

    None for a document of a type that nobody knows.
    """
    known = _EXTENSIONS.get(short)
    if kind == "document":
        return known
    return known if known is not None and known.startswith(f"{kind}/") else f"{kind}/{short}"


def extension_of(part: FilePart) -> str | None:
    """Return the short name of a file's type (``png``, ``mp3``, ``docx``); None for a type that no wire names."""
    return _SHORT.get(media_type_of(part) or "")


def name_of(part: FilePart) -> str:
    """Return a file's name; one that says its type where it has none: APIs tell the type by the name's ending."""
    extension = extension_of(part)
    return part.filename or (f"file.{extension}" if extension is not None else "file")


def usable_file_id(part: FilePart, api: str) -> str | None:
    """Return the id of an uploaded file for an API that may know it: one read from another API means nothing here."""
    return part.file_id if not part.provider_options or api in part.provider_options else None


def data_url(part: FilePart, default: str) -> str:
    """Return a file's content as a data URL, its media type spelt as it is."""
    return f"data:{part.media_type or default};base64,{part.data or ''}"


def located(part: FilePart) -> str | None:
    """Return where a file is to be found: its URL, or its content as a data URL; None where its type is unknown."""
    if part.url is not None or part.data is None:
        return part.url
    media_type = media_type_of(part)
    return (
        None if media_type is None or media_type.endswith("/*") else f"data:{media_type};base64,{part.data}"
    )


def file_stub(part: FilePart) -> str:
    """Return the text that says which file was there; of a spoken answer and of a text file, what they say."""
    for options in (part.provider_options or {}).values():
        spoken = options.get("audio")
        if isinstance(spoken, dict) and isinstance(spoken.get("transcript"), str):
            return str(spoken["transcript"])
    kind = media_type_of(part) or "file"
    name = f" {part.filename}" if part.filename else ""
    text = _text_of(part) if kind.startswith("text/") or kind == "application/json" else None
    if text is not None:
        return f"[{kind}{name}]\n{text}"
    where = f" at {part.url}" if part.url and not part.url.startswith("data:") else ""
    return f"[{kind}{name}{where} omitted: not supported here]"


def _text_of(part: FilePart) -> str | None:
    try:
        return b64decode("".join((part.data or "").split()), validate=True).decode("utf-8") or None
    except ValueError:
        return None


def follows_text(part: FilePart) -> str:
    """Return the text in a tool result whose file follows the run of results."""
    return f"[{media_type_of(part) or 'file'}: see the next user message]"


def opaque_stub(part: OpaquePart) -> str:
    """Return the readable text of a part that only another API knows, or a text that says what was there."""
    value: Any = part.value
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, dict):
        kind, body = _kind_and_body(value)
        source = body.get("source")
        for place in (body, source if isinstance(source, dict) else {}):
            if place.get("type") == "base64":
                continue
            for key in _TEXT_FIELDS:
                text = _text_in(place.get(key))
                if text.strip():
                    return text
        return f"[{kind[:80] or 'part'} omitted: not supported here]"
    return "[part omitted: not supported here]"


def _kind_and_body(value: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """What a part is called, and its fields: on some wires (Bedrock's) they stand under the name of its kind."""
    kind = value.get("type")
    if isinstance(kind, str):
        return kind, value
    name, body = next(iter(value.items()), ("", None))
    return (str(name), body) if len(value) == 1 and isinstance(body, dict) else ("", value)


def _text_in(value: Any) -> str:
    """A text, or the texts of a list of text blocks."""
    if isinstance(value, list):
        texts = [item.get("text") for item in value if isinstance(item, dict)]
        return "\n".join(text for text in texts if isinstance(text, str))
    return value if isinstance(value, str) else ""
