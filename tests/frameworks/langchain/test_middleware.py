"""The middleware in agents: what it writes into their state, what it leaves alone, and whom it takes a model for."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from typing import Any, Final

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import (
    ClearToolUsesEdit,
    ContextEditingMiddleware,
    ModelRequest,
    ModelResponse,
)
from langchain_anthropic import ChatAnthropic
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import AzureChatOpenAI, ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver

from replayable import Change, ConfigurationError, ProviderHistoryCompat, RuleMemory
from replayable.integrations.langchain import HistoryCompat, model_ref, unguarded
from tests.frameworks.providers import ANTHROPIC
from tests.integrations.loopback import serving

CLAUDE: Final = "anthropic/claude-sonnet-5"
CALL: Final[Any] = {"name": "search", "args": {"q": "Oslo"}, "id": "toolu_1", "type": "tool_call"}
THINKING: Final[Any] = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
DANGLING: Final[tuple[Any, ...]] = (
    HumanMessage("Oslo?", id="q"),
    AIMessage("", tool_calls=[CALL], id="a"),
    HumanMessage("Well?", id="w"),
)
REFUSAL: Final = "messages.1.content.0: Invalid `signature` in `thinking` block"


def fake(*answers: str) -> GenericFakeChatModel:
    """A model that gives these answers."""
    return GenericFakeChatModel(messages=iter([AIMessage(answer) for answer in answers]))


def claude(url: str, **options: Any) -> ChatAnthropic:
    """Claude behind a URL."""
    given: dict[str, Any] = {"model": "claude-sonnet-5", "api_key": "none", "max_retries": 0, "base_url": url}
    return ChatAnthropic(**given, **options)


def test_the_state_stays_as_it_is_unless_asked_otherwise() -> None:
    """The placeholder is in the request only, and the graph has no further node."""
    agent = create_agent(fake("Norway."), middleware=[HistoryCompat(model=CLAUDE)])
    state = agent.invoke({"messages": list(DANGLING)})
    assert state["messages"][:-1] == list(DANGLING)
    assert "HistoryCompat.before_model" not in agent.get_graph().nodes


def test_a_subclass_persists_too() -> None:
    """It keeps its own hooks and its own name."""

    class Mine(HistoryCompat):
        """A user's own."""

    assert [Mine(model=CLAUDE, persist=persist).name for persist in (True, False)] == ["Mine", "Mine"]
    state = create_agent(fake("Norway."), middleware=[Mine(persist=True)]).invoke({"messages": [*DANGLING]})
    assert [message.type for message in state["messages"]] == ["human", "ai", "tool", "human", "ai"]


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_persisted_pairs_stand_where_they_belong(mode: str) -> None:
    """A thread that was broken is whole from then on: the next turn changes nothing."""
    told: list[tuple[Change, ...]] = []
    compat = HistoryCompat(model=CLAUDE, persist=True, on_change=told.append)
    agent = create_agent(fake("Norway.", "Yes."), middleware=[compat], checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "1"}}
    turns: list[list[Any]] = [list(DANGLING), [HumanMessage("Sure?")]]
    for given in turns:
        if mode == "sync":
            state = agent.invoke({"messages": given}, thread)
        else:
            state = asyncio.run(agent.ainvoke({"messages": given}, thread))
    kinds = [message.type for message in state["messages"]]
    assert kinds == ["human", "ai", "tool", "human", "ai", "human", "ai"]
    assert state["messages"][:2] == list(DANGLING[:2])
    assert [change.processor for changes in told for change in changes] == ["clean-messages"]


@pytest.mark.parametrize(("persist", "thinks"), [(True, False), (False, True)])
def test_what_a_rejection_taught_is_kept_in_the_state(persist: bool, thinks: bool) -> None:
    """The message that was refused is replaced in place, under its own id."""
    history: list[Any] = [
        HumanMessage("Oslo?"),
        AIMessage([THINKING, {"type": "text", "text": "In Norway."}], id="a"),
        HumanMessage("So?"),
    ]
    with serving(ANTHROPIC.refusing("c2ln", REFUSAL)) as server:
        agent = create_agent(claude(server.url), middleware=[HistoryCompat(persist=persist)])
        state = agent.invoke({"messages": history})
    assert len(server.requests) == 2
    assert [message.type for message in state["messages"]] == ["human", "ai", "human", "ai"]
    assert state["messages"][1].id == "a"
    assert (THINKING in state["messages"][1].content) is thinks


