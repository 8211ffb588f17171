"""Images and documents of Anthropic conversations."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.oracle import claude_models
from tests.oracle.anthropic_turns import Block, Turn, read_blocks
from tests.oracle.media_bytes import count_pages, decode, head, image_type, longest_side, size
from tests.oracle.violation import Violation
from tests.oracle.wire import as_mapping, as_text

_FOR_USERS = ("image", "document", "container_upload")
_MAX_BYTES = 5 * 1024 * 1024
_MAX_SIDE = 8000
# An image that was legal becomes illegal when more join it.
_MANY_IMAGES = 20
_MAX_SIDE_OF_MANY = 2000


def check_media(turns: list[Turn], model: str | None) -> Iterator[Violation]:
    """Rules on each file, and on all of them together."""
    blocks = [block for turn in turns for block in _with_results(turn)]
    images = [block for block in blocks if block.type == "image"]
    pages = 0
    for block in blocks:
        source = as_mapping(block.data.get("source")) or {}
        if source.get("type") != "base64":
            continue
        if block.type == "image":
            yield from _check_image(block.path, source, is_one_of_many=len(images) > _MANY_IMAGES)
        elif source.get("media_type") == "application/pdf":
            pages += count_pages(decode(as_text(source.get("data"))))
    limit = claude_models.max_pdf_pages(model)
    if pages > limit:
        reason = f"A maximum of {limit} PDF pages may be provided."
        yield Violation("anthropic-pdf-pages", "messages", reason)


def check_answers(turns: list[Turn]) -> Iterator[Violation]:
    """Only the user's turns may hold files."""
    for turn in turns:
        for block in turn.blocks if turn.role == "assistant" else ():
            if block.type in _FOR_USERS:
                reason = f"'{block.type}' blocks are not permitted within assistant turns."
                yield Violation("recorded-anthropic-assistant-block", block.path, reason)


def _with_results(turn: Turn) -> Iterator[Block]:
    for block in turn.blocks:
        yield block
        if block.type == "tool_result" and not isinstance(block.data.get("content"), str | None):
            yield from read_blocks(f"{block.path}.content", block.data["content"])[0]


def _check_image(path: str, source: Mapping[str, Any], *, is_one_of_many: bool) -> Iterator[Violation]:
    path = f"{path}.source.data"
    data = as_text(source.get("data"))
    declared, found = source.get("media_type"), image_type(head(data))
    limit = _MAX_SIDE_OF_MANY if is_one_of_many else _MAX_SIDE
    if not found:
        yield Violation("anthropic-could-not-process-image", path, "Could not process image")
    elif declared != found:
        reason = f"Image does not match the provided media type {declared}"
        yield Violation("anthropic-image-media-type", path, reason)
    elif size(data) > _MAX_BYTES:
        reason = f"image exceeds 5 MB maximum: {size(data)} bytes > {_MAX_BYTES} bytes"
        yield Violation("anthropic-image-5mb", path, reason)
    elif longest_side(head(data)) > limit:
        reason = f"At least one of the image dimensions exceed max allowed size: {limit} pixels"
        yield Violation("anthropic-image-many-2000px", path, reason)
