"""Reads the content of a Gemini request, whose fields may be spelled in camelCase or snake_case."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tests.recorded.blocks import as_dict, as_id, as_list
from tests.recorded.content import Conversation, canonical, media_key
from tests.recorded.recorder import Recorder, Result

_MEDIA = {"inlineData": ("data", True), "fileData": ("fileUri", False)}
"""Where a medium stands, and whether it is the data itself there."""

_NO_PAYLOAD = frozenset({"thought", "thoughtSignature"})


def read_gemini(request: Mapping[str, Any]) -> Conversation:
    """Read the content of a Gemini request; malformed parts are kept as `other`."""
    fields = _camel(request)
    recorder = Recorder()
    for part in _parts(fields.get("systemInstruction")):
        text = _text(part)
        if text is None:
            recorder.other(part)
        else:
            recorder.system(text)
    # Of the calls of the model's last turn, to which several contents may belong.
    ids: set[str | None] = set()
    answered = True
    for content in _contents(fields.get("contents")):
        role = _camel(content).get("role")
        if not isinstance(content, dict) or role not in ("model", "user", "function", None):
            recorder.turn(assistant=False)
            recorder.other(content)
            continue
        recorder.turn(assistant=role == "model")
        speaker = "assistant" if role == "model" else "user"
        parts = [_camel(part) for part in _parts(content)]
        if role == "model":
            own = {as_id(_camel(part.get("functionCall")).get("id")) for part in parts}
            ids = own if answered else ids | own
        answered = role != "model"
        for part in parts:
            _part(speaker, part, ids, recorder)
    return recorder.finish()


def _contents(value: Any) -> list[Any]:
    """A list of contents, or what an SDK takes for it: a text, one content, or a list of texts and parts."""
    items = as_list(value)
    if any(isinstance(item, dict) and not {"parts", "role"} & item.keys() for item in items) or any(
        isinstance(item, str) for item in items
    ):
        return [{"role": "user", "parts": items}]
    return items


def _parts(content: Any) -> list[Any]:
    if isinstance(content, dict) and not {"parts", "role"} & content.keys():
        return [content]
    values = as_list(content.get("parts") if isinstance(content, dict) else content)
    return [{"text": value} if isinstance(value, str) else value for value in values]


def _part(speaker: str, part: dict[str, Any], ids: set[str | None], recorder: Recorder) -> None:
    call, result = part.get("functionCall"), part.get("functionResponse")
    medium = next((kind for kind in _MEDIA if part.get(kind) is not None), None)
    if call is not None:
        fields = _camel(call)
        recorder.call(as_id(fields.get("id")), fields.get("name"), fields.get("args") or {})
    elif result is not None:
        recorder.result(_result(_camel(result), ids))
    elif part.get("thought") is True:
        return
    elif _text(part) is not None:
        recorder.text(speaker, part["text"])
    elif medium is not None:
        key, inline = _MEDIA[medium]
        recorder.media(media_key(str(_camel(part[medium]).get(key)), inline=inline))
    elif not _server(part, recorder) and not part.keys() <= _NO_PAYLOAD:
        recorder.other(part)


def _text(part: Any) -> str | None:
    text = as_dict(part).get("text")
    return text if isinstance(text, str) else None


def _server(part: dict[str, Any], recorder: Recorder) -> bool:
    """Record what Google's servers ran."""
    call, response = _camel(part.get("toolCall")), _camel(part.get("toolResponse"))
    if call:
        recorder.server_call(as_id(call.get("id")), str(call.get("toolType")).lower(), call.get("args") or {})
    elif response:
        output = (canonical(response.get("response")),)
        recorder.server_result(Result(id=as_id(response.get("id")), texts=output))
    elif isinstance(part.get("executableCode"), dict):
        code = dict(part["executableCode"])
        recorder.server_call(as_id(code.pop("id", None)), "code_execution", code)
    elif isinstance(part.get("codeExecutionResult"), dict):
        outcome = dict(part["codeExecutionResult"])
        recorder.server_result(Result(id=as_id(outcome.pop("id", None)), texts=(canonical(outcome),)))
    else:
        return False
    return True


def _result(fields: dict[str, Any], ids: set[str | None]) -> Result:
    """A response; `output` or `error` as its only key is a wrapping, as the API's reference says."""
    response = fields.get("response")
    only: Any = None
    if isinstance(response, dict) and len(response) == 1:
        only = next(iter(response))
    output = response[only] if isinstance(response, dict) and only in ("output", "error") else response
    if fields.get("parts") and output == {}:
        # The media are all of the answer.
        output = None
    name = fields.get("name")
    # An id that no call of the turn has tells nothing: Gemini counts the responses.
    known = as_id(fields.get("id")) if as_id(fields.get("id")) in ids else None
    return Result(
        id=known,
        name=name if isinstance(name, str) else None,
        texts=() if output is None else (output if isinstance(output, str) else canonical(output),),
        has_media=bool(fields.get("parts")),
        is_error=only == "error",
    )


def _camel(value: Any) -> dict[str, Any]:
    """The fields of an object by their camelCase names; an empty dict for anything else."""
    fields = dict(value) if isinstance(value, Mapping) else {}
    return {re.sub(r"_([a-z])", lambda match: match[1].upper(), str(key)): fields[key] for key in fields}
