"""One line around a Bedrock runtime client: ``client = wrap(boto3.client("bedrock-runtime"))``. Needs ``replayable[boto3]``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, cast

from ..errors import ConfigurationError
from ..formats import format_named
from ..model_ref import ModelRef
from ..pipeline import Pipeline
from ..processor import Processor
from ..rule_memory import RuleMemory
from ._extras import missing_extra
from ._guard import Guard, GuardedCall, OnChange, collect_changes, unguarded
from ._streams import restarted
from ._twins import twin

try:
    from botocore.client import BaseClient  # pyright: ignore[reportMissingTypeStubs]
except ModuleNotFoundError as _error:
    raise missing_extra(_error, "boto3") from None

__all__ = ["collect_changes", "unguarded", "wrap"]

C = TypeVar("C")


def wrap(
    client: C,
    *,
    processors: Pipeline | Sequence[Processor] | None = None,
    memory: RuleMemory | None = None,
    on_change: OnChange | None = None,
) -> C:
    """Return a copy of a ``bedrock-runtime`` client whose ``converse`` calls can't be refused for their history.

    ``converse`` and ``converse_stream``: every request is repaired for the model it goes to before it is sent, and
    once more after a rejection whose cause is known (a stream as long as no event has been handed out). Errors that no
    rule knows reach you as boto3 raised them. Everything else of the client stays as it is, ``invoke_model``
    included, whose bodies belong to each model.

    Args:
        client: The client; it stays as it is, and shares its connections.
        processors: A pipeline, or the processors of one; those of ``Pipeline.default()`` unless given.
        memory: Where the default processors note which rule cured which model; the wrapped client's own unless given.
        on_change: Called with the changes of each request that differs from yours; or see ``collect_changes``.

    Raises:
        ConfigurationError: It is no such client; see ``Pipeline``; or ``memory`` came together with ``processors``.
    """
    original: Any = type(client)
    if not isinstance(client, BaseClient) or not hasattr(original, "converse"):
        raise ConfigurationError(f"{original.__name__} is no bedrock-runtime client of boto3")
    guard = Guard(processors, memory=memory, on_change=on_change)

    def converse(self: Any, **request: Any) -> Any:
        call = _start(guard, request)
        if call is None:
            return original.converse(self, **request)
        return call.send(lambda repaired: original.converse(self, **repaired))

    def converse_stream(self: Any, **request: Any) -> Any:
        def attempt(repaired: Any) -> Any:
            return original.converse_stream(self, **repaired)

        call = _start(guard, request)
        if call is None:
            return attempt(request)
        response = call.send(attempt)
        return {**response, "stream": _guarded_stream(response["stream"], call, attempt)}

    methods = {"converse": converse, "converse_stream": converse_stream}
    return cast(C, twin(client, methods, vars(client).copy()))


def _start(guard: Guard, request: dict[str, Any]) -> GuardedCall | None:
    model_id = request.get("modelId")
    name = model_id if isinstance(model_id, str) else None
    model = ModelRef.of({"provider": "bedrock", "model": name}, api="bedrock")
    return guard.start(format_named("bedrock"), request, model)


def _guarded_stream(stream: Any, call: GuardedCall, attempt: Callable[[Any], Any]) -> Any:
    """The event stream, begun anew when it begins with a rejection."""
    kind = type(stream)

    def events(self: Any) -> Iterator[Any]:
        def reopen() -> Iterator[Any]:
            kind.close(self)
            self.__dict__.update(call.send(attempt)["stream"].__dict__)
            return iter(kind.__iter__(self))

        return restarted(iter(kind.__iter__(self)), call, reopen)

    stream.__class__ = type(kind.__name__, (kind,), {"__iter__": events, "__module__": kind.__module__})
    return stream
