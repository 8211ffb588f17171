"""Between ADK's requests and ours: Gemini's contents, whoever reads them; what nobody touched goes back as the very object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from google.adk.models.llm_request import LlmRequest
from google.genai import types

from .._node import build, fields_of, wire_of
from ..errors import HistoryFormatError
from ..facts import build_message
from ..formats.gemini import decode, encode
from ..formats.rewriting import Losses
from ..formats.wire import Encoded, Wire, options_of
from ..messages import Message, Part
from ..model_ref import ModelRef
from ..prompt import Prompt, remember_list
from ._google_adk_readers import Reader, as_read, told_in_words

__all__ = ["AdkRequests", "Makers", "marks_of"]

Makers: TypeAlias = Mapping[bytes | str, str]
"""Whose thoughts are whose: the name of the model that made them, by their marks (see ``marks_of``)."""

_GEMINI: Final = "gemini"
_CHAT: Final = "openai_chat"


def marks_of(content: types.Content) -> list[bytes | str]:
    """What tells the thoughts of a content from those of others: their signatures, or their words where they have none."""
    marks = [part.thought_signature or (part.text if part.thought else None) for part in content.parts or ()]
    return [mark for mark in marks if mark]


class AdkRequests:
    """Reads and writes the contents of one ``LlmRequest``. Everything else of it stays as it is.

    Args:
        model: The model that reads them. ADK sends Gemini's contents to every model and converts them last.
        makers: What is known of who made the thoughts in them, which ADK's requests don't say.
        reader: Who converts them; None for Gemini's own class, and for classes that are nobody's.
    """

    def __init__(self, model: ModelRef, makers: Makers | None = None, reader: Reader | None = None) -> None:
        self._model = model
        self._reader = reader
        self._makers: Makers = makers or {}
        self._request: Any = None
        # ADK's contents and parts, by the identity of what they were read as. That stays alive with the prompt.
        self._originals: dict[int, Any] = {}
        self._wires: list[Wire] = []

    def decode(self, request: LlmRequest) -> Prompt:
        """Read a request; its contents are borrowed and never changed."""
        self._request = request
        self._wires = [self._wire(index, content) for index, content in enumerate(request.contents)]
        read = decode(self._wires)
        messages = tuple(self._with_origin(message) for message in read.messages)
        config = request.config
        # What was cached, or what an earlier interaction holds, stands before the contents.
        held = bool(request.previous_interaction_id or (config is not None and config.cached_content))
        fields = {**fields_of(read), "messages": messages, "server_state": held or None}
        return remember_list(build(Prompt, fields, *wire_of(read)), self._wires)

    def encode(self, prompt: Prompt) -> Encoded:
        """Write a prompt as a request; the one that was read when its contents are the same."""
        losses = Losses(_GEMINI, prompt.messages)
        encoded = encode(prompt if self._reader is None else told_in_words(prompt, self._reader, losses))
        changes = (*losses.changes, *encoded.changes)
        if encoded.request is self._wires:
            return Encoded(request=self._request, changes=changes)
        contents = [self._content(wire) for wire in encoded.request]
        return Encoded(request=self._request.model_copy(update={"contents": contents}), changes=changes)

    def _wire(self, index: int, content: types.Content) -> Wire:
        try:
            wire = content.model_dump(mode="json", by_alias=True, exclude_none=True, fallback=str)
        except ValueError as error:
            # Arguments and results may hold any object.
            raise HistoryFormatError(
                path=f"contents[{index}]", found=type(error).__name__, expected="what JSON can hold"
            ) from None
        self._originals[id(wire)] = content
        for part, read in zip(content.parts or (), wire.get("parts", ()), strict=True):
            self._originals[id(read)] = part
        return wire

    def _content(self, wire: Wire) -> types.Content:
        original = self._originals.get(id(wire))
        if original is not None:
            content: types.Content = original
            return content
        parts = [
            self._originals.get(id(part)) or types.Part.model_validate(part) for part in wire.get("parts", ())
        ]
        return types.Content(role=wire.get("role"), parts=parts)

    def _with_origin(self, message: Message) -> Message:
        """An answer with what is known of who made it, instead of the wire that all of them come over."""
        if message.role != "assistant":
            return message
        wire, piece = wire_of(message)
        marks = marks_of(self._originals[id(wire)])
        name = next((self._makers[mark] for mark in marks if mark in self._makers), None)
        fields = {**fields_of(message), "api": _GEMINI if self._model.api == _GEMINI else None}
        if name is not None:
            known = ModelRef.of(name)
            fields |= {"provider": known.provider, "api": known.api, "model": name}
        if self._model.api == _CHAT:
            fields["parts"] = tuple(map(_as_chat_reasoning, message.parts))
        else:
            fields["parts"] = tuple(as_read(part, self._reader) for part in message.parts)
        return build_message(type(message), fields, wire, piece)


def _as_chat_reasoning(part: Part) -> Part:
    """A thought as ADK sends it over OpenAI's Chat API, whoever reads it there."""
    if part.type != "reasoning":
        return part
    options = {
        **(part.provider_options or {}),
        _CHAT: {**options_of(part, _CHAT), "$field": "reasoning_content"},
    }
    return build(type(part), {**fields_of(part), "provider_options": options}, *wire_of(part))
