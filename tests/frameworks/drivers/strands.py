"""Agents of Strands."""

from __future__ import annotations

import asyncio
import copy
import json
from typing import Any

from strands import Agent, tool
from strands.models.anthropic import AnthropicModel
from strands.models.openai import OpenAIModel

from replayable.integrations.strands import HistoryCompat, repair
from tests.frameworks.adapters import Mode, Setup


def run(mode: Mode, setup: Setup, conversation: list[dict[str, Any]], *, made_by: str) -> str:
    if mode == "async":
        return asyncio.run(arun(setup, conversation, made_by=made_by))
    if mode == "async stream":
        return asyncio.run(_astream(setup, conversation))
    agent, question = _agent(setup, conversation)
    return _text(agent(question))


async def arun(setup: Setup, conversation: list[dict[str, Any]], *, made_by: str) -> str:
    agent, question = _agent(setup, conversation)
    return _text(await agent.invoke_async(question))


async def _astream(setup: Setup, conversation: list[dict[str, Any]]) -> str:
    agent, question = _agent(setup, conversation)
    return "".join([event["data"] async for event in agent.stream_async(question) if "data" in event])


def heal(conversation: list[dict[str, Any]], *, made_by: str) -> list[dict[str, Any]]:
    given: list[Any] = _messages(conversation)
    before = copy.deepcopy(given)
    healed = repair(given)
    assert given == before
    # What needed no repair is the same object.
    assert [message for message in healed if any(message is one for one in given)]
    return [wire for message in healed for wire in _wires(message)]


def _agent(setup: Setup, conversation: list[dict[str, Any]]) -> tuple[Agent, str]:
    compat = HistoryCompat(
        setup.processors, memory=setup.memory, on_change=setup.on_change, model=setup.model
    )
    *before, question = conversation
    agent = Agent(
        _model(setup),
        messages=_messages(before),
        tools=[search] if setup.tool else [],
        plugins=[compat],
        callback_handler=None,
    )
    return agent, question["content"]


@tool
def search(q: str) -> str:
    """Search for something."""
    return f"found {q}"


def _model(setup: Setup) -> Any:
    name = setup.model.partition("/")[2]
    client: dict[str, Any] = {"api_key": "none", "max_retries": setup.retries}
    if setup.api == "anthropic_messages":
        return AnthropicModel(client_args={"base_url": setup.url, **client}, model_id=name, max_tokens=100)
    return OpenAIModel(client_args={"base_url": f"{setup.url}/v1", **client}, model_id=name)


def _text(result: Any) -> str:
    return "".join(block.get("text", "") for block in result.message["content"])


def _messages(conversation: list[dict[str, Any]]) -> list[Any]:
    return [_message(wire) for wire in conversation]


def _message(wire: dict[str, Any]) -> dict[str, Any]:
    match wire["role"]:
        case "tool":
            result = {
                "toolUseId": wire["tool_call_id"],
                "status": "success",
                "content": [{"text": wire["content"]}],
            }
            return {"role": "user", "content": [{"toolResult": result}]}
        case "user":
            return {"role": "user", "content": [{"text": wire["content"]}]}
        case _:
            blocks: list[Any] = []
            if (reasoning := wire.get("reasoning")) is not None:
                blocks.append({"reasoningContent": {"reasoningText": reasoning}})
            if wire["content"]:
                blocks.append({"text": wire["content"]})
            for call in wire.get("tool_calls", ()):
                arguments = json.loads(call["function"]["arguments"])
                use = {"toolUseId": call["id"], "name": call["function"]["name"], "input": arguments}
                blocks.append({"toolUse": use})
            return {"role": "assistant", "content": blocks}


def _wires(message: Any) -> list[dict[str, Any]]:
    results = [block["toolResult"] for block in message["content"] if "toolResult" in block]
    if results:
        return [
            {"role": "tool", "tool_call_id": result["toolUseId"], "content": result["content"][0]["text"]}
            for result in results
        ]
    text = "".join(block.get("text", "") for block in message["content"])
    return [{"role": message["role"], "content": text or None}]
