"""Agents of Strands: ``Agent(model, plugins=[HistoryCompat()])``. Needs ``replayable[strands]``."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Sequence
from typing import Any, Final
from weakref import WeakKeyDictionary

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
    from strands import Agent
    from strands.hooks import AfterModelCallEvent, BeforeModelCallEvent
    from strands.middleware import InvokeModelContext, InvokeModelStage, MiddlewareNext
    from strands.models import Model
    from strands.plugins import Plugin
    from strands.types.content import Message
except ModuleNotFoundError as _error:
    raise missing_extra(_error, "strands") from None

from ._strands_requests import StrandsRequests, with_maker

__all__ = ["HistoryCompat", "collect_changes", "model_ref", "repair", "unguarded"]

# Classes of Strands' models -> who serves them, where the class says it, and the API that they speak; the others speak
# OpenAI's Chat API.
_SERVED: Final[dict[str, tuple[str | None, str]]] = {
    "AnthropicModel": ("anthropic", "anthropic"),
    "BedrockModel": ("bedrock", "bedrock"),
    "GeminiModel": ("google", "gemini"),
    "LlamaCppModel": ("llamacpp", "openai_chat"),
    "MistralModel": ("mistral", "openai_chat"),
    "OllamaModel": ("ollama", "ollama_chat"),
    "OpenAIModel": ("openai", "openai_chat"),
    "OpenAIResponsesModel": ("openai", "openai_responses"),
}
# The classes that are pointed at whoever speaks their API, by URL.
_POINTED: Final = frozenset({"anthropic", "openai"})
_OPENAI_URL: Final = "OPENAI_BASE_URL"


class HistoryCompat(Plugin):
    """Makes every history acceptable to the model that an agent sends it to.

    Each model call is repaired for the model that it goes to (with a ``ModelRouter`` the one that was chosen), the
    system prompt included, and sent once more after a rejection whose cause is known, as long as nothing of the answer
    has been streamed. Who made an answer is noted in its metadata, which Strands stores and never sends. Errors that no
    rule knows reach you as Strands raised them. One plugin may serve any number of agents.

    Args:
        processors: A pipeline, or the processors of one; those of ``Pipeline.default()`` unless given.
        memory: Where the default processors note which rule cured which model; the plugin's own unless given.
        on_change: Called with the changes of each call that differs from the agent's; or see ``collect_changes``.
        model: What ``ModelRef.of`` accepts, where Strands' model does not tell who serves it: a proxy, a test model.
        persist: Whether repairs are written into ``agent.messages`` too: before each model call its calls and results
            are paired there, and what a rejection taught is kept. Else they stay as they are.

    Raises:
        ConfigurationError: See ``Pipeline``; or ``memory`` came together with ``processors``.
    """

    name = "replayable"

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
        self._on_change = on_change
        self._served_by = None if model is None else ModelRef.of(model)
        self._persist = persist
        # Whom each agent's running call goes to.
        self._asked: WeakKeyDictionary[Any, ModelRef] = WeakKeyDictionary()

    @override
    def init_agent(self, agent: Agent) -> None:
        agent.add_middleware(InvokeModelStage, self._invoke)
        agent.add_hook(self._sign, AfterModelCallEvent)
        if self._persist:
            agent.add_hook(self._heal, BeforeModelCallEvent)

    async def _invoke(
        self, context: InvokeModelContext, next_fn: MiddlewareNext[InvokeModelContext, Any]
    ) -> AsyncGenerator[Any, None]:
        ref = who_serves(self._served_by, model_ref(context.model))
        self._asked[context.agent] = ref
        call = self._guard.start(StrandsRequests(ref), context, ref)
        if call is None:
            async for event in next_fn(context):
                yield event
            return
        handed_out = False
        while True:
            try:
                async for event in next_fn(call.request()):
                    handed_out = True
                    yield event
                break
            except Exception as error:
                if handed_out or not call.recover(error):
                    raise
        if self._persist:
            _keep(context, call)

    def _sign(self, event: AfterModelCallEvent) -> None:
        ref = self._asked.pop(event.agent, None)
        if ref is not None and event.stop_response is not None:
            with_maker(event.stop_response.message, ref)

    def _heal(self, event: BeforeModelCallEvent) -> None:
        given = event.agent.messages
        repaired = repair(given, on_change=self._on_change)
        if not same_items(given, repaired):
            _replace(event.agent, repaired)


def repair(messages: Sequence[Message], *, on_change: OnChange | None = None) -> list[Message]:
    """Repair the calls and results of a stored history: before it is stored again, or given to ``Agent(messages=…)``.

    A call that nobody answered gets a placeholder as its result, a result without a call leaves. What one model asks for
    is no matter of storage: ``HistoryCompat`` sees to it in each call.

    Args:
        messages: Strands' messages; the list and its messages stay as they are.
        on_change: Called with the changes, if there are any; or see ``collect_changes``.

    Returns:
        A new list; what needed no repair is in it as the same object.
    """
    return repaired_history(StrandsRequests(ModelRef()), messages, on_change)


def model_ref(model: Model) -> ModelRef:
    """Return who serves a model of Strands: told by its class, its ``model_id`` and the URL that its client was given."""
    settings: Any = model.get_config()
    name = settings.get("model_id") if isinstance(settings, dict) else None
    kinds = [base.__name__ for base in type(model).__mro__]
    if "LiteLLMModel" in kinds:
        from ._litellm_models import model_ref as litellm_model_ref

        given: Any = getattr(model, "client_args", {})
        url = given.get("api_base") or given.get("base_url")
        return litellm_model_ref(name, custom_llm_provider=given.get("custom_llm_provider"), api_base=url)
    provider, api = next((_SERVED[kind] for kind in kinds if kind in _SERVED), (None, "openai_chat"))
    if getattr(model, "_bedrock_mantle_config", None) is not None:
        provider = "bedrock"
    elif provider == "google" and _told(model, "vertexai"):
        provider = "vertex"
    elif provider in _POINTED and (url := _url(model, provider)):
        return model_at(url, name, api=api)
    return ModelRef.of({"provider": provider, "model": name}, api=api)


def _url(model: Any, provider: str) -> Any:
    """Where a model's client was pointed at; None for where it goes by itself."""
    return _told(model, "base_url") or (os.environ.get(_OPENAI_URL) if provider == "openai" else None)