def test_a_message_that_a_repair_removed_leaves_the_state() -> None:
    """It held nothing but the refused thinking."""
    history: list[Any] = [HumanMessage("Oslo?"), AIMessage([THINKING], id="a"), HumanMessage("So?")]
    with serving(ANTHROPIC.refusing("c2ln", REFUSAL)) as server:
        agent = create_agent(claude(server.url), middleware=[HistoryCompat(persist=True)])
        state = agent.invoke({"messages": history})
    assert [message.text for message in state["messages"]] == ["Oslo?", "So?", "Norway."]


def test_what_was_cut_for_one_call_stays_whole_in_the_state() -> None:
    """Other middleware had emptied the call that a rejection then was about: the state keeps its input."""
    call_block = {"type": "tool_use", "id": "toolu_1", "name": "search", "input": {"q": "Oslo"}}
    history: list[Any] = [
        HumanMessage("Oslo?"),
        AIMessage([THINKING, call_block], tool_calls=[CALL], id="a"),
        ToolMessage("In Norway. " * 9, tool_call_id="toolu_1", id="t"),
        HumanMessage("So?"),
    ]
    cutting = ContextEditingMiddleware(edits=[ClearToolUsesEdit(trigger=1, keep=0, clear_tool_inputs=True)])
    with serving(ANTHROPIC.refusing("c2ln", REFUSAL)) as server:
        agent = create_agent(claude(server.url), middleware=[cutting, HistoryCompat(persist=True)])
        state = agent.invoke({"messages": list(history)})
    assert len(server.requests) == 2
    assert state["messages"][1:3] == history[1:3]


class Breaking(GenericFakeChatModel):
    """Streams a word, then fails in words that a repair is known for."""

    calls: int = 0

    def _stream(self, *args: Any, **options: Any) -> Iterator[ChatGenerationChunk]:
        self.calls += 1
        yield next(super()._stream(*args, **options))
        raise RuntimeError(REFUSAL)


@pytest.mark.parametrize(("streaming", "calls"), [(True, 1), (False, 2)])
def test_nothing_is_sent_again_once_something_was_streamed(streaming: bool, calls: int) -> None:
    """The error reaches the caller; the same words before the first token lead to one more request."""
    history: list[Any] = [
        HumanMessage("Oslo?"),
        AIMessage([THINKING, {"type": "text", "text": "Yes."}]),
        HumanMessage("So?"),
    ]

    def answers() -> Iterator[AIMessage]:
        if not streaming:
            raise RuntimeError(REFUSAL)
        yield AIMessage("In Norway.")

    model = Breaking(messages=answers())
    agent = create_agent(model, middleware=[HistoryCompat(model=CLAUDE)])
    seen: list[Any] = []
    with pytest.raises(RuntimeError, match="signature") if streaming else pytest.raises(RuntimeError):
        for piece in agent.stream({"messages": history}, stream_mode="messages"):
            seen.append(piece)
    assert (bool(seen), model.calls) == (streaming, calls)


def test_the_system_message_is_repaired_too() -> None:
    """One that was blank is not sent; the rest of the request stays."""
    request: Any = ModelRequest(
        model=claude("http://127.0.0.1:9"),
        system_message=SystemMessage([{"type": "text", "text": " "}, {"type": "text", "text": "Be brief."}]),
        messages=[HumanMessage("Oslo?")],
    )
    seen: list[ModelRequest[Any]] = []

    def handler(sent: ModelRequest[Any]) -> ModelResponse[Any]:
        seen.append(sent)
        return ModelResponse(result=[AIMessage("Norway.")])

    HistoryCompat().wrap_model_call(request, handler)
    assert seen[0].system_message == SystemMessage([{"type": "text", "text": "Be brief."}])
    assert seen[0].messages[0] is request.messages[0]


