"""Who besides the oracle judges what is sent to a row: chat templates, Mistral's own package, botocore, the SDKs' types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.judges.converse_model import converse_errors
from tests.judges.gemini_types import gemini_errors
from tests.judges.mistral import mistral_error
from tests.judges.sdk_types import anthropic_errors, openai_chat_errors, openai_responses_errors
from tests.judges.templates import template_error

Errors = Callable[[Mapping[str, Any]], list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowJudge:
    """One judge of one target.

    Args:
        name: What the printed counts call it.
        errors: What it has against a request.
        reads_own_wire: Whether it also judges what came on the target's own wire. The types don't: each provider takes
            some fields more, and what else stands in such a request stays as it is.
    """

    name: str
    errors: Errors
    reads_own_wire: bool


def judges_of(provider: str, model: str, api: str) -> tuple[RowJudge, ...]:
    """The judges of a target; none where nobody publishes any."""
    types = _TYPES.get((provider, api))
    named = [RowJudge(name=f"types of {provider}", errors=types, reads_own_wire=False)] if types else []
    if api == "bedrock_converse":
        named.append(
            RowJudge(
                name="botocore",
                # The model stands in the URL.
                errors=lambda request: converse_errors({"modelId": model, **request}),
                reads_own_wire=True,
            )
        )
    if api in ("openai_chat", "ollama_chat"):
        named += [_template(name) for name in _TEMPLATES.get((provider, model), ())]
    if (provider, api) == ("mistral", "openai_chat"):
        named.append(RowJudge(name="mistral-common v15", errors=mistral_errors, reads_own_wire=True))
    return tuple(named)


_TYPES: Final[dict[tuple[str, str], Errors]] = {
    ("openai", "openai_chat"): openai_chat_errors,
    ("azure", "openai_chat"): openai_chat_errors,
    ("copilot", "openai_chat"): openai_chat_errors,
    ("openai", "openai_responses"): openai_responses_errors,
    ("deepseek", "openai_responses"): openai_responses_errors,
    ("anthropic", "anthropic_messages"): anthropic_errors,
    ("google", "gemini"): gemini_errors,
    ("vertex", "gemini"): gemini_errors,
}
# What the servers of open models render, by the provider and the model.
_TEMPLATES: Final = {
    ("vllm", "Qwen/Qwen3.5-35B-A3B"): ("Qwen-Qwen3.5-0.8B",),
    ("vllm", "google/gemma-2-2b-it"): ("google-gemma-2-2b-it",),
    ("vllm", "mistralai/Mistral-Nemo-Instruct-2407"): ("mistralai-Mistral-Nemo-Instruct-2407",),
    ("vllm", "mistralai/Devstral-2-123B"): (
        "mistralai-Devstral-2-123B-Instruct-2512",
        "mistralai-Devstral-Small-2-24B-Instruct-2512",
    ),
    ("vllm", "openai/gpt-oss-20b"): ("openai-gpt-oss-120b", "unsloth-gpt-oss-20b"),
    ("vllm", "meta-llama/Llama-3.3-70B-Instruct"): ("meta-llama-Llama-3.1-8B-Instruct",),
    ("sglang", "google/gemma-3-4b-it"): ("unsloth-gemma-3-270m-it",),
    ("llamacpp", "Qwen3-1.7B-Q4_K_M"): ("Qwen-Qwen3-0.6B",),
    ("lmstudio", "meta/llama-2-7b-chat"): ("Featherless-Chat-Models-llama2-13b-chat-hf",),
    ("ollama", "qwen3:4b"): ("Qwen-Qwen3-0.6B",),
}


def _template(name: str) -> RowJudge:
    def errors(request: Mapping[str, Any]) -> list[str]:
        messages = [_as_served(message) for message in request["messages"]]
        error = template_error({"messages": messages, "tools": _described(request.get("tools"))}, name)
        return [] if error is None else [error]

    return RowJudge(name=f"template {name}", errors=errors, reads_own_wire=True)


def _as_served(message: Mapping[str, Any]) -> dict[str, Any]:
    """What a server makes of a message before it renders it: an empty text in place of null, and no null for calls."""
    calls = {"tool_calls"} if message.get("tool_calls") is None else set()
    served = {key: value for key, value in message.items() if key not in calls}
    return {**served, "content": "" if message.get("content") is None else message["content"]}


def _described(tools: Any) -> Any:
    """Tools with the description that a template takes for granted: they are the caller's own, and no history."""
    if not tools:
        return None
    return [{**tool, "function": {"description": "", **tool.get("function", {})}} for tool in tools]


def mistral_errors(request: Mapping[str, Any]) -> list[str]:
    """What Mistral's package, in its newest version, has against a request to its API."""
    messages = request["messages"]
    if messages and messages[0]["role"] == "assistant":
        # Mistral takes these, as was recorded; the package overlooks the calls of a first message.
        messages = [{"role": "user", "content": "Hi"}, *messages]
    # The schemas of its tools are the caller's own.
    error = mistral_error({"messages": messages}, "v15")
    return [] if error is None else [error]
