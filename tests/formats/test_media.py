"""What a file is, told from its media type, name and first bytes."""

from __future__ import annotations

from typing import Any

import pytest

from replayable import FilePart
from replayable.media import extension_of, file_stub, media_kind, media_type_of, name_of, usable_file_id


@pytest.mark.parametrize(
    ("fields", "media_type", "kind", "extension"),
    [
        ({"media_type": "image/png"}, "image/png", "image", "png"),
        ({"media_type": "IMAGE/JPG; q=1"}, "image/jpeg", "image", "jpeg"),
        ({"media_type": "image/*", "url": "https://example.org/a.webp?x=1#y"}, "image/webp", "image", "webp"),
        ({"media_type": "image/*", "url": "https://example.org/a.pdf"}, "image/*", "image", None),
        ({"media_type": "image/*", "data": "/9j/4AAQ"}, "image/jpeg", "image", "jpeg"),
        ({"media_type": "audio/*", "filename": "call.MP3"}, "audio/mpeg", "audio", "mp3"),
        ({"media_type": "video/mp4"}, "video/mp4", "video", "mp4"),
        ({"data": "JVBERi0xLjQ="}, "application/pdf", "document", "pdf"),
        (
            {"filename": "notes.docx"},
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "document",
            "docx",
        ),
        ({"filename": "odd.\ud83d"}, None, "document", None),
        ({"filename": "a" * 5000 + ".png"}, None, "document", None),
        ({"url": "data:image/png;base64,QQ=="}, None, "document", None),
        ({"media_type": "application/x-odd"}, "application/x-odd", "document", None),
        ({}, None, "document", None),
    ],
)
def test_what_a_file_is(
    fields: dict[str, Any], media_type: str | None, kind: str, extension: str | None
) -> None:
    """The media type counts; a general or missing one is told from the name, then from the first bytes."""
    part = FilePart(**fields)
    assert (media_type_of(part), media_kind(part), extension_of(part)) == (media_type, kind, extension)


def test_a_file_id_means_something_to_its_own_api_alone() -> None:
    """One made by hand is taken as it is; one that was read from another API is not."""
    assert usable_file_id(FilePart(file_id="f"), "anthropic") == "f"
    assert usable_file_id(FilePart(file_id="f", provider_options={"anthropic": {}}), "anthropic") == "f"
    assert usable_file_id(FilePart(file_id="f", provider_options={"openai_chat": {}}), "anthropic") is None


def test_a_name_tells_the_type() -> None:
    """One that was given counts; else one with the type's usual ending, where that is known."""
    assert name_of(FilePart(filename="a", media_type="application/pdf")) == "a"
    assert name_of(FilePart(data="JVBERi0xLjQ=")) == "file.pdf"
    assert name_of(FilePart(media_type="application/x-odd")) == "file"


def test_the_stub_says_what_was_there() -> None:
    """Type, name and place, but not the content."""
    stub = file_stub(FilePart(filename="a.pdf", url="https://example.org/a.pdf"))
    assert stub == "[application/pdf a.pdf at https://example.org/a.pdf omitted: not supported here]"
    assert file_stub(FilePart(data="QQ==")) == "[file omitted: not supported here]"


@pytest.mark.parametrize(
    ("media_type", "data", "stub"),
    [
        ("text/plain", b"Oslo", "[text/plain a]\nOslo"),
        ("text/csv; charset=utf-8", "a;ø".encode(), "[text/csv a]\na;ø"),
        ("application/json", b"{}", "[application/json a]\n{}"),
        ("text/plain", b"\xff", "[text/plain a omitted: not supported here]"),
        ("text/plain", b"", "[text/plain a omitted: not supported here]"),
        ("application/pdf", b"%PDF", "[application/pdf a omitted: not supported here]"),
    ],
)
def test_a_text_file_says_its_text(media_type: str, data: bytes, stub: str) -> None:
    """Where a wire can't hold a file, its text is better than a note that it was there."""
    assert file_stub(FilePart(media_type=media_type, data=data, filename="a")) == stub
