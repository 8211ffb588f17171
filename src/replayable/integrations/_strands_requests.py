"""Between Strands' model calls and ours: Converse's messages, whoever reads them; what nobody touched goes back as the very object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from strands.middleware import InvokeModelContext

from .._node import build, fields_of, wire_of
from ..facts import build_message
from ..formats.bedrock import decode, encode
from ..formats.wire import Encoded, Wire
from ..messages import Message
from ..model_ref import ModelRef
from ..prompt import Prompt, remember_list

__all__ = ["StrandsRequests", "maker_of", "with_maker"]

_BEDROCK: Final = "bedrock"
# Where Strands keeps what is said of a message, and stores it too, but never sends it.
_METADATA: Final = "metadata"
_CUSTOM: Final = "custom"
_MADE_BY: Final = "replayable"


def with_maker(message: Any, model: ModelRef) -> None:
    """Note in an answer's metadata who made it, which Strands' messages don't say."""
    metadata = message.setdefault(_METADATA, {})
    made_by = {"provider": model.provider, "api": model.api, "model": model.model}
    metadata[_CUSTOM] = {**metadata.get(_CUSTOM, {}), _MADE_BY: made_by}


def maker_of(message: Any) -> dict[str, str | None]:
    """Return what ``with_maker`` noted: ``provider``, ``api`` and ``model``; None each where nothing is known."""
    found = message
    for key in (_METADATA, _CUSTOM, _MADE_BY):
        found = found.get(key) if isinstance(found, Mapping) else None
    made_by: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
    values = {key: made_by.get(key) for key in ("provider", "api", "model")}
    return {key: value if isinstance(value, str) else None for key, value in values.items()}


class StrandsRequests:
    """Reads and writes what one model call sends, or a bare list of messages.

    Args:
        model: The model that reads them.
    """

    def __init__(self, model: ModelRef) -> None:
        self._model = model
        self._given: Any = None
        self._read: Any = None

    def decode(self, request: InvokeModelContext | list[Any]) -> Prompt:
        """Read the context of a model call; it is borrowed and never changed."""
        self._given = request
        if isinstance(request, list):
            listed, held = request, None
            self._read = request
        else:
            listed, held = request.messages, request.model.stateful or None
            tools = [{"toolSpec": spec} for spec in request.tool_specs]
            config = {"toolConfig": {"tools": tools}} if tools else {}
            self._read = {"messages": listed, **_system(request), **config}
        read = decode(self._read)
        messages = tuple(self._with_maker(message) for message in read.messages)
        fields = {**fields_of(read), "messages": messages, "server_state": held}
        return remember_list(build(Prompt, fields, *wire_of(read)), listed)

    def encode(self, prompt: Prompt) -> Encoded:
        """Write a prompt as such a context; the one that was read when nothing of it has changed."""
        encoded = encode(prompt)
        written = encoded.request
        if written is self._read:
            written = self._given
        elif not isinstance(written, list):
            written = self._context(written)
        return Encoded(request=written, changes=encoded.changes)

    def _context(self, written: Wire) -> InvokeModelContext:
        given: InvokeModelContext = self._given
        system = written.get("system")
        same = system is self._read.get("system")
        tools = (written.get("toolConfig") or {}).get("tools") or []
        return replace(
            given,
            messages=written["messages"],
            system_prompt=given.system_prompt if same else system,
            tool_specs=[_described(tool["toolSpec"]) for tool in tools if "toolSpec" in tool],
        )

    def _with_maker(self, message: Message) -> Message:
        """An answer with what is known of who made it, instead of the wire that all of them come over."""
        if message.role != "assistant":
            return message
        wire, piece = wire_of(message)
        made_by = maker_of(wire)
        if self._model.api == _BEDROCK and made_by["provider"] is None:
            made_by["api"] = _BEDROCK
        return build_message(type(message), {**fields_of(message), **made_by}, wire, piece)


def _system(request: InvokeModelContext) -> Wire:
    prompt = request.system_prompt
    if not prompt:
        return {}
    return {"system": [{"text": prompt}] if isinstance(prompt, str) else prompt}


def _described(spec: Any) -> Any:
    """A tool with a description, which Strands' models read: one that a rule declared has none."""
    return spec if "description" in spec else {**spec, "description": spec["name"]}
