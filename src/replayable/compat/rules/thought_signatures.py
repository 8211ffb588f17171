"""Rule makers for Gemini's thought signatures: demanded beside the calls of the current turn, and refused when not its own."""

from __future__ import annotations

from typing import Any, Final

from typing_extensions import Unpack

from ...edits import chained, map_messages, same_items, with_parts
from ...facts import CALLS, REASONING, facts_of
from ...messages import Message, Messages, Part, ToolCallPart
from ...turns import client_calls
from ..rule import CompatRule
from .making import RuleFields, message_rule
from .wire_fields import options_of, with_options

__all__ = ["NO_SIGNATURE", "refused_signatures", "signed_calls"]

NO_SIGNATURE: Final = "skip_thought_signature_validator"
"""What Google documents in place of a signature, for calls that Gemini did not make:
https://ai.google.dev/gemini-api/docs/thought-signatures#faqs"""

_API: Final = "gemini"
_FIELD: Final = "thoughtSignature"
_MISPLACED: Final = ("thoughtSignature", "thought_signature")
# The format's note that a message stood in the same content as the one before it.
_CONTINUES: Final = "$continues"


def signed_calls(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Put a signature beside the first call of each answer of the current turn that lacks one.

    The one that the call kept elsewhere (inside of the call, or as OpenAI's wire carries it), else the documented
    ``NO_SIGNATURE``. The current turn is what follows the last message of the user; earlier ones are not checked.
    """
    return message_rule(name, _signed, needs=CALLS, **fields)


def _signed(messages: Messages) -> Messages | None:
    start = _current_turn(messages)
    first = {id(call): call for message in messages[start:] for call in _first_call(message)}

    def change(message: Message) -> Message:
        parts = [_with_signature(part) if id(part) in first else part for part in message.parts]
        return with_parts(message, parts)

    changed = map_messages(messages[start:], change)
    return None if changed is None else (*messages[:start], *changed)


def _current_turn(messages: Messages) -> int:
    """Where the current turn starts: behind the last message that is neither the model's nor of results."""
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        # What stood in one content with results is no turn of the user's own.
        if (
            message.role in ("user", "system")
            and message.parts
            and _CONTINUES not in options_of(message, _API)
        ):
            return index + 1
    return 0


def _first_call(message: Message) -> list[ToolCallPart]:
    if message.role != "assistant" or not facts_of(message) & CALLS:
        return []
    return [call for _, call in client_calls(message)][:1]


def _with_signature(call: Any) -> Any:
    options = options_of(call, _API)
    if options.get(_FIELD):
        return call
    return with_options(call, _API, {**options, _FIELD: _kept_elsewhere(call) or NO_SIGNATURE})


def _kept_elsewhere(call: ToolCallPart) -> str | None:
    inner = options_of(call, _API).get("functionCall")
    places = [inner.get(name) for name in _MISPLACED] if isinstance(inner, dict) else []
    # https://ai.google.dev/gemini-api/docs/openai: Gemini's own answers over OpenAI's wire.
    extra = options_of(call, "openai_chat").get("extra_content")
    google = extra.get("google") if isinstance(extra, dict) else None
    if isinstance(google, dict):
        places.append(google.get("thought_signature"))
    return next((place for place in places if isinstance(place, str) and place), None)


def refused_signatures(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """After the rejection, drop all signatures, and thoughts with them; the current turn's calls say that they have none."""

    def change(messages: Messages) -> Messages | None:
        return chained(messages, lambda given: map_messages(given, _without_signatures), _signed)

    fields["before_call"] = False
    return message_rule(name, change, needs=CALLS | REASONING, **fields)


def _without_signatures(message: Message) -> Message | None:
    if message.role != "assistant":
        return message
    parts: list[Part] = []
    for part in message.parts:
        if part.type == "reasoning":
            if part.signature is not None:
                continue
        elif options_of(part, _API).get(_FIELD) not in (None, NO_SIGNATURE):
            options = options_of(part, _API)
            part = with_options(part, _API, {key: value for key, value in options.items() if key != _FIELD})
        parts.append(part)
    if same_items(parts, message.parts):
        return message
    return with_parts(message, parts) if parts else None
