"""Requests in Ollama's own chat format, read into Go structs: each field has one type."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.oracle.violation import MALFORMED, Violation
from tests.oracle.wire import as_mapping, holds_only_objects, objects


def check(request: Mapping[str, Any], provider: str, model: str | None) -> Iterator[Violation]:
    """Every reason for a rejection."""
    given = request.get("messages")
    if not holds_only_objects(given):
        yield Violation(MALFORMED, "messages", "messages must be a list of objects")
    for path, message in objects("messages", given):
        content = message.get("content")
        if isinstance(content, list):
            reason = "cannot unmarshal array into Go struct field ChatRequest.messages.content of type string"
            yield Violation("ollama-content-array", f"{path}.content", reason)
        elif content is not None and not isinstance(content, str):
            yield Violation(MALFORMED, f"{path}.content", "content must be a string")
        for where, call in objects(f"{path}.tool_calls", message.get("tool_calls")):
            arguments = (as_mapping(call.get("function")) or {}).get("arguments")
            if isinstance(arguments, str):
                reason = "cannot unmarshal string into Go struct field of type api.ToolCallFunctionArguments"
                yield Violation("ollama-arguments-string", f"{where}.function.arguments", reason)
            elif arguments is not None and not isinstance(arguments, Mapping):
                yield Violation(MALFORMED, f"{where}.function.arguments", "arguments must be an object")