def _told(model: Any, setting: str) -> Any:
    """What the client of a model was told, be it made already or for each call."""
    for client in (getattr(model, "client", None), getattr(model, "_custom_client", None)):
        if client is not None:
            return getattr(client, setting, None)
    return getattr(model, "client_args", {}).get(setting)


def _keep(context: InvokeModelContext, call: GuardedCall) -> None:
    """Write what a rejection taught into the agent's messages, unless the call was about others."""
    stored: list[Message] = call.stored().messages
    listed = context.agent.messages
    if same_items(context.messages, stored) or context.messages != listed:
        return
    # The context has copies.
    originals = {id(copy): message for copy, message in zip(context.messages, listed, strict=True)}
    _replace(context.agent, [originals.get(id(message), message) for message in stored])


def _replace(agent: Any, repaired: Sequence[Message]) -> None:
    """Put repaired messages in the place of an agent's.

    A session manager restores what its store holds from the place to which a conversation manager has cut the agent's
    list: a message that is in the list alone would hide one of the store's.
    """
    has_store = getattr(agent, "_session_manager", None) is not None
    agent.messages[:] = _without_more_messages(agent.messages, repaired) if has_store else repaired


def _without_more_messages(given: Sequence[Message], repaired: Sequence[Message]) -> list[Message]:
    """Put added results into the message of the user behind them."""
    answered = {call_id for message in given for call_id in _answered_by(message)}
    out: list[Message] = []
    added: list[Any] = []
    for message in repaired:
        results = _answered_by(message)
        if results and len(results) == len(message["content"]) and answered.isdisjoint(results):
            added += message["content"]
            continue
        if added and message["role"] == "user":
            message = {**message, "content": [*added, *message["content"]]}
        elif added:
            out.append({"role": "user", "content": added})
        added = []
        out.append(message)
    return [*out, {"role": "user", "content": added}] if added else out


def _answered_by(message: Message) -> list[str]:
    """The ids of the calls whose results stand in a message."""
    return [block["toolResult"]["toolUseId"] for block in message["content"] if "toolResult" in block]
