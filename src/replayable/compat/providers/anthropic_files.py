"""Anthropic's rules for files and cache breakpoints."""

from __future__ import annotations

from typing import Final

from ...messages import AssistantMessage, FilePart, Message, OpaquePart, TextPart, UserMessage
from ..evidence import Evidence
from ..rule import Example
from ..rules.cache_breakpoints import limited_cache_breakpoints
from ..rules.content import files_as_text
from ..rules.files import ImageLimits, corrected_media_types, limited_images, refused_files_as_text

__all__ = ["CACHE_BREAKPOINTS", "FILE_RULES"]

_VISION: Final = "https://docs.claude.com/en/docs/build-with-claude/vision"
_PDF: Final = "https://docs.claude.com/en/docs/build-with-claude/pdf-support"

# The first bytes of one.
_PNG: Final = "iVBORw0KGgo="


def _marked(text: str) -> UserMessage:
    part = TextPart(text, provider_options={"anthropic": {"cache_control": {"type": "ephemeral"}}})
    return UserMessage([part])


# What only a user's turn may hold; files that Claude's code made come in its answers, but don't go back there. A tuple: in
# damaged input, what is looked for here may have no hash.
_FOR_USERS: Final = ("container_upload", "document", "image")


def _stands_in_answer(part: FilePart | OpaquePart, message: Message) -> bool:
    if message.role != "assistant":
        return False
    if part.type == "file":
        return True
    return part.api == "anthropic" and isinstance(part.value, dict) and part.value.get("type") in _FOR_USERS


FILE_RULES: Final = (
    files_as_text(
        "anthropic-files-in-answers",
        refused=_stands_in_answer,
        summary="A file in an answer becomes a text that names it: only the user's turns may hold files.",
        evidence=(
            Evidence(
                text="messages.{i}.content: 'image' blocks are not permitted within assistant turns.",
                pattern=r"'\w{1,40}' blocks are not permitted within assistant turns",
                cause="An answer holds a file: another model drew it, or code that ran on Anthropic's servers wrote it.",
                status=400,
                link="https://github.com/SEMOSS/Semoss/issues/2323",
            ),
        ),
        examples=(
            Example(
                title="A drawing",
                before=(
                    UserMessage("Draw."),
                    AssistantMessage([TextPart("Here it is."), FilePart(media_type="image/png", data=_PNG)]),
                    UserMessage("Larger."),
                ),
                after=(
                    UserMessage("Draw."),
                    AssistantMessage(
                        [TextPart("Here it is."), TextPart("[image/png omitted: not supported here]")]
                    ),
                    UserMessage("Larger."),
                ),
            ),
        ),
    ),
    corrected_media_types(
        "anthropic-image-media-type",
        summary="An image says what its first bytes are.",
        evidence=(
            Evidence(
                entry="anthropic-image-media-type",
                text="messages.{i}.content.{j}.image.source.base64.data: Image does not match the provided media type"
                " image/png",
                pattern=r"Image does not match the provided media type",
                cause="The media type that was declared is not that of the bytes.",
                status=400,
                link=_VISION,
            ),
        ),
        examples=(
            Example(
                title="A PNG that was called a JPEG",
                before=(UserMessage([FilePart(media_type="image/jpeg", data=_PNG)]),),
                after=(UserMessage([FilePart(media_type="image/png", data=_PNG)]),),
            ),
        ),
    ),
    limited_images(
        "anthropic-image-limits",
        limits=ImageLimits(max_bytes=5 * 1024 * 1024, max_side=8000, many=20, max_side_of_many=2000),
        summary="An image that is too large, also for one of more than 20, or that is no image, becomes a text.",
        evidence=(
            Evidence(
                entry="anthropic-image-many-2000px",
                text="messages.{i}.content.{j}.image.source.base64.data: At least one of the image dimensions exceed max"
                " allowed size for many-image requests: 2000 pixels",
                pattern=r"image dimensions exceed max allowed size(?: for many-image requests)?: \d{1,6} pixels",
                cause="The history holds more than 20 images, and one of them has a side of more than 2,000 pixels: it was"
                " legal while there were fewer.",
                status=400,
                link="https://github.com/anthropics/claude-code/issues/46656",
            ),
            Evidence(
                entry="anthropic-image-5mb",
                text="messages.{i}.content.{j}.image.source.base64: image exceeds 5 MB maximum: {n} bytes > 5242880 bytes",
                pattern=r"image exceeds \d{1,4} ?MB maximum",
                cause="An image is larger than 5 MB.",
                status=400,
                link=_VISION,
            ),
            Evidence(
                entry="anthropic-could-not-process-image",
                text="Could not process image",
                cause="An image is none by its first bytes.",
                status=400,
                link="https://github.com/anthropics/claude-code/issues/29080",
            ),
        ),
    ),
    refused_files_as_text(
        "anthropic-refused-images",
        kind=lambda part: (part.media_type or "image/").startswith("image/"),
        summary="After a rejection for an image that it does not name, all of them become texts.",
        evidence=(
            Evidence(
                entry="anthropic-could-not-process-image",
                text="Could not process image",
                pattern=r"Could not process image",
                cause="Somewhere in the history stands an image that is broken or of a kind that can't be read.",
                status=400,
                link="https://github.com/anthropics/claude-code/issues/29080",
            ),
        ),
        examples=(
            Example(
                title="An image that nobody can read",
                before=(UserMessage([FilePart(media_type="image/png", data=_PNG), "What is this?"]),),
                after=(UserMessage(["[image/png omitted: it was refused]", "What is this?"]),),
            ),
        ),
    ),
    refused_files_as_text(
        "anthropic-refused-pdfs",
        kind=lambda part: part.media_type == "application/pdf",
        summary="After a rejection for too many pages, the documents become texts.",
        evidence=(
            Evidence(
                entry="anthropic-pdf-pages",
                text="A maximum of 100 PDF pages may be provided.",
                pattern=r"A maximum of \d{1,5} PDF pages may be provided",
                cause="The documents of the history have more pages together than the model takes.",
                status=400,
                link=_PDF,
            ),
        ),
        examples=(
            Example(
                title="A long document",
                before=(
                    UserMessage(
                        [
                            FilePart(media_type="application/pdf", data="JVBERg==", filename="a.pdf"),
                            "Sum it up.",
                        ]
                    ),
                ),
                after=(UserMessage(["[application/pdf a.pdf omitted: it was refused]", "Sum it up."]),),
            ),
        ),
    ),
)

CACHE_BREAKPOINTS: Final = limited_cache_breakpoints(
    "anthropic-cache-breakpoints",
    api="anthropic",
    field="cache_control",
    limit=4,
    summary="Of more than four cache breakpoints the oldest in the messages go; those of tools and system prompt stay.",
    evidence=(
        Evidence(
            entry="anthropic-cache-control-max4",
            text="A maximum of 4 blocks with cache_control may be provided. Found 5.",
            pattern=r"A maximum of \d{1,3} blocks with cache_control may be provided",
            cause="Each turn's breakpoint stays in the stored history, and they add up.",
            status=400,
            link="https://github.com/griffinmartin/opencode-claude-auth/issues/121",
        ),
    ),
    examples=(
        Example(
            title="Five breakpoints",
            before=tuple(_marked(str(number)) for number in range(5)),
            after=(UserMessage("0"), UserMessage("1"), *(_marked(str(number)) for number in range(2, 5))),
        ),
    ),
)
