"""Reasoning fields that must come back, or must not."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tests.oracle.openai_reading import Message
from tests.oracle.template_families import thinks_by_default
from tests.oracle.violation import Violation
from tests.oracle.wire import as_mapping

_DEEPSEEK_THINKS = "deepseek-v4"
_DEEPSEEK_REASONER = "deepseek-reasoner"
_GEMINI_SIGNS = re.compile(r"google/gemini-[3-9]")
# Recorded with thinking parts in the history, accepted.
_MISTRAL_READS_THINKING = ("magistral", "mistral-small-latest")


def check_reasoning(
    message: Message, request: Mapping[str, Any], provider: str, model: str | None
) -> Iterator[Violation]:
    """Rules on the reasoning of one assistant message."""
    if message.role != "assistant":
        return
    name = model or ""
    mode = (as_mapping(request.get("thinking")) or {}).get("type")
    path = f"{message.path}.reasoning_content"
    if provider == "deepseek" and mode != "disabled" and name.startswith(_DEEPSEEK_THINKS):
        # Answers without calls are accepted without it; beside calls the empty string will do.
        if message.calls and not isinstance(message.data.get("reasoning_content"), str):
            reason = "The `reasoning_content` in the thinking mode must be passed back to the API."
            yield Violation("deepseek-reasoning-required", path, reason)
    elif provider == "moonshot" and (mode == "enabled" or (mode is None and "thinking" in name)):
        if message.calls and not message.data.get("reasoning_content"):
            reason = "thinking is enabled but reasoning_content is missing in assistant tool call message"
            yield Violation("kimi-reasoning-missing", path, reason)
    elif provider == "mistral" and name and not name.startswith(_MISTRAL_READS_THINKING):
        for where, part in message.parts:
            if part.get("type") == "thinking":
                reason = "Reasoning input is not enabled for this model"
                yield Violation("recorded-mistral-reasoning-input", where, reason)
    elif provider in ("llamacpp", "lmstudio", "vllm") and "gpt-oss" in name:
        thinks = message.data.get("reasoning_content") or message.data.get("thinking")
        if message.content and thinks and message.calls:
            reason = "Cannot pass both content and thinking in an assistant message with tool calls!"
            yield Violation("template-gptoss-content-thinking", path, reason)


def check_last_turn(
    messages: list[Message], request: Mapping[str, Any], provider: str, model: str | None
) -> Iterator[Violation]:
    """Rules on what stands behind the last user message, where the model may still be thinking."""
    name = model or ""
    asked = max((i for i, message in enumerate(messages) if message.role == "user"), default=-1)
    calling = [message for message in messages[asked + 1 :] if message.calls]
    if provider == "deepseek" and name.startswith(_DEEPSEEK_REASONER):
        for message in calling:
            if not isinstance(message.data.get("reasoning_content"), str):
                reason = "Missing `reasoning_content` field in the assistant message"
                path = f"{message.path}.reasoning_content"
                yield Violation("deepseek-missing-reasoning-index", path, reason)
    elif provider == "openrouter" and _GEMINI_SIGNS.search(name):
        for message in calling:
            if not message.data.get("reasoning_details"):
                reason = "Gemini models require OpenRouter reasoning details to be preserved in each request."
                path = f"{message.path}.reasoning_details"
                yield Violation("openrouter-gemini-reasoning-details", path, reason)
    elif provider == "llamacpp" and messages and messages[-1].role == "assistant" and not messages[-1].calls:
        options = as_mapping(request.get("chat_template_kwargs")) or {}
        if thinks_by_default(name) and options.get("enable_thinking") is not False:
            reason = "Assistant response prefill is incompatible with enable_thinking."
            yield Violation("llamacpp-prefill-thinking", messages[-1].path, reason)
