"""Rule makers for files: images whose bytes a provider refuses, and files that it has refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from typing_extensions import Unpack

from ...edits import map_messages, replace, with_parts
from ...facts import FILES, facts_of
from ...messages import FilePart, Message, Messages, Part, TextPart
from ..media_bytes import byte_size, head_of, image_type, longest_side
from ..rule import CompatRule
from .making import RuleFields, message_rule

__all__ = ["ImageLimits", "corrected_media_types", "limited_images", "refused_files_as_text"]

ChangeFile: TypeAlias = Callable[[FilePart], FilePart | TextPart]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageLimits:
    """What a provider takes.

    Args:
        max_bytes: Bytes of one image.
        max_side: Pixels of its longer side.
        many: Above this number of images in one request the next limit holds.
        max_side_of_many: Pixels of the longer side of each of them.
    """

    max_bytes: int
    max_side: int
    many: int
    max_side_of_many: int


def corrected_media_types(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Say of an image what its first bytes are, where its media type says otherwise."""

    def corrected(part: FilePart) -> FilePart:
        if not part.data or not _is_image(part):
            return part
        found = image_type(head_of(part.data))
        return part if found in (None, part.media_type) else replace(part, media_type=found)

    return message_rule(name, lambda messages: _map_files(messages, corrected), needs=FILES, **fields)


def limited_images(name: str, *, limits: ImageLimits, **fields: Unpack[RuleFields]) -> CompatRule:
    """Put a text in the place of an image that is too large, or that is none by its first bytes.

    What can't be told from the first bytes (a file by URL or id) stays.
    """

    def change(messages: Messages) -> Messages | None:
        images = sum(1 for file in _files(messages) if _is_image(file))
        max_side = limits.max_side_of_many if images > limits.many else limits.max_side

        def limited(part: FilePart) -> FilePart | TextPart:
            if not part.data or not _is_image(part):
                return part
            head = head_of(part.data)
            if image_type(head) is None:
                return _stub(part, "it could not be read")
            if byte_size(part.data) > limits.max_bytes:
                return _stub(part, f"larger than {limits.max_bytes} bytes")
            return _stub(part, f"larger than {max_side} pixels") if longest_side(head) > max_side else part

        return _map_files(messages, limited)

    return message_rule(name, change, needs=FILES, **fields)


def refused_files_as_text(
    name: str, *, kind: Callable[[FilePart], bool], **fields: Unpack[RuleFields]
) -> CompatRule:
    """After a rejection that names no file, put texts in the place of all files of a kind.

    Args:
        name: The rule's name.
        kind: Which files the rejection is about.
        fields: See ``RuleFields``.
    """

    def told(part: FilePart) -> FilePart | TextPart:
        return _stub(part, "it was refused") if kind(part) else part

    fields["before_call"] = False
    return message_rule(name, lambda messages: _map_files(messages, told), needs=FILES, **fields)


def _is_image(part: FilePart) -> bool:
    return (part.media_type or "").startswith("image/")


def _stub(part: FilePart, why: str) -> TextPart:
    name = f" {part.filename}" if part.filename else ""
    return TextPart(f"[{part.media_type or 'file'}{name} omitted: {why}]")


def _files(messages: Messages) -> Iterator[FilePart]:
    for message in messages:
        if facts_of(message) & FILES:
            for part in message.parts:
                if part.type == "file":
                    yield part
                elif part.type == "tool_result":
                    yield from (item for item in part.content or () if item.type == "file")


def _map_files(messages: Messages, change: ChangeFile) -> Messages | None:
    return map_messages(messages, lambda message: _with_files(message, change))


def _with_files(message: Message, change: ChangeFile) -> Message:
    if not facts_of(message) & FILES:
        return message
    parts = [_with_file(part, change) for part in message.parts]
    return with_parts(message, parts)


def _with_file(part: Part, change: ChangeFile) -> Part:
    if part.type == "file":
        return change(part)
    if part.type == "tool_result" and part.content:
        content = tuple(change(item) if item.type == "file" else item for item in part.content)
        if any(new is not old for new, old in zip(content, part.content, strict=True)):
            return replace(part, content=content)
    return part
