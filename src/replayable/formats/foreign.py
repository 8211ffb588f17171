"""Histories as frameworks and traces keep them: no provider's API takes them, whatever they resemble."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from .wire import LIST, Wire, kind_of

__all__ = ["Foreign", "foreign"]

# What LangChain calls its messages: langchain_core.messages.utils.AnyMessage.
_LANGCHAIN_TYPES: Final = frozenset(
    {"ai", "chat", "function", "generic", "human", "remove", "system", "tool"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreign:
    """A way to keep messages that is no API of a provider.

    Args:
        found: What such a message is.
        remedy: How to come to what the provider got.
        is_one: Tells whether an object is such a message, as JSON has it.
        package: Where the classes of such messages stand; None where there are none.
    """

    found: str
    remedy: str
    is_one: Callable[[Wire], bool]
    package: str | None = None


def foreign(message: Any) -> Foreign | None:
    """Return the way in which a message is kept, if that is one that no provider takes."""
    if isinstance(message, dict):
        return next((known for known in _KNOWN if known.is_one(message)), None)
    package = type(message).__module__.partition(".")[0]
    return next((known for known in _KNOWN if known.package == package), None)


def _langchain(message: Wire) -> bool:
    """``dumpd``, ``messages_to_dict``, or ``model_dump`` of one."""
    if "role" in message:
        return False
    return "lc" in message or (
        kind_of(message) in _LANGCHAIN_TYPES and ("data" in message or "additional_kwargs" in message)
    )


def _pydantic_ai(message: Wire) -> bool:
    """``ModelMessagesTypeAdapter.dump_python``."""
    return message.get("kind") in ("request", "response") and isinstance(message.get("parts"), list)


def _opentelemetry(message: Wire) -> bool:
    """https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-input-messages.json: a part's text is its ``content``."""
    parts = message.get("parts")
    first = parts[0] if isinstance(parts, LIST) and parts else None
    if not isinstance(first, dict) or "role" not in message:
        return False
    return first.get("type") in ("tool_call", "tool_call_response") or (
        first.get("type") in ("text", "reasoning") and "content" in first
    )


_KNOWN: Final = (
    Foreign(
        found="a message of LangChain",
        remedy="give what langchain_core.messages.convert_to_openai_messages makes of the messages; in an agent,"
        " replayable.integrations.langchain repairs them as they are",
        is_one=_langchain,
        package="langchain_core",
    ),
    Foreign(
        found="a message of pydantic-ai",
        remedy="give the body of the request that was sent; in an agent, replayable.integrations.pydantic_ai repairs"
        " the messages as they are",
        is_one=_pydantic_ai,
        package="pydantic_ai",
    ),
    Foreign(
        found="a message of OpenTelemetry (gen_ai.input.messages)",
        remedy="that is the trace's own form, the same for every provider: give the body of the request that was sent",
        is_one=_opentelemetry,
    ),
)
