"""OpenAI Chat messages, read with care."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.oracle.violation import MALFORMED, Violation
from tests.oracle.wire import as_mapping, as_text

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


@dataclass(frozen=True, slots=True)
class Call:
    """One entry of `tool_calls`."""

    path: str
    data: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The call's id; empty when it has none."""
        return as_text(self.data.get("id"))

    @property
    def function(self) -> Mapping[str, Any]:
        """Name and arguments; empty when missing."""
        return as_mapping(self.data.get("function")) or {}


@dataclass(frozen=True, slots=True)
class Message:
    """One message and where it stands."""

    path: str
    data: Mapping[str, Any]

    @property
    def role(self) -> str:
        """The message's role."""
        return as_text(self.data.get("role"))

    @property
    def content(self) -> object:
        """The message's content; `None` when null or left out."""
        return self.data.get("content")

    @property
    def calls(self) -> list[Call]:
        """The readable calls of an assistant message."""
        items = self.data.get("tool_calls")
        if self.role != "assistant" or not isinstance(items, list):
            return []
        found = ((index, as_mapping(item)) for index, item in enumerate(items))
        return [Call(f"{self.path}.tool_calls[{index}]", data) for index, data in found if data is not None]

    @property
    def answers(self) -> str:
        """The id of the call that a tool message answers; empty when it has none."""
        return as_text(self.data.get("tool_call_id"))

    @property
    def parts(self) -> list[tuple[str, Mapping[str, Any]]]:
        """Path and object of each readable content part; a string counts as no part."""
        if not isinstance(self.content, list):
            return []
        found = ((index, as_mapping(item)) for index, item in enumerate(self.content))
        return [(f"{self.path}.content[{index}]", data) for index, data in found if data is not None]

    @property
    def is_blank(self) -> bool:
        """Whether no content part holds anything but white space."""
        if isinstance(self.content, str):
            return not self.content.strip()
        return not any(
            as_text(part.get("text")).strip() or part.get("type") != "text" for _, part in self.parts
        )


def read_messages(request: Mapping[str, Any]) -> tuple[list[Message], list[Violation]]:
    """The readable messages, and what could not be read."""
    items = request.get("messages")
    if not isinstance(items, list):
        return [], [Violation(MALFORMED, "messages", "messages: invalid type, expected a sequence")]
    if not items:
        reason = "Invalid 'messages': empty array. Expected an array with minimum length 1"
        return [], [Violation("openai-messages-empty-array", "messages", reason)]
    messages: list[Message] = []
    faults: list[Violation] = []
    for index, item in enumerate(items):
        path, data = f"messages[{index}]", as_mapping(item)
        if data is None:
            faults.append(Violation(MALFORMED, path, "a message must be an object"))
        elif as_text(data.get("role")) not in _ROLES:
            faults.append(Violation(MALFORMED, f"{path}.role", "the role is none of the known roles"))
        else:
            messages.append(Message(path, data))
    return messages, faults


def check_schema(message: Message, provider: str) -> Iterator[Violation]:
    """Faults of the wire schema itself, which no provider reads."""
    if not isinstance(message.content, str | list | None):
        yield Violation(MALFORMED, f"{message.path}.content", "content must be a string or a list of parts")
    if isinstance(message.content, list) and len(message.parts) != len(message.content):
        yield Violation(MALFORMED, f"{message.path}.content", "a content part must be an object")
    # Z.ai answers messages without an id by their position.
    if message.role == "tool" and not message.answers and provider not in ("moonshot", "zai"):
        yield Violation(MALFORMED, f"{message.path}.tool_call_id", "Missing parameter 'tool_call_id'")
    if message.role != "assistant":
        return
    calls = message.data.get("tool_calls")
    if provider == "vllm" and calls is not None and not isinstance(calls, list):
        reason = "Please ensure `tool_calls` are iterable of tool calls."
        yield Violation("vllm-mistral-tool-calls-iterable", f"{message.path}.tool_calls", reason)
    elif calls is not None and (not isinstance(calls, list) or len(message.calls) != len(calls)):
        yield Violation(MALFORMED, f"{message.path}.tool_calls", "tool_calls must be a list of objects")
    for call in message.calls:
        yield from _check_call_schema(call)


def _check_call_schema(call: Call) -> Iterator[Violation]:
    if not call.id:
        yield Violation(MALFORMED, f"{call.path}.id", "a call must have an id")
    if call.data.get("type") == "custom":
        return
    for name in ("name", "arguments"):
        value = call.function.get(name)
        if not isinstance(value, str) or (name == "name" and not value):
            path = f"{call.path}.function.{name}"
            yield Violation(MALFORMED, path, f"function.{name} must be a string")
