"""Guarded models, filters and sessions: what they send, what they leave alone, and whom they take a model for."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncIterator
from contextlib import nullcontext
from typing import Any, Final

import pytest
from agents import Agent, ModelSettings, RunConfig, Runner, SQLiteSession, function_tool
from agents.extensions.models.litellm_model import LitellmModel
from agents.models.interface import Model, ModelProvider
from agents.models.openai_chatcompletions import OpenAIChatCompletionsModel
from agents.models.openai_responses import OpenAIResponsesModel
from agents.run_config import CallModelData, ModelInputData
from openai import AsyncOpenAI
from openai.types.responses import ResponseErrorEvent

from replayable import Change
from replayable.integrations.openai_agents import (
    HistoryCompat,
    input_filter,
    model_ref,
    session_input,
    unguarded,
    wrap,
)
from tests.frameworks.providers import CEREBRAS
from tests.integrations.loopback import Reply, serving
from tests.integrations.sdks import OpenAIResponses

CLAUDE: Final = "anthropic/claude-sonnet-5"
REFUSAL: Final = "messages.1.content.0: Invalid `signature` in `thinking` block"
THINKING: Final = {
    "type": "reasoning",
    "summary": [],
    "encrypted_content": "c2ln",
    "provider_data": {"model": CLAUDE},
}
CALL: Final[Any] = {"type": "function_call", "call_id": "call_1", "name": "search", "arguments": "{}"}

RESULT: Final[Any] = {"type": "function_call_output", "call_id": "call_1", "output": "In Norway."}


def user(text: str) -> Any:
    """What a user said."""
    return {"role": "user", "content": text}


class Fake(Model):
    """Streams some events and then fails in words that a repair is known for, as long as there is thinking."""

    def __init__(self, *events: Any) -> None:
        self.inputs: list[Any] = []
        self.events = events
        self.open_streams = 0
        self.kind = "fake"
        self.closed = False

    async def get_response(self, system_instructions: Any, input: Any, *args: Any, **options: Any) -> Any:
        """Note what was sent; nobody needs an answer."""
        self.inputs.append(input)

    async def stream_response(
        self, system_instructions: Any, input: Any, *args: Any, **options: Any
    ) -> AsyncIterator[Any]:
        """Stream, or fail."""
        self.inputs.append(input)
        self.open_streams += 1
        try:
            if THINKING in input:
                for event in self.events:
                    yield event
                raise RuntimeError(REFUSAL)
            yield "done"
        finally:
            self.open_streams -= 1

    async def close(self) -> None:
        """Note it."""
        self.closed = True


@pytest.mark.parametrize(("events", "requests"), [((), 2), (("a",), 1)])
def test_nothing_is_sent_again_once_something_was_streamed(events: tuple[str, ...], requests: int) -> None:
    """The same rejection before the first event leads to one more request."""
    model = Fake(*events)
    guarded: Any = wrap(model, served_by=CLAUDE)
    items = [user("Oslo?"), THINKING, {"role": "assistant", "content": "In Norway."}, user("So?")]

    async def main() -> list[Any]:
        seen: list[Any] = []
        try:
            async for event in guarded.stream_response(None, items, ModelSettings()):
                seen.append(event)
        except RuntimeError as error:
            seen.append(str(error))
        return seen

    assert asyncio.run(main()) == (["done"] if requests == 2 else ["a", REFUSAL])
    assert len(model.inputs) == requests


@pytest.mark.parametrize("settings", [ModelSettings(store=False), ModelSettings()], ids=["not", "stored"])
@pytest.mark.parametrize("way", ["wrap", "input_filter"])
def test_what_the_server_was_told_not_to_store_is_not_asked_of_it(way: str, settings: ModelSettings) -> None:
    """Reasoning without its content is nothing but a pointer there."""
    sdk = OpenAIResponses()
    items = [user("Oslo?"), {"type": "reasoning", "id": "rs_1", "summary": []}, CALL, RESULT]
    with serving(lambda path, body: sdk.reply((path, body), "Norway.")) as server:
        model: Model = OpenAIResponsesModel("gpt-5", AsyncOpenAI(api_key="none", base_url=f"{server.url}/v1"))
        options: dict[str, Any] = {"call_model_input_filter": input_filter()} if way == "input_filter" else {}
        agent = Agent("Guide", model=wrap(model) if way == "wrap" else model, model_settings=settings)
        config = RunConfig(tracing_disabled=True, **options)
        asyncio.run(Runner.run(agent, items, run_config=config))
    assert ("rs_1" in str(server.requests[0][1]["input"])) is (settings.store is None)


def test_a_stream_that_opens_with_a_rejection_is_begun_anew() -> None:
    """The server said 200 first."""
    refused = ResponseErrorEvent(
        code="invalid_request_error", message=REFUSAL, param=None, sequence_number=0, type="error"
    )
    model = Fake(refused)
    guarded: Any = wrap(model, served_by=CLAUDE)

    async def main() -> list[Any]:
        items = [user("Oslo?"), THINKING, {"role": "assistant", "content": "In Norway."}, user("So?")]
        return [event async for event in guarded.stream_response(None, items, ModelSettings())]

    assert asyncio.run(main()) == ["done"]
    assert (len(model.inputs), model.open_streams) == (2, 0)


@pytest.mark.parametrize("guard", [True, False])
def test_a_stream_that_nobody_reads_to_its_end_is_closed(guard: bool) -> None:
    """With the one around it."""
    model = Fake("a")
    guarded: Any = wrap(model, served_by=CLAUDE)

    async def main() -> None:
        stream = guarded.stream_response(None, [THINKING], ModelSettings())
        assert await anext(stream) == "a"
        await stream.aclose()
        assert model.open_streams == 0

    with nullcontext() if guard else unguarded():
        asyncio.run(main())


def test_a_guarded_model_is_taken_for_what_it_guards() -> None:
    """The SDK asks for the class now and then."""
    model = OpenAIChatCompletionsModel("gpt-5", AsyncOpenAI(api_key="none"))
    guarded = wrap(model)
    assert isinstance(guarded, OpenAIChatCompletionsModel)
    assert not isinstance(guarded, OpenAIResponsesModel)
    again = copy.copy(guarded)
    assert (model_ref(again), again.model) == (model_ref(guarded), "gpt-5")


def test_what_the_server_holds_counts_as_answered() -> None:
    """A result whose call stands in the previous response is sent as it is."""
    model = Fake()
    items: list[Any] = [{"type": "function_call_output", "call_id": "call_1", "output": "Hm."}]
    guarded: Any = wrap(model, served_by="openai.responses/gpt-5")
    asyncio.run(
        guarded.get_response(
            None, items, ModelSettings(), previous_response_id="resp_1", conversation_id=None
        )
    )
    asyncio.run(
        guarded.get_response(None, items, ModelSettings(), previous_response_id=None, conversation_id=None)
    )
    assert model.inputs[0] is items
    assert "call_1" not in str(model.inputs[1])


def test_all_else_is_the_wrapped_models_affair() -> None:
    """Its attributes, its closing."""
    model = Fake()
    guarded: Any = wrap(model, served_by=CLAUDE)
    asyncio.run(guarded.close())
    assert (guarded.kind, model.closed) == ("fake", True)
    with pytest.raises(AttributeError):
        _ = guarded.missing


def test_a_provider_guards_the_models_that_it_finds() -> None:
    """By their names; closing it closes the one inside."""
    model = Fake()

    class Finder(ModelProvider):
        closed = False

        def get_model(self, model_name: str | None) -> Model:
            return model

        async def aclose(self) -> None:
            self.closed = True

    finder = Finder()
    compat = HistoryCompat(provider=finder, model=CLAUDE)
    guarded: Any = compat.get_model("any")
    asyncio.run(guarded.get_response(None, [user("Oslo?"), CALL, user("So?")], ModelSettings()))
    asyncio.run(compat.aclose())
    assert [item.get("type") for item in model.inputs[0]] == [
        None,
        "function_call",
        "function_call_output",
        None,
    ]
    assert finder.closed


def test_a_filter_repairs_for_the_agents_model() -> None:
    """What needs no repair is the very object; so is anything inside ``unguarded``."""
    healthy = ModelInputData([user("Oslo?")], "Be brief.")
    broken: Any = ModelInputData([user("Oslo?"), CALL, user("So?")], None)
    repaired = input_filter()
    agent: Agent[Any] = Agent("Guide", model="litellm/" + CLAUDE)

    def sent(data: ModelInputData) -> Any:
        return repaired(CallModelData(data, agent, None))

    assert sent(healthy) is healthy
    assert len(sent(broken).input) == 4
    with unguarded():
        assert sent(broken) is broken


@pytest.mark.parametrize(
    "held",
    [
        {},
        {"auto_previous_response_id": True},
        {"previous_response_id": "resp_0"},
        {"conversation_id": "conv_1"},
    ],
    ids=lambda held: next(iter(held), "nothing"),
)
def test_what_follows_on_a_conversation_at_the_server_stays(held: dict[str, Any]) -> None:
    """There a run sends results without their calls; neither a wrapped model nor a filter, which isn't told, drops them."""
    sdk = OpenAIResponses()
    told: list[Change] = []

    def search(q: str) -> str:
        """Search for something."""
        return f"found {q}"

    def answer(path: str, body: Any) -> Reply:
        if "function_call_output" in str(body["input"]):
            return sdk.reply((path, body), "Norway.")
        return Reply(body={**sdk.answer("").body, "output": [{**CALL, "arguments": '{"q": "Oslo"}'}]})

    with serving(answer) as server:
        client = AsyncOpenAI(api_key="none", base_url=f"{server.url}/v1", max_retries=0)
        model = wrap(OpenAIResponsesModel("gpt-5", client), on_change=told.extend)
        repaired = input_filter(on_change=told.extend)
        config = RunConfig(call_model_input_filter=repaired, tracing_disabled=True)
        agent = Agent("Guide", model=model, tools=[function_tool(search)])
        result = asyncio.run(Runner.run(agent, "Oslo?", run_config=config, max_turns=2, **held))
    assert (result.final_output, told) == ("Norway.", [])
    kinds = [item.get("type", "message") for item in server.requests[-1][1]["input"]]
    assert kinds == (
        ["function_call_output"] if held else ["message", "function_call", "function_call_output"]
    )


