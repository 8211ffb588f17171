"""Between pydantic-ai's messages and ours: what nobody touched goes back as the very object that came."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import replace as with_fields
from itertools import groupby
from typing import Any, Final, TypeAlias, TypeVar

from pydantic_ai import messages as m

from .._node import build, defaults, piece_of, wire_of
from ..facts import build_message
from ..formats.rewriting import Losses
from ..formats.user_turns import CONTINUES, STARTS, write_turns
from ..formats.wire import Encoded, options_of
from ..json_value import parse_json
from ..media import file_stub
from ..messages import (
    AssistantMessage,
    FilePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from ..model_ref import ModelRef
from ..prompt import Prompt, remember_list, unchanged_list

__all__ = ["PydanticAIMessages"]

API: Final = "pydantic_ai"
_WHOLE: Final = piece_of(API)
_ORIGINAL: Final = "$original"
"""On a part: pydantic-ai's, of which what we don't know of stays when the part changes. On a message: pydantic-ai's message."""
_IN_CONTENT: Final = "$in_content"
"""On a part of a user message: it is an item of the content of a ``UserPromptPart``, which is the original."""
# Their adapters put every system prompt in front of the list, wherever it stands in the history.
_HOISTS_SYSTEM: Final = frozenset({"anthropic", "bedrock", "gemini"})
# Who made a response by pydantic-ai's name -> the API whose reasoning its parts carry.
_APIS: Final = {
    "anthropic": "anthropic",
    "bedrock": "bedrock",
    "cohere": "cohere_v2",
    "google": "gemini",
    "google-cloud": "gemini",
    "google-gla": "gemini",
    "google-vertex": "gemini",
}
_REDACTED: Final = "redacted_thinking"
_FAILED: Final = frozenset({"failed", "denied", "interrupted", "retried"})
_URLS: Final = (m.ImageUrl, m.AudioUrl, m.VideoUrl, m.DocumentUrl)

P = TypeVar("P", bound=Part)
_Kind: TypeAlias = type[SystemMessage] | type[UserMessage] | type[ToolMessage]


