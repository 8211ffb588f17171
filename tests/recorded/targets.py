"""The targets of the matrix: a format, a model that reads it, and who checks what was written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.judges.converse_model import converse_errors
from tests.judges.gemini_types import gemini_errors
from tests.judges.sdk_types import anthropic_errors, openai_chat_errors, openai_responses_errors
from tests.oracle import violations
from tests.recorded.row_judges import mistral_errors

Judge = Callable[[Mapping[str, Any]], list[str]]

_BEDROCK_MODEL: Final = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"


@dataclass(frozen=True, slots=True)
class Target:
    """One column of the matrix.

    Attributes:
        name: What the matrix calls it.
        format: The format's name.
        api: The recorded API that the format is.
        provider: Who serves the model.
        model: A model that reads it.
        judge: What the target's own types have against a request; None where nobody publishes any.
        oracle: Whether the oracle is asked as well: where the provider's rules are in.
    """

    name: str
    format: str
    api: str
    provider: str
    model: str
    judge: Judge | None
    oracle: bool = False

    def violations(self, request: Mapping[str, Any], model: str | None = None) -> list[str]:
        """What the oracle has against a request, for this model or another one of the provider."""
        found = violations(request, api=self.api, provider=self.provider, model=model or self.model)
        return [f"{one.entry} at {one.path}" for one in found]


def _bedrock_errors(request: Mapping[str, Any]) -> list[str]:
    # The model stands in the URL.
    return converse_errors({"modelId": _BEDROCK_MODEL, **request})


TARGETS: Final = (
    Target("openai_chat", "openai_chat", "openai_chat", "openai", "gpt-4o", openai_chat_errors, oracle=True),
    Target(
        "mistral",
        "openai_chat",
        "openai_chat",
        "mistral",
        "magistral-medium-latest",
        mistral_errors,
        oracle=True,
    ),
    Target(
        "openai_responses",
        "openai_responses",
        "openai_responses",
        "openai",
        "gpt-5",
        openai_responses_errors,
        oracle=True,
    ),
    Target(
        "anthropic",
        "anthropic",
        "anthropic_messages",
        "anthropic",
        "claude-sonnet-4-5",
        anthropic_errors,
        oracle=True,
    ),
    Target("gemini", "gemini", "gemini", "google", "gemini-2.5-pro", gemini_errors, oracle=True),
    Target("bedrock", "bedrock", "bedrock_converse", "bedrock", _BEDROCK_MODEL, _bedrock_errors, oracle=True),
    Target("cohere", "cohere_v2", "cohere_v2", "cohere", "command-a-03-2025", None, oracle=True),
    Target("ollama", "ollama_chat", "ollama_chat", "ollama", "qwen3:4b", None, oracle=True),
)
