"""Calls of LiteLLM, which has no agents: the loop around its tools is the driver's."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import Any, Final

from replayable.integrations.litellm import repair, wrap
from tests.frameworks.adapters import Mode, Setup

# `Any`: its lazily loaded names have no types.
litellm: Any = import_module("litellm")
litellm.suppress_debug_info = True
_TOOL: Final = {
    "type": "function",
    "function": {
        "name": "search",
        "description": "Search for something.",
        "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
    },
}


def run(mode: Mode, setup: Setup, conversation: list[dict[str, Any]], *, made_by: str) -> str:
    match mode:
        case "async":
            return asyncio.run(arun(setup, conversation, made_by=made_by))
        case "stream":
            arguments = _arguments(setup, _messages(conversation))
            chunks = _wrapped(litellm.completion, setup)(stream=True, **arguments)
            return _joined(list(chunks))
        case "async stream":
            return asyncio.run(_astream(setup, conversation))
        case _:
            messages = _messages(conversation)
            complete = _wrapped(litellm.completion, setup)
            while True:
                answer = complete(**_arguments(setup, messages)).choices[0].message
                if not answer.tool_calls:
                    return str(answer.content)
                messages = [*messages, answer, *_results(answer)]


async def arun(setup: Setup, conversation: list[dict[str, Any]], *, made_by: str) -> str:
    messages = _messages(conversation)
    complete = _wrapped(litellm.acompletion, setup)
    while True:
        answer = (await complete(**_arguments(setup, messages))).choices[0].message
        if not answer.tool_calls:
            return str(answer.content)
        messages = [*messages, answer, *_results(answer)]


async def _astream(setup: Setup, conversation: list[dict[str, Any]]) -> str:
    arguments = _arguments(setup, _messages(conversation))
    chunks = await _wrapped(litellm.acompletion, setup)(stream=True, **arguments)
    return _joined([chunk async for chunk in chunks])


def heal(conversation: list[dict[str, Any]], *, made_by: str) -> list[dict[str, Any]]:
    stored = _messages(conversation)
    healed = repair(stored)
    # What needed no repair is the same object.
    assert [message for message in healed if any(message is one for one in stored)]
    return healed


def _wrapped(call: Any, setup: Setup) -> Any:
    return wrap(
        call,
        processors=setup.processors,
        memory=setup.memory,
        on_change=setup.on_change,
        served_by=setup.model,
    )


def _arguments(setup: Setup, messages: list[Any]) -> dict[str, Any]:
    anthropic = setup.api == "anthropic_messages"
    name = setup.model.partition("/")[2]
    return {
        "model": f"{'anthropic' if anthropic else 'openai'}/{name}",
        "api_base": setup.url if anthropic else f"{setup.url}/v1",
        "api_key": "none",
        "max_tokens": 2000,
        "max_retries": setup.retries,
        "messages": messages,
        **({"tools": [_TOOL]} if setup.tool else {}),
    }


def _messages(conversation: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [_message(wire) for wire in conversation]


def _message(wire: dict[str, Any]) -> dict[str, Any]:
    if "reasoning" not in wire:
        return wire
    block = {
        "type": "thinking",
        "thinking": wire["reasoning"]["text"],
        "signature": wire["reasoning"]["signature"],
    }
    own = {key: value for key, value in wire.items() if key != "reasoning"}
    return {**own, "reasoning_content": block["thinking"], "thinking_blocks": [block]}


def _results(answer: Any) -> list[dict[str, Any]]:
    return [
        {"role": "tool", "tool_call_id": call.id, "content": f"found {call.function.arguments}"}
        for call in answer.tool_calls
    ]


def _joined(chunks: list[Any]) -> str:
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
