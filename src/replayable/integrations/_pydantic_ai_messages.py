"""Between pydantic-ai's messages and ours: what nobody touched goes back as the very object that came."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace as with_fields
from itertools import groupby
from typing import Any, Final, TypeAlias, TypeVar

from pydantic_ai import messages as m

from .._node import build, defaults, piece_of, wire_of
from ..edits import same_items
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
_ITEM: Final = "$item"
"""On a part of an answer: its id is that of an item of OpenAI's Responses API."""
_ITEM_CONTINUES: Final = "$continues"
"""On such a part: it stood in the same item as the part before it."""
_FIELD: Final = "$field"
"""On a part that is no content, so that rules for content leave it alone."""
# Their adapters put every system prompt in front of the list, wherever it stands in the history.
_HOISTS_SYSTEM: Final = frozenset({"anthropic", "bedrock", "gemini"})
# Who made a response by pydantic-ai's name -> the API whose reasoning its parts carry, where it serves only one.
_APIS: Final = {
    "anthropic": "anthropic",
    "bedrock": "bedrock",
    "cohere": "cohere_v2",
    "google": "gemini",
    "google-cloud": "gemini",
    "google-gla": "gemini",
    "google-vertex": "gemini",
}
# Their adapters send the files of what a tool returned in a message of the user behind it.
_FILES_FOLLOW: Final = frozenset({"cohere_v2", "openai_chat"})
_RESPONSES: Final = "openai_responses"
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
        # An answer that its provider goes on with ends a request as it is.
        self._suspended: list[m.ModelMessage] = []

    def decode(self, request: Any) -> Prompt:
        """Read a list of ``ModelMessage``; it is borrowed and never changed."""
        messages: list[Message] = []
        self._suspended = [one for one in request[-1:] if _is_suspended(one)]
        for message in request[: len(request) - len(self._suspended)]:
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
        return Encoded(request=written + self._suspended, changes=tuple(losses.changes))

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
            options: dict[str, Any] = {API: notes}
            if index and kind is UserMessage and self._model.api == "bedrock":
                # As its rules know what stands in one message with results.
                options["bedrock"] = {CONTINUES: True}
            fields = defaults(kind) | {"parts": tuple(stretch), "provider_options": options}
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
            return [(UserMessage, self._item_of_user(item, part)) for item in part.content]
        if isinstance(part, m.ToolReturnPart):
            failed = True if part.outcome in _FAILED else None
            return [(ToolMessage, _node(ToolResultPart, part, is_error=failed, **self._returned(part)))]
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
        return [(UserMessage, _unknown(part))]

    def _returned(self, part: m.ToolReturnPart | m.NativeToolReturnPart) -> dict[str, Any]:
        """The fields of what a tool returned: a text, or a content of several parts where there are files."""
        fields = {"tool_call_id": part.tool_call_id, "tool_name": part.tool_name}
        if not part.files:
            return {**fields, "output": part.model_response_str(wrap_if_error=False)}
        texts = part.content_items(mode="str", wrap_if_error=False)
        items = zip(part.content_items(), texts, strict=True)
        content = (
            _node(TextPart, item, text=text) if isinstance(text, str) else self._returned_file(item)
            for item, text in items
        )
        return {**fields, "content": tuple(content)}

    def _returned_file(self, item: Any) -> Part:
        return _unknown(item, _media_type(item)) if self._model.api in _FILES_FOLLOW else self._item(item)

    def _item_of_user(self, item: Any, whole: m.UserPromptPart) -> Part:
        """An item of a user's content; it goes back into a ``UserPromptPart`` like the one it came from."""
        part = self._item(item)
        options_of(part, API)[_IN_CONTENT] = whole
        return part

    def _item(self, item: Any) -> Part:
        if isinstance(item, str | m.TextContent):
            text = item if isinstance(item, str) else item.content
            return _node(TextPart, item, text=text)
        if isinstance(item, _URLS):
            return _node(FilePart, item, url=item.url, media_type=_media_type(item))
        if isinstance(item, m.BinaryContent):
            data = base64.b64encode(item.data).decode()
            return _node(FilePart, item, data=data, media_type=item.media_type)
        if isinstance(item, m.UploadedFile):
            return _node(FilePart, item, file_id=item.file_id, media_type=_media_type(item))
        return _unknown(item)

    # --- responses ------------------------------------------------------------------------------------------------

    def _response(self, response: m.ModelResponse) -> AssistantMessage:
        maker = response.provider_name
        fields = defaults(AssistantMessage) | {
            "parts": tuple(self._response_parts(response.parts)),
            "provider": maker,
            "api": _APIS.get(maker or ""),
            "model": response.model_name,
            "provider_options": {API: {_ORIGINAL: response}},
        }
        return build_message(AssistantMessage, fields, response, _WHOLE)

    def _response_parts(self, given: Sequence[Any]) -> Iterator[Part]:
        """The parts of an answer; for OpenAI's Responses API those of one item know of each other."""
        if self._model.api != _RESPONSES:
            yield from map(self._response_part, given)
            return
        for (kind, item_id), group in groupby(given, lambda part: (type(part), getattr(part, "id", None))):
            parts = list(group)
            if kind is m.ThinkingPart and item_id is not None:
                yield _reasoning_item(parts)
                continue
            for place, original in enumerate(parts):
                part = self._response_part(original)
                if item_id is not None and part.provider_options is not None:
                    continues = {_ITEM_CONTINUES: True} if place and kind is m.TextPart else {}
                    part.provider_options[_RESPONSES] = {"id": item_id, **continues}
                    part.provider_options[API][_ITEM] = True
                yield part

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
            return _node(ToolResultPart, part, provider_executed=True, **self._returned(part))
        if isinstance(part, m.FilePart):
            data = base64.b64encode(part.content.data).decode()
            return _node(FilePart, part, data=data, media_type=part.content.media_type)
        return _unknown(part)


