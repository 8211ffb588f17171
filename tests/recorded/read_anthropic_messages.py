"""Reads the content of an Anthropic Messages request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.recorded.blocks import as_dict, as_id, as_list
from tests.recorded.content import Conversation, canonical, media_key
from tests.recorded.recorder import Recorder, Result

_REASONING = ("thinking", "redacted_thinking")
_MEDIA = ("image", "document")
_SERVER_CALLS = ("server_tool_use", "mcp_tool_use")
_SOURCE_FIELDS = ("data", "url", "file_id")


def read_anthropic_messages(request: Mapping[str, Any]) -> Conversation:
    """Read the content of an Anthropic Messages request; malformed parts are kept as `other`."""
    recorder = Recorder()
    _system(request.get("system"), recorder)
    for message in as_list(request.get("messages")):
        role = as_dict(message).get("role")
        if role == "system":
            _system(message.get("content"), recorder)
        elif role in ("user", "assistant"):
            recorder.turn(assistant=role == "assistant")
            for block in as_list(message.get("content")):
                _block(role, block, recorder)
        else:
            recorder.turn(assistant=False)
            recorder.other(message)
    return recorder.finish()


def _system(content: Any, recorder: Recorder) -> None:
    for block in as_list(content):
        text = _text(block)
        if text is None:
            recorder.other(block)
        else:
            recorder.system(text)


def _block(role: str, block: Any, recorder: Recorder) -> None:
    text, fields = _text(block), as_dict(block)
    kind = str(fields.get("type"))
    if text is not None:
        recorder.text(role, text)
    elif kind == "tool_use":
        recorder.call(as_id(fields.get("id")), fields.get("name"), fields.get("input"))
    elif kind == "tool_result":
        recorder.result(_result(fields))
    elif kind in _SERVER_CALLS:
        recorder.server_call(as_id(fields.get("id")), fields.get("name"), fields.get("input"))
    elif kind.endswith("_tool_result"):
        output = (canonical(fields.get("content")),)
        recorder.server_result(Result(id=as_id(fields.get("tool_use_id")), texts=output))
    elif kind in _MEDIA:
        recorder.media(_medium(fields))
    elif kind not in _REASONING:
        recorder.other(block)


def _text(block: Any) -> str | None:
    if isinstance(block, str):
        return block
    text = as_dict(block).get("text")
    return text if as_dict(block).get("type") == "text" and isinstance(text, str) else None


def _result(block: dict[str, Any]) -> Result:
    texts: list[str] = []
    has_media = False
    for part in as_list(block.get("content")):
        text = _text(part)
        if text is not None:
            texts.append(text)
        elif as_dict(part).get("type") in _MEDIA:
            has_media = True
        else:
            texts.append(canonical(part))
    return Result(
        id=as_id(block.get("tool_use_id")),
        texts=tuple(texts),
        has_media=has_media,
        is_error=bool(block.get("is_error")),
    )


def _medium(block: dict[str, Any]) -> str:
    source = as_dict(block.get("source"))
    for name in _SOURCE_FIELDS:
        if isinstance(source.get(name), str):
            return media_key(source[name], inline=name == "data")
    return canonical(block.get("source"))
