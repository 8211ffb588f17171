"""Reads the content of a request to Ollama's own chat API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.recorded.blocks import as_dict, as_id, as_list
from tests.recorded.content import Conversation, media_key
from tests.recorded.recorder import Recorder, Result


def read_ollama_chat(request: Mapping[str, Any]) -> Conversation:
    """Read the content of an Ollama chat request; malformed parts are kept as `other`."""
    recorder = Recorder()
    for message in as_list(request.get("messages")):
        role, content = as_dict(message).get("role"), as_dict(message).get("content")
        if role == "tool":
            recorder.turn(assistant=False)
            recorder.result(_result(message))
        elif role in ("system", "user", "assistant"):
            if role != "system":
                recorder.turn(assistant=role == "assistant")
            _said(role, content, recorder)
            for image in as_list(message.get("images")):
                recorder.media(media_key(str(image), inline=True))
            for call in as_list(message.get("tool_calls")):
                function = as_dict(as_dict(call).get("function"))
                recorder.call(as_id(as_dict(call).get("id")), function.get("name"), function.get("arguments"))
        else:
            recorder.turn(assistant=False)
            recorder.other(message)
    return recorder.finish()


def _said(role: str, content: Any, recorder: Recorder) -> None:
    if content is None:
        return
    if not isinstance(content, str):
        recorder.other(content)
    elif role == "system":
        recorder.system(content)
    else:
        recorder.text(role, content)


def _result(message: dict[str, Any]) -> Result:
    content = message.get("content")
    return Result(
        id=as_id(message.get("tool_call_id")),
        texts=(content,) if isinstance(content, str) else (),
        name=as_id(message.get("tool_name")),
        has_media=bool(message.get("images")),
    )
