"""Agents of Google's ADK: ``App(…, plugins=[HistoryCompat()])``. Needs ``replayable[google-adk]``.

Where no plugin can be used (a bare model), or where a repaired stream shall stream, ``wrap`` guards a model.
"""

from __future__ import annotations

import logging
import os
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from contextlib import aclosing
from typing import Any, Final, cast

from typing_extensions import override

from ..clean import CleanMessages
from ..endpoints import model_at
from ..model_ref import ModelRef
from ..pipeline import Pipeline
from ..processor import Processor
from ..rule_memory import RuleMemory
from ._extras import missing_extra
from ._guard import Guard, GuardedCall, OnChange, collect_changes, unguarded
from ._streams import arestarted

try:
    from google.adk.agents.callback_context import CallbackContext
    from google.adk.agents.llm_agent import LlmAgent
    from google.adk.events.event import Event
    from google.adk.models.base_llm import BaseLlm
    from google.adk.models.llm_request import LlmRequest
    from google.adk.models.llm_response import LlmResponse
    from google.adk.models.registry import LLMRegistry
    from google.adk.plugins.base_plugin import BasePlugin
    from google.adk.sessions.base_session_service import BaseSessionService
    from google.adk.sessions.session import Session
    from google.genai import types
except ModuleNotFoundError as _error:
    raise missing_extra(_error, "google-adk") from None

from ._google_adk_readers import CLAUDE, LITELLM, Reader
from ._google_adk_requests import AdkRequests, Makers, marks_of

__all__ = ["HistoryCompat", "collect_changes", "heal", "model_ref", "unguarded", "wrap"]

_logger: Final = logging.getLogger("replayable.integrations")

_ANTHROPIC: Final = "https://api.anthropic.com"
_OPENAI: Final = "https://api.openai.com"
# Where an answer to a call stands in a session: there, too, where the call stands.
_PLACE: Final = ("invocation_id", "author", "branch", "isolation_scope", "node_info")


class HistoryCompat(BasePlugin):
    """Makes every history acceptable to the model that an agent sends it to.

    A plugin guards all agents of an app: each request is repaired for the agent's model, and sent once more after a
    rejection whose cause is known, as long as nothing was streamed; the answer to that comes in one piece. The stored
    session stays as it is; see ``heal`` for that. Errors that no rule knows reach you as ADK raised them.

    Its methods are callbacks for a single agent, too: ``before_model_callback`` repairs, ``on_model_error_callback``
    recovers, and where answers are streamed it needs ``after_model_callback`` to know of them.

    Args:
        processors: A pipeline, or the processors of one; those of ``Pipeline.default()`` unless given.
        memory: Where the default processors note which rule cured which model; the plugin's own unless given.
        on_change: Called with the changes of each request that differs from the agent's; or see ``collect_changes``.
        model: What ``ModelRef.of`` accepts, where ADK's model does not tell who serves it: a proxy, a test model.
        name: The plugin's name, which must be its own in an app.

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
        name: str = "replayable",
    ) -> None:
        super().__init__(name)
        self._guard = Guard(processors, memory=memory, on_change=on_change)
        self._served_by = None if model is None else ModelRef.of(model)
        # The steps that have streamed something, by the identity of their actions: one object for all of a step.
        self._streamed: set[int] = set()

    @override
    async def before_model_callback(
        self, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Repair a request, in place as ADK wants it: its list of contents is another one then, they stay as they are."""
        call, _ = self._start(callback_context, llm_request)
        if call is not None:
            llm_request.contents = call.request().contents
        return None

    @override
    async def after_model_callback(
        self, callback_context: CallbackContext, llm_response: LlmResponse
    ) -> LlmResponse | None:
        """Note that a step has begun to stream its answer."""
        actions = callback_context.actions
        if llm_response.partial and id(actions) not in self._streamed:
            self._streamed.add(id(actions))
            weakref.finalize(actions, self._streamed.discard, id(actions))
        return None

    @override
    async def on_model_error_callback(
        self, callback_context: CallbackContext, llm_request: LlmRequest, error: Exception
    ) -> LlmResponse | None:
        """Answer a rejection whose cause was known with what the model says to the repaired request."""
        if id(callback_context.actions) in self._streamed:
            return None
        call, model = self._start(callback_context, llm_request)
        if call is None or not call.recover(error):
            return None
        # What a cache holds is no longer in the request: it must not be looked for in there again.
        repaired = call.request().model_copy(update={"cache_config": None})
        try:
            async with aclosing(model.generate_content_async(repaired, stream=False)) as responses:
                answers = [response async for response in responses]
        except Exception as second:
            # What did not help is forgotten. ADK would hide this error in one of its own; the first one is raised as it is.
            call.recover(second)
            _logger.info("the repaired request failed with %s", type(second).__name__)
            return None
        return answers[-1] if answers else None

    def _start(self, context: CallbackContext, request: LlmRequest) -> tuple[GuardedCall | None, BaseLlm]:
        agent = cast(LlmAgent, context.get_invocation_context().agent)
        model = agent.canonical_model
        if isinstance(model, _Guarded):
            return None, model
        served = self._served_by or model_ref(model, request.model)
        makers = _makers(context.session.events, request.contents)
        return self._guard.start(AdkRequests(served, makers, _reader(model)), request, served), model


