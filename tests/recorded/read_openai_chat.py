"""Reads the content of an OpenAI Chat request, in the dialects of the many providers that speak it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.recorded.blocks import as_dict, as_id, as_list
from tests.recorded.content import Conversation, canonical, media_key
from tests.recorded.recorder import Recorder, Result

_TEXTS = ("text", "input_text", "output_text", "refusal")
_REASONING = ("thinking", "reasoning")
_MEDIA = ("image_url", "input_audio", "file", "video_url", "document_url", "audio_url")
_MEDIA_FIELDS = {"url": False, "data": True, "file_data": True, "file_id": False}
"""Where a medium stands, and whether it is the data itself there."""


def read_openai_chat(request: Mapping[str, Any]) -> Conversation:
    """Read the content of an OpenAI Chat request; malformed parts are kept as `other`."""
    recorder = Recorder()
    for message in as_list(request.get("messages")):
        if isinstance(message, dict):
            _message(message, recorder)
        else:
            recorder.other(message)
    return recorder.finish()


def _message(message: dict[str, Any], recorder: Recorder) -> None:
    role = message.get("role")
    if role in ("system", "developer"):
        texts, _, rest = _parts(message.get("content"))
        for text in texts:
            recorder.system(text)
        for part in rest:
            recorder.other(part)
    elif role in ("tool", "function"):
        recorder.turn(assistant=False)
        recorder.result(_result(message))
    elif role in ("user", "assistant"):
        recorder.turn(assistant=role == "assistant")
        _content(role, message, recorder)
        if role == "assistant":
            _calls(message, recorder)
    else:
        recorder.turn(assistant=False)
        recorder.other(message)


def _content(role: str, message: dict[str, Any], recorder: Recorder) -> None:
    texts, media, rest = _parts(message.get("content"))
    for text in texts:
        recorder.text(role, text)
    if isinstance(message.get("refusal"), str):
        recorder.text(role, message["refusal"])
    if isinstance(message.get("audio"), dict):
        media.append(media_key(str(message["audio"].get("id"))))
    for key in media:
        recorder.media(key)
    for part in rest:
        recorder.other(part)


def _calls(message: dict[str, Any], recorder: Recorder) -> None:
    for call in as_list(message.get("tool_calls")):
        wrapped = as_dict(call)
        if "custom" in wrapped:
            custom = as_dict(wrapped["custom"])
            # Its input is a text as such, whatever stands in it.
            recorder.call(as_id(wrapped.get("id")), custom.get("name"), canonical(custom.get("input")))
        else:
            function = as_dict(wrapped.get("function"))
            recorder.call(as_id(wrapped.get("id")), function.get("name"), function.get("arguments"))
    if isinstance(message.get("function_call"), dict):
        function = message["function_call"]
        recorder.call(None, function.get("name"), function.get("arguments"))


def _result(message: dict[str, Any]) -> Result:
    texts, media, rest = _parts(message.get("content"))
    return Result(
        id=as_id(message.get("tool_call_id")),
        texts=(*texts, *map(canonical, rest)),
        has_media=bool(media),
    )


def _parts(content: Any) -> tuple[list[str], list[str], list[Any]]:
    """Split content into texts, keys of media, and the rest; reasoning is left out."""
    texts: list[str] = []
    media: list[str] = []
    rest: list[Any] = []
    for part in as_list(content):
        # Some clients send parts without a type; then the field that is there tells.
        kind = as_dict(part).get("type") or next(
            (key for key in as_dict(part) if key in (*_TEXTS, *_MEDIA)), None
        )
        if isinstance(part, str):
            texts.append(part)
        elif kind in _TEXTS and isinstance(part.get("refusal" if kind == "refusal" else "text"), str):
            texts.append(part["refusal" if kind == "refusal" else "text"])
        elif kind in _MEDIA:
            media.append(_medium(part.get(kind), inline=kind == "input_audio"))
        elif kind not in _REASONING:
            rest.append(part)
    return texts, media, rest


def _medium(value: Any, *, inline: bool) -> str:
    if isinstance(value, str):
        # Mistral holds audio bare: a URL, or the data itself.
        return media_key(value, inline=inline and not value.startswith(("http:", "https:")))
    for name, inline in _MEDIA_FIELDS.items():
        if isinstance(as_dict(value).get(name), str):
            return media_key(value[name], inline=inline)
    return canonical(value)
