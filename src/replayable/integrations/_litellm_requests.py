"""Between the arguments of LiteLLM's calls and ours: what nobody touched goes back as the very object that came."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pydantic import BaseModel

from ..edits import map_messages
from ..formats import Encoded, Format
from ..model_ref import ModelRef
from ..prompt import Prompt, read_from
from ._litellm_signatures import with_signatures, with_signatures_of_litellm

__all__ = ["LiteLLMRequest"]

# LiteLLM's name of the model, which stays.
_MODEL: Final = "model"
# Lists whose items may be objects of LiteLLM's, as they stand in its answers.
_LISTS: Final = ("messages", "tools", "input")
_GEMINI: Final = "gemini"


class LiteLLMRequest:
    """Reads and writes the keyword arguments of one call, or a bare list of messages.

    Args:
        wire: The API whose fields they are.
        model: The model that reads them; LiteLLM converts them last.
    """

    def __init__(self, wire: Format, model: ModelRef | None = None) -> None:
        self._wire = wire
        # Of a chat's messages LiteLLM sends no field that is None: who asks for an empty content gets "".
        self._leaves_none_out = wire.name == "openai_chat"
        # Over Gemini's own API LiteLLM sends signatures that are not where OpenAI's has them.
        self._has_signatures = model is not None and model.api == _GEMINI
        self._given: Any = None
        self._read: Any = None
        # id of the dict that was read in place of an object -> both.
        self._objects: dict[int, tuple[Any, Any]] = {}

    def decode(self, request: Any) -> Prompt:
        """Read what was given; it is borrowed and never changed. An argument that is None was not given."""
        self._given = request
        if isinstance(request, list):
            self._read = self._as_dicts(request)
        else:
            self._read = {
                key: self._as_dicts(value) if key in _LISTS else value
                for key, value in request.items()
                if value is not None and key != _MODEL
            }
        prompt = self._wire.decode(self._read)
        messages = map_messages(prompt.messages, with_signatures) if self._has_signatures else None
        if messages is None:
            return prompt
        wires = self._read if isinstance(self._read, list) else self._read["messages"]
        return read_from(prompt, self._read, wires, messages)

    def encode(self, prompt: Prompt) -> Encoded:
        """Write a prompt in place of what was given: that itself when nothing has changed."""
        encoded = self._wire.encode(with_signatures_of_litellm(prompt) if self._has_signatures else prompt)
        written = encoded.request
        if written is self._read:
            request = self._given
        elif isinstance(written, list):
            request = self._as_they_came(written)
        else:
            gone = self._read.keys() - written.keys()
            request = {key: value for key, value in self._given.items() if key not in gone}
            request |= {key: self._as_they_came(value) for key, value in written.items()}
        return Encoded(request=request, changes=encoded.changes)

    def _as_dicts(self, items: Any) -> Any:
        if not isinstance(items, Sequence) or isinstance(items, str):
            return items
        read = [self._as_dict(item) for item in items]
        same = isinstance(items, list) and all(one is other for one, other in zip(read, items, strict=True))
        return items if same else read

    def _as_dict(self, item: Any) -> Any:
        read = item
        if isinstance(item, BaseModel):
            # Its own way: what an answer did not say is not sent.
            read = item.model_dump(exclude_none=True)
        elif isinstance(item, dict):
            if (
                isinstance(calls := item.get("tool_calls"), list)
                and (dicts := self._as_dicts(calls)) is not calls
            ):
                read = {**item, "tool_calls": dicts}
            if self._leaves_none_out and None in read.values():
                read = {key: value for key, value in read.items() if value is not None}
        if read is not item:
            self._objects[id(read)] = (read, item)
        return read

    def _as_they_came(self, items: Any) -> Any:
        if not isinstance(items, list):
            return items
        return [
            self._objects[id(item)][1] if id(item) in self._objects else self._written(item) for item in items
        ]

    def _written(self, item: Any) -> Any:
        says_none = self._leaves_none_out and isinstance(item, dict) and item.get("content", "") is None
        return {**item, "content": ""} if says_none else item