class PydanticAIMessages:
    """Reads and writes pydantic-ai's message lists for the model that reads them next.

    Args:
        model: That model: how pydantic-ai sends some things depends on it.
    """

    def __init__(self, model: ModelRef) -> None:
        self._model = model

    def decode(self, request: Any) -> Prompt:
        """Read a list of ``ModelMessage``; it is borrowed and never changed."""
        messages: list[Message] = []
        for message in request:
            if isinstance(message, m.ModelResponse):
                messages.append(self._response(message))
            else:
                after_results = bool(messages) and messages[-1].role == "tool"
                messages += self._request(message, follows_results=after_results)
        fields = defaults(Prompt) | {"messages": tuple(messages), "api": API}
        return remember_list(build(Prompt, fields, request, _WHOLE), request)

    def encode(self, prompt: Prompt) -> Encoded:
        """Write a prompt as a list of ``ModelMessage``."""
        losses = Losses(API, prompt.messages)
        unchanged = unchanged_list(prompt, API)
        if unchanged is not None:
            return Encoded(request=unchanged, changes=())
        written = write_turns(
            prompt.messages,
            losses,
            api=API,
            blocks=lambda message: _written_parts(message, losses),
            turn=_written_message,
        )
        return Encoded(request=written, changes=tuple(losses.changes))

    # --- requests -------------------------------------------------------------------------------------------------

    def _request(self, request: m.ModelRequest, *, follows_results: bool) -> list[Message]:
        parts = [part for one in request.parts for part in self._request_parts(one)]
        stretches = [
            (kind, [part for _, part in group]) for kind, group in groupby(parts, lambda pair: pair[0])
        ]
        messages: list[Message] = []
        total = len(stretches) or 1
        for index, (kind, stretch) in enumerate(stretches or [(UserMessage, [])]):
            notes: dict[str, Any] = {_ORIGINAL: request}
            if index:
                notes[CONTINUES] = True
            elif kind is ToolMessage and follows_results:
                notes[STARTS] = True
            fields = defaults(kind) | {"parts": tuple(stretch), "provider_options": {API: notes}}
            if kind is SystemMessage:
                fields["placement"] = "top" if self._model.api in _HOISTS_SYSTEM else "list"
            messages.append(build_message(kind, fields, request, piece_of(API, index, total)))
        return messages

    def _request_parts(self, part: Any) -> list[tuple[_Kind, Part]]:
        if isinstance(part, m.SystemPromptPart):
            return [(SystemMessage, _node(TextPart, part, text=part.content))]
        if isinstance(part, m.UserPromptPart):
            if isinstance(part.content, str):
                return [(UserMessage, _node(TextPart, part, text=part.content))]
            return [(UserMessage, self._item(item, part)) for item in part.content]
        if isinstance(part, m.ToolReturnPart):
            fields = {"output": part.model_response_str(wrap_if_error=False), "tool_name": part.tool_name}
            failed = True if part.outcome in _FAILED else None
            return [
                (
                    ToolMessage,
                    _node(ToolResultPart, part, tool_call_id=part.tool_call_id, is_error=failed, **fields),
                )
            ]
        if isinstance(part, m.RetryPromptPart):
            if part.tool_name is None:
                return [(UserMessage, _node(TextPart, part, text=part.model_response()))]
            fields = {"output": part.model_response(), "tool_name": part.tool_name}
            return [
                (
                    ToolMessage,
                    _node(ToolResultPart, part, tool_call_id=part.tool_call_id, is_error=True, **fields),
                )
            ]
        return [(UserMessage, self._unknown(part))]

    def _item(self, item: Any, whole: m.UserPromptPart) -> Part:
        """An item of a user's content; it goes back into a ``UserPromptPart`` like the one it came from."""
        if isinstance(item, str | m.TextContent):
            text = item if isinstance(item, str) else item.content
            part: Part = _node(TextPart, item, text=text)
        elif isinstance(item, _URLS):
            part = _node(FilePart, item, url=item.url, media_type=_media_type(item))
        elif isinstance(item, m.BinaryContent):
            part = _node(
                FilePart, item, data=base64.b64encode(item.data).decode(), media_type=item.media_type
            )
        elif isinstance(item, m.UploadedFile):
            part = _node(FilePart, item, file_id=item.file_id, media_type=_media_type(item))
        else:
            part = self._unknown(item)
        notes = options_of(part, API)
        notes[_IN_CONTENT] = whole
        return part

    # --- responses ------------------------------------------------------------------------------------------------

    def _response(self, response: m.ModelResponse) -> AssistantMessage:
        maker = response.provider_name
        fields = defaults(AssistantMessage) | {
            "parts": tuple(self._response_part(part) for part in response.parts),
            "provider": maker,
            "api": _APIS.get(maker or "", "openai_chat") if maker is not None else None,
            "model": response.model_name,
            "provider_options": {API: {_ORIGINAL: response}},
        }
        return build_message(AssistantMessage, fields, response, _WHOLE)

    def _response_part(self, part: Any) -> Part:
        if isinstance(part, m.TextPart):
            return _node(TextPart, part, text=part.content)
        if isinstance(part, m.ThinkingPart):
            return _thinking(part)
        if isinstance(part, m.ToolCallPart | m.NativeToolCallPart):
            native = isinstance(part, m.NativeToolCallPart)
            call = _node(
                ToolCallPart,
                part,
                tool_call_id=part.tool_call_id,
                tool_name=part.tool_name,
                provider_executed=native,
                **_arguments(part.args),
            )
            if self._model.api == "gemini" and call.provider_options is not None:
                # Its adapter signs each call that has no signature of its own.
                call.provider_options["gemini"] = {
                    "thoughtSignature": (part.provider_details or {}).get("thought_signature", "")
                }
            return call
        if isinstance(part, m.NativeToolReturnPart):
            fields = {"output": part.model_response_str(wrap_if_error=False), "tool_name": part.tool_name}
            return _node(
                ToolResultPart, part, tool_call_id=part.tool_call_id, provider_executed=True, **fields
            )
        if isinstance(part, m.FilePart):
            data = base64.b64encode(part.content.data).decode()
            return _node(FilePart, part, data=data, media_type=part.content.media_type)
        return self._unknown(part)

    def _unknown(self, part: Any) -> OpaquePart:
        """A part that is pydantic-ai's own affair: its adapters know what it means to the model that reads it."""
        kind = getattr(part, "part_kind", None) or getattr(part, "kind", type(part).__name__)
        return _node(OpaquePart, part, api=self._model.api or API, value={"type": f"{API}.{kind}"})


def _node(cls: type[P], original: Any, **fields: Any) -> P:
    options = {API: {_ORIGINAL: original}}
    return build(cls, defaults(cls) | fields | {"provider_options": options}, original, _WHOLE)


def _media_type(item: Any) -> str | None:
    try:
        media_type: str = item.media_type
    except ValueError:
        # It is guessed from the URL, which tells nothing.
        return None
    return media_type


def _arguments(args: Any) -> dict[str, Any]:
    if not isinstance(args, str):
        return {"input": {} if args is None else args, "raw_input": None}
    is_json, value = parse_json(args or "{}")
    return {"input": value, "raw_input": None} if is_json else {"input": args, "raw_input": args}


def _thinking(part: m.ThinkingPart) -> ReasoningPart:
    fields: dict[str, Any] = {"text": part.content, "id": part.id, "provider": part.provider_name}
    if part.id == _REDACTED:
        return _node(ReasoningPart, part, **{**fields, "id": None, "encrypted": part.signature})
    return _node(ReasoningPart, part, signature=part.signature, **fields)


# --- writing ----------------------------------------------------------------------------------------------------------


