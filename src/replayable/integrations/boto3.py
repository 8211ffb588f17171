"""One line around a Bedrock runtime client: ``client = wrap(boto3.client("bedrock-runtime"))``. Needs ``replayable[boto3]``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any, Final, TypeVar, cast

from ..errors import ConfigurationError
from ..formats import format_named
from ..pipeline import Pipeline
from ..processor import Processor
from ..rule_memory import RuleMemory
from ._bedrock_calls import bedrock_call
from ._extras import missing_extra
from ._guard import Guard, GuardedCall, OnChange, collect_changes, unguarded
from ._streams import restarted
from ._twins import class_of, twin

try:
    from botocore.client import BaseClient  # pyright: ignore[reportMissingTypeStubs]
except ModuleNotFoundError as _error:
    raise missing_extra(_error, "boto3") from None

__all__ = ["collect_changes", "unguarded", "wrap"]

C = TypeVar("C")

# The streaming operations -> where their stream stands in the response.
_STREAMS: Final = {"ConverseStream": "stream", "InvokeModelWithResponseStream": "body"}


def wrap(
    client: C,
    *,
    processors: Pipeline | Sequence[Processor] | None = None,
    memory: RuleMemory | None = None,
    on_change: OnChange | None = None,
) -> C:
    """Return a copy of a ``bedrock-runtime`` client whose calls can't be refused for their history.

    ``converse``, ``converse_stream``, ``count_tokens``, and ``invoke_model`` (with or without a stream) for Claude and
    Amazon's own models: every request is repaired for the model it goes to before it is sent, and once more after a
    rejection whose cause is known (a stream as long as no event has been handed out). Errors that no rule knows reach
    you as boto3 raised them. Everything else of the client stays as it is, ``invoke_model`` for other models included,
    whose bodies belong to each of them.

    Args:
        client: The client; it stays as it is, and shares its connections.
            Of one that is wrapped already, these settings take the place of the former.
        processors: A pipeline, or the processors of one; those of ``Pipeline.default()`` unless given.
        memory: Where the default processors note which rule cured which model; the wrapped client's own unless given.
        on_change: Called with the changes of each request that differs from yours; or see ``collect_changes``.

    Raises:
        ConfigurationError: It is no such client, or an async one; see ``Pipeline``; or ``memory`` came together with ``processors``.
    """
    original = class_of(client)
    if not isinstance(client, BaseClient) or not hasattr(original, "converse"):
        raise ConfigurationError(f"{original.__name__} is no bedrock-runtime client of boto3")
    send = original._make_api_call
    if inspect.iscoroutinefunction(send):
        raise ConfigurationError(
            f"{original.__name__} is an async client, as aioboto3 makes them: repair its messages with replayable.fix"
        )
    guard = Guard(processors, memory=memory, on_change=on_change)

    # Every method of the client ends here, whoever calls it.
    @wraps(send)
    def _make_api_call(self: Any, operation_name: str, api_params: Any) -> Any:
        found = bedrock_call(operation_name, api_params)
        call = found and guard.start(format_named(found.format), found.request, found.model)
        if found is None or call is None:
            return send(self, operation_name, api_params)

        def attempt(request: Any) -> Any:
            arguments = api_params if request is call.given else found.arguments_with(request)
            return send(self, operation_name, arguments)

        response = call.send(attempt)
        stream = _STREAMS.get(operation_name)
        if stream is not None:
            _guard_stream(response[stream], call, lambda: call.send(attempt)[stream])
        return response

    return cast(C, twin(client, {"_make_api_call": _make_api_call}, vars(client).copy()))


def _guard_stream(stream: Any, call: GuardedCall, send: Callable[[], Any]) -> None:
    """Have an event stream begun anew when it begins with a rejection."""
    kind = type(stream)

    def events(self: Any) -> Iterator[Any]:
        # Who iterates once more goes on where the first one stopped: behind events that were handed out.
        self.__class__ = kind

        def reopen() -> Iterator[Any]:
            self.close()
            self.__dict__.update(send().__dict__)
            return iter(self)

        return restarted(iter(self), call, reopen)

    stream.__class__ = type(kind.__name__, (kind,), {"__iter__": events, "__module__": kind.__module__})
