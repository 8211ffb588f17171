"""Gemini's thought signatures where LiteLLM keeps them: read as Gemini's own wire has them, and written back there.

A call has its signature among ``provider_specific_fields``, its own or its function's, or behind ``__thought__`` in its
id; a message has that of its text in ``provider_specific_fields["thought_signatures"]``. LiteLLM asks in this order:
https://github.com/BerriAI/litellm/blob/main/litellm/litellm_core_utils/prompt_templates/factory.py
"""

from __future__ import annotations

from typing import Any, Final

from .._node import replace, wire_of
from ..compat.rules.thought_signatures import NO_SIGNATURE
from ..edits import map_messages, same_items
from ..facts import build_message
from ..formats.wire import options_of
from ..messages import Message, Part, ToolCallPart
from ..prompt import Prompt, with_messages

__all__ = ["with_signatures", "with_signatures_of_litellm"]

_CHAT: Final = "openai_chat"
_GEMINI: Final = "gemini"
_FIELD: Final = "thoughtSignature"
_FUNCTION: Final = "function"
_MORE: Final = "provider_specific_fields"
_OF_CALL: Final = "thought_signature"
_OF_TEXT: Final = "thought_signatures"
_IN_ID: Final = "__thought__"


def with_signatures(message: Message) -> Message:
    """Return a message that was read from LiteLLM's with the signatures where Gemini's rules look for them."""
    parts: list[Part] = []
    of_text = _text_signature(message)
    for part in message.parts:
        signature = of_text if part.type == "text" else None
        if part.type == "tool_call":
            signature = _signature(part)
        parts.append(part if signature is None else _with(part, _GEMINI, {_FIELD: signature}))
    return _with_parts(message, parts, *wire_of(message))


def with_signatures_of_litellm(prompt: Prompt) -> Prompt:
    """Return a prompt whose messages carry their signatures where LiteLLM looks for them."""
    changed = map_messages(prompt.messages, _written)
    return prompt if changed is None else with_messages(prompt, changed)


def _written(message: Message) -> Message:
    parts = [_written_call(part) if part.type == "tool_call" else part for part in message.parts]
    of_text = _text_signature(message)
    signatures = {options_of(part, _GEMINI).get(_FIELD) for part in parts}
    new = _with_parts(message, parts)
    # It may also be the one that a call had.
    return new if of_text is None or of_text in signatures else _with(new, _CHAT, _without(new, _OF_TEXT))


def _written_call(call: ToolCallPart) -> ToolCallPart:
    wanted = options_of(call, _GEMINI).get(_FIELD)
    if wanted == _signature(call):
        return call
    if wanted is None and _id_signature(call) is not None:
        # The id would tell it, unless something else does first.
        wanted = NO_SIGNATURE
    options = _without(call, _OF_CALL)
    function = options.get(_FUNCTION)
    if isinstance(function, dict):
        options |= {_FUNCTION: {key: value for key, value in function.items() if key != _MORE}}
    if wanted is not None:
        options[_MORE] = {**options.get(_MORE, {}), _OF_CALL: wanted}
    written: ToolCallPart = _with(call, _CHAT, options)
    return written


def _signature(call: ToolCallPart) -> str | None:
    options = options_of(call, _CHAT)
    function = options.get(_FUNCTION)
    for place in (options, function if isinstance(function, dict) else {}):
        more = place.get(_MORE)
        signature = more.get(_OF_CALL) if isinstance(more, dict) else None
        if isinstance(signature, str) and signature:
            return signature
    return _id_signature(call)


def _id_signature(call: ToolCallPart) -> str | None:
    return (call.tool_call_id or "").partition(_IN_ID)[2] or None


def _text_signature(message: Message) -> str | None:
    more = options_of(message, _CHAT).get(_MORE)
    signatures = more.get(_OF_TEXT) if isinstance(more, dict) else None
    first = signatures[0] if isinstance(signatures, list) and signatures else None
    return first if isinstance(first, str) and first else None


def _without(node: Message | Part, field: str) -> dict[str, Any]:
    """The options of a message or call with one of its provider's fields less."""
    options = {**options_of(node, _CHAT)}
    more = options.pop(_MORE, None)
    if isinstance(more, dict) and (kept := {key: value for key, value in more.items() if key != field}):
        options[_MORE] = kept
    return options


def _with(node: Any, api: str, options: dict[str, Any]) -> Any:
    """The same with other options of one API."""
    others = {name: value for name, value in {**(node.provider_options or {}), api: options}.items() if value}
    return replace(node, provider_options=others or None)


def _with_parts(message: Message, parts: list[Part], *wire: Any) -> Message:
    if same_items(parts, message.parts):
        return message
    return build_message(type(message), {**message.__dict__, "parts": tuple(parts)}, *wire)