def _written_message(first: Message, parts: list[Any]) -> Any:
    """One of pydantic-ai's messages from the first of ours in it and all its parts."""
    original = options_of(first, API).get(_ORIGINAL)
    if first.role == "assistant":
        return m.ModelResponse(parts=parts) if original is None else with_fields(original, parts=parts)
    parts = _with_contents(parts)
    return m.ModelRequest(parts=parts) if original is None else with_fields(original, parts=parts)


class _Item:
    """An item of the content of a user prompt, to be gathered with those beside it."""

    def __init__(self, value: Any, whole: Any) -> None:
        self.value, self.whole = value, whole


def _with_contents(parts: list[Any]) -> list[Any]:
    """Put items of a user's content together again."""
    whole: list[Any] = []
    for place, group in groupby(parts, lambda part: id(part.whole) if isinstance(part, _Item) else None):
        entries = list(group)
        if place is None:
            whole += entries
            continue
        content = [entry.value for entry in entries]
        original = entries[0].whole
        whole.append(
            m.UserPromptPart(content) if original is None else with_fields(original, content=content)
        )
    return whole


def _written_parts(message: Message, losses: Losses) -> list[Any]:
    write = _WRITERS[message.role]
    return [new for part in message.parts if (new := write(part, message, losses)) is not None]


def _original(part: Part) -> tuple[Any, bool]:
    """What a part was read from, and whether it is untouched."""
    wire, piece = wire_of(part)
    if piece is not None and piece.api == API:
        return wire, True
    return options_of(part, API).get(_ORIGINAL), False


def _system_part(part: Any, message: Message, losses: Losses) -> Any:
    original, same = _original(part)
    if same:
        return original
    text = part.text if part.type == "text" else file_stub(part)
    return m.SystemPromptPart(text) if original is None else with_fields(original, content=text)


def _user_part(part: Any, message: Message, losses: Losses) -> Any:
    original, same = _original(part)
    notes = options_of(part, API)
    if same:
        return _Item(original, notes[_IN_CONTENT]) if _IN_CONTENT in notes else original
    if part.type == "opaque":
        return original
    if part.type == "text" and isinstance(original, m.UserPromptPart):
        return with_fields(original, content=part.text)
    value = part.text if part.type == "text" else _file(part, message, losses)
    return _Item(value, notes.get(_IN_CONTENT))


def _file(part: FilePart, message: Message, losses: Losses) -> Any:
    if part.data is not None:
        return m.BinaryContent(
            base64.b64decode(part.data), media_type=part.media_type or "application/octet-stream"
        )
    if part.url is not None:
        kind = (part.media_type or "").partition("/")[0]
        urls: dict[str, Callable[[str], Any]] = {
            "image": m.ImageUrl,
            "audio": m.AudioUrl,
            "video": m.VideoUrl,
        }
        return urls.get(kind, m.DocumentUrl)(part.url)
    losses.part("not-supported-here", message, part, TextPart(file_stub(part)))
    return file_stub(part)


def _result_part(part: Any, message: Message, losses: Losses) -> Any:
    original, same = _original(part)
    if same:
        return original
    if part.type != "tool_result":
        return original
    changed: dict[str, Any] = {"tool_call_id": part.tool_call_id or ""}
    if isinstance(original, m.ToolReturnPart | m.NativeToolReturnPart):
        if part.output != original.model_response_str(wrap_if_error=False) or part.content is not None:
            changed["content"] = _output(part)
        if part.tool_name is not None:
            changed["tool_name"] = part.tool_name
        return with_fields(original, **changed)
    if original is not None:
        return with_fields(original, **changed)
    outcome: Any = "interrupted" if part.synthesized else "failed" if part.is_error else "success"
    return m.ToolReturnPart(part.tool_name or "", _output(part), outcome=outcome, **changed)


def _output(part: ToolResultPart) -> Any:
    if part.content is None:
        return part.output
    return "\n".join(item.text for item in part.content if item.type == "text")


def _answer_part(part: Any, message: Message, losses: Losses) -> Any:
    original, same = _original(part)
    if same:
        return original
    match part.type:
        case "text":
            is_text = isinstance(original, m.TextPart)
            return with_fields(original, content=part.text) if is_text else m.TextPart(part.text)
        case "reasoning":
            signature = part.encrypted if part.id is None and part.encrypted is not None else part.signature
            if original is None:
                return m.ThinkingPart(part.text, signature=signature)
            return with_fields(original, content=part.text, signature=signature)
        case "tool_call":
            changed: dict[str, Any] = {"tool_call_id": part.tool_call_id or "", "tool_name": part.tool_name}
            if original is None or _arguments(original.args) != {
                "input": part.input,
                "raw_input": part.raw_input,
            }:
                changed["args"] = part.input if part.raw_input is None else part.raw_input
            return m.ToolCallPart(**changed) if original is None else with_fields(original, **changed)
        case "tool_result":
            return _result_part(part, message, losses)
        case "file":
            return original
        case _:
            return original


_WRITERS: Final[dict[str, Callable[[Any, Message, Losses], Any]]] = {
    "assistant": _answer_part,
    "system": _system_part,
    "tool": _result_part,
    "user": _user_part,
}
