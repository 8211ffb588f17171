"""Agents of OpenAI's SDK: ``RunConfig(model_provider=HistoryCompat())``. Needs ``replayable[openai-agents]``.

An agent that was given a model object instead of a name takes ``wrap(model)``. Where neither can be had, ``input_filter``
repairs what is sent, and ``session_input`` what a session remembers.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Any, Final

from typing_extensions import override

from ..endpoints import model_at
from ..model_ref import ModelRef
from ..pipeline import Pipeline
from ..processor import Processor
from ..rule_memory import RuleMemory
from ._extras import missing_extra
from ._guard import Guard, GuardedCall, OnChange, collect_changes, repaired_history, unguarded
from ._streams import arestarted, closed_after, rejection_in

try:
    from agents.items import ModelResponse, TResponseInputItem, TResponseStreamEvent
    from agents.memory import SessionInputCallback
    from agents.model_settings import ModelSettings
    from agents.models.interface import Model, ModelProvider
    from agents.models.multi_provider import MultiProvider
    from agents.models.openai_chatcompletions import OpenAIChatCompletionsModel
    from agents.models.openai_responses import OpenAIResponsesModel
    from agents.run_config import CallModelData, CallModelInputFilter, ModelInputData
except ModuleNotFoundError as _error:
    raise missing_extra(_error, "openai-agents") from None

from ._openai_agents_items import AgentInput

__all__ = [
    "HistoryCompat",
    "collect_changes",
    "input_filter",
    "model_ref",
    "repair",
    "session_input",
    "unguarded",
    "wrap",
]

# The user's items, but for results.
_OF_USER: Final = frozenset({"message", "mcp_approval_response"})


class HistoryCompat(ModelProvider):
    """Gives the agents of a run models that can't refuse their history.

    Each request is repaired for the model that it goes to, and sent once more after a rejection whose cause is known,
    streams included, as long as nothing was streamed. What the run remembers stays as it is; see ``repair`` and
    ``session_input`` for that. Errors that no rule knows reach you as the SDK raised them.

    Args:
        processors: A pipeline, or the processors of one; those of ``Pipeline.default()`` unless given.
        provider: Who finds a model by its name; the SDK's ``MultiProvider()`` unless given.
        memory: Where the default processors note which rule cured which model; the provider's own unless given.
        on_change: Called with the changes of each request that differs from the run's; or see ``collect_changes``.
        model: What ``ModelRef.of`` accepts, where the SDK's model does not tell who serves it: a proxy, a test model.

    Raises:
        ConfigurationError: See ``Pipeline``; or ``memory`` came together with ``processors``.
    """

    def __init__(
        self,
        processors: Pipeline | Sequence[Processor] | None = None,
        *,
        provider: ModelProvider | None = None,
        memory: RuleMemory | None = None,
        on_change: OnChange | None = None,
        model: Any = None,
    ) -> None:
        self._provider = MultiProvider() if provider is None else provider
        self._guard = Guard(processors, memory=memory, on_change=on_change)
        self._served_by = None if model is None else ModelRef.of(model)

    @override
    def get_model(self, model_name: str | None) -> Model:
        return _GuardedModel(self._provider.get_model(model_name), self._guard, self._served_by)

    @override
    async def aclose(self) -> None:
        await self._provider.aclose()


def wrap(
    model: Model,
    *,
    processors: Pipeline | Sequence[Processor] | None = None,
    memory: RuleMemory | None = None,
    on_change: OnChange | None = None,
    served_by: Any = None,
) -> Model:
    """Return a model whose requests are repaired before they are sent, and once more after a rejection.

    Args:
        model: One of the SDK's models.
        processors: See ``HistoryCompat``.
        memory: See ``HistoryCompat``.
        on_change: See ``HistoryCompat``.
        served_by: See ``HistoryCompat``'s ``model``.

    Raises:
        ConfigurationError: See ``HistoryCompat``.
    """
    served = None if served_by is None else ModelRef.of(served_by)
    return _GuardedModel(model, Guard(processors, memory=memory, on_change=on_change), served)


def input_filter(
    model: Any = None,
    *,
    processors: Pipeline | Sequence[Processor] | None = None,
    on_change: OnChange | None = None,
) -> CallModelInputFilter:
    """Return a ``call_model_input_filter``, which repairs each request before it is sent; of rejections it learns nothing.

    Args:
        model: A model of the SDK's or what ``ModelRef.of`` accepts, where the agent's own ``model`` does not tell who
            reads the request: the run has another one, a proxy serves it.
        processors: See ``HistoryCompat``.
        on_change: See ``HistoryCompat``.

    Raises:
        ConfigurationError: See ``Pipeline``.
    """
    guard = Guard(processors, on_change=on_change)

    def repaired(data: CallModelData[Any]) -> ModelInputData:
        given = data.model_data
        ref = model_ref(data.agent.model if model is None else model)
        # Nobody tells a filter of a response or conversation that the run goes on from.
        held = {"previous_response_id": "unknown"} if _goes_on(given.input) else {}
        request = _request(given.instructions, given.input, data.agent.model_settings, held)
        call = guard.start(AgentInput(ref), request, ref)
        sent: Any = request if call is None else call.request()
        return given if sent is request else ModelInputData(sent["input"], sent.get("instructions"))

    return repaired


def _goes_on(items: Sequence[TResponseInputItem]) -> bool:
    """Whether an input follows on what the server holds: it has results, and nothing of what the model said before them."""
    kinds = {
        "answer" if item.get("role") == "assistant" else str(item.get("type", "message")) for item in items
    }
    results = {kind for kind in kinds if kind.endswith("_output")}
    return bool(results) and kinds - results <= _OF_USER


def session_input(*, on_change: OnChange | None = None) -> SessionInputCallback:
    """Return a ``session_input_callback``, which joins what a session remembers and a new input so that each call has its
    result.

    The SDK itself forgets a call that nobody answered. Here it stays, and a placeholder says that nothing is known of its
    result; the SDK stores that with the new input. A result without a call is not sent, but stays stored.

    Args:
        on_change: Called with the changes, if there are any; or see ``collect_changes``.
    """

    def joined(history: list[TResponseInputItem], new: list[TResponseInputItem]) -> list[TResponseInputItem]:
        given = [*history, *new]
        repaired = repair(given, on_change=on_change)
        own = {id(item) for item in given}
        added = [item for item in repaired if id(item) not in own]
        # An item that was changed would be stored a second time: leave that to the request.
        return repaired if all(item.get("type") == "function_call_output" for item in added) else given

    return joined


def repair(
    items: Sequence[TResponseInputItem],
    model: Any = None,
    *,
    processors: Pipeline | Sequence[Processor] | None = None,
    on_change: OnChange | None = None,
) -> list[TResponseInputItem]:
    """Repair a list of input items, such as ``result.to_input_list()``: before it is stored, or given to another run.

    Args:
        items: The list and its items stay as they are.
        model: The model that is to read them: one of the SDK's, or what ``ModelRef.of`` accepts. Without one only calls
            and results are repaired: a call that nobody answered gets a placeholder as its result, a result without a
            call leaves. What one model asks for is no matter of storage.
        processors: A pipeline, or the processors of one; those of ``Pipeline.default()`` unless given.
        on_change: Called with the changes, if there are any; or see ``collect_changes``.

    Returns:
        A new list; what needed no repair is in it as the same object.
    """
    ref = None if model is None else model_ref(model)
    return repaired_history(AgentInput(ref or ModelRef()), items, on_change, model=ref, processors=processors)


def model_ref(model: Any) -> ModelRef:
    """Return who serves a model: told by the base URL of OpenAI's classes, by LiteLLM for its own, else by its name.

    Args:
        model: One of the SDK's models, the name of one, or what ``ModelRef.of`` accepts; None is the SDK's default.
    """
    if isinstance(model, _GuardedModel):
        return model.served_by
    api = _api_of(model)
    if api is not None:
        client = getattr(model, "_client", None)
        return model_at(getattr(client, "base_url", ""), str(model.model), api=api)
    if isinstance(model, Model):
        # A name with the provider in front; that of LiteLLM's model as LiteLLM reads it.
        name, url = getattr(model, "model", None), getattr(model, "base_url", None)
        if type(model).__name__ == "LitellmModel":
            from ._litellm_models import model_ref as served_by_litellm

            return served_by_litellm(name, api_base=url)
        return ModelRef.of(name)
    if isinstance(model, str):
        ref = ModelRef.of(model.removeprefix("litellm/").removeprefix("any-llm/"))
        # Unless told otherwise, the SDK speaks to OpenAI over its Responses API.
        is_default = ref.provider == "openai" and model.removeprefix("openai/") == ref.model
        return ModelRef.of(ref, api="openai_responses") if is_default else ref
    return ModelRef(provider="openai", api="openai_responses") if model is None else ModelRef.of(model)


def _api_of(model: Any) -> str | None:
    """The API that a model speaks for sure, whoever serves it."""
    if isinstance(model, OpenAIResponsesModel):
        return "openai_responses"
    return "openai_chat" if isinstance(model, OpenAIChatCompletionsModel) else None


class _GuardedModel(Model):
    """Sends requests through a guard. All else is the wrapped model's affair."""

    def __init__(self, wrapped: Model, guard: Guard, served_by: ModelRef | None) -> None:
        self._wrapped = wrapped
        self._guard = guard
        self._served_by = None if served_by is None else ModelRef.of(served_by, api=_api_of(wrapped))

    @property  # type: ignore[misc]  # nobody sets it
    def __class__(self) -> Any:
        # What the SDK asks of a model's class is answered as before.
        return type(object.__getattribute__(self, "_wrapped"))

    @property
    def served_by(self) -> ModelRef:
        return self._served_by or model_ref(self._wrapped)

    def __getattr__(self, name: str) -> Any:
        # Not `self._wrapped`, which a copy in the making has not.
        return getattr(object.__getattribute__(self, "_wrapped"), name)

    def _start(self, request: dict[str, Any]) -> GuardedCall | None:
        ref = self.served_by
        return self._guard.start(AgentInput(ref), request, ref)

    @override
    async def get_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],
        model_settings: ModelSettings,
        *args: Any,
        **options: Any,
    ) -> ModelResponse:
        given = _request(system_instructions, input, model_settings, options)
        call = self._start(given)

        async def send(request: dict[str, Any]) -> ModelResponse:
            return await self._wrapped.get_response(
                request.get("instructions"), request["input"], model_settings, *args, **options
            )

        response: ModelResponse = await (send(given) if call is None else call.asend(send))
        return response

    @override
    async def stream_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],
        model_settings: ModelSettings,
        *args: Any,
        **options: Any,
    ) -> AsyncGenerator[TResponseStreamEvent]:
        given = _request(system_instructions, input, model_settings, options)
        call = self._start(given)

        def attempt() -> AsyncIterator[TResponseStreamEvent]:
            request = given if call is None else call.request()
            return self._wrapped.stream_response(
                request.get("instructions"), request["input"], model_settings, *args, **options
            )

        async def again() -> AsyncIterator[TResponseStreamEvent]:
            return attempt()

        opened = attempt()
        events = opened if call is None else arestarted(opened, call, again, rejection_in)
        async with closed_after(events):
            async for event in events:
                yield event

    # What the SDK's base class answers for, and the wrapped model may know better.

    @override
    async def close(self) -> None:
        await self._wrapped.close()

    @override
    def get_retry_advice(self, request: Any) -> Any:
        return self._wrapped.get_retry_advice(request)

    async def _cleanup_on_run_end(self, owner: object) -> None:
        await self._wrapped._cleanup_on_run_end(owner)


def _request(
    instructions: str | None, items: Any, settings: ModelSettings, held: dict[str, Any]
) -> dict[str, Any]:
    """What a model is given, as the request that it would be on the Responses API."""
    return {
        "input": items,
        "instructions": instructions,
        "store": settings.store,
        "previous_response_id": held.get("previous_response_id"),
        "conversation": held.get("conversation_id"),
    }
