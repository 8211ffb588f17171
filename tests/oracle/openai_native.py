"""Rules of OpenAI itself and of Azure OpenAI."""

import re
from collections.abc import Iterator

from tests.oracle.openai_reading import Message
from tests.oracle.violation import Violation

_MAX_ID = 40
_NAME = re.compile(r"[^\s<|\\/>]+")
_FUNCTION_NAME = re.compile(r"[a-zA-Z0-9_-]+")
_FILE_FIELDS = frozenset({"file_data", "file_id", "filename"})
_NO_SYSTEM_ROLE = ("o1-mini", "o1-preview")


def is_behind_gateway(provider: str, model: str | None) -> bool:
    """Whether a gateway hands the request on to OpenAI."""
    return provider == "openrouter" and (model or "").startswith("openai/")


def check_openai(message: Message, model: str | None) -> Iterator[Violation]:
    """Rules on one message."""
    yield from check_call_ids(message)
    yield from _check_content(message, model)
    yield from _check_names(message)
    if message.role in ("system", "developer") and (model or "").startswith(_NO_SYSTEM_ROLE):
        reason = f"'{message.path}.role' does not support '{message.role}' with this model."
        yield Violation("openai-system-role-unsupported", f"{message.path}.role", reason)
    yield from check_no_empty_calls(message)


def check_call_ids(message: Message) -> Iterator[Violation]:
    """OpenAI takes ids of up to 40 characters; most who speak its format take longer ones."""
    found = [(f"{call.path}.id", call.id) for call in message.calls]
    if message.role == "tool":
        found.append((f"{message.path}.tool_call_id", message.answers))
    for path, identifier in found:
        if len(identifier) > _MAX_ID:
            reason = f"string too long. Expected a string with maximum length 40, but got {len(identifier)}"
            yield Violation("openai-tool-call-id-too-long", path, reason)


def _check_content(message: Message, model: str | None) -> Iterator[Violation]:
    may_lack = any(message.data.get(name) for name in ("tool_calls", "function_call", "refusal", "audio"))
    # `tool_calls: []` has an error of its own.
    if (
        message.role == "assistant"
        and message.content is None
        and not may_lack
        and message.data.get("tool_calls") != []
    ):
        reason = "Invalid value for 'content': expected a string, got null."
        yield Violation("openai-content-null", f"{message.path}.content", reason)
    for path, part in message.parts:
        kind = part.get("type")
        if kind == "image_url" and message.role in ("tool", "assistant"):
            reason = "Image URLs are only allowed for messages with role 'user'"
            yield Violation("openai-image-role", path, reason)
        elif kind == "input_audio" and "audio" not in (model or "audio"):
            reason = "Content blocks are expected to be either text or image_url type."
            yield Violation("recorded-openai-content-block", path, reason)
        elif kind == "file" and isinstance(part.get("file"), dict):
            for name in sorted(set(part["file"]) - _FILE_FIELDS):
                reason = f"Unknown parameter: '{path}.file.{name}'."
                yield Violation("recorded-openai-unknown-parameter", f"{path}.file.{name}", reason)


def check_no_empty_calls(message: Message) -> Iterator[Violation]:
    """Where a list of calls may not be empty."""
    if message.role == "assistant" and message.data.get("tool_calls") == []:
        reason = "tool_calls: empty array. Expected an array with minimum length 1"
        yield Violation("openai-tool-calls-empty-array", f"{message.path}.tool_calls", reason)


def _check_names(message: Message) -> Iterator[Violation]:
    name = message.data.get("name")
    if message.role == "function" and not name:
        reason = "Missing parameter 'name': messages with role 'function' must have a 'name'."
        yield Violation("recorded-openai-function-name", f"{message.path}.name", reason)
    elif isinstance(name, str) and not _NAME.fullmatch(name):
        reason = r"name: string does not match pattern '^[^\s<|\\/>]+$'"
        yield Violation("openai-message-name-pattern", f"{message.path}.name", reason)
    for call in message.calls:
        called = call.function.get("name")
        if isinstance(called, str) and called and not _FUNCTION_NAME.fullmatch(called):
            reason = "function.name: string does not match pattern '^[a-zA-Z0-9_-]+$'"
            yield Violation("openai-message-name-pattern", f"{call.path}.function.name", reason)
