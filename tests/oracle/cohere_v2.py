"""Requests in Cohere's second chat format."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.oracle.violation import MALFORMED, Violation
from tests.oracle.wire import Placed, as_text, holds_only_objects, objects

_ROLES = frozenset({"system", "user", "assistant", "tool"})
# Command R and R+ accept calls that nobody answered.
_WANTS_ANSWERS = "command-a"


def check(request: Mapping[str, Any], provider: str, model: str | None) -> Iterator[Violation]:
    """Every reason for a rejection."""
    given = request.get("messages")
    if not given or not holds_only_objects(given):
        yield Violation(MALFORMED, "messages", "messages must be a list of objects")
    messages = objects("messages", given)
    for path, message in messages:
        if as_text(message.get("role")) not in _ROLES:
            yield Violation(MALFORMED, f"{path}.role", "the role is none of the known roles")
        content = message.get("content")
        may_lack = message.get("role") == "assistant" and content is None
        if not may_lack and not isinstance(content, str) and not holds_only_objects(content):
            yield Violation(MALFORMED, f"{path}.content", "content must be a string or a list of objects")
    if (model or "").startswith(_WANTS_ANSWERS):
        yield from _check_answers(messages)


def _check_answers(messages: list[Placed]) -> Iterator[Violation]:
    pending: dict[str, str] = {}
    for path, message in messages:
        if message.get("role") == "tool":
            pending.pop(as_text(message.get("tool_call_id")), None)
            continue
        yield from _unanswered(pending)
        calls = objects(f"{path}.tool_calls", message.get("tool_calls"))
        pending = {as_text(call.get("id")): where for where, call in calls}
    yield from _unanswered(pending)


def _unanswered(pending: dict[str, str]) -> Iterator[Violation]:
    for identifier, path in pending.items():
        reason = (
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. The following tool_call_ids did not have response messages: {identifier}"
        )
        yield Violation("cohere-tool-calls-unanswered", f"{path}.id", reason)
