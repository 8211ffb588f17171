"""Ollama's own ``/api/chat``: much like OpenAI Chat, with object arguments, ``images`` and ``thinking``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..format import Format, Marks
from ..wire import LIST, Wire
from .decode import decode
from .encode import encode
from .names import API

__all__ = ["FORMAT", "decode", "encode"]


def _object_arguments(message: Wire) -> Iterator[str]:
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, LIST) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict) and isinstance(function.get("arguments"), dict):
            yield "object arguments"


FORMAT: Final = Format(
    name=API,
    title="Ollama",
    decode=decode,
    encode=encode,
    marks=Marks(
        roles=frozenset({"system", "user", "assistant", "tool"}),
        shapes=frozenset({"content: text"}),
        request=frozenset({"options", "keep_alive", "think", "format"}),
        fields=frozenset({"tool_calls", "tool_call_id", "images", "thinking", "tool_name"}),
        tools=frozenset({"function"}),
        more=_object_arguments,
    ),
)
