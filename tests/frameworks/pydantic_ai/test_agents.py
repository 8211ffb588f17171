"""The capability and the guarded model: which API counts, batches, and fallbacks that all refuse."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai import messages as m
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.models.batch import BatchRequest, EncodedBatchRequest
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.openai import OpenAIResponsesModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.providers.openai import OpenAIProvider

from replayable.integrations._guard import who_serves
from replayable.integrations.pydantic_ai import HistoryCompat, model_ref, unguarded, wrap

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


def test_a_rejection_by_every_fallback_is_repaired() -> None:
    """All are asked once more, without what they refused."""
    seen: list[bool] = []

    def answer(messages: list[Any], info: AgentInfo) -> m.ModelResponse:
        seen.append(SIGNATURE in str(messages))
        if seen[-1]:
            raise ModelHTTPError(400, "claude", {"error": {"message": REFUSAL}})
        return m.ModelResponse(parts=[m.TextPart("Norway.")])

    thought = m.ThinkingPart("Hm.", signature=SIGNATURE, provider_name="anthropic")
    history: list[m.ModelMessage] = [
        m.ModelRequest(parts=[m.UserPromptPart("Oslo?")]),
        m.ModelResponse(parts=[thought, m.TextPart("Yes.")], provider_name="anthropic"),
    ]
    model = FallbackModel(FunctionModel(answer), FunctionModel(answer))
    agent = Agent(model, capabilities=[HistoryCompat(model=CLAUDE)])
    assert agent.run_sync("Where?", message_history=history).output == "Norway."
    assert seen == [True, True, False]
