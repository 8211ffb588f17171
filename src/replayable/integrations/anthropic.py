"""One line around an Anthropic client: ``client = wrap(Anthropic())``. Needs ``replayable[anthropic]``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol, TypeVar, runtime_checkable

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
    import anthropic as _anthropic
except ModuleNotFoundError as _error:
    raise missing_extra(_error, "anthropic") from None

__all__ = ["MessagesClient", "collect_changes", "unguarded", "wrap"]

# Part of the names of the clients' classes -> who serves. The classes themselves may need extras of the SDK's own.
_SERVING: Final = {"Bedrock": "bedrock", "Foundry": "azure", "GoogleCloud": "vertex", "Vertex": "vertex"}
_FORMATS: Final = {"/v1/messages": "anthropic", "/v1/messages/count_tokens": "anthropic"}


@runtime_checkable
class MessagesClient(Protocol):
    """Any client of the SDK, sync or async: ``Anthropic`` and those for Bedrock, Vertex, Foundry and AWS."""

    @property
    def base_url(self) -> Any:
        """Where its requests go."""
        ...

    @property
    def messages(self) -> Any:
        """The Messages API."""
        ...


C = TypeVar("C", bound=MessagesClient)


def wrap(
    client: C,
    *,
    processors: Pipeline | Sequence[Processor] | None = None,
    memory: RuleMemory | None = None,
    on_change: OnChange | None = None,
) -> C:
    """Return a copy of a client whose Messages calls can't be refused for their history.

    Sync, async, streaming, ``parse``, ``stream``, token counts, betas and raw responses alike: every request is
    repaired for the model it goes to before it is sent, and once more after a rejection whose cause is known (a stream
    as long as no event has been handed out; a raw response's stream is handed out as it is). Errors that no rule knows
    reach you as the SDK raised them. Everything else of the client, type included, stays as it is. Who serves is told
    by the client's class and ``base_url``; behind an unknown URL by the model's name.

    Args:
        client: Any client of the SDK; it stays as it is, and shares its connections.
            Of one that is wrapped already, these settings take the place of the former.
        processors: A pipeline, or the processors of one; those of ``Pipeline.default()`` unless given.
        memory: Where the default processors note which rule cured which model; the wrapped client's own unless given.
        on_change: Called with the changes of each request that differs from yours; or see ``collect_changes``.

    Raises:
        ConfigurationError: It is no such client; see ``Pipeline``; or ``memory`` came together with ``processors``.
    """
    if not isinstance(client, MessagesClient):
        raise ConfigurationError(
            f"{type(client).__name__} is no client of the anthropic package {_anthropic.__version__}"
        )
    guard = Guard(processors, memory=memory, on_change=on_change)
    return guarded_client(client, guard, formats=_FORMATS, model_of=_model_of)


def _model_of(client: Any, model: Any, api: str) -> ModelRef:
    names = " ".join(base.__name__ for base in type(client).__mro__)
    serving = next((provider for name, provider in _SERVING.items() if name in names), None)
    return model_at(client.base_url, model if isinstance(model, str) else None, api=api, provider=serving)
