"""Calls and outputs of OpenAI Responses requests."""

from collections.abc import Iterator

from tests.oracle.responses_reading import Item
from tests.oracle.violation import MALFORMED, Violation

_ANSWERS = {
    "apply_patch_call": "apply_patch_call_output",
    "computer_call": "computer_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "function_call": "function_call_output",
    "local_shell_call": "local_shell_call_output",
    "shell_call": "shell_call_output",
    "tool_search_call": "tool_search_output",
}
_OUTPUTS = frozenset(_ANSWERS.values())


def check_pairing(items: list[Item], provider: str, *, server_state: bool) -> Iterator[Violation]:
    """Each call is answered somewhere behind it; the same `call_id` may come again later."""
    pending: list[Item] = []
    for item in items:
        if item.type in _ANSWERS:
            if not item.call_id and item.type == "function_call":
                yield Violation(MALFORMED, f"{item.path}.call_id", "Missing required parameter: 'call_id'.")
            elif item.data.get("execution") != "server":
                pending.append(item)
        elif item.type in _OUTPUTS and item.data.get("execution") != "server":
            call = next((call for call in pending if call.call_id == item.call_id), None)
            if call is not None:
                pending.remove(call)
            elif not server_state:
                reason = f"No tool call found for function call output with call_id {item.call_id}."
                yield Violation("responses-output-without-call", f"{item.path}.call_id", reason)
        elif provider == "deepseek" and item.type == "message":
            # Recorded: a message between a call and its output ends the turn.
            yield from _unanswered(pending)
            pending = []
    yield from _unanswered(pending)


def _unanswered(pending: list[Item]) -> Iterator[Violation]:
    for call in pending:
        reason = f"No tool output found for function call {call.call_id}."
        yield Violation("responses-call-without-output", f"{call.path}.call_id", reason)
