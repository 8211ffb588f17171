"""Between the input of OpenAI Agents' models and our messages: items of the Responses API, whichever API the model speaks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import is_
from typing import Any, Final

from .._node import build, wire_of
from ..facts import build_message
from ..formats import Encoded, openai_responses
from ..formats.openai_responses.decode import decode_own
from ..formats.openai_responses.names import API, TYPE
from ..formats.rewriting import Losses
from ..formats.wire import options_of
from ..media import file_stub, media_kind, opaque_stub
from ..messages import (
    AssistantMessage,
    ContentPart,
    FilePart,
    Message,
    Part,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from ..model_ref import ModelRef
from ..prompt import Prompt, remember_list, unchanged_list, with_messages

__all__ = ["AgentInput"]

_CHAT: Final = "openai_chat"
_MADE_BY: Final = "provider_data"
"""On an item: what is known of the model that made it, where that was not reached over the Responses API."""
_NO_ID: Final = "__fake_id__"
"""The SDK's id for what came over another API; it never sends it."""

_SCREENSHOT: Final = "computer_screenshot"


class AgentInput:
    """Reads and writes what a model of OpenAI Agents gets: a request with ``input`` and ``instructions``, or its items alone.

    Args:
        model: The model that reads it. If it speaks another API, the SDK converts the items itself, which it can do for
            messages, reasoning and functions alone; what else there is becomes a function, or is told in words.
    """

    def __init__(self, model: ModelRef) -> None:
        self._is_converted = model.api not in (API, None)
        self._over_chat = model.api == _CHAT
        self._converted_kinds = _converted_kinds(model)

    def decode(self, request: Any) -> Prompt:
        """Read a request or a list of items; it is borrowed and never changed."""
        # What Chat has and the Responses API lacks, the SDK converts itself.
        prompt = (decode_own if self._is_converted else openai_responses.decode)(request)
        messages = tuple(
            self._read(answer) if answer.role == "assistant" else answer
            for message in prompt.messages
            for answer in _answers(message)
        )
        if self._is_converted and any(map(self._has_unknown_parts, messages)):
            return with_messages(prompt, messages)
        if len(messages) == len(prompt.messages) and all(map(is_, messages, prompt.messages)):
            return prompt
        items = request if isinstance(request, list) else request["input"]
        return remember_list(with_messages(prompt, messages), items)

    def encode(self, prompt: Prompt) -> Encoded:
        """Write a prompt as a request."""
        if not self._is_converted or unchanged_list(prompt, API) is not None:
            return openai_responses.encode(prompt)
        losses = Losses(API, prompt.messages)
        messages = [
            self._converted(message, losses) if self._has_unknown_parts(message) else message
            for message in prompt.messages
        ]
        encoded = openai_responses.encode(with_messages(prompt, messages))
        return Encoded(request=encoded.request, changes=(*losses.changes, *encoded.changes))

    def _read(self, message: AssistantMessage) -> AssistantMessage:
        parts = [self._read_part(part) for part in message.parts]
        if self._is_converted:
            # However a stream ordered them, the SDK puts the calls behind what was said.
            parts.sort(key=lambda part: part.type == "tool_call" and not part.provider_executed)
        fields: dict[str, Any] = {"parts": tuple(parts)}
        maker = _maker_of(message)
        if maker is not None:
            fields |= {"provider": maker.provider, "api": maker.api or _CHAT, "model": maker.model}
        elif self._over_chat and not parts:
            # The SDK sends it with a content that is null.
            fields |= {"provider_options": {**(message.provider_options or {}), _CHAT: {"$content": "null"}}}
        elif all(map(is_, parts, message.parts)):
            return message
        return build_message(AssistantMessage, {**message.__dict__, **fields}, *wire_of(message))

    def _read_part(self, part: Part) -> Part:
        notes = options_of(part, API)
        changed: dict[str, Any] = {}
        if self._is_converted:
            if part.type == "text" and notes:
                # Rules take a text with options for more than a text, which it won't be.
                changed = {"provider_options": None}
        elif notes.get("id") == _NO_ID:
            changed = {"provider_options": {API: {key: notes[key] for key in notes if key != "id"}}}
        elif part.type == "reasoning" and part.id == _NO_ID:
            changed = {"id": None}
        return build(type(part), {**part.__dict__, **changed}, *wire_of(part)) if changed else part

    # --- what the SDK can't convert

    def _has_unknown_parts(self, message: Message) -> bool:
        return any(map(self._is_unknown, message.parts))

    def _is_unknown(self, part: Part) -> bool:
        match part.type:
            case "tool_call":
                return TYPE in options_of(part, API)
            case "tool_result":
                return TYPE in options_of(part, API) or any(map(self._is_unknown, part.content or ()))
            case "file":
                return options_of(part, API).get(TYPE) == _SCREENSHOT or not _is_within_reach(part)
            case "opaque":
                return not isinstance(part.value, dict) or part.value.get("type") not in self._converted_kinds
            case _:
                return False

    def _converted(self, message: Message, losses: Losses) -> Message:
        parts: list[Part] = []
        for part in message.parts:
            new = self._converted_part(part)
            if new is not part:
                losses.part("not-supported-here", message, part, new)
            parts.append(new)
        fields = {**message.__dict__, "parts": tuple(parts), "provider_options": None}
        return build_message(type(message), fields)

    def _converted_part(self, part: Part | ContentPart) -> Any:
        """A tool of OpenAI's own as a function; any other part that the SDK can't convert in words."""
        if not self._is_unknown(part):
            return part
        fields = {**part.__dict__, "provider_options": None}
        match part.type:
            case "tool_call":
                value = part.input if isinstance(part.input, dict) else {"input": part.input}
                return build(ToolCallPart, {**fields, "input": value})
            case "tool_result":
                if part.content is not None:
                    fields["content"] = tuple(map(self._converted_part, part.content))
                return build(ToolResultPart, fields)
            case "file":
                return build(FilePart, fields) if _is_within_reach(part) else TextPart(file_stub(part))
            case "opaque":
                return TextPart(opaque_stub(part))
            case _:
                return part


