"""Calls of LiteLLM: ``completion = wrap(litellm.completion)``; in its proxy, ``HistoryCompat()``. Needs ``replayable[litellm]``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Final, NamedTuple, TypeVar, cast

from typing_extensions import override

from ..formats import format_named
from ..model_ref import ModelRef
from ..pipeline import Pipeline
from ..processor import Processor
from ..rule_memory import RuleMemory
from ._extras import missing_extra
from ._guard import Guard, GuardedCall, OnChange, collect_changes, repaired_history, unguarded

try:
    from litellm.integrations.custom_logger import CustomLogger
except ModuleNotFoundError as _error:
    raise missing_extra(_error, "litellm") from None

from ._litellm_models import model_ref, router_model, serving
from ._litellm_requests import LiteLLMRequest
from ._litellm_streams import aguarded_stream, guarded_stream

__all__ = ["HistoryCompat", "collect_changes", "model_ref", "repair", "unguarded", "wrap"]

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


class _Arguments(NamedTuple):
    """How a call takes its request: the format of the arguments, and the names of those that may come without one."""

    format: str
    positional: tuple[str, ...] = ()


_CHAT: Final = _Arguments("openai_chat", ("model", "messages"))
_MESSAGES: Final = _Arguments("anthropic", ("max_tokens", "messages", "model"))
_RESPONSES: Final = _Arguments("openai_responses", ("input", "model"))
# By the name of what is called. `acreate` is that of `litellm.anthropic.messages`.
_CALLS: Final = {
    "aanthropic_messages": _MESSAGES,
    "acompletion": _CHAT,
    "acreate": _MESSAGES,
    "anthropic_messages": _MESSAGES,
    "aresponses": _RESPONSES,
    "completion": _CHAT,
    "responses": _RESPONSES,
}


def wrap(
    call: F,
    *,
    processors: Pipeline | Sequence[Processor] | None = None,
    memory: RuleMemory | None = None,
    on_change: OnChange | None = None,
    served_by: Any = None,
) -> F:
    """Return a function of LiteLLM's, or a method of a ``Router``, whose calls can't be refused for their history.

    ``completion``, ``acompletion``, ``responses``, ``aresponses``, ``anthropic_messages``; any other takes what the first does.

    Every request is repaired for the model that it goes to before it is sent, and once more after a rejection whose
    cause is known, streams included, as long as no chunk has been handed out. Errors that no rule knows reach you as
    LiteLLM raised them. Behind a name of a ``Router``, each deployment that may get the request counts.

    Args:
        call: The function or method.
        processors: A pipeline, or the processors of one; those of ``Pipeline.default()`` unless given.
        memory: Where the default processors note which rule cured which model; the wrapped call's own unless given.
        on_change: Called with the changes of each request that differs from yours; or see ``collect_changes``.
        served_by: What ``ModelRef.of`` accepts, where the call's arguments do not tell who serves it: a proxy.

    Raises:
        ConfigurationError: See ``Pipeline``; or ``memory`` came together with ``processors``.
    """
    guard = Guard(processors, memory=memory, on_change=on_change)
    calls = _Calls(guard, None if served_by is None else ModelRef.of(served_by))
    router, name = _router_and_name(call)
    wire, names = _CALLS.get(name, _CHAT)

    def start(args: tuple[Any, ...], given: dict[str, Any]) -> tuple[GuardedCall | None, dict[str, Any]]:
        request = {**dict(zip(names, args, strict=False)), **given}
        return calls.start(wire, request, router), request

    def again(args: tuple[Any, ...], request: dict[str, Any]) -> Any:
        """Call with a request whose first arguments come without names where they came so."""
        first = [request[name] for name, _ in zip(names, args, strict=False)]
        named = {name: value for name, value in request.items() if name not in names[: len(args)]}
        return call(*first, *args[len(names) :], **named)

    if inspect.iscoroutinefunction(call):

        @wraps(call)
        async def acall(*args: Any, **given: Any) -> Any:
            guarded, request = start(args, given)

            async def attempt(repaired: dict[str, Any]) -> Any:
                return await again(args, repaired)

            if guarded is None:
                return await attempt(request)
            return aguarded_stream(await guarded.asend(attempt), guarded, attempt)

        return cast(F, acall)

    @wraps(call)
    def scall(*args: Any, **given: Any) -> Any:
        guarded, request = start(args, given)

        def attempt(repaired: dict[str, Any]) -> Any:
            return again(args, repaired)

        if guarded is None:
            return attempt(request)
        return guarded_stream(guarded.send(attempt), guarded, attempt)

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
    ``/v1/messages`` and ``/v1/responses``. LiteLLM lets no callback send a refused request once more, so the first
    rejection of its kind reaches the client, unless the router has a ``retry_policy`` for it; its cure is noted, and
    from then on it comes before the request. For sync calls LiteLLM has no such hook: see ``wrap``, which also sends
    again.

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
        arguments = _CALLS.get(str(getattr(call_type, "value", call_type)))
        return None if arguments is None else self._calls.start(arguments.format, kwargs)


def _router_and_name(call: Any) -> tuple[Any, str]:
    """Whose method a call is, and the function behind it: some of a ``Router``'s methods are closures without a name."""
    closure = inspect.getclosurevars(call).nonlocals if inspect.isfunction(call) else {}
    function = closure.get("original_function", call)
    return getattr(call, "__self__", closure.get("self")), getattr(function, "__name__", "")


class _Calls:
    """Starts guarded calls."""

    def __init__(self, guard: Guard, served_by: ModelRef | None) -> None:
        self._guard = guard
        self._served_by = served_by

    def start(self, wire: str, given: Mapping[str, Any], router: Any = None) -> GuardedCall | None:
        model = self._served_by or router_model(router, given.get("model"), wire) or serving(given, wire)
        return self._guard.start(LiteLLMRequest(format_named(wire), model), given, model)
