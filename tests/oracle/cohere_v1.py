"""Requests in Cohere's first chat format, which OCI still serves: one message beside a `chat_history`."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.oracle.violation import MALFORMED, Violation
from tests.oracle.wire import as_text, holds_only_objects, objects


def check(request: Mapping[str, Any], provider: str, model: str | None) -> Iterator[Violation]:
    """Every reason for a rejection."""
    given = request.get("chat_history", [])
    if not holds_only_objects(given):
        yield Violation(MALFORMED, "chat_history", "chat_history must be a list of objects")
    history = objects("chat_history", given)
    for path, entry in history:
        if entry.get("role") != "TOOL" and not as_text(entry.get("message")):
            reason = "invalid request: all elements in history must have a message."
            yield Violation("cohere-history-message", f"{path}.message", reason)
    if history and history[-1][1].get("role") == "TOOL" and request.get("message"):
        reason = "cannot specify message if the last entry in chat history contains tool results"
        yield Violation("cohere-message-after-tool-results", "message", reason)
