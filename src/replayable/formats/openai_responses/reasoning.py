"""Reasoning items: a summary, perhaps the reasoning itself, and the state that the server wants back."""

from __future__ import annotations

from typing import Any, Final

from ..._node import build, defaults, piece_of
from ...messages import AssistantMessage, ReasoningPart
from ..wire import LIST, Wire, optional_text, options_of, rest, sent
from .names import ABSENT, API

__all__ = ["is_own_reasoning", "read_reasoning", "write_reasoning"]

_WHOLE: Final = piece_of(API)
_KNOWN: Final = frozenset({"type", "id", "encrypted_content", "summary"})
_READABLE: Final = ("summary", "content")


def read_reasoning(wire: Wire) -> ReasoningPart:
    """Read a reasoning item. Its text is the reasoning itself where that is shown, else the summary.

    Raises:
        HistoryFormatError: Its id or its encrypted content is no string.
    """
    extra = rest(wire, _KNOWN)
    text = readable(wire)
    if "summary" not in wire:
        extra[ABSENT] = ["summary"]
    elif wire["summary"] != _summary(text) or "content" in wire:
        extra["summary"] = wire["summary"]
    fields = defaults(ReasoningPart).copy()
    fields["text"] = text
    fields["id"], fields["encrypted"] = optional_text(wire, "id"), optional_text(wire, "encrypted_content")
    if None in (fields["id"], fields["encrypted"]):
        extra |= {key: None for key in ("id", "encrypted_content") if key in wire and wire[key] is None}
    fields["provider_options"] = {API: extra} if extra else None
    return build(ReasoningPart, fields, wire, _WHOLE)


def readable(wire: Wire) -> str:
    """Return what a reasoning item lets one read."""
    return _text(wire.get("content")) or _text(wire.get("summary"))


def _text(entries: Any) -> str:
    if not isinstance(entries, LIST) or not entries:
        return ""
    texts = [entry.get("text") for entry in entries if isinstance(entry, dict)]
    return "\n\n".join(text for text in texts if isinstance(text, str))


def _summary(text: str) -> list[Wire]:
    return [{"type": "summary_text", "text": text}] if text else []


def is_own_reasoning(part: ReasoningPart, message: AssistantMessage) -> bool:
    """Whether some reasoning came from this API, so that it can go back there."""
    if message.api == API or API in (part.provider_options or {}):
        return True
    if part.id is None and part.encrypted is None:
        return False
    maker = part.provider or message.provider
    if maker is None:
        # From a store that tells no origin: such ids are OpenAI's.
        return message.api is None and part.id is not None and part.id.startswith("rs_")
    return maker in ("openai", "azure")


def write_reasoning(part: ReasoningPart) -> Wire:
    """Write a reasoning item. What could be read in it goes back in its own form as long as it says the same."""
    options = options_of(part, API)
    extra = sent(options)
    wire: Wire = {"type": "reasoning"}
    if part.id is not None:
        wire["id"] = part.id
    if part.encrypted is not None:
        wire["encrypted_content"] = part.encrypted
    if readable(extra) != part.text:
        extra = {key: value for key, value in extra.items() if key not in _READABLE}
    if "summary" not in extra and (
        "summary" not in options.get(ABSENT, ()) or (part.text and not readable(extra))
    ):
        wire["summary"] = _summary(part.text)
    return {**extra, **wire}
