"""Calls of LiteLLM: ``completion = wrap(litellm.completion)``; in its proxy, ``HistoryCompat()``. Needs ``replayable[litellm]``."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any, Final, TypeVar, cast

from typing_extensions import override

from ..formats import format_named
from ..model_ref import ModelRef
from ..pipeline import Pipeline
from ..processor import Processor
from ..rule_memory import RuleMemory
from ._extras import missing_extra
from ._guard import Guard, GuardedCall, OnChange, collect_changes, repaired_history, unguarded
from ._streams import arestarted, restarted

try:
    from litellm import CustomStreamWrapper
    from litellm.integrations.custom_logger import CustomLogger
except ModuleNotFoundError as _error:
    raise missing_extra(_error, "litellm") from None

from ._litellm_models import model_ref, router_model
from ._litellm_requests import LiteLLMRequest

__all__ = ["HistoryCompat", "collect_changes", "model_ref", "repair", "unguarded", "wrap"]

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

# What is called -> the format of its arguments.
_FORMATS: Final = {
    "acompletion": "openai_chat",
    "anthropic_messages": "anthropic",
    "aresponses": "openai_responses",
    "completion": "openai_chat",
}
_POSITIONAL: Final = ("model", "messages")


def wrap(
    call: F,
    *,
    processors: Pipeline | Sequence[Processor] | None = None,
    memory: RuleMemory | None = None,
    on_change: OnChange | None = None,
    served_by: Any = None,
) -> F:
    """Return ``litellm.completion`` or ``acompletion``, or that of a ``Router``, whose calls can't be refused for their history.

    Every request is repaired for the model that it goes to before it is sent, and once more after a rejection whose
    cause is known, streams included, as long as no chunk has been handed out. Errors that no rule knows reach you as
    LiteLLM raised them. Behind a name of a ``Router``, each deployment that may get the request counts.

    Args:
        call: The function or method; anything else that takes ``model``, ``messages`` and the like will do.
        processors: A pipeline, or the processors of one; those of ``Pipeline.default()`` unless given.
        memory: Where the default processors note which rule cured which model; the wrapped call's own unless given.
        on_change: Called with the changes of each request that differs from yours; or see ``collect_changes``.
        served_by: What ``ModelRef.of`` accepts, where the call's arguments do not tell who serves it: a proxy.

    Raises:
        ConfigurationError: See ``Pipeline``; or ``memory`` came together with ``processors``.
    """
    guard = Guard(processors, memory=memory, on_change=on_change)
    calls = _Calls(guard, None if served_by is None else ModelRef.of(served_by))
    router = getattr(call, "__self__", None)

    def start(args: tuple[Any, ...], given: dict[str, Any]) -> tuple[GuardedCall | None, dict[str, Any]]:
        request = {**dict(zip(_POSITIONAL, args, strict=False)), **given}
        return calls.start(_FORMATS["completion"], request, router), request

    if inspect.iscoroutinefunction(call):

        @wraps(call)
        async def acall(*args: Any, **given: Any) -> Any:
            guarded, request = start(args, given)

            async def attempt(repaired: dict[str, Any]) -> Any:
                return await call(*args[len(_POSITIONAL) :], **repaired)

            if guarded is None:
                return await attempt(request)
            answer = await guarded.asend(attempt)
            return _aguarded(answer, guarded, attempt) if isinstance(answer, CustomStreamWrapper) else answer

        return cast(F, acall)

    @wraps(call)
    def scall(*args: Any, **given: Any) -> Any:
        guarded, request = start(args, given)

        def attempt(repaired: dict[str, Any]) -> Any:
            return call(*args[len(_POSITIONAL) :], **repaired)

        if guarded is None:
            return attempt(request)
        answer = guarded.send(attempt)
        return _guarded(answer, guarded, attempt) if isinstance(answer, CustomStreamWrapper) else answer

    return cast(F, scall)


def repair(messages: Sequence[Any], *, on_change: OnChange | None = None) -> list[Any]:
    """Repair the calls and results of a stored history: before it is stored again, or sent.

    A call that nobody answered gets a placeholder as its result, a result without a call leaves. What one model asks
    for is no matter of storage: ``wrap`` sees to it in each request.

    Args:
        messages: Messages as ``litellm.completion`` takes them; the list and its messages stay as they are.
        on_change: Called with the changes, if there are any; or see ``collect_changes``.

    Returns:
        A new list; what needed no repair is in it as the same object.
    """
    return repaired_history(LiteLLMRequest(format_named("openai_chat")), messages, on_change)


class HistoryCompat(CustomLogger):
    """Repairs what LiteLLM's proxy, a ``Router`` or ``acompletion`` sends: ``litellm.callbacks = [HistoryCompat()]``.

    Each attempt is repaired for the deployment that was chosen, a retry's and a fallback's too: chat completions,
    ``/v1/messages`` and ``/v1/responses``. The proxy lets no callback send a refused request once more, so the first
    rejection of its kind reaches the client; its cure is noted, and from then on it comes before the request. For
    sync calls LiteLLM has no such hook: see ``wrap``, which also sends again.

    Args:
        processors: A pipeline, or the processors of one; those of ``Pipeline.default()`` unless given.
        memory: Where the default processors note which rule cured which model; the callback's own unless given.
        on_change: Called with the changes of each request that differs from the one given; or see ``collect_changes``.
        served_by: What ``ModelRef.of`` accepts, where the deployments do not tell who serves them.

    Raises:
        ConfigurationError: See ``Pipeline``; or ``memory`` came together with ``processors``.
    """

    def __init__(
        self,
        processors: Pipeline | Sequence[Processor] | None = None,
        *,
        memory: RuleMemory | None = None,
        on_change: OnChange | None = None,
        served_by: Any = None,
    ) -> None:
        super().__init__()
        guard = Guard(processors, memory=memory, on_change=on_change)
        self._calls = _Calls(guard, None if served_by is None else ModelRef.of(served_by))

    @override
    async def async_pre_call_deployment_hook(self, kwargs: Any, call_type: Any) -> dict[str, Any] | None:
        call = self._start(kwargs, call_type)
        if call is None:
            return None
        request: dict[str, Any] = call.request()
        return None if request is kwargs else request

    @override
    async def async_post_call_failure_deployment_hook(
        self, request_data: Any, exception: Exception, call_type: Any, fallback_depth: int | None = None
    ) -> None:
        call = self._start(request_data, call_type)
        if call is not None:
            # Nothing is sent from here: the memory notes the cure.
            call.recover(exception)

    def _start(self, kwargs: Any, call_type: Any) -> GuardedCall | None:
        name = _FORMATS.get(str(getattr(call_type, "value", call_type)))
        return None if name is None else self._calls.start(name, kwargs)


class _Calls:
    """Starts guarded calls."""

    def __init__(self, guard: Guard, served_by: ModelRef | None) -> None:
        self._guard = guard
        self._served_by = served_by

    def start(self, format_name: str, given: Mapping[str, Any], router: Any = None) -> GuardedCall | None:
        served = self._served_by or _served(given, router)
        return self._guard.start(LiteLLMRequest(format_named(format_name), served), given, served)


def _served(given: Mapping[str, Any], router: Any) -> ModelRef:
    model = given.get("model")
    behind = router_model(router, model) if router is not None else None
    return behind or model_ref(
        model,
        custom_llm_provider=given.get("custom_llm_provider"),
        api_base=given.get("api_base") or given.get("base_url"),
    )


# --- streams ----------------------------------------------------------------------------------------------------------
# LiteLLM opens some streams only when their first chunk is asked for. What is handed out stays its own object, whose
# class gets another way to the next chunk.


def _guarded(stream: Any, call: GuardedCall, attempt: Callable[[Any], Any]) -> Any:
    original: Any = type(stream)

    def chunks() -> Iterator[Any]:
        while True:
            try:
                chunk = original.__next__(stream)
            except StopIteration:
                return
            yield chunk

    def reopen() -> Iterator[Any]:
        _take_over(stream, call.send(attempt))
        return chunks()

    guarded = restarted(chunks(), call, reopen)
    return _with_method(stream, "__next__", lambda self: next(guarded))


def _aguarded(stream: Any, call: GuardedCall, attempt: Callable[[Any], Any]) -> Any:
    original: Any = type(stream)

    async def chunks() -> AsyncIterator[Any]:
        while True:
            try:
                chunk = await original.__anext__(stream)
            except StopAsyncIteration:
                return
            yield chunk

    async def reopen() -> AsyncIterator[Any]:
        _take_over(stream, await call.asend(attempt))
        return chunks()

    guarded = arestarted(chunks(), call, reopen)
    return _with_method(stream, "__anext__", lambda self: anext(guarded))


def _with_method(stream: Any, name: str, method: Any) -> Any:
    kind: Any = type(stream)
    fields = {"__doc__": kind.__doc__, "__module__": kind.__module__, "__qualname__": kind.__qualname__}
    stream.__class__ = type(kind.__name__, (kind,), {**fields, name: method})
    return stream


def _take_over(stream: Any, renewed: Any) -> None:
    """Make a stream one that was opened later."""
    vars(stream).clear()
    vars(stream).update(vars(renewed))
