"""Requests in the OpenAI Responses format."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.oracle import claude_models
from tests.oracle.responses_native import check_native, is_native
from tests.oracle.responses_pairing import check_pairing
from tests.oracle.responses_reading import Item, has_server_state, read_items
from tests.oracle.responses_reasoning import check_encrypted, check_reasoning, check_storage
from tests.oracle.violation import MALFORMED, Violation
from tests.oracle.wire import holds_only_objects


def check(request: Mapping[str, Any], provider: str, model: str | None) -> Iterator[Violation]:
    """Every reason for a rejection, item by item first, then for the conversation as a whole."""
    items, faults = read_items(request)
    yield from faults
    native = is_native(provider, model)
    for item in items:
        yield from _check_schema(item)
        if native:
            yield from check_native(item)
    yield from check_pairing(items, provider, server_state=has_server_state(request, items))
    yield from check_reasoning(items, provider, model)
    yield from check_storage(request, items, provider)
    yield from check_encrypted(items, native=native)
    last = items[-1] if items else None
    if claude_models.refuses_prefill(model) and last and last.data.get("role") == "assistant":
        reason = "This model does not support assistant message prefill. It must end with a user message."
        yield Violation("anthropic-no-prefill", last.path, reason)


def _check_schema(item: Item) -> Iterator[Violation]:
    content = item.data.get("content")
    if item.type == "message" and not isinstance(content, str) and not holds_only_objects(content):
        yield Violation(MALFORMED, f"{item.path}.content", "content must be a string or a list of parts")
    if item.type in ("function_call_output", "custom_tool_call_output"):
        output = item.data.get("output")
        if not isinstance(output, str) and not holds_only_objects(output):
            yield Violation(MALFORMED, f"{item.path}.output", "Missing required parameter: 'output'.")
    if item.type == "function_call":
        for name in ("name", "arguments"):
            if not isinstance(item.data.get(name), str):
                yield Violation(MALFORMED, f"{item.path}.{name}", f"Missing required parameter: '{name}'.")