@pytest.mark.parametrize(
    ("items", "sent"),
    [
        ([{"type": "computer_call_output", "call_id": "call_1", "output": {}}], 1),
        ([{**RESULT}, {"type": "mcp_approval_response", "approval_request_id": "a", "approve": True}], 2),
        ([{**RESULT}, user("So?")], 2),
        ([], 1),
        ([{**RESULT}, user("So?"), CALL, {**RESULT}], 3),
        ([{**RESULT}, {"role": "assistant", "content": "Oslo."}, user("So?")], 2),
    ],
)
def test_a_filter_drops_results_of_calls_that_were_cut_off(items: list[Any], sent: int) -> None:
    """What the model said after them tells that the conversation is all there; without any of it they stay."""
    agent: Agent[Any] = Agent("Guide", model="gpt-5")
    data: CallModelData[Any] = CallModelData(ModelInputData(items, None), agent, None)
    filtered: Any = input_filter()(data)
    assert len(filtered.input) == sent


def test_a_session_is_whole_from_then_on() -> None:
    """The placeholder is stored once; the next turn changes nothing."""
    told: list[Change] = []

    async def main(url: str) -> list[Any]:
        session = SQLiteSession("1")
        await session.add_items([user("Oslo?"), CALL])
        client = AsyncOpenAI(api_key="none", base_url=f"{url}/v1")
        agent = Agent("Guide", model=OpenAIChatCompletionsModel("qwen-3-32b", client))
        config = RunConfig(session_input_callback=session_input(on_change=told.extend), tracing_disabled=True)
        for text in ("Well?", "Sure?"):
            await Runner.run(agent, text, session=session, run_config=config)
        return await session.get_items()

    with serving(CEREBRAS.judge) as server:
        items = asyncio.run(main(server.url))
    assert [item.get("type", item.get("role")) for item in items] == [
        "user",
        "function_call",
        "function_call_output",
        "user",
        "message",
        "user",
        "message",
    ]
    assert [change.action for change in told] == ["added"]


