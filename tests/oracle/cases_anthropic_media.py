"""Examples for Anthropic's rules on images and documents."""

import base64
import struct

from tests.oracle.case import Case, Json, assistant, request, text, user

_LOOK = text("What is this?")


def _png(width: int, height: int = 10, padding: int = 0) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height) + b"\0" * padding


def _source(data: bytes, media_type: str) -> Json:
    encoded = base64.b64encode(data).decode()
    return {"source": {"type": "base64", "media_type": media_type, "data": encoded}}


def _image(data: bytes, media_type: str = "image/png") -> Json:
    return {"type": "image", **_source(data, media_type)}


def _pdf(pages: int) -> Json:
    body = b"%PDF-1.4\n" + b"<< /Type /Pages >>\n" + b"<< /Type /Page >>\n" * pages
    return {"type": "document", **_source(body, "application/pdf")}


def _case(entry: str, path: str, bad: Json, good: Json, model: str = "claude-sonnet-4-5") -> Case:
    return Case(
        entry=entry,
        path=path,
        bad=bad,
        good=good,
        model=model,
        provider="anthropic",
        api="anthropic_messages",
    )


ANTHROPIC_MEDIA_CASES = (
    *(
        _case(
            "recorded-anthropic-assistant-block",
            "messages[1].content[1]",
            request(user("Draw."), assistant(text("Here."), block), user("Larger.")),
            request(user("Draw."), assistant(text("Here.")), user(_LOOK, _image(_png(10)))),
        )
        for block in (_image(_png(10)), _pdf(1), {"type": "container_upload", "file_id": "file_1"})
    ),
    _case(
        "anthropic-image-many-2000px",
        "messages[0].content[1].source.data",
        request(user(_LOOK, _image(_png(3000)), *[_image(_png(10)) for _ in range(20)])),
        request(user(_LOOK, _image(_png(3000)), *[_image(_png(10)) for _ in range(19)])),
    ),
    _case(
        "anthropic-image-many-2000px",
        "messages[0].content[0].source.data",
        request(user(_image(_png(10, 9000)))),
        request(user(_image(_png(10, 8000)))),
    ),
    _case(
        "anthropic-could-not-process-image",
        "messages[0].content[0].source.data",
        request(user(_image(b"<html>Not found</html>"))),
        request(user(_image(_png(10)))),
    ),
    _case(
        "anthropic-image-media-type",
        "messages[0].content[0].source.data",
        request(user(_image(_png(10), "image/jpeg"))),
        request(user(_image(b"\xff\xd8\xff\xe0", "image/jpeg"))),
    ),
    _case(
        "anthropic-image-5mb",
        "messages[0].content[0].source.data",
        request(user(_image(_png(10, padding=5 * 1024 * 1024)))),
        request(user(_image(_png(10, padding=5 * 1024 * 1024 - 24)))),
    ),
    _case(
        "anthropic-pdf-pages", "messages", request(user(_LOOK, _pdf(101))), request(user(_LOOK, _pdf(100)))
    ),
    _case(
        "anthropic-pdf-pages",
        "messages",
        request(user(_LOOK, _pdf(300), _pdf(301))),
        request(user(_LOOK, _pdf(300), _pdf(300))),
        model="claude-opus-4-6",
    ),
)
