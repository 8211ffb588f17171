"""Agents of LangChain."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI

from replayable.integrations.langchain import HistoryCompat
from tests.frameworks.adapters import Mode, Setup


def run(mode: Mode, setup: Setup, conversation: list[dict[str, Any]], *, made_by: str) -> str:
    if mode == "async":
        return asyncio.run(arun(setup, conversation, made_by=made_by))
    if mode == "async stream":
        return asyncio.run(_astream(setup, conversation, made_by))
    agent, given = _agent(setup), {"messages": _messages(conversation, made_by)}
    if mode == "stream":
        return _streamed(list(agent.stream(given, stream_mode="messages")))
    return _text(agent.invoke(given))


async def arun(setup: Setup, conversation: list[dict[str, Any]], *, made_by: str) -> str:
    return _text(await _agent(setup).ainvoke({"messages": _messages(conversation, made_by)}))


async def _astream(setup: Setup, conversation: list[dict[str, Any]], made_by: str) -> str:
    given = {"messages": _messages(conversation, made_by)}
    return _streamed([piece async for piece in _agent(setup).astream(given, stream_mode="messages")])


def heal(conversation: list[dict[str, Any]], *, made_by: str) -> list[dict[str, Any]]:
    given: list[Any] = _messages(conversation, made_by)
    model = GenericFakeChatModel(messages=iter([AIMessage("Norway.")]))
    agent = create_agent(model, middleware=[HistoryCompat(persist=True)])
    *healed, answer = agent.invoke({"messages": given})["messages"]
    assert answer.content == "Norway."
    # What needed no repair is the same object.
    assert [message for message in healed if any(message is one for one in given)]
    return [_wire(message) for message in healed]


def _agent(setup: Setup) -> Any:
    compat = HistoryCompat(
        setup.processors, memory=setup.memory, on_change=setup.on_change, model=setup.model
    )
    return create_agent(_model(setup), tools=[search] if setup.tool else [], middleware=[compat])


def search(q: str) -> str:
    """Search for something."""
    return f"found {q}"


def _model(setup: Setup) -> Any:
    name = setup.model.partition("/")[2]
    common: dict[str, Any] = {"model": name, "api_key": "none", "max_retries": setup.retries}
    if setup.api == "anthropic_messages":
        return ChatAnthropic(base_url=setup.url, **common)
    return ChatOpenAI(base_url=f"{setup.url}/v1", **common)


def _text(state: dict[str, Any]) -> str:
    text: str = state["messages"][-1].text
    return text


def _streamed(pieces: list[tuple[BaseMessage, Any]]) -> str:
    return "".join(message.text for message, _ in pieces if isinstance(message, AIMessage))


def _messages(conversation: list[dict[str, Any]], made_by: str) -> list[AnyMessage]:
    return [_message(wire, made_by) for wire in conversation]


def _message(wire: dict[str, Any], made_by: str) -> AnyMessage:
    match wire["role"]:
        case "user":
            return HumanMessage(wire["content"])
        case "tool":
            return ToolMessage(wire["content"], tool_call_id=wire["tool_call_id"], name="search")
        case _:
            calls = [
                {
                    "name": call["function"]["name"],
                    "args": json.loads(call["function"]["arguments"]),
                    "id": call["id"],
                }
                for call in wire.get("tool_calls", ())
            ]
            content: Any = wire["content"] or ""
            if (reasoning := wire.get("reasoning")) is not None:
                block = {
                    "type": "thinking",
                    "thinking": reasoning["text"],
                    "signature": reasoning["signature"],
                }
                content = [block, *([{"type": "text", "text": content}] if content else [])]
            return AIMessage(content, tool_calls=calls, response_metadata={"model_provider": made_by})


def _wire(message: BaseMessage) -> dict[str, Any]:
    if isinstance(message, ToolMessage):
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.content}
    role = "user" if isinstance(message, HumanMessage) else "assistant"
    return {"role": role, "content": message.text or None}
