"""The capability and the guarded model: which API counts, batches, fallbacks, counting and compacting."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Final

import pytest
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai import messages as m
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.models import Model, ModelRequestContext, ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.batch import BatchRequest, EncodedBatchRequest
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.usage import RequestUsage

from replayable.integrations._guard import who_serves
from replayable.integrations.pydantic_ai import HistoryCompat, model_ref, unguarded, wrap
from tests.frameworks.providers import CEREBRAS
from tests.integrations.loopback import Reply, serving

CLAUDE: Final = "anthropic/claude-sonnet-5"
SIGNATURE: Final = "c2lnbmVk"
REFUSAL: Final = "messages.1.content.0: Invalid `signature` in `thinking` block"
DANGLING: Final[list[m.ModelMessage]] = [
    m.ModelRequest(parts=[m.UserPromptPart("Oslo?")]),
    m.ModelResponse(parts=[m.ToolCallPart("look", {}, "toolu_1")]),
    m.ModelRequest(parts=[m.UserPromptPart("So?")]),
]


def test_a_name_for_who_serves_leaves_the_api_to_the_model() -> None:
    """OpenAI serves two; the class tells which one is spoken."""
    client = AsyncOpenAI(api_key="none", base_url="http://127.0.0.1:9/v1")
    told = model_ref(OpenAIResponsesModel("gpt-5", provider=OpenAIProvider(openai_client=client)))
    given = HistoryCompat(model="openai/gpt-5")._served_by
    assert given is not None
    assert (given.api, who_serves(given, told).api) == ("openai_chat", "openai_responses")
    assert who_serves(None, told) is told


class Batching(WrapperModel):
    """Notes what it is to encode for a batch."""

    def __init__(self) -> None:
        super().__init__(FunctionModel(lambda messages, info: m.ModelResponse(parts=[])))
        self.given: list[BatchRequest] = []

    async def batch_encode(self, request: BatchRequest) -> EncodedBatchRequest:
        """Encode nothing."""
        self.given.append(request)
        return EncodedBatchRequest(custom_id=request.custom_id, group="", body="{}")


def test_requests_of_a_batch_are_repaired() -> None:
    """Nobody hears of a rejection there in time; what the caller gave stays as it is."""
    model = Batching()
    guarded = wrap(model, served_by=CLAUDE)
    request = BatchRequest(custom_id="1", messages=DANGLING)
    asyncio.run(guarded.batch_encode(request))
    with unguarded():
        asyncio.run(guarded.batch_encode(request))
    repaired, same = model.given
    assert same is request
    assert request.messages is DANGLING
    assert [part.part_kind for message in repaired.messages for part in message.parts] == [
        "user-prompt",
        "tool-call",
        "tool-return",
        "user-prompt",
    ]


SIGNED: Final[list[m.ModelMessage]] = [
    m.ModelRequest(parts=[m.UserPromptPart("Oslo?")]),
    m.ModelResponse(
        parts=[m.ThinkingPart("Hm.", signature=SIGNATURE, provider_name="anthropic"), m.TextPart("Yes.")],
        provider_name="anthropic",
    ),
]


class Asked(FunctionModel):
    """A model that notes what it is asked, and may be down, or refuse signatures."""

    def __init__(self, *, down: bool = False) -> None:
        super().__init__(self._answer, stream_function=self._stream)
        self.given: list[list[m.ModelMessage]] = []
        self._down = down

    def _ask(self, messages: list[m.ModelMessage]) -> None:
        self.given.append(messages)
        if self._down:
            raise ModelHTTPError(503, "claude", "down")
        if SIGNATURE in str(messages):
            raise ModelHTTPError(400, "claude", {"error": {"message": REFUSAL}})

    def _answer(self, messages: list[m.ModelMessage], info: AgentInfo) -> m.ModelResponse:
        self._ask(messages)
        return m.ModelResponse(parts=[m.TextPart("Norway.")])

    async def _stream(self, messages: list[m.ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        self._ask(messages)
        yield "Norway."

    async def count_tokens(self, messages: list[m.ModelMessage], *_: Any) -> RequestUsage:
        """Count none."""
        self._ask(messages)
        return RequestUsage()

    async def compact_messages(
        self, request_context: ModelRequestContext, *, instructions: str | None = None
    ) -> m.ModelResponse:
        """Put nothing together."""
        self._ask(request_context.messages)
        return m.ModelResponse(parts=[])


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("around", [False, True])
def test_each_fallback_is_repaired_for_by_itself(streamed: bool, around: bool) -> None:
    """What the first one refuses is repaired and sent to it again, before the next one is asked."""

    async def run(*models: FunctionModel) -> str:
        fallback: Model = FallbackModel(*models)
        agent = Agent(
            WrapperModel(fallback) if around else fallback, capabilities=[HistoryCompat(model=CLAUDE)]
        )
        if not streamed:
            return (await agent.run("Where?", message_history=SIGNED)).output
        async with agent.run_stream("Where?", message_history=SIGNED) as result:
            return await result.get_output()

    first, second, down = Asked(), Asked(), Asked(down=True)
    assert asyncio.run(run(first, second)) == "Norway."
    assert (len(first.given), len(second.given)) == (2, 0)
    assert asyncio.run(run(down, second)) == "Norway."
    assert (len(down.given), len(second.given)) == (1, 2)


def test_each_fallback_gets_what_it_takes() -> None:
    """An id that Claude refuses stays for a model that takes it."""
    call_id = "functions.look:0"
    history: list[m.ModelMessage] = [
        m.ModelRequest(parts=[m.UserPromptPart("Oslo?")]),
        m.ModelResponse(parts=[m.ToolCallPart("look", {}, call_id)]),
        m.ModelRequest(parts=[m.ToolReturnPart("look", "In Norway.", call_id)]),
        m.ModelResponse(parts=[m.TextPart("Yes.")]),
    ]
    with serving(lambda path, body: Reply(body={}, status=503)) as claude, serving(CEREBRAS.judge) as other:
        anthropic = AsyncAnthropic(api_key="none", base_url=claude.url, max_retries=0)
        openai = AsyncOpenAI(api_key="none", base_url=f"{other.url}/v1", max_retries=0)
        model = FallbackModel(
            AnthropicModel("claude-sonnet-5", provider=AnthropicProvider(anthropic_client=anthropic)),
            OpenAIChatModel("qwen-3-32b", provider=OpenAIProvider(openai_client=openai)),
        )
        answer = Agent(model, capabilities=[HistoryCompat()]).run_sync("So?", message_history=history)
    assert answer.output == "Norway."
    assert [call_id in str(server.requests) for server in (claude, other)] == [False, True]


def test_counting_and_compacting_are_requests_too() -> None:
    """Both are repaired, and sent once more after a rejection."""
    model = Asked()
    guarded = wrap(model, served_by=CLAUDE)
    parameters = ModelRequestParameters()
    context = ModelRequestContext(
        model=model, messages=SIGNED, model_settings=None, model_request_parameters=parameters
    )
    asyncio.run(guarded.count_tokens(SIGNED, None, parameters))
    asyncio.run(wrap(model, served_by=CLAUDE).compact_messages(context))
    assert [SIGNATURE in str(given) for given in model.given] == [True, False] * 2
    assert context.messages is SIGNED
