"""Providers that want content, or arguments, of a certain kind."""

import json
from collections.abc import Iterator

from tests.oracle.openai_reading import Message
from tests.oracle.violation import Violation

_BAD_ARGUMENTS = {
    "dashscope": "qwen-arguments-json",
    "llamacpp": "llamacpp-tool-call-parse",
    "minimax": "minimax-bad-arguments",
    "ollama": "reported-ollama-arguments",
    "vllm": "vllm-tool-arguments-json",
}
_DEFAULT_NULL = ("openai-content-null", "Invalid value for 'content': expected a string, got null.")
_NULL = {
    "dashscope": ("qwen-content-required", "The content field is a required field."),
    "deepseek": ("deepseek-content-type", "missing field `content`"),
    "moonshot": ("kimi-message-empty", "the message must not be empty"),
    "ollama": ("ollama-invalid-message", "invalid message content type: <nil>"),
    "volcengine": ("volcengine-missing-content", "it is missing `messages.content` parameter."),
    "xai": ("xai-empty-content", "Each message must have at least one content element."),
}
# Those of `_NULL` that refuse an assistant message with neither content nor calls.
_NEEDS_ASSISTANT_CONTENT = ("dashscope", "ollama", "volcengine", "xai", "moonshot")


def check_content(message: Message, provider: str) -> Iterator[Violation]:
    """Rules on what the content may be, for all providers and for single ones."""
    path = f"{message.path}.content"
    is_null = message.content is None
    has_calls = bool(message.data.get("tool_calls"))
    if message.role in ("system", "developer", "user", "tool") and is_null:
        entry, reason = _NULL.get(provider, _DEFAULT_NULL)
        yield Violation(entry, path, reason)
    elif message.role == "assistant" and is_null and not has_calls and provider in _NEEDS_ASSISTANT_CONTENT:
        yield Violation(_NULL[provider][0], path, _NULL[provider][1])
    elif provider == "deepseek" and message.role == "assistant" and "content" not in message.data:
        # Null is accepted beside calls; leaving the field out is not.
        yield Violation(_NULL[provider][0], path, _NULL[provider][1])
    elif message.is_blank and not has_calls:
        yield from _check_blank(message, provider)
    if provider == "deepseek":
        yield from _check_deepseek_parts(message)


def _check_blank(message: Message, provider: str) -> Iterator[Violation]:
    path = f"{message.path}.content"
    if provider == "xai" and message.content in ("", []) and message.role != "tool":
        reason = "Every message needs at least one non-empty content element."
        yield Violation("xai-empty-content", path, reason)
    elif provider == "moonshot" and message.role in ("assistant", "user"):
        reason = f"the message with role '{message.role}' must not be empty"
        yield Violation("kimi-message-empty", path, reason)
    elif provider == "mistral" and message.role == "assistant":
        reason = "Assistant message must have either content or tool_calls, but not none."
        yield Violation("mistral-assistant-none", path, reason)


def _check_deepseek_parts(message: Message) -> Iterator[Violation]:
    if message.role in ("system", "assistant", "tool") and isinstance(message.content, list):
        reason = "invalid type: sequence, expected a string"
        yield Violation("deepseek-content-type", f"{message.path}.content", reason)
        return
    for path, part in message.parts:
        if part.get("type") != "text":
            reason = f"unknown variant `{part.get('type')}`, expected `text`"
            yield Violation("deepseek-content-type", path, reason)


def check_arguments(message: Message, provider: str) -> Iterator[Violation]:
    """Arguments that aren't JSON; OpenAI and many others don't look at them."""
    entry = _BAD_ARGUMENTS.get(provider)
    for call in message.calls:
        arguments = call.function.get("arguments")
        if entry and isinstance(arguments, str) and not _is_object(arguments):
            reason = "arguments in the history must be a JSON object"
            yield Violation(entry, f"{call.path}.function.arguments", reason)
        if provider == "llamacpp" and call.data.get("type") != "function":
            reason = "Missing tool call type"
            yield Violation("llamacpp-tool-call-parse", f"{call.path}.type", reason)


def _is_object(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except ValueError:
        return False
