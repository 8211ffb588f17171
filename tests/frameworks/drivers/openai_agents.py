"""Agents of OpenAI's SDK; those of Anthropic's models by its extension for LiteLLM."""

from __future__ import annotations

import asyncio
import os
from typing import Any

# Else it fetches its table of models from the network.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm
from agents import Agent, ModelSettings, RunConfig, Runner, function_tool
from agents.extensions.models.litellm_model import LitellmModel
from agents.models.interface import Model
from agents.models.openai_chatcompletions import OpenAIChatCompletionsModel
from openai import AsyncOpenAI
from openai.types.shared import Reasoning

from replayable.integrations.openai_agents import repair, wrap
from tests.frameworks.adapters import Mode, Setup

_RUN = RunConfig(tracing_disabled=True)
# It prints advice after each error.
litellm.suppress_debug_info = True


def run(mode: Mode, setup: Setup, conversation: list[dict[str, Any]], *, made_by: str) -> str:
    if mode == "sync":
        given = _items(conversation, made_by)
        return _text(Runner.run_sync(_agent(setup), given, run_config=_RUN).final_output)
    run = _stream if mode == "async stream" else arun
    return asyncio.run(run(setup, conversation, made_by=made_by))


async def arun(setup: Setup, conversation: list[dict[str, Any]], *, made_by: str) -> str:
    given = _items(conversation, made_by)
    return _text((await Runner.run(_agent(setup), given, run_config=_RUN)).final_output)


async def _stream(setup: Setup, conversation: list[dict[str, Any]], *, made_by: str) -> str:
    result = Runner.run_streamed(_agent(setup), _items(conversation, made_by), run_config=_RUN)
    deltas = [
        event.data.delta
        async for event in result.stream_events()
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta"
    ]
    assert "".join(deltas) == result.final_output
    return _text(result.final_output)


def heal(conversation: list[dict[str, Any]], *, made_by: str) -> list[dict[str, Any]]:
    given = _items(conversation, made_by)
    healed = repair(given)
    # What needed no repair is the same object.
    assert [item for item in healed if any(item is one for one in given)]
    return [_wire(item) for item in healed]


def _agent(setup: Setup) -> Agent[None]:
    model = wrap(
        _model(setup),
        processors=setup.processors,
        memory=setup.memory,
        on_change=setup.on_change,
        served_by=setup.model,
    )
    settings = ModelSettings()
    if setup.api == "anthropic_messages":
        # Else thinking is not sent back.
        settings = ModelSettings(reasoning=Reasoning(effort="low"), extra_args={"max_retries": setup.retries})
    return Agent(
        "Guide",
        model=model,
        model_settings=settings,
        tools=[function_tool(search)] if setup.tool else [],
    )


def search(q: str) -> str:
    """Search for something."""
    return f"found {q}"


def _model(setup: Setup) -> Model:
    if setup.api == "anthropic_messages":
        return LitellmModel(setup.model, base_url=setup.url, api_key="none")
    client = AsyncOpenAI(api_key="none", base_url=f"{setup.url}/v1", max_retries=setup.retries)
    return OpenAIChatCompletionsModel(setup.model.partition("/")[2], client)


def _text(output: Any) -> str:
    text: str = output
    return text


def _items(conversation: list[dict[str, Any]], made_by: str) -> list[Any]:
    return [item for wire in conversation for item in _items_of(wire, made_by)]


def _items_of(wire: dict[str, Any], made_by: str) -> list[dict[str, Any]]:
    match wire["role"]:
        case "user":
            return [{"role": "user", "content": wire["content"]}]
        case "tool":
            return [
                {
                    "type": "function_call_output",
                    "call_id": wire["tool_call_id"],
                    "output": wire["content"],
                }
            ]
    # As the SDK writes down what came over another API than Responses.
    model = "anthropic/claude-sonnet-5" if made_by == "anthropic" else f"{made_by}/some-model"
    answer = str(wire.get("tool_calls") or wire["content"])
    common = {"id": "__fake_id__", "provider_data": {"model": model, "response_id": answer}}
    items: list[dict[str, Any]] = []
    if (reasoning := wire.get("reasoning")) is not None:
        items.append(
            {
                **common,
                "type": "reasoning",
                "summary": [{"type": "summary_text", "text": reasoning["text"]}],
                "content": [{"type": "reasoning_text", "text": reasoning["text"]}],
                "encrypted_content": reasoning["signature"],
            }
        )
    if wire["content"] is not None:
        text = {"type": "output_text", "text": wire["content"], "annotations": []}
        items.append(
            {**common, "type": "message", "role": "assistant", "status": "completed", "content": [text]}
        )
    for call in wire.get("tool_calls", ()):
        function = call["function"]
        items.append({**common, "type": "function_call", "call_id": call["id"], **function})
    return items


def _wire(item: Any) -> dict[str, Any]:
    match item.get("type"):
        case "function_call_output":
            return {"role": "tool", "tool_call_id": item["call_id"], "content": item["output"]}
        case "function_call":
            return {"role": "assistant", "content": None}
        case "message":
            return {"role": "assistant", "content": item["content"][0]["text"]}
        case _:
            return {"role": "user", "content": item["content"]}
