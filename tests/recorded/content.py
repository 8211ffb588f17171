"""What a conversation says, whatever the API it is written in."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

Event = tuple[str, str] | tuple[str, str, str, str | None]
"""`("user", text)`, `("assistant", text)` or `("call", name, input, output)`."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call with its result.

    Attributes:
        input: The arguments as canonical JSON; the raw text if they were no JSON.
        output: The result's text: its text blocks joined by newlines, canonical if that is a JSON object
            or array; None without a result.
        has_media: The result holds an image, a document or the like.
        is_error: Whether the result is marked as an error; None where the API has no such mark.
    """

    name: str
    input: str
    output: str | None = None
    has_media: bool = False
    is_error: bool | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """The content of a request, in order, free of ids and of how it was grouped into messages.

    Attributes:
        system: Texts of system and developer messages, wherever they stood.
        user_texts: One entry a text block.
        assistant_texts: One entry a text block, refusals included, reasoning not.
        calls: The calls that the client runs.
        server_calls: The calls that the provider runs itself.
        media: What the messages show besides text: a URL, a file's id, or a hash of the data.
        orphans: Outputs of results that answer no call of their run.
        other: Blocks that fit none of the above, as canonical JSON.
        events: The user's texts, the assistant's texts and the calls as one sequence.
    """

    system: tuple[str, ...]
    user_texts: tuple[str, ...]
    assistant_texts: tuple[str, ...]
    calls: tuple[Call, ...]
    server_calls: tuple[Call, ...]
    media: tuple[str, ...]
    orphans: tuple[str, ...]
    other: tuple[str, ...]
    events: tuple[Event, ...]


def canonical(value: Any) -> str:
    """Write a JSON value in one fixed way."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def canonical_arguments(value: Any) -> str:
    """Write a call's arguments, given as a value or as JSON text, in one fixed way."""
    if not isinstance(value, str):
        return canonical(value)
    try:
        return canonical(json.loads(value))
    except (ValueError, RecursionError):
        return value


def canonical_output(text: str) -> str:
    """Write a result's text in one fixed way if it is a JSON object or array; leave other text alone."""
    # A lone number stays as written: 1.10 may be a version.
    return canonical_arguments(text) if text.lstrip().startswith(("{", "[")) else text


def media_key(value: str, *, inline: bool = False) -> str:
    """Name a medium by its URL or id, and inline data by its hash.

    Args:
        value: A URL, a data URL, a file's id, or the data.
        inline: Whether a value that is no data URL is the data itself.

    Returns:
        The same key for the same data, whether it came bare or as a data URL.
    """
    if value.startswith("data:") and ";base64," in value:
        value, inline = value.partition(";base64,")[2], True
    if not inline:
        return value
    return "sha256:" + hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:16]