def test_a_session_leaves_to_the_request_what_would_be_stored_twice() -> None:
    """Two calls that share an id are renamed there; here they stay."""
    other = {**CALL, "arguments": '{"q": "Bergen"}'}
    result = {"type": "function_call_output", "call_id": "call_1", "output": "Hm."}
    history: Any = [user("Oslo?"), CALL, other, result, {**result, "output": "Ha."}]
    joined: Any = session_input()(history, [user("So?")])
    assert joined == [*history, user("So?")]


def test_whom_a_model_belongs_to() -> None:
    """The class tells the API, the URL who serves; LiteLLM's model says it as LiteLLM knows it, any-llm's by its name."""

    def client(url: str) -> AsyncOpenAI:
        return AsyncOpenAI(api_key="none", base_url=url)

    openai = client("https://api.openai.com/v1")
    models = [
        OpenAIResponsesModel("gpt-5", openai),
        OpenAIChatCompletionsModel("gpt-5", openai),
        OpenAIChatCompletionsModel("qwen-3-32b", client("https://api.cerebras.ai/v1")),
        LitellmModel(CLAUDE),
        LitellmModel("openai/qwen-3-32b", base_url="https://api.cerebras.ai/v1"),
        wrap(Fake(), served_by="groq/qwen"),
        wrap(OpenAIResponsesModel("gpt-5", openai), served_by="azure/gpt-5"),
        "litellm/" + CLAUDE,
        "openai/gpt-5",
        "openai.chat/gpt-5",
        None,
    ]
    assert [(ref.provider, ref.api) for ref in map(model_ref, models)] == [
        ("openai", "openai_responses"),
        ("openai", "openai_chat"),
        ("cerebras", "openai_chat"),
        ("anthropic", "anthropic"),
        ("cerebras", "openai_chat"),
        ("groq", "openai_chat"),
        ("azure", "openai_responses"),
        ("anthropic", "anthropic"),
        ("openai", "openai_responses"),
        ("openai", "openai_chat"),
        ("openai", "openai_responses"),
    ]
