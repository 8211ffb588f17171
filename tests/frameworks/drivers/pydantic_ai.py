"""Agents of pydantic-ai."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai import messages as m
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from replayable.integrations.pydantic_ai import HistoryCompat, repair
from tests.frameworks.adapters import Mode, Setup


def run(mode: Mode, setup: Setup, conversation: list[dict[str, Any]], *, made_by: str) -> str:
    if mode != "sync":
        return asyncio.run(
            _stream(setup, conversation, made_by)
            if "stream" in mode
            else arun(setup, conversation, made_by=made_by)
        )
    question, history = _split(conversation, made_by)
    return _agent(setup).run_sync(question, message_history=history).output


async def arun(setup: Setup, conversation: list[dict[str, Any]], *, made_by: str) -> str:
    question, history = _split(conversation, made_by)
    return (await _agent(setup).run(question, message_history=history)).output


async def _stream(setup: Setup, conversation: list[dict[str, Any]], made_by: str) -> str:
    question, history = _split(conversation, made_by)
    async with _agent(setup).run_stream(question, message_history=history) as result:
        return await result.get_output()


def heal(conversation: list[dict[str, Any]], *, made_by: str) -> list[dict[str, Any]]:
    given = _messages(conversation, made_by)
    healed = repair(given)
    # What needed no repair is the same object.
    assert [message for message in healed if any(message is one for one in given)]
    return [wire for message in healed for wire in _wires(message)]


def _agent(setup: Setup) -> Agent[None, str]:
    compat = HistoryCompat(
        setup.processors, memory=setup.memory, on_change=setup.on_change, model=setup.model
    )
    agent = Agent(_model(setup), capabilities=[compat], retries=0)
    if setup.tool:
        agent.tool_plain(search)
    return agent


def search(q: str) -> str:
    """Search for something."""
    return f"found {q}"


def _model(setup: Setup) -> Any:
    name = setup.model.partition("/")[2]
    if setup.api == "anthropic_messages":
        claude = AsyncAnthropic(api_key="none", base_url=setup.url, max_retries=setup.retries)
        return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=claude))
    client = AsyncOpenAI(api_key="none", base_url=f"{setup.url}/v1", max_retries=setup.retries)
    return OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client))


def _split(conversation: list[dict[str, Any]], made_by: str) -> tuple[str, list[m.ModelMessage]]:
    return conversation[-1]["content"], _messages(conversation[:-1], made_by)


def _messages(conversation: list[dict[str, Any]], made_by: str) -> list[m.ModelMessage]:
    return [_message(wire, made_by) for wire in conversation]


def _message(wire: dict[str, Any], made_by: str) -> m.ModelMessage:
    match wire["role"]:
        case "user":
            return m.ModelRequest(parts=[m.UserPromptPart(wire["content"])])
        case "tool":
            return m.ModelRequest(parts=[m.ToolReturnPart("search", wire["content"], wire["tool_call_id"])])
        case _:
            parts: list[m.ModelResponsePart] = []
            if (reasoning := wire.get("reasoning")) is not None:
                parts.append(
                    m.ThinkingPart(reasoning["text"], signature=reasoning["signature"], provider_name=made_by)
                )
            if wire["content"] is not None:
                parts.append(m.TextPart(wire["content"]))
            for call in wire.get("tool_calls", ()):
                arguments = json.loads(call["function"]["arguments"])
                parts.append(m.ToolCallPart(call["function"]["name"], arguments, call["id"]))
            return m.ModelResponse(parts=parts, provider_name=made_by)


def _wires(message: m.ModelMessage) -> list[dict[str, Any]]:
    if message.kind == "response":
        text = "".join(part.content for part in message.parts if isinstance(part, m.TextPart))
        return [{"role": "assistant", "content": text or None}]
    wires: list[dict[str, Any]] = []
    for part in message.parts:
        if isinstance(part, m.UserPromptPart):
            wires.append({"role": "user", "content": part.content})
        elif isinstance(part, m.ToolReturnPart):
            wires.append({"role": "tool", "tool_call_id": part.tool_call_id, "content": part.content})
    return wires
