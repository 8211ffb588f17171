"""Reads the content of a Cohere v2 chat request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.recorded.blocks import as_dict, as_id, as_list
from tests.recorded.content import Conversation, canonical, media_key
from tests.recorded.recorder import Recorder, Result


def read_cohere_v2(request: Mapping[str, Any]) -> Conversation:
    """Read the content of a Cohere v2 chat request; malformed parts are kept as `other`.

    A tool plan is what the assistant says before its calls: Cohere takes no other text beside them.
    """
    recorder = Recorder()
    for message in as_list(request.get("messages")):
        role = as_dict(message).get("role")
        if role == "system":
            _content(role, message, recorder)
        elif role == "tool":
            recorder.turn(assistant=False)
            recorder.result(_result(message))
        elif role in ("user", "assistant"):
            recorder.turn(assistant=role == "assistant")
            if isinstance(message.get("tool_plan"), str):
                recorder.text(role, message["tool_plan"])
            _content(role, message, recorder)
            for call in as_list(message.get("tool_calls")):
                function = as_dict(as_dict(call).get("function"))
                recorder.call(as_id(as_dict(call).get("id")), function.get("name"), function.get("arguments"))
        else:
            recorder.turn(assistant=False)
            recorder.other(message)
    return recorder.finish()


def _content(role: str, message: dict[str, Any], recorder: Recorder) -> None:
    for block in as_list(message.get("content")):
        text = _text(block)
        if text is not None and role == "system":
            recorder.system(text)
        elif text is not None:
            recorder.text(role, text)
        elif as_dict(block).get("type") == "image_url":
            image = block.get("image_url")
            recorder.media(media_key(str(as_dict(image).get("url", image))))
        elif as_dict(block).get("type") != "thinking":
            recorder.other(block)


def _text(block: Any) -> str | None:
    if isinstance(block, str):
        return block
    text = as_dict(block).get("text")
    return text if as_dict(block).get("type") == "text" and isinstance(text, str) else None


def _result(message: dict[str, Any]) -> Result:
    """A result; what a document says is its data, which may be given as JSON text."""
    texts: list[str] = []
    for block in as_list(message.get("content")):
        text = _text(block)
        if text is None and as_dict(block).get("type") == "document":
            data = as_dict(block.get("document")).get("data")
            text = data if isinstance(data, str) else canonical(data)
        texts.append(canonical(block) if text is None else text)
    return Result(id=as_id(message.get("tool_call_id")), texts=tuple(texts))
