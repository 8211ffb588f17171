"""One line around an OpenAI client: ``client = wrap(OpenAI())``. Needs ``replayable[openai]``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeVar

from ..endpoints import model_at
from ..errors import ConfigurationError
from ..model_ref import ModelRef
from ..pipeline import Pipeline
from ..processor import Processor
from ..rule_memory import RuleMemory
from ._extras import missing_extra
from ._guard import Guard, OnChange, collect_changes, unguarded
from ._sdk_client import guarded_client

try:
    from openai import AsyncAzureOpenAI, AsyncOpenAI, AzureOpenAI, OpenAI
except ModuleNotFoundError as _error:
    raise missing_extra(_error, "openai") from None

__all__ = ["collect_changes", "unguarded", "wrap"]

C = TypeVar("C", bound=OpenAI | AsyncOpenAI)

_FORMATS: Final = {
    "/chat/completions": "openai_chat",
    "/decisions": "openai_responses",
    "/responses": "openai_responses",
    "/responses/compact": "openai_responses",
    "/responses/input_tokens": "openai_responses",
}


def wrap(
    client: C,
    *,
    processors: Pipeline | Sequence[Processor] | None = None,
    memory: RuleMemory | None = None,
    on_change: OnChange | None = None,
) -> C:
    """Return a copy of a client whose Chat Completions and Responses calls can't be refused for their history.

    Sync, async, streaming, ``parse``, ``stream``, ``compact``, decisions, token counts and raw responses alike: every
    request is repaired for the model it goes to before it is sent, and once more after a rejection whose cause is known
    (a stream as long as no event has been handed out; a raw response's stream is handed out as it is). Errors that no
    rule knows reach you as the SDK raised them. Everything else of the client, type included, stays as it is. Who serves
    is told by the client's class (``AzureOpenAI``) and ``base_url``; behind an unknown URL by the model's name.

    Args:
        client: An ``OpenAI``, ``AsyncOpenAI`` or Azure client; it stays as it is, and shares its connections.
            Of one that is wrapped already, these settings take the place of the former.
        processors: A pipeline, or the processors of one; those of ``Pipeline.default()`` unless given.
        memory: Where the default processors note which rule cured which model; the wrapped client's own unless given.
        on_change: Called with the changes of each request that differs from yours; or see ``collect_changes``.

    Raises:
        ConfigurationError: It is no such client; see ``Pipeline``; or ``memory`` came together with ``processors``.
    """
    if not isinstance(client, OpenAI | AsyncOpenAI):
        raise ConfigurationError(f"{type(client).__name__} is no OpenAI client")
    guard = Guard(processors, memory=memory, on_change=on_change)
    return guarded_client(client, guard, formats=_FORMATS, model_of=_model_of)


def _model_of(client: Any, model: Any, api: str) -> ModelRef:
    azure = isinstance(client, AzureOpenAI | AsyncAzureOpenAI)
    name = model if isinstance(model, str) else None
    return model_at(client.base_url, name, api=api, provider="azure" if azure else None)
