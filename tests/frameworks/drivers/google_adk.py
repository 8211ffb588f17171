"""Agents of Google's ADK, which it calls for: Claude by its own class, all others through LiteLLM."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterable
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.run_config import RunConfig, StreamingMode  # type: ignore[attr-defined]  # where all versions have it
from google.adk.apps import App
from google.adk.events.event import Event
from google.adk.models.anthropic_llm import AnthropicLlm
from google.adk.models.base_llm import BaseLlm
from google.adk.models.lite_llm import LiteLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from replayable.integrations import google_adk as integration
from tests.frameworks.adapters import Mode, Setup

APP = "tests"
WHO: dict[str, Any] = {"user_id": "someone", "session_id": "one"}


def run(mode: Mode, setup: Setup, conversation: list[dict[str, Any]], *, made_by: str) -> str:
    if not mode.startswith("async"):
        runner = asyncio.run(_runner(setup, conversation, made_by))
        return _text(runner.run(new_message=_content(conversation[-1]), run_config=_config(mode), **WHO))
    return asyncio.run(arun(setup, conversation, made_by=made_by, mode=mode))


async def arun(
    setup: Setup, conversation: list[dict[str, Any]], *, made_by: str, mode: Mode = "async"
) -> str:
    runner = await _runner(setup, conversation, made_by)
    events = runner.run_async(new_message=_content(conversation[-1]), run_config=_config(mode), **WHO)
    return _text([event async for event in events])


def heal(conversation: list[dict[str, Any]], *, made_by: str) -> list[dict[str, Any]]:
    return asyncio.run(_healed(conversation, made_by))


async def _healed(conversation: list[dict[str, Any]], made_by: str) -> list[dict[str, Any]]:
    """What ADK itself sends of the session that was healed where it is stored."""
    sessions = await _stored(conversation, made_by)
    session = await sessions.get_session(app_name=APP, **WHO)
    assert session is not None
    assert len(await integration.heal(sessions, session)) == 1
    sent: list[LlmRequest] = []

    def answer(callback_context: CallbackContext, llm_request: LlmRequest) -> LlmResponse:
        sent.append(llm_request)
        return LlmResponse(content=types.Content(role="model", parts=[types.Part(text="Norway.")]))

    model = AnthropicLlm(model="claude-sonnet-5")
    agent = LlmAgent(name="guide", model=model, before_model_callback=answer)
    runner = Runner(app=App(name=APP, root_agent=agent), session_service=sessions)
    question = types.Content(role="user", parts=[types.Part(text="And so?")])
    async for _ in runner.run_async(new_message=question, **WHO):
        pass
    return [_wire(content) for content in sent[0].contents[:-1]]


def _config(mode: Mode) -> RunConfig:
    return RunConfig(streaming_mode=StreamingMode.SSE if "stream" in mode else StreamingMode.NONE)


def _text(events: Iterable[Event]) -> str:
    last = [event for event in events if not event.partial][-1]
    assert last.content is not None
    return "".join(part.text or "" for part in last.content.parts or ())


async def _stored(conversation: list[dict[str, Any]], made_by: str) -> InMemorySessionService:
    sessions = InMemorySessionService()
    session = await sessions.create_session(app_name=APP, **WHO)
    for event in _events(conversation, made_by):
        await sessions.append_event(session, event)
    return sessions


async def _runner(setup: Setup, conversation: list[dict[str, Any]], made_by: str) -> Runner:
    sessions = await _stored(conversation[:-1], made_by)
    compat = integration.HistoryCompat(setup.processors, memory=setup.memory, on_change=setup.on_change)
    agent = LlmAgent(
        name="guide", model=_model(setup), instruction="Be brief.", tools=[search] if setup.tool else []
    )
    return Runner(app=App(name=APP, root_agent=agent, plugins=[compat]), session_service=sessions)


def search(q: str) -> str:
    """Search for something."""
    return f"found {q}"


def _model(setup: Setup) -> BaseLlm:
    if setup.api == "anthropic_messages":
        os.environ |= {"ANTHROPIC_API_KEY": "none", "ANTHROPIC_BASE_URL": setup.url}
        return AnthropicLlm(model=setup.model.partition("/")[2])
    return LiteLlm(setup.model, api_base=f"{setup.url}/v1", api_key="none", num_retries=setup.retries)


def _events(conversation: list[dict[str, Any]], made_by: str) -> list[Event]:
    model = {"anthropic": "claude-sonnet-5", "moonshot": "kimi-k2"}[made_by]
    events: list[Event] = []
    for number, wire in enumerate(conversation):
        of_model = wire["role"] == "assistant"
        event = Event(
            invocation_id=f"turn-{number}",
            author="user" if wire["role"] == "user" else "guide",
            content=_content(wire),
            model_version=model if of_model else None,
        )
        events.append(event)
    return events


def _content(wire: dict[str, Any]) -> types.Content:
    match wire["role"]:
        case "user":
            return types.Content(role="user", parts=[types.Part(text=wire["content"])])
        case "tool":
            result = types.FunctionResponse(
                id=wire["tool_call_id"], name="search", response={"result": wire["content"]}
            )
            return types.Content(role="user", parts=[types.Part(function_response=result)])
        case _:
            parts: list[types.Part] = []
            if (reasoning := wire.get("reasoning")) is not None:
                signature = reasoning["signature"].encode()
                parts.append(types.Part(text=reasoning["text"], thought=True, thought_signature=signature))
            if wire["content"] is not None:
                parts.append(types.Part(text=wire["content"]))
            for call in wire.get("tool_calls", ()):
                function = call["function"]
                arguments = json.loads(function["arguments"])
                made = types.FunctionCall(id=call["id"], name=function["name"], args=arguments)
                parts.append(types.Part(function_call=made))
            return types.Content(role="model", parts=parts)


def _wire(content: types.Content) -> dict[str, Any]:
    assert content.parts
    part = content.parts[0]
    if part.function_response is not None:
        result = part.function_response
        return {"role": "tool", "tool_call_id": result.id, "content": result.response}
    return {"role": "user" if content.role == "user" else "assistant", "content": part.text}