def _maker_of(message: AssistantMessage) -> ModelRef | None:
    """Who made an answer, where its items tell."""
    names = (_origin(part, "model") for part in message.parts)
    name = next((name for name in names if name is not None), None)
    return None if name is None else ModelRef.of(name)


def _origin(part: Part, key: str) -> str | None:
    told = options_of(part, API).get(_MADE_BY)
    value = told.get(key) if isinstance(told, dict) else None
    return value if isinstance(value, str) else None


def _answers(message: Message) -> Iterator[Message]:
    """Two answers in a row as two messages, where their items tell them apart."""
    responses = [_origin(part, "response_id") for part in message.parts]
    if message.role != "assistant" or len({*responses}) <= 1 or None in responses:
        yield message
        return
    for _, group in groupby(message.parts, lambda part: _origin(part, "response_id")):
        parts = tuple(group)
        # What was said in pieces is one item.
        items = {id(item): item for item, _ in map(wire_of, parts)}
        fields = {**message.__dict__, "parts": parts}
        yield build_message(AssistantMessage, fields, list(items.values()), wire_of(message)[1])


def _converted_kinds(model: ModelRef) -> list[str]:
    """The parts that the SDK converts though the Responses API has none of that kind, and their reader takes."""
    kinds = ["image_url"]
    if model.api in (_CHAT, "gemini"):
        kinds += ["input_audio", "video_url"]
    if model.api == _CHAT and model.provider in ("openai", "azure"):
        # To others, a field that they don't know.
        kinds.append("refusal")
    return kinds


def _is_within_reach(file: FilePart) -> bool:
    """Whether a file stands where the SDK looks: over Chat, an image has no id, and another file no URL."""
    kind = options_of(file, API).get(TYPE)
    if kind in ("input_image", _SCREENSHOT) or (kind is None and media_kind(file) == "image"):
        return file.url is not None or file.data is not None
    return file.file_id is not None or file.data is not None