def _is_suspended(message: m.ModelMessage) -> bool:
    return isinstance(message, m.ModelResponse) and message.state == "suspended"


def _unknown(part: Any, kind: str | None = None) -> OpaquePart:
    """A part that is pydantic-ai's own affair: its adapters know what it means to the model that reads it."""
    own = getattr(part, "part_kind", None) or getattr(part, "kind", type(part).__name__)
    unknown = _node(OpaquePart, part, api=API, value={"type": kind or f"{API}.{own}"})
    options_of(unknown, API)[_FIELD] = own
    return unknown


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


def _reasoning_item(parts: list[m.ThinkingPart]) -> ReasoningPart:
    """An item of reasoning, of which pydantic-ai makes a part for each part of its summary."""
    return _node(
        ReasoningPart,
        parts,
        text="\n\n".join(part.content for part in parts if part.content),
        id=parts[0].id,
        encrypted=next((part.signature for part in parts if part.signature), None),
        provider=parts[0].provider_name,
    )


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
    written: list[Any] = []
    for part in message.parts:
        new = write(part, message, losses)
        written += new if isinstance(new, list) else [] if new is None else [new]
    return written


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
        if part.content is not None:
            content = [
                _original(item)[0] if _original(item)[1] else _item_of_result(item, message, losses)
                for item in part.content
            ]
            if not same_items(content, original.content_items()):
                changed["content"] = content
        elif original.files or part.output != original.model_response_str(wrap_if_error=False):
            changed["content"] = part.output
        if part.tool_name is not None:
            changed["tool_name"] = part.tool_name
        return with_fields(original, **changed)
    if original is not None:
        return with_fields(original, **changed)
    outcome: Any = "interrupted" if part.synthesized else "failed" if part.is_error else "success"
    return m.ToolReturnPart(part.tool_name or "", _output(part), outcome=outcome, **changed)


def _item_of_result(item: Any, message: Message, losses: Losses) -> Any:
    return item.text if item.type == "text" else _file(item, message, losses)


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
            if not isinstance(original, m.TextPart):
                return m.TextPart(part.text)
            # Under the id of an item its provider would take its own copy.
            same_item = part.text == original.content and _keeps_item(part, original)
            return with_fields(original, content=part.text, id=original.id if same_item else None)
        case "reasoning":
            return _written_reasoning(part, original, message, losses)
        case "tool_call":
            changed: dict[str, Any] = {"tool_call_id": part.tool_call_id or "", "tool_name": part.tool_name}
            if original is None or _arguments(original.args) != {
                "input": part.input,
                "raw_input": part.raw_input,
            }:
                changed["args"] = part.input if part.raw_input is None else part.raw_input
            if original is not None and not _keeps_item(part, original):
                changed["id"] = None
            return m.ToolCallPart(**changed) if original is None else with_fields(original, **changed)
        case "tool_result":
            return _result_part(part, message, losses)
        case _:
            return original


def _keeps_item(part: Part, original: Any) -> bool:
    """Whether a part is still the item of the Responses API that it was read as, if it was one."""
    was_read = options_of(part, API).get(_ITEM) is True
    return not was_read or original.id == options_of(part, _RESPONSES).get("id")


def _written_reasoning(part: ReasoningPart, original: Any, message: Message, losses: Losses) -> Any:
    signature = part.encrypted if part.encrypted is not None else part.signature
    if original is None:
        return m.ThinkingPart(part.text, signature=signature)
    if isinstance(original, m.ThinkingPart):
        return with_fields(original, content=part.text, signature=signature)
    if part.id is None:
        # Without its id pydantic-ai would send it as something that the model said.
        losses.part("not-supported-here", message, part)
        return None
    read = _reasoning_item(original)
    if (part.text, part.encrypted) == (read.text, read.encrypted):
        return original
    return with_fields(original[0], content=part.text, signature=part.encrypted)


_WRITERS: Final[dict[str, Callable[[Any, Message, Losses], Any]]] = {
    "assistant": _answer_part,
    "system": _system_part,
    "tool": _result_part,
    "user": _user_part,
}
