"""An independent judge of requests: would this provider reject this request because of its history?

It reads plain wire JSON, shares no code with the library, and derives every rule from the catalogue of real
rejections. Where recorded traffic shows that a provider accepts a shape, the oracle is silent about it.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.oracle import (
    anthropic_messages,
    bedrock,
    cohere_v1,
    cohere_v2,
    gemini,
    ollama_chat,
    openai_chat,
    responses,
)
from tests.oracle.violation import MALFORMED, Violation

__all__ = ["MALFORMED", "Violation", "violations"]

_Checker = Callable[[Mapping[str, Any], str, str | None], Iterator[Violation]]

# A further API is one more module with a `check` function, and one more line here.
_CHECKERS: dict[str, _Checker] = {
    "anthropic_messages": anthropic_messages.check,
    "bedrock_converse": bedrock.check,
    "cohere_v1": cohere_v1.check,
    "cohere_v2": cohere_v2.check,
    "gemini": gemini.check,
    "ollama_chat": ollama_chat.check,
    "openai_chat": openai_chat.check,
    "openai_responses": responses.check,
}


def violations(request: Mapping[str, Any], *, api: str, provider: str, model: str | None) -> list[Violation]:
    """Every reason for which the provider would reject the request.

    Args:
        request: The body as it would be sent. It may be malformed.
        api: Wire format, such as `openai_chat` or `gemini`, named as in the recorded traffic.
        provider: Who serves it, such as `anthropic`, `bedrock`, `openai`, `groq`.
        model: The provider's name of the model; `None` when unknown, which switches off most of the rules
            that hold for some models only.

    Returns:
        The violations in the order of the checks; empty when the request is acceptable.

    Raises:
        ValueError: The API is not one that the oracle knows.
    """
    checker = _CHECKERS.get(api)
    if checker is None:
        raise ValueError(f"unknown api {api!r}; known: {', '.join(sorted(_CHECKERS))}")
    return list(checker(request, provider, model))
