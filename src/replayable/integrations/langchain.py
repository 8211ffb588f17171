"""Agents of LangChain: ``create_agent(model, middleware=[HistoryCompat()])``. Needs ``replayable[langchain]``.

Where there is no agent (a bare chat model, a LangGraph node of your own), ``repair`` repairs a list of messages.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from typing_extensions import override

from ..edits import same_items
from ..endpoints import model_at
from ..model_ref import ModelRef
from ..pipeline import Pipeline
from ..processor import Processor
from ..rule_memory import RuleMemory
from ._extras import missing_extra
from ._guard import Guard, GuardedCall, OnChange, collect_changes, repaired_history, unguarded, who_serves

try:
    from langchain.agents.middleware import (
        AgentMiddleware,
        AgentState,
        ExtendedModelResponse,
        ModelRequest,
        ModelResponse,
    )
    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage, RemoveMessage, SystemMessage
    from langchain_core.runnables import RunnableBinding, RunnableWithFallbacks
    from langchain_core.tools import BaseTool
    from langchain_core.tracers.context import register_configure_hook
    from langgraph.graph.message import REMOVE_ALL_MESSAGES
    from langgraph.runtime import Runtime
    from langgraph.types import Command
except ModuleNotFoundError as _error:
    raise missing_extra(_error, "langchain") from None

from ._langchain_messages import LangChainMessages

__all__ = ["HistoryCompat", "collect_changes", "model_ref", "repair", "unguarded"]

# Classes of chat models -> the API that they speak; the others speak OpenAI's Chat API.
_APIS: Final = {
    "BaseChatOpenAI": "openai_chat",
    "ChatAnthropic": "anthropic",
    "ChatAnthropicVertex": "anthropic",
    "ChatBedrock": "bedrock",
    "ChatBedrockConverse": "bedrock",
    "ChatCohere": "cohere_v2",
    "ChatGoogleGenerativeAI": "gemini",
    "ChatVertexAI": "gemini",
}
# The classes that are pointed at whoever speaks their API, by URL.
_POINTED: Final = frozenset({"openai", "anthropic"})
_URLS: Final = ("openai_api_base", "anthropic_api_url", "base_url", "api_base")


class HistoryCompat(AgentMiddleware[Any, Any, Any]):
    """Makes every history acceptable to the model that an agent sends it to.

    Each model call is repaired for the model that it goes to, the system message included, and sent once more after a
    rejection whose cause is known, as long as nothing of the answer has been streamed. Put it last in the list, so
    that it sees what the other middleware made of the call. Errors that no rule knows reach you as the SDK raised them.

    Args:
        processors: A pipeline, or the processors of one; those of ``Pipeline.default()`` unless given.
        memory: Where the default processors note which rule cured which model; the middleware's own unless given.
        on_change: Called with the changes of each call that differs from the agent's; or see ``collect_changes``.
        model: What ``ModelRef.of`` accepts, where the chat model does not tell who serves it: a proxy, a test model.
        persist: Whether repairs are written into the agent's state too: before each model call its calls and results
            are paired there, and what a rejection taught is kept. Else the state stays as it is.

    Raises:
        ConfigurationError: See ``Pipeline``; or ``memory`` came together with ``processors``.
    """

    tools: Sequence[BaseTool] = ()

    def __new__(cls, *args: Any, persist: bool = False, **options: Any) -> HistoryCompat:
        """Return a middleware, with the hook of ``_Persistent`` only if it is to persist: each hook is a node of the graph."""
        return super().__new__(type(cls.__name__, (_Persistent, cls), {}) if persist else cls)

    def __init__(
        self,
        processors: Pipeline | Sequence[Processor] | None = None,
        *,
        memory: RuleMemory | None = None,
        on_change: OnChange | None = None,
        model: Any = None,
        persist: bool = False,
    ) -> None:
        super().__init__()
        self._guard = Guard(processors, memory=memory, on_change=on_change)
        self._served_by = None if model is None else ModelRef.of(model)
        self._on_change = on_change

    @override
    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any] | AIMessage | ExtendedModelResponse[Any]:
        call = self._start(request)
        if call is None:
            return handler(request)
        with _watching() as watch:
            answer = call.send(
                lambda messages: handler(_sending(request, messages)), handed_out=watch.has_seen
            )
        return self._answered(request, call, answer)

    @override
    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any] | AIMessage | ExtendedModelResponse[Any]:
        call = self._start(request)
        if call is None:
            return await handler(request)
        with _watching() as watch:
            answer = await call.asend(
                lambda messages: handler(_sending(request, messages)), handed_out=watch.has_seen
            )
        return self._answered(request, call, answer)

    def _start(self, request: ModelRequest[Any]) -> GuardedCall | None:
        settings = {**request.model_settings, "tools": request.tools}
        ref = who_serves(self._served_by, _model_ref(request.model, settings))
        return self._guard.start(_codec(request.model, ref, settings), _whole(request), ref)

    def _answered(
        self, request: ModelRequest[Any], call: GuardedCall, answer: ModelResponse[Any]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        return answer


class _Persistent(HistoryCompat):
    """Writes repairs into the agent's state, too."""

    @override
    def before_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        given = state["messages"]
        repaired = repair(given, on_change=self._on_change)
        if same_items(given, repaired):
            return None
        return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *repaired]}

    @override
    async def abefore_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        return self.before_model(state, runtime)

    @override
    def _answered(
        self, request: ModelRequest[Any], call: GuardedCall, answer: ModelResponse[Any]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """With what a rejection taught: the messages of the state that the repair changed or removed, by their ids."""
        in_state = {message.id: message for message in request.state["messages"]}
        sent = {message.id: message for message in request.messages}
        repaired = [name for name in call.run.repaired_message_ids if name in in_state]
        # What other middleware cut for this call only must not be written over what was cut.
        if not repaired or any(sent.get(name) != in_state[name] for name in repaired):
            return answer
        stored: dict[str, list[BaseMessage]] = {name: [] for name in repaired}
        for message in call.stored():
            stored.get(message.id, []).append(message)
        # One that became several can't be replaced by its id; the next request is repaired as this one was.
        update = [now[0] if now else RemoveMessage(id=name) for name, now in stored.items() if len(now) <= 1]
        return ExtendedModelResponse(model_response=answer, command=Command(update={"messages": update}))


def repair(
    messages: Sequence[BaseMessage],
    model: Any = None,
    *,
    processors: Pipeline | Sequence[Processor] | None = None,
    on_change: OnChange | None = None,
) -> list[BaseMessage]:
    """Repair a list of messages, where no agent does it.

    Args:
        messages: LangChain's messages, with the system message among them if there is one; the list and its messages
            stay as they are.
        model: The chat model that is to read them, or what ``ModelRef.of`` accepts. Without one only calls and results
            are repaired: a call that nobody answered gets a placeholder as its result, a result without a call leaves.
            What one model asks for is no matter of storage.
        processors: A pipeline, or the processors of one; those of ``Pipeline.default()`` unless given.
        on_change: Called with the changes, if there are any; or see ``collect_changes``.

    Returns:
        A new list; what needed no repair is in it as the same object.
    """
    ref = None if model is None else model_ref(model)
    return repaired_history(
        _codec(model, ref or ModelRef()), messages, on_change, model=ref, processors=processors
    )


def model_ref(model: Any) -> ModelRef:
    """Return who serves a chat model: told by its class, provider and base URL; those of ``with_fallbacks`` as fallbacks.

    Args:
        model: A chat model, also with something bound to it; or what ``ModelRef.of`` accepts.
    """
    return _model_ref(model, {})


def _model_ref(model: Any, settings: Mapping[str, Any]) -> ModelRef:
    """As ``model_ref``, for a call with settings of its own."""
    while isinstance(model, RunnableBinding):
        model, settings = model.bound, {**model.kwargs, **settings}
    if isinstance(model, RunnableWithFallbacks):
        first, *others = [_model_ref(one, settings) for one in (model.runnable, *model.fallbacks)]
        return first.model_copy(update={"fallbacks": (*first.fallbacks, *others)})
    if not isinstance(model, BaseChatModel):
        return ModelRef.of(model)
    kinds = [base.__name__ for base in type(model).__mro__]
    api = next((_APIS[kind] for kind in kinds if kind in _APIS), "openai_chat")
    if api == "openai_chat" and _asks_for_responses(model, settings):
        api = "openai_responses"
    # What LangChain tells its traces of a model.
    told: Any = model._get_ls_params()
    provider, name = told.get("ls_provider"), told.get("ls_model_name")
    if provider in _POINTED:
        return model_at(_url(model), name, api=api)
    return ModelRef.of({"provider": provider, "model": name}, api=api)


def _asks_for_responses(model: BaseChatModel, settings: Mapping[str, Any]) -> bool:
    """Whether a chat model is to use OpenAI's Responses API, which depends on settings, tools and names: its class knows."""
    decide: Any = getattr(model, "_use_responses_api", None)
    if decide is None:
        return False
    tools = [tool if isinstance(tool, dict) else {"type": "function"} for tool in settings.get("tools") or ()]
    payload: dict[str, Any] = {**getattr(model, "_default_params", {}), **settings, "tools": tools}
    return bool(decide(payload))


def _url(model: BaseChatModel) -> object:
    client = getattr(model, "root_client", None)
    url = getattr(client, "base_url", None)
    return url or next((url for name in _URLS if (url := getattr(model, name, None))), "")


def _codec(model: Any, ref: ModelRef, settings: Mapping[str, Any] | None = None) -> LangChainMessages:
    held = getattr(model, "use_previous_response_id", False) or (settings or {}).get("previous_response_id")
    return LangChainMessages(ref, server_state=bool(held))


def _whole(request: ModelRequest[Any]) -> list[BaseMessage]:
    """What the model reads: the system message, then the list."""
    system = request.system_message
    return [*([] if system is None else [system]), *request.messages]


def _sending(request: ModelRequest[Any], messages: list[Any]) -> ModelRequest[Any]:
    """The request with other messages; the request itself where they are the same."""
    given = _whole(request)
    if same_items(given, messages):
        return request
    if request.system_message is None:
        return request.override(messages=messages)
    first = messages[0] if messages else None
    if isinstance(first, SystemMessage):
        return request.override(system_message=first, messages=messages[1:])
    return request.override(system_message=None, messages=messages)


# --- what has been streamed -------------------------------------------------------------------------------------------


class _Watch(BaseCallbackHandler):
    """Sees whether anything of an answer has been handed out."""

    run_inline = True

    def __init__(self) -> None:
        self._seen = False

    def has_seen(self) -> bool:
        return self._seen

    @override
    def on_llm_new_token(self, *args: Any, **more: Any) -> None:
        self._seen = True

    @override
    def on_stream_event(self, *args: Any, **more: Any) -> None:
        self._seen = True


_watch: ContextVar[_Watch | None] = ContextVar("replayable_langchain_watch", default=None)
register_configure_hook(_watch, inheritable=True)


@contextmanager
def _watching() -> Iterator[_Watch]:
    """Watch the model calls inside the block."""
    watch = _Watch()
    token = _watch.set(watch)
    try:
        yield watch
    finally:
        _watch.reset(token)