def _makers(events: Iterable[Event], contents: Sequence[types.Content]) -> Makers:
    """Which model made the thoughts in the contents, as far as the session's events tell."""
    if not any(map(marks_of, contents)):
        return {}
    return {
        mark: event.model_version
        for event in events
        if event.content is not None and event.model_version
        for mark in marks_of(event.content)
    }


class _Guarded:
    """Marks the models that ``wrap`` made."""

    __slots__ = ()


def wrap(
    model: BaseLlm | str,
    *,
    processors: Pipeline | Sequence[Processor] | None = None,
    memory: RuleMemory | None = None,
    on_change: OnChange | None = None,
    served_by: Any = None,
) -> BaseLlm:
    """Return a copy of a model whose requests are repaired before they are sent, and once more after a rejection.

    A stream is begun anew after a rejection as long as nothing was handed out. For models outside of agents, and for
    agents without an app: ``LlmAgent(model=wrap("gemini-3-pro"), …)``. A plugin leaves such a model alone.

    Args:
        model: A model, or its name; it stays as it is, and shares its connections.
        processors: See ``HistoryCompat``.
        memory: See ``HistoryCompat``.
        on_change: See ``HistoryCompat``.
        served_by: See ``HistoryCompat``'s ``model``.

    Raises:
        ConfigurationError: See ``HistoryCompat``.
        ValueError: ADK knows no model of this name.
    """
    original = LLMRegistry.new_llm(model) if isinstance(model, str) else model
    guard = Guard(processors, memory=memory, on_change=on_change)
    served = None if served_by is None else ModelRef.of(served_by)
    kind: Any = type(original)

    async def generate_content_async(
        self: Any, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        ref = served or model_ref(original, llm_request.model)
        call = guard.start(AdkRequests(ref, reader=_reader(original)), llm_request, ref)

        def attempt() -> AsyncGenerator[LlmResponse, None]:
            # ADK's models change the request that they are given.
            request = _copied(llm_request if call is None else call.request())
            responses: AsyncGenerator[LlmResponse, None] = kind.generate_content_async(self, request, stream)
            return responses

        async def again() -> AsyncIterator[LlmResponse]:
            return attempt()

        opened = attempt()
        responses = opened if call is None else arestarted(opened, call, again)
        async with aclosing(cast("AsyncGenerator[LlmResponse, None]", responses)):
            async for response in responses:
                yield response

    same = {"__doc__": kind.__doc__, "__module__": kind.__module__, "__qualname__": kind.__qualname__}
    fields = {**same, "generate_content_async": generate_content_async}
    guarded = original.model_copy()
    object.__setattr__(guarded, "__class__", type(kind)(kind.__name__, (_Guarded, kind), fields))
    return guarded


def _copied(request: LlmRequest) -> LlmRequest:
    config = request.config
    fields = {"contents": [*request.contents], "config": None if config is None else config.model_copy()}
    return request.model_copy(update=fields)


async def heal(
    sessions: BaseSessionService, session: Session, *, on_change: OnChange | None = None
) -> list[Event]:
    """Answer the tool calls of a stored session that nobody answered, since a run crashed: else ADK forgets them.

    Events are only added, so that nothing is lost; ADK puts an answer behind its call in every later request, and leaves
    out results without a call by itself. Calls of long-running tools, and of tasks that were begun, wait: they stay open.
    Don't call it while a run of the session is going on.

    Args:
        sessions: The service that stores the session.
        session: The session as the service returned it, with all its events; they are added to it, too.
        on_change: Called with the changes, if there are any; or see ``collect_changes``.

    Returns:
        The events that were added.
    """
    waiting = {call_id for event in session.events for call_id in event.long_running_tool_ids or ()}
    waiting |= {event.isolation_scope for event in session.events if event.isolation_scope}
    answered = {answer.id for event in session.events for answer in event.get_function_responses()}
    # The last call with an id is the one that an answer would be taken for.
    last = {call.id: call for event in session.events for call in event.get_function_calls()}
    lost = {id(call) for call_id, call in last.items() if call_id and call_id not in answered | waiting}
    events: list[Event] = []
    calls: list[types.Content] = []
    for event in session.events:
        parts = (event.content.parts if event.content else None) or []
        unanswered = [part for part in parts if id(part.function_call) in lost]
        if unanswered:
            events.append(event)
            calls.append(types.Content(role="model", parts=unanswered))
    guard = Guard([CleanMessages(missing_results="placeholder")], on_change=on_change)
    call = guard.start(AdkRequests(ModelRef()), LlmRequest(contents=calls), ModelRef())
    contents = [] if call is None else call.request().contents
    # Behind each call there is its answer now.
    answers = [
        Event(content=content, **{name: getattr(event, name) for name in _PLACE})
        for event, content in zip(events, contents[1::2], strict=call is not None)
    ]
    for answer in answers:
        await sessions.append_event(session, answer)
    return answers


def model_ref(model: BaseLlm, name: str | None = None) -> ModelRef:
    """Return who serves a model of ADK: told by its class, its name and its base URL; those of a ``FallbackModel`` as
    fallbacks of the first.

    Args:
        model: The model.
        name: The name in the request, where it is another one than the model's own.
    """
    name = name or model.model
    for kind in type(model).__mro__:
        match kind.__name__:
            case "FallbackModel":
                models: list[BaseLlm | str] = cast(Any, model).models
                return ModelRef.of([one if isinstance(one, str) else model_ref(one) for one in models])
            case "LiteLlm":
                return _litellm(model, name)
            case "ApigeeLlm":
                return ModelRef.of(name.removeprefix("apigee/"))
            case "Gemini":
                provider = "vertex" if _on_vertex(model) else "google"
                return ModelRef.of({"provider": provider, "model": name.rpartition("/")[2]}, api="gemini")
            case "Claude":
                return ModelRef.of({"provider": "vertex", "model": name.rpartition("/")[2]}, api="anthropic")
            case "AnthropicLlm":
                url = _base_url(model) or os.environ.get("ANTHROPIC_BASE_URL") or _ANTHROPIC
                return model_at(url, name.rpartition("/")[2], api="anthropic")
            case "OpenAILlm" | "OpenAIResponsesLlm":
                api = "openai_chat" if kind.__name__ == "OpenAILlm" else "openai_responses"
                return model_at(
                    _base_url(model) or os.environ.get("OPENAI_BASE_URL") or _OPENAI, name, api=api
                )
            case _:
                continue
    return ModelRef.of(name)


def _reader(model: BaseLlm) -> Reader | None:
    """Who converts the parts for a model; of those of a ``FallbackModel``, the one that takes least."""
    kinds = {kind.__name__ for kind in type(model).__mro__}
    if "FallbackModel" in kinds:
        models: list[BaseLlm | str] = cast(Any, model).models
        found = [_reader(LLMRegistry.new_llm(one) if isinstance(one, str) else one) for one in models]
        return min(filter(None, found), default=None)
    if CLAUDE in kinds:
        return Reader(CLAUDE)
    return Reader(LITELLM, model.model.partition("/")[0]) if LITELLM in kinds else None


def _litellm(model: Any, name: str) -> ModelRef:
    given: dict[str, Any] = getattr(model, "_additional_args", {})
    provider = given.get("custom_llm_provider")
    known = (
        ModelRef.of({"provider": provider, "model": name})
        if provider
        else ModelRef.of(name.removeprefix("litellm_proxy/"))
    )
    url = given.get("api_base") or given.get("base_url")
    if url and known.provider in ("openai", None):
        # Whoever speaks OpenAI's API is named so.
        return model_at(url, known.model, api=known.api or "openai_chat")
    return known


def _base_url(model: Any) -> Any:
    client = getattr(model, "client", None)
    return getattr(model, "base_url", None) if client is None else client.base_url


def _on_vertex(model: Any) -> bool:
    try:
        return bool(model.api_client.vertexai)
    except Exception:
        # No client can be made of what is configured; the call will tell.
        return False
