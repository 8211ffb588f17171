"""An agent of pydantic-ai takes over what Kimi began: Anthropic would refuse the ids of its tool calls."""

from typing import Any

from anthropic import AsyncAnthropic
from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from support.provider import serving
from support.replies import Reply, anthropic_refuses, anthropic_says

from replayable import Change
from replayable.integrations.pydantic_ai import HistoryCompat

HISTORY: list[ModelMessage] = [
    ModelRequest(parts=[UserPromptPart("Where is Oslo?")]),
    ModelResponse(
        parts=[ToolCallPart("search", {"q": "Oslo"}, "functions.search:0")],
        provider_name="moonshotai",
        model_name="kimi-k2",
    ),
    ModelRequest(parts=[ToolReturnPart("search", "In Norway.", "functions.search:0")]),
]


def provider(body: Any) -> Reply:
    """Refuse the ids, as Anthropic does."""
    if "functions.search:0" in str(body):
        return anthropic_refuses(
            "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
        )
    return anthropic_says("Oslo is in Norway.")


def tell(changes: tuple[Change, ...]) -> None:
    for change in changes:
        print(change)


with serving(provider) as url:
    client = AsyncAnthropic(base_url=url, api_key="none")
    model = AnthropicModel("claude-sonnet-5", provider=AnthropicProvider(anthropic_client=client))
    agent = Agent(model, model_settings={"max_tokens": 100}, capabilities=[HistoryCompat(on_change=tell)])
    print(agent.run_sync("So?", message_history=HISTORY).output)
