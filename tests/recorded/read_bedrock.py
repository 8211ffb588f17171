"""Reads the content of a Bedrock Converse request; bytes may stand there as such or in base64."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from tests.recorded.blocks import as_dict, as_id, as_list
from tests.recorded.content import Conversation, canonical, media_key
from tests.recorded.recorder import Recorder, Result

_MEDIA = ("image", "document", "video", "audio")
_NO_CONTENT = ("reasoningContent", "cachePoint", "toolAddition", "toolRemoval")


def read_bedrock(request: Mapping[str, Any]) -> Conversation:
    """Read the content of a Bedrock Converse request; malformed parts are kept as `other`."""
    fields = _without_bytes(dict(request))
    recorder = Recorder()
    _system(fields.get("system"), recorder)
    for message in as_list(fields.get("messages")):
        role = as_dict(message).get("role")
        if role == "system":
            _system(message.get("content"), recorder)
        elif role in ("user", "assistant"):
            recorder.turn(assistant=role == "assistant")
            for block in as_list(message.get("content")):
                _block(role, as_dict(block) or {"malformed": block}, recorder)
        else:
            recorder.turn(assistant=False)
            recorder.other(message)
    return recorder.finish()


def _without_bytes(value: Any) -> Any:
    """The value as JSON carries it."""
    if isinstance(value, bytes):
        return b64encode(value).decode("ascii")
    if isinstance(value, dict):
        return {key: _without_bytes(item) for key, item in value.items()}
    return [_without_bytes(item) for item in value] if isinstance(value, list) else value


def _system(blocks: Any, recorder: Recorder) -> None:
    for block in as_list(blocks):
        texts = _texts(as_dict(block))
        for text in texts or ():
            recorder.system(text)
        if texts is None and "cachePoint" not in as_dict(block):
            recorder.other(block)


def _block(role: str, block: dict[str, Any], recorder: Recorder) -> None:
    kind = next((key for key, value in block.items() if value is not None), "")
    body = as_dict(block.get(kind))
    texts = _texts(block)
    if texts is not None:
        for text in texts:
            recorder.text(role, text)
    elif kind == "toolUse":
        record = recorder.server_call if body.get("type") == "server_tool_use" else recorder.call
        record(as_id(body.get("toolUseId")), body.get("name"), body.get("input"))
    elif kind == "toolResult":
        # The provider puts the results of its own tools into its answer.
        (recorder.server_result if role == "assistant" else recorder.result)(_result(body))
    elif kind in _MEDIA:
        recorder.media(_medium(body))
    elif kind == "guardContent":
        recorder.media(_medium(as_dict(body.get("image"))))
    elif kind not in _NO_CONTENT:
        recorder.other(block)


def _texts(block: dict[str, Any]) -> list[str] | None:
    """What a block says: a text, a text to be guarded, or one with citations; None for all others."""
    if isinstance(block.get("text"), str):
        return [block["text"]]
    guarded = as_dict(as_dict(block.get("guardContent")).get("text")).get("text")
    if isinstance(guarded, str):
        return [guarded]
    if isinstance(block.get("citationsContent"), dict):
        pieces = [as_dict(piece).get("text") for piece in as_list(block["citationsContent"].get("content"))]
        return ["".join(piece for piece in pieces if isinstance(piece, str))]
    return None


def _result(body: dict[str, Any]) -> Result:
    texts: list[str] = []
    has_media = False
    for block in as_list(body.get("content")):
        fields = as_dict(block)
        if isinstance(fields.get("text"), str):
            texts.append(fields["text"])
        elif "json" in fields:
            texts.append(fields["json"] if isinstance(fields["json"], str) else canonical(fields["json"]))
        elif fields.keys() & set(_MEDIA):
            has_media = True
        else:
            texts.append(canonical(block))
    return Result(
        id=as_id(body.get("toolUseId")),
        texts=tuple(texts),
        has_media=has_media,
        is_error=body.get("status") == "error",
    )


def _medium(body: dict[str, Any]) -> str:
    source = as_dict(body.get("source"))
    if isinstance(source.get("bytes"), str):
        return media_key(source["bytes"], inline=True)
    location = as_dict(source.get("s3Location")).get("uri")
    return media_key(location) if isinstance(location, str) else canonical(body.get("source"))
