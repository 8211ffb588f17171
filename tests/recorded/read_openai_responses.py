"""Reads the content of an OpenAI Responses request: a string, or items that each are a message, a call or a result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.recorded.blocks import as_dict, as_id, as_list
from tests.recorded.content import Conversation, canonical, media_key
from tests.recorded.recorder import Recorder, Result

_TEXTS = ("input_text", "output_text", "text")
_MEDIA = {
    "image_url": False,
    "file_url": False,
    "file_data": True,
    "file_id": False,
    "data": True,
}
"""Where a medium stands, and whether it is the data itself there."""

_CLIENT_CALLS = {
    "computer_call": ("action", "actions"),
    "local_shell_call": ("action",),
    "shell_call": ("action",),
    "apply_patch_call": ("operation",),
}
_SERVER_CALLS = {
    "web_search_call": (("action",), ()),
    "file_search_call": (("queries",), ("results",)),
    "code_interpreter_call": (("code", "container_id"), ("outputs",)),
    "image_generation_call": (("action",), ("result",)),
}
"""Calls that the provider runs: where their input stands, and where their result does."""

_OUTPUTS = (
    "function_call_output",
    "custom_tool_call_output",
    "computer_call_output",
    "local_shell_call_output",
    "shell_call_output",
    "apply_patch_call_output",
)


def read_openai_responses(request: Mapping[str, Any]) -> Conversation:
    """Read the content of an OpenAI Responses request; malformed parts are kept as `other`."""
    recorder = Recorder()
    if isinstance(request.get("instructions"), str):
        recorder.system(request["instructions"])
    for item in as_list(request.get("input")):
        if isinstance(item, str):
            recorder.turn(assistant=False)
            recorder.text("user", item)
        else:
            _item(item, recorder)
    return recorder.finish()


def _item(value: Any, recorder: Recorder) -> None:
    item = as_dict(value)
    kind = str(item.get("type", "message"))
    if kind == "message":
        _message(item, value, recorder)
    elif kind in _OUTPUTS:
        recorder.turn(assistant=False)
        recorder.result(_result(item, kind))
    elif kind in ("tool_search_call", "tool_search_output"):
        _tool_search(item, kind, recorder)
    else:
        recorder.turn(assistant=True)
        _answered(item, kind, value, recorder)


def _message(item: dict[str, Any], value: Any, recorder: Recorder) -> None:
    role = item.get("role")
    content = as_list(item.get("content"))
    if role in ("system", "developer"):
        for part in content:
            text = _text(part)
            if text is None:
                recorder.other(part)
            else:
                recorder.system(text)
    elif role in ("user", "assistant"):
        recorder.turn(assistant=role == "assistant")
        for part in content:
            _part(role, part, recorder)
    else:
        recorder.turn(assistant=False)
        recorder.other(value)


def _part(role: str, part: Any, recorder: Recorder) -> None:
    text, medium = _text(part), _medium(part)
    if text is not None:
        recorder.text(role, text)
    elif medium is not None:
        recorder.media(medium)
    else:
        recorder.other(part)


def _answered(item: dict[str, Any], kind: str, value: Any, recorder: Recorder) -> None:
    """What the model or its provider made, besides messages."""
    if kind == "function_call":
        recorder.call(as_id(item.get("call_id")), item.get("name"), item.get("arguments"))
    elif kind == "custom_tool_call":
        # Its input is a text as such, whatever stands in it.
        recorder.call(as_id(item.get("call_id")), item.get("name"), canonical(item.get("input")))
    elif kind in _CLIENT_CALLS:
        call_id = as_id(item.get("call_id")) or as_id(item.get("id"))
        recorder.call(call_id, kind.removesuffix("_call"), _fields(item, _CLIENT_CALLS[kind]))
    elif kind == "mcp_call":
        recorder.server_call(as_id(item.get("id")), item.get("name"), item.get("arguments"))
        _server_result(item, ("output", "error"), recorder)
    elif kind in _SERVER_CALLS:
        inputs, results = _SERVER_CALLS[kind]
        recorder.server_call(as_id(item.get("id")), kind.removesuffix("_call"), _fields(item, inputs))
        _server_result(item, results, recorder)
    elif kind != "reasoning":
        recorder.other(value)


def _server_result(item: dict[str, Any], keys: tuple[str, ...], recorder: Recorder) -> None:
    texts = tuple(_written(item[key]) for key in keys if item.get(key) is not None)
    if texts:
        recorder.server_result(Result(id=as_id(item.get("id")), texts=texts))


def _tool_search(item: dict[str, Any], kind: str, recorder: Recorder) -> None:
    """The client searches its tools, or the provider does."""
    client = item.get("execution") == "client"
    result = Result(id=as_id(item.get("call_id")), texts=(canonical(item.get("tools")),))
    if kind == "tool_search_call":
        recorder.turn(assistant=True)
        add = recorder.call if client else recorder.server_call
        add(as_id(item.get("call_id")), "tool_search", item.get("arguments"))
    elif client:
        recorder.turn(assistant=False)
        recorder.result(result)
    else:
        recorder.turn(assistant=True)
        recorder.server_result(result)


def _result(item: dict[str, Any], kind: str) -> Result:
    texts: list[str] = []
    has_media = False
    if kind == "shell_call_output":
        texts.append(_written(item.get("output")))
    else:
        for part in as_list(item.get("output")):
            text = _text(part)
            if text is not None:
                texts.append(text)
            elif _medium(part) is not None:
                has_media = True
            else:
                texts.append(canonical(part))
    call_id = as_id(item.get("call_id")) or as_id(item.get("id"))
    return Result(id=call_id, texts=tuple(texts), has_media=has_media)


def _text(part: Any) -> str | None:
    if isinstance(part, str):
        return part
    kind = as_dict(part).get("type")
    text = as_dict(part).get("refusal" if kind == "refusal" else "text")
    return text if kind in (*_TEXTS, "refusal") and isinstance(text, str) else None


def _medium(part: Any) -> str | None:
    """A key for an image, a file or audio; None for anything else."""
    kind = as_dict(part).get("type")
    if kind not in ("input_image", "input_file", "input_audio", "computer_screenshot"):
        return None
    holder = as_dict(part.get("input_audio")) if kind == "input_audio" else as_dict(part)
    for name, inline in _MEDIA.items():
        if isinstance(holder.get(name), str):
            return media_key(holder[name], inline=inline)
    return canonical(part)


def _fields(item: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: item[key] for key in keys if key in item}


def _written(value: Any) -> str:
    return value if isinstance(value, str) else canonical(value)
