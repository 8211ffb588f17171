"""Agents of pydantic-ai: ``Agent(model, capabilities=[HistoryCompat()])``. Needs ``replayable[pydantic-ai]``.

Where the capability can't be used (a bare model, ``pydantic_ai.direct``), ``wrap`` guards a model.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from copy import copy
from dataclasses import replace
from typing import Any, Final, TypeVar

from typing_extensions import override

from ..endpoints import model_at
from ..model_ref import ModelRef
from ..pipeline import Pipeline
from ..processor import Processor
from ..rule_memory import RuleMemory
from ._extras import missing_extra
from ._guard import Guard, GuardedCall, OnChange, collect_changes, repaired_history, unguarded, who_serves

try:
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model, ModelRequestContext, ModelRequestParameters, StreamedResponse
    from pydantic_ai.models.batch import BatchRequest, EncodedBatchRequest
    from pydantic_ai.models.fallback import FallbackModel
    from pydantic_ai.models.wrapper import WrapperModel
    from pydantic_ai.settings import ModelSettings
    from pydantic_ai.tools import RunContext
    from pydantic_ai.usage import RequestUsage
except ModuleNotFoundError as _error:
    raise missing_extra(_error, "pydantic-ai") from None

from ._pydantic_ai_messages import PydanticAIMessages

__all__ = ["HistoryCompat", "collect_changes", "model_ref", "repair", "unguarded", "wrap"]

T = TypeVar("T")

# Classes of pydantic-ai's models -> the API that they speak; the others speak OpenAI's Chat API.
_APIS: Final = {
    "AnthropicModel": "anthropic",
    "BedrockConverseModel": "bedrock",
    "CohereModel": "cohere_v2",
    "GoogleModel": "gemini",
    "OpenAIResponsesModel": "openai_responses",
}
# Its names of providers that are not replayable's own.
_PROVIDERS: Final = {"google-cloud": "vertex", "google-gla": "google", "google-vertex": "vertex"}


class HistoryCompat(AbstractCapability[Any]):
    """Makes every history acceptable to the model that an agent sends it to.

    Each attempt at a request is repaired for the model that serves it, be it chosen by a hook or a fallback, and sent
    once more after a rejection whose cause is known, streams included, as long as nothing was streamed. The agent's
    stored history stays as it is; see ``repair`` for that. Errors that no rule knows reach you as pydantic-ai raised them.

    Args:
        processors: A pipeline, or the processors of one; those of ``Pipeline.default()`` unless given.
        memory: Where the default processors note which rule cured which model; the capability's own unless given.
        on_change: Called with the changes of each request that differs from the agent's; or see ``collect_changes``.
        model: What ``ModelRef.of`` accepts, where pydantic-ai's model does not tell who serves it: a proxy, a test model.

    Raises:
        ConfigurationError: See ``Pipeline``; or ``memory`` came together with ``processors``.
    """

    def __init__(
        self,
        processors: Pipeline | Sequence[Processor] | None = None,
        *,
        memory: RuleMemory | None = None,
        on_change: OnChange | None = None,
        model: Any = None,
    ) -> None:
        super().__init__()
        self._guard = Guard(processors, memory=memory, on_change=on_change)
        self._served_by = None if model is None else ModelRef.of(model)

    @override
    def get_wrapper_model(self, model: Model) -> Model | None:
        return _GuardedModel(model, self._guard, self._served_by)


def wrap(
    model: Model | str,
    *,
    processors: Pipeline | Sequence[Processor] | None = None,
    memory: RuleMemory | None = None,
    on_change: OnChange | None = None,
    served_by: Any = None,
) -> Model:
    """Return a model whose requests are repaired before they are sent, and once more after a rejection.

    For ``pydantic_ai.direct`` and wherever else a model stands alone; an agent takes ``HistoryCompat``.

    Args:
        model: A model, or its name.
        processors: See ``HistoryCompat``.
        memory: See ``HistoryCompat``.
        on_change: See ``HistoryCompat``.
        served_by: See ``HistoryCompat``'s ``model``.

    Raises:
        ConfigurationError: See ``HistoryCompat``.
    """
    served = None if served_by is None else ModelRef.of(served_by)
    return _GuardedModel(model, Guard(processors, memory=memory, on_change=on_change), served)


def repair(messages: Sequence[ModelMessage], *, on_change: OnChange | None = None) -> list[ModelMessage]:
    """Repair the calls and results of a stored history: before it is stored again, or given to ``message_history``.

    A call that nobody answered gets a placeholder as its result, a result without a call leaves. What one model asks for
    is no matter of storage: ``HistoryCompat`` sees to it in each request. It takes what ``ProcessHistory`` hands to a
    function, too: ``Agent(model, capabilities=[ProcessHistory(repair), HistoryCompat()])``.

    Args:
        messages: pydantic-ai's messages; the list and its messages stay as they are.
        on_change: Called with the changes, if there are any; or see ``collect_changes``.

    Returns:
        A new list; what needed no repair is in it as the same object.
    """
    return repaired_history(PydanticAIMessages(ModelRef()), messages, on_change)


def model_ref(model: Model) -> ModelRef:
    """Return who serves a model of pydantic-ai: told by its class, provider and base URL; those of a ``FallbackModel``
    as fallbacks of the first."""
    while isinstance(model, WrapperModel):
        model = model.wrapped
    if isinstance(model, FallbackModel):
        first, *others = [model_ref(one) for one in model.models]
        return first.model_copy(update={"fallbacks": (*first.fallbacks, *others)})
    kinds = [base.__name__ for base in type(model).__mro__]
    api = next((_APIS[kind] for kind in kinds if kind in _APIS), "openai_chat")
    name = model.system
    known = ModelRef.of({"provider": _PROVIDERS.get(name, name), "model": model.model_name}, api=api)
    if name == "openai" or known.provider is None:
        # OpenAI's classes are used for whoever speaks its API.
        return model_at(model.base_url, model.model_name, api=api)
    return known


class _GuardedModel(WrapperModel):
    """Sends requests through a guard."""

    def __init__(self, wrapped: Model | str, guard: Guard, served_by: ModelRef | None) -> None:
        super().__init__(wrapped)
        self._guard = guard
        self._served_by = served_by
        self._sends = _per_attempt(self.wrapped, guard, served_by)

    def _start(self, messages: list[ModelMessage]) -> GuardedCall | None:
        if self._sends is not self.wrapped:
            return None
        ref = who_serves(self._served_by, model_ref(self.wrapped))
        return self._guard.start(PydanticAIMessages(ref), messages, ref)

    async def _guarded(
        self, messages: list[ModelMessage], send: Callable[[list[ModelMessage]], Awaitable[T]]
    ) -> T:
        call = self._start(messages)
        return await (send(messages) if call is None else call.asend(send))

    @override
    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        return await self._guarded(
            messages, lambda sent: self._sends.request(sent, model_settings, model_request_parameters)
        )

    @override
    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        async with AsyncExitStack() as stack:
            yield await self._guarded(
                messages,
                lambda sent: stack.enter_async_context(
                    self._sends.request_stream(sent, model_settings, model_request_parameters, run_context)
                ),
            )

    @override
    async def batch_encode(self, request: BatchRequest) -> EncodedBatchRequest:
        # What becomes of it nobody hears here: it is repaired beforehand only.
        call = self._start(request.messages)
        repaired = request if call is None else replace(request, messages=call.request())
        return await self._sends.batch_encode(repaired)

    @override
    async def count_tokens(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> RequestUsage:
        return await self._guarded(
            messages, lambda sent: self._sends.count_tokens(sent, model_settings, model_request_parameters)
        )

    @override
    async def compact_messages(
        self, request_context: ModelRequestContext, *, instructions: str | None = None
    ) -> ModelResponse:
        return await self._guarded(
            request_context.messages,
            lambda sent: self._sends.compact_messages(
                replace(request_context, messages=sent), instructions=instructions
            ),
        )


def _per_attempt(model: Model, guard: Guard, served_by: ModelRef | None) -> Model:
    """Return a model that guards each of the models that it tries one after the other; the model itself where it is one.

    What is returned only sends: it is the original whose clients are opened and closed.
    """
    if isinstance(model, FallbackModel):
        trying = copy(model)
        trying.models = [_GuardedModel(one, guard, served_by) for one in model.models]
        return trying
    if isinstance(model, WrapperModel):
        inner = _per_attempt(model.wrapped, guard, served_by)
        if inner is not model.wrapped:
            around = copy(model)
            around.wrapped = inner
            return around
    return model
