"""Agents of ADK behind real models' classes: Gemini too, streams that are begun anew, callbacks, and healed sessions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any, Final

import pytest
from anthropic import AsyncAnthropic
from google.adk.agents import LlmAgent
from google.adk.agents.context_cache_config import ContextCacheConfig
from google.adk.agents.run_config import RunConfig, StreamingMode  # type: ignore[attr-defined]  # where all versions have it
from google.adk.apps import App
from google.adk.events import Event
from google.adk.models import FallbackModel, Gemini
from google.adk.models.anthropic_llm import AnthropicLlm, Claude
from google.adk.models.base_llm import BaseLlm
from google.adk.models.lite_llm import LiteLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.genai import types
from pydantic import Field

from replayable import Change, RuleMemory
from replayable.integrations import unguarded
from replayable.integrations.google_adk import HistoryCompat, heal, model_ref, wrap
from tests.frameworks.providers import ANTHROPIC, GEMINI
from tests.integrations.loopback import Loopback, Reply, serving

APP: Final = "tests"
WHO: Final[dict[str, Any]] = {"user_id": "someone", "session_id": "one"}
SEAL: Final = b"sealed elsewhere"
MARK: Final = types.Part(thought_signature=SEAL).model_dump(mode="json", by_alias=True)["thoughtSignature"]
REFUSAL: Final = "Corrupted thought signature."
STREAMED: Final = RunConfig(streaming_mode=StreamingMode.SSE)


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody asks for them here."""
    for name in ("ANTHROPIC_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.setenv(name, "none")
    monkeypatch.delenv("ANTHROPIC_BASE_URL", raising=False)


def said(role: str, *parts: types.Part, **fields: Any) -> Event:
    """An event of the user's or of the agent's."""
    author = "user" if role == "user" else "guide"
    return Event(
        author=author, invocation_id="turn", content=types.Content(role=role, parts=list(parts)), **fields
    )


def text(value: str, **fields: Any) -> types.Part:
    """A text."""
    return types.Part(text=value, **fields)


def call(call_id: str, name: str = "search") -> types.Part:
    """A call."""
    return types.Part(function_call=types.FunctionCall(id=call_id, name=name, args={}))


def result(call_id: str, output: str = "Found.") -> types.Part:
    """A result."""
    answer = types.FunctionResponse(id=call_id, name="search", response={"result": output})
    return types.Part(function_response=answer)


SEALED: Final = (
    said("user", text("Where is Oslo?")),
    said("model", text("In Norway.", thought_signature=SEAL)),
)


async def ask(
    agent: LlmAgent,
    events: tuple[Event, ...] = SEALED,
    *,
    plugins: tuple[HistoryCompat, ...] = (),
    config: RunConfig | None = None,
) -> list[Event]:
    """Run an agent on a stored conversation and return its events."""
    sessions = InMemorySessionService()
    session = await sessions.create_session(app_name=APP, **WHO)
    for event in events:
        await sessions.append_event(session, event.model_copy(deep=True))
    runner = Runner(app=App(name=APP, root_agent=agent, plugins=list(plugins)), session_service=sessions)
    question = types.Content(role="user", parts=[text("And so?")])
    run = runner.run_async(new_message=question, run_config=config or RunConfig(), **WHO)
    return [event async for event in run]


def texts(events: list[Event]) -> list[tuple[str | None, bool]]:
    """What was said in each event, and whether it was a piece of a stream."""
    return [
        (event.content.parts[0].text, bool(event.partial))
        for event in events
        if event.content is not None and event.content.parts
    ]


def gemini(server: Loopback) -> Gemini:
    """Gemini behind a URL."""
    return Gemini(model=GEMINI.model, base_url=server.url)


def refuse(path: str, body: Any) -> Reply:
    """Refuse what was sealed elsewhere."""
    return GEMINI.refusing(MARK, REFUSAL)(path, body)


def test_what_claude_thought_leaves_for_gemini() -> None:
    """The session tells who thought it; nothing of it is sent, and nothing refused."""
    history = (
        said("user", text("Where is Oslo?")),
        said(
            "model",
            text("Hm.", thought=True, thought_signature=SEAL),
            text("In Norway."),
            model_version="claude-sonnet-5",
        ),
    )
    with serving(refuse) as server:
        agent = LlmAgent(name="guide", model=gemini(server))
        with pytest.raises(Exception, match="Corrupted"):
            asyncio.run(ask(agent, history))
        assert texts(asyncio.run(ask(agent, history, plugins=(HistoryCompat(),)))) == [("Norway.", False)]
    assert len(server.requests) == 2


def test_calls_of_a_running_loop_are_signed_for_gemini() -> None:
    """A call that another model made has no signature; Gemini 3 is given the one that stands for none."""
    history = (
        said("user", text("Where is Oslo?")),
        said("model", call("adk-1")),
        said("user", result("adk-1")),
    )

    async def resume(agent: LlmAgent, plugins: list[Any]) -> list[Event]:
        sessions = InMemorySessionService()
        session = await sessions.create_session(app_name=APP, **WHO)
        for event in history[:-1]:
            await sessions.append_event(session, event.model_copy(deep=True))
        runner = Runner(app=App(name=APP, root_agent=agent, plugins=plugins), session_service=sessions)
        return [event async for event in runner.run_async(new_message=history[-1].content, **WHO)]

    with serving(GEMINI.judge) as server:
        agent = LlmAgent(name="guide", model=gemini(server))
        with pytest.raises(Exception, match="thought_signature"):
            asyncio.run(resume(agent, []))
        assert texts(asyncio.run(resume(agent, [HistoryCompat()]))) == [("Norway.", False)]
    assert "skip_thought_signature_validator" in json.dumps(server.requests[-1][1])


@pytest.mark.parametrize("config", [RunConfig(), STREAMED], ids=["whole", "streamed"])
@pytest.mark.parametrize("way", ["plugin", "callbacks", "wrap"])
def test_a_rejection_is_repaired_once_and_remembered(way: str, config: RunConfig) -> None:
    """A plugin and callbacks can answer with one response only; a wrapped model streams the second answer, too."""
    memory = RuleMemory()
    compat = HistoryCompat(memory=memory)
    with serving(refuse) as server:
        model: BaseLlm = gemini(server)
        callbacks: dict[str, Any] = {}
        if way == "callbacks":
            callbacks = {
                name: getattr(compat, name)
                for name in ("before_model_callback", "after_model_callback", "on_model_error_callback")
            }
        agent = LlmAgent(
            name="guide", model=wrap(model, memory=memory) if way == "wrap" else model, **callbacks
        )
        plugins = (compat,) if way == "plugin" else ()
        pieces = [("No", True), ("rway.", True), ("Norway.", False)]
        streamed = config is STREAMED
        for requests in (2, 3):
            answer = texts(asyncio.run(ask(agent, plugins=plugins, config=config)))
            assert answer == (pieces if streamed and (way == "wrap" or requests == 3) else pieces[-1:])
            assert len(server.requests) == requests
    assert memory.to_dict()


@pytest.mark.parametrize("way", ["plugin", "wrap"])
def test_a_stream_that_broke_after_its_first_piece_is_not_sent_again(way: str) -> None:
    """Even if the provider says then what could be repaired."""

    def answer(path: str, body: Any) -> Reply:
        begun = GEMINI.sdk.streamed("Norway.").body.split(b"\n\n")[0] + b"\n\n"
        refused = GEMINI.sdk.refused_stream(REFUSAL).body
        return Reply(body=begun + refused, content_type="text/event-stream")

    with serving(answer) as server:
        agent = LlmAgent(name="guide", model=wrap(gemini(server)) if way == "wrap" else gemini(server))
        plugins = () if way == "wrap" else (HistoryCompat(),)
        with pytest.raises(Exception, match="Corrupted"):
            asyncio.run(ask(agent, plugins=plugins, config=STREAMED))
    assert len(server.requests) == 1


@pytest.mark.parametrize("way", ["plugin", "wrap"])
def test_what_is_refused_again_is_the_providers_own_error(way: str) -> None:
    """One more request, and no more, though a plugin and a wrapped model are both there."""
    with serving(lambda path, body: GEMINI.sdk.refusal(REFUSAL)) as server:
        agent = LlmAgent(name="guide", model=wrap(gemini(server)) if way == "wrap" else gemini(server))
        with pytest.raises(Exception, match="Corrupted") as caught:
            asyncio.run(ask(agent, plugins=(HistoryCompat(),)))
    assert type(caught.value).__name__ == "ClientError"
    assert len(server.requests) == 2


def test_what_another_callback_took_out_stays_out_of_the_second_request() -> None:
    """The second request is made of the first one as it was sent, not as it was before other callbacks."""

    def redact(callback_context: Any, llm_request: LlmRequest) -> None:
        llm_request.contents = [*llm_request.contents[1:]]

    with serving(refuse) as server:
        agent = LlmAgent(name="guide", model=gemini(server), before_model_callback=redact)
        asyncio.run(ask(agent, plugins=(HistoryCompat(),)))
    assert len(server.requests) == 2
    assert not any("Where is Oslo?" in json.dumps(body) for _, body in server.requests)


def test_what_a_cache_holds_is_not_cached_again() -> None:
    """The first try has taken it out of the request, which ADK's cache would take for another conversation then."""

    class Cached(BaseLlm):
        seen: list[bool] = Field(default_factory=list)

        async def generate_content_async(
            self, llm_request: LlmRequest, stream: bool = False
        ) -> AsyncGenerator[LlmResponse, None]:
            self.seen.append(llm_request.cache_config is not None)
            if len(self.seen) == 1:
                llm_request.contents = llm_request.contents[1:]
                llm_request.config.cached_content = "cachedContents/1"
                raise RuntimeError(REFUSAL)
            yield LlmResponse(content=types.Content(role="model", parts=[text("Norway.")]))

    model = Cached(model="gemini-3-pro")

    def cache(callback_context: Any, llm_request: LlmRequest) -> None:
        llm_request.cache_config = ContextCacheConfig()

    agent = LlmAgent(name="guide", model=model, before_model_callback=cache)
    assert texts(asyncio.run(ask(agent, plugins=(HistoryCompat(model="google/gemini-3-pro"),))))
    assert model.seen == [True, False]


def test_a_wrapped_model_is_another_object_of_the_same_class() -> None:
    """What ADK asks of its class and its fields is answered as before."""
    model = AnthropicLlm(model="claude-sonnet-5", max_tokens=7)
    guarded = wrap(model)
    assert isinstance(guarded, AnthropicLlm)
    assert type(guarded).__name__ == "AnthropicLlm"
    assert (guarded.model, guarded.max_tokens, guarded.model_dump()) == (
        "claude-sonnet-5",
        7,
        model.model_dump(),
    )
    assert type(model) is AnthropicLlm
    assert wrap("gemini-3-pro").model == "gemini-3-pro"


def test_a_wrapped_model_leaves_the_request_alone() -> None:
    """It is repaired, and filled up by ADK's own class, in copies only; inside ``unguarded`` it is not repaired."""

    class Recorder(BaseLlm):
        seen: list[int] = Field(default_factory=list)

        async def generate_content_async(
            self, llm_request: LlmRequest, stream: bool = False
        ) -> AsyncGenerator[LlmResponse, None]:
            self.seen.append(len(llm_request.contents))
            llm_request.contents.clear()
            llm_request.config.labels = {"a": "b"}
            yield LlmResponse(content=types.Content(role="model", parts=[text("Norway.")]))

    async def run(model: BaseLlm, request: LlmRequest) -> None:
        async for _ in model.generate_content_async(request):
            pass

    changes: list[tuple[Change, ...]] = []
    model = wrap(Recorder(model="claude-sonnet-5"), on_change=changes.append)
    contents = [types.Content(role="model", parts=[call("c")]), types.Content(role="user", parts=[text("?")])]
    request = LlmRequest(contents=contents)
    asyncio.run(run(model, request))
    with unguarded():
        asyncio.run(run(model, request))
    assert (request.contents, request.config.labels) == (contents, None)
    assert model.seen == [3, 2]  # type: ignore[attr-defined]
    assert len(changes) == 1


# --- sessions -----------------------------------------------------------------------------------------------------


def _services(path: Path) -> dict[str, Callable[[], Any]]:
    return {
        "memory": InMemorySessionService,
        "sqlite": lambda: SqliteSessionService(str(path / "sessions.db")),
    }


@pytest.mark.parametrize("service", ["memory", "sqlite"])
def test_healing_only_adds(service: str, tmp_path: Path) -> None:
    """Unanswered calls get an answer of their own place, all else stays; a second time there is nothing to do."""
    sessions = _services(tmp_path)[service]()
    pending = said("model", call("wait", "approve"), long_running_tool_ids={"wait"})
    begun = said("model", call("task", "delegate"))
    of_task = said("model", text("Which city?"), isolation_scope="task")
    parallel = said("model", call("one"), call("two"), branch="root.guide")
    stored = (
        said("user", text("Where is Oslo?")),
        parallel,
        said("user", result("two")),
        pending,
        begun,
        of_task,
        said("user", result("stray")),
        said("model", call("again")),
        said("user", result("again")),
        said("model", call("again")),
        said("model", call("three"), text("Hm.")),
        said("user", text("Well?")),
    )

    async def main() -> None:
        session = await sessions.create_session(app_name=APP, state={"kept": 1}, **WHO)
        for event in stored:
            await sessions.append_event(session, event)
        before = (await sessions.get_session(app_name=APP, **WHO)).model_dump()["events"]
        session = await sessions.get_session(app_name=APP, **WHO)
        changes: list[Any] = []
        added = await heal(sessions, session, on_change=changes.append)
        answers = [(event.branch, event.author, event.get_function_responses()) for event in added]
        assert [(branch, author, [one.id for one in ones]) for branch, author, ones in answers] == [
            ("root.guide", "guide", ["one"]),
            (None, "guide", ["three"]),
        ]
        assert len(changes) == 1
        session = await sessions.get_session(app_name=APP, **WHO)
        assert session.model_dump()["events"][: len(before)] == before
        assert [event.id for event in session.events[len(before) :]] == [event.id for event in added]
        assert session.state == {"kept": 1}
        assert await heal(sessions, session) == []

    asyncio.run(main())


def test_the_model_sees_what_was_healed() -> None:
    """ADK would have kept the call from it."""

    async def main(url: str) -> None:
        sessions = InMemorySessionService()
        session = await sessions.create_session(app_name=APP, **WHO)
        for event in (said("user", text("Book it.")), said("model", call("toolu_1"))):
            await sessions.append_event(session, event)
        await heal(sessions, session)
        model = AnthropicLlm(model="claude-sonnet-5")
        app = App(name=APP, root_agent=LlmAgent(name="guide", model=model, instruction="Be brief."))
        question = types.Content(role="user", parts=[text("And so?")])
        async for _ in Runner(app=app, session_service=sessions).run_async(new_message=question, **WHO):
            pass

    with serving(ANTHROPIC.judge) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANTHROPIC_BASE_URL", server.url)
        asyncio.run(main(server.url))
    [(_, body)] = server.requests
    assert "No result of this tool call was recorded" in json.dumps(body)


# --- models -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (lambda: Gemini(model="gemini-3-pro"), ("google", "gemini", "gemini-3-pro")),
        (
            lambda: Gemini(model="projects/p/locations/l/publishers/google/models/gemini-3-pro"),
            ("vertex", "gemini", "gemini-3-pro"),
        ),
        (lambda: Claude(model="claude-sonnet-5"), ("vertex", "anthropic", "claude-sonnet-5")),
        (lambda: AnthropicLlm(model="claude-sonnet-5"), ("anthropic", "anthropic", "claude-sonnet-5")),
        (lambda: LiteLlm("anthropic/claude-sonnet-5"), ("anthropic", "anthropic", "claude-sonnet-5")),
        (lambda: LiteLlm("litellm_proxy/groq/kimi-k2"), ("groq", "openai_chat", "kimi-k2")),
        (
            lambda: LiteLlm("openai/kimi-k2", api_base="https://api.moonshot.ai/v1"),
            ("moonshot", "openai_chat", "kimi-k2"),
        ),
        (
            lambda: LiteLlm("kimi-k2", custom_llm_provider="groq"),
            ("groq", "openai_chat", "kimi-k2"),
        ),
    ],
)
def test_who_serves(
    model: Callable[[], BaseLlm], expected: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told by class, name and address."""
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "p")
    monkeypatch.setenv("GOOGLE_CLOUD_LOCATION", "l")
    ref = model_ref(model())
    assert (ref.provider, ref.api, ref.model) == expected


def test_who_serves_what_a_request_names() -> None:
    """A callback may have named another model than the agent's."""
    assert model_ref(Gemini(model="gemini-3-pro"), "gemini-2.5-flash").model == "gemini-2.5-flash"
    assert model_ref(LiteLlm("groq/kimi-k2"), "cerebras/qwen-3-32b").provider == "cerebras"


def test_who_serves_behind_a_client_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client's address, or that of the environment, says more than the class."""
    url = "https://api.moonshot.ai/anthropic"
    client = AsyncAnthropic(api_key="none", base_url=url)
    assert model_ref(AnthropicLlm(model="kimi-k2", client=client)).provider == "moonshot"
    monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
    assert model_ref(AnthropicLlm(model="kimi-k2")).provider == "moonshot"


def test_fallbacks_are_repaired_for_too() -> None:
    """Any of the models may read the request."""
    models: list[Any] = ["gemini-3-pro", AnthropicLlm(model="claude-sonnet-5")]
    ref = model_ref(FallbackModel(models=models))
    assert [one.provider for one in ref.candidates()] == ["google", "anthropic"]
