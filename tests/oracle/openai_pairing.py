"""Calls and results of OpenAI Chat conversations."""

from collections.abc import Iterator

from tests.oracle.openai_reading import Call, Message
from tests.oracle.violation import Violation

_UNANSWERED = {
    "deepseek": "deepseek-insufficient-tool",
    "mistral": "mistral-call-response-count",
}
_WITHOUT_CALL = {
    "litellm": "litellm-missing-tool-call",
    "minimax": "minimax-tool-id-not-found",
    "mistral": "mistral-call-response-count",
    "moonshot": "kimi-tool-call-id-not-found",
}


def check_pairing(messages: list[Message], provider: str) -> Iterator[Violation]:
    """Each call is answered once, by the tool messages directly after; their order is free."""
    pending: dict[str, Call] = {}
    called: set[str] = set()
    before = ""
    for message in messages:
        if message.role == "tool":
            if message.answers in pending:
                del pending[message.answers]
            elif provider == "zai" and not message.answers and pending:
                # Accepted without an id: it answers the calls in their order.
                del pending[next(iter(pending))]
            elif message.answers or provider in ("moonshot", "zai"):
                yield _without_call(message, before, provider, was_called=message.answers in called)
        else:
            yield from _unanswered(pending, provider)
            pending = {call.id: call for call in message.calls if call.id}
            called |= set(pending)
        before = message.role
    yield from _unanswered(pending, provider)


def _unanswered(pending: dict[str, Call], provider: str) -> Iterator[Violation]:
    entry = _UNANSWERED.get(provider, "openai-tool-calls-unanswered")
    for identifier, call in pending.items():
        reason = (
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. The following tool_call_ids did not have response messages: {identifier}"
        )
        if provider == "mistral":
            reason = "Not the same number of function calls and responses"
        yield Violation(entry, f"{call.path}.id", reason)


def _without_call(message: Message, before: str, provider: str, *, was_called: bool) -> Violation:
    path = f"{message.path}.tool_call_id"
    if provider == "mistral" and before in ("user", "system"):
        reason = f"Unexpected role 'tool' after role '{before}'"
        return Violation("mistral-unexpected-role", f"{message.path}.role", reason)
    if provider == "minimax" and was_called:
        reason = "invalid params, tool call result does not follow tool call (2013)"
        return Violation("minimax-result-order", path, reason)
    if provider == "moonshot":
        reason = f"Invalid request: tool_call_id {message.answers} is not found"
    elif provider == "minimax":
        reason = f"invalid params, tool result's tool id({message.answers}) not found (2013)"
    elif provider == "litellm":
        reason = "Missing corresponding tool call for tool response message."
    elif provider == "mistral":
        reason = "Not the same number of function calls and responses"
    else:
        reason = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
    return Violation(_WITHOUT_CALL.get(provider, "openai-tool-without-call"), path, reason)