def test_a_healthy_request_is_the_very_object() -> None:
    """No copy is made of what needs no repair; neither is of anything inside ``unguarded``."""
    healthy: Any = ModelRequest(
        model=fake(), system_message=SystemMessage("Be brief."), messages=[HumanMessage("Oslo?")]
    )
    broken: Any = ModelRequest(model=fake(), messages=list(DANGLING))
    seen: list[Any] = []

    def handler(sent: Any) -> Any:
        seen.append(sent)
        return ModelResponse(result=[])

    compat = HistoryCompat(model=CLAUDE, persist=True)
    compat.wrap_model_call(healthy, handler)
    with unguarded():
        compat.wrap_model_call(broken, handler)
    assert seen[0] is healthy
    assert seen[1] is broken


def test_the_log_holds_ids_and_rules_but_no_content(caplog: pytest.LogCaptureFixture) -> None:
    """What was said is nobody's business there."""
    with caplog.at_level(logging.INFO, logger="replayable"):
        create_agent(fake("Norway."), middleware=[HistoryCompat(model=CLAUDE)]).invoke(
            {"messages": list(DANGLING)}
        )
    assert "clean-messages" in caplog.text
    assert "Oslo" not in caplog.text


def test_memory_is_for_the_default_processors() -> None:
    """Both together would leave one of them without effect."""
    with pytest.raises(ConfigurationError, match="memory"):
        HistoryCompat([ProviderHistoryCompat()], memory=RuleMemory())


def test_a_name_for_who_serves_leaves_the_api_to_the_model() -> None:
    """OpenAI serves two; the chat model's settings tell which one is spoken."""
    key: Any = {"api_key": "none"}
    seen: list[str | None] = []
    for responses in (True, False):
        model = ChatOpenAI(model="gpt-5", use_responses_api=responses, **key)
        request: Any = ModelRequest(model=model, messages=[HumanMessage("Oslo?")])
        call = HistoryCompat(model="openai/gpt-5")._start(request)
        assert call is not None
        seen.append(call.run.model.api)
    assert seen == ["openai_responses", "openai_chat"]


@pytest.mark.parametrize(
    ("name", "tools", "settings", "api"),
    [
        ("gpt-5", [], {}, "openai_chat"),
        ("gpt-5-pro", [], {}, "openai_responses"),
        ("gpt-5", [{"type": "web_search"}], {}, "openai_responses"),
        ("gpt-5", [], {"reasoning": {"effort": "low"}}, "openai_responses"),
    ],
)
def test_which_api_is_spoken_depends_on_the_call(name: str, tools: Any, settings: Any, api: str) -> None:
    """The model's name, the provider's own tools and the call's settings decide."""
    key: Any = {"api_key": "none"}
    model = ChatOpenAI(model=name, **key)
    messages: Any = [HumanMessage("Oslo?")]
    request: Any = ModelRequest(model=model, messages=messages, tools=tools, model_settings=settings)
    call = HistoryCompat()._start(request)
    assert call is not None
    assert call.run.model.api == api
    assert model_ref(model.bind(tools=tools, **settings)).api == api


def test_whom_a_chat_model_belongs_to() -> None:
    """Its class tells the API, its URL who serves; fallbacks come along."""
    key: Any = {"api_key": "none"}
    gpt = ChatOpenAI(model="gpt-5", **key)
    served = [
        gpt,
        ChatOpenAI(model="gpt-5", use_responses_api=True, **key),
        ChatOpenAI(model="qwen-3-32b", base_url="https://api.cerebras.ai/v1", **key),
        AzureChatOpenAI(
            azure_deployment="gpt-5", azure_endpoint="https://x.openai.azure.com", api_version="1", **key
        ),
        claude("https://api.anthropic.com"),
        claude("https://api.minimax.io/anthropic"),
        gpt.bind(stop=["."]),
        "groq/qwen",
        fake(),
    ]
    assert [(ref.provider, ref.api) for ref in map(model_ref, served)] == [
        ("openai", "openai_chat"),
        ("openai", "openai_responses"),
        ("cerebras", "openai_chat"),
        ("azure", "openai_chat"),
        ("anthropic", "anthropic"),
        ("minimax", "anthropic"),
        ("openai", "openai_chat"),
        ("groq", "openai_chat"),
        ("genericfakechatmodel", "openai_chat"),
    ]
    ref = model_ref(gpt.with_fallbacks([claude("https://api.anthropic.com")]))
    assert [one.provider for one in ref.candidates()] == ["openai", "anthropic"]
