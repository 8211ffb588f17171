"""Histories to measure with: ordinary ones of any length, and adversarial shapes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from replayable.formats import format_named

Request = dict[str, Any]


def _call(tool_call_id: str, **arguments: Any) -> dict[str, Any]:
    function = {"name": "weather", "arguments": json.dumps(arguments)}
    return {"id": tool_call_id, "type": "function", "function": function}


def ordinary(count: int, *, id_format: str = "call_{}_{}", reasoning: bool = False) -> Request:
    """User, assistant with one to three calls, results of 500 characters, an answer; about ``count`` messages."""
    messages: list[dict[str, Any]] = []
    number = 0
    while len(messages) < count:
        number += 1
        ids = [id_format.format(number, index) for index in range(number % 3 + 1)]
        messages.append({"role": "user", "content": f"What is the weather like in city number {number}?"})
        calls = [
            _call(tool_call_id, city=f"City {number}", day=index) for index, tool_call_id in enumerate(ids)
        ]
        asking: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": calls}
        if reasoning:
            asking["reasoning_content"] = "I should look that up."
        messages.append(asking)
        messages.extend(
            {"role": "tool", "tool_call_id": tool_call_id, "content": "rain " * 100} for tool_call_id in ids
        )
        messages.append({"role": "assistant", "content": f"It rains in city number {number}."})
    return {"model": "gpt-4o", "messages": messages}


def to_be_changed(count: int) -> Request:
    """Every id is odd and every call has foreign reasoning."""
    return ordinary(count, id_format="functions.weather:{}.{}", reasoning=True)


def ordinary_anthropic(count: int) -> Request:
    """The same on Anthropic's wire: all results of a turn stand in one message, so there are fewer, larger ones."""
    messages: list[dict[str, Any]] = []
    number = 0
    while len(messages) < count:
        number += 1
        ids = [f"toolu_{number}_{index}" for index in range(number % 3 + 1)]
        messages.append({"role": "user", "content": f"What is the weather like in city number {number}?"})
        calls = [
            {
                "type": "tool_use",
                "id": tool_use_id,
                "name": "weather",
                "input": {"city": f"City {number}", "day": n},
            }
            for n, tool_use_id in enumerate(ids)
        ]
        messages.append({"role": "assistant", "content": calls})
        results = [{"type": "tool_result", "tool_use_id": i, "content": "rain " * 100} for i in ids]
        messages.append({"role": "user", "content": results})
        messages.append({"role": "assistant", "content": f"It rains in city number {number}."})
    return {"model": "claude-sonnet-4-5", "max_tokens": 1024, "messages": messages}


def ordinary_responses(count: int) -> Request:
    """The same as items of OpenAI's Responses API: a reasoning item before the calls of each turn."""
    items: list[dict[str, Any]] = []
    number = 0
    while len(items) < count:
        number += 1
        ids = [f"call_{number}_{index}" for index in range(number % 3 + 1)]
        items.append({"role": "user", "content": f"What is the weather like in city number {number}?"})
        items.append(
            {"type": "reasoning", "id": f"rs_{number}", "summary": [], "encrypted_content": "gAAAAA" * 70}
        )
        items.extend(
            {
                "type": "function_call",
                "id": f"fc_{tool_call_id}",
                "call_id": tool_call_id,
                "name": "weather",
                "arguments": json.dumps({"city": f"City {number}", "day": index}),
            }
            for index, tool_call_id in enumerate(ids)
        )
        items.extend({"type": "function_call_output", "call_id": i, "output": "rain " * 100} for i in ids)
        text = {"type": "output_text", "text": f"It rains in city number {number}.", "annotations": []}
        items.append(
            {
                "type": "message",
                "id": f"msg_{number}",
                "role": "assistant",
                "status": "completed",
                "content": [text],
            }
        )
    return {"model": "gpt-5", "input": items}


def ordinary_gemini(count: int) -> Request:
    """The same on Gemini's wire, whose contents hold all calls and all responses of a turn."""
    contents: list[dict[str, Any]] = []
    number = 0
    while len(contents) < count:
        number += 1
        ids = [f"call_{number}_{index}" for index in range(number % 3 + 1)]
        asked = {"text": f"What is the weather like in city number {number}?"}
        contents.append({"role": "user", "parts": [asked]})
        calls = [
            {"functionCall": {"id": call_id, "name": "weather", "args": {"city": f"City {number}", "day": n}}}
            for n, call_id in enumerate(ids)
        ]
        contents.append({"role": "model", "parts": calls})
        responses = [
            {"functionResponse": {"id": call_id, "name": "weather", "response": {"output": "rain " * 100}}}
            for call_id in ids
        ]
        contents.append({"role": "user", "parts": responses})
        contents.append({"role": "model", "parts": [{"text": f"It rains in city number {number}."}]})
    return {"contents": contents}


def ordinary_bedrock(count: int) -> Request:
    """The same on Converse's wire."""
    return _converted(count, "bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0")


def ordinary_cohere(count: int) -> Request:
    """The same on Cohere's wire."""
    return _converted(count, "cohere_v2", "command-a-03-2025")


def ordinary_ollama(count: int) -> Request:
    """The same on Ollama's own wire."""
    return _converted(count, "ollama_chat", "qwen3:4b")


def _converted(count: int, api: str, model: str) -> Request:
    return converted({**ordinary(count), "model": model}, api)


def converted(request: Request, api: str) -> Request:
    """A request of OpenAI Chat's on another wire."""
    written: Request = format_named(api).encode(format_named("openai_chat").decode(request)).request
    return written


def one_role(count: int) -> Request:
    """Nothing but user messages."""
    return {"messages": [{"role": "user", "content": f"Message {number}"} for number in range(count)]}


def one_turn(count: int) -> Request:
    """One assistant message with all the calls, and their results."""
    ids = [f"call_{number}" for number in range(count // 2)]
    results = [{"role": "tool", "tool_call_id": tool_call_id, "content": "rain"} for tool_call_id in ids]
    calls = [_call(tool_call_id, city="Oslo") for tool_call_id in ids]
    return {"messages": [{"role": "assistant", "content": None, "tool_calls": calls}, *results]}


def equal_ids(count: int) -> Request:
    """Every call has the same id, in turns of its own, and all results stand at the end."""
    calls = [
        {"role": "assistant", "content": None, "tool_calls": [_call("x", n=n)]} for n in range(count // 2)
    ]
    return {"messages": [*calls, *({"role": "tool", "tool_call_id": "x", "content": "r"} for _ in calls)]}


def results_first(count: int) -> Request:
    """All results stand before all calls."""
    ids = [f"call_{number}" for number in range(count // 2)]
    results = [{"role": "tool", "tool_call_id": tool_call_id, "content": "rain"} for tool_call_id in ids]
    calls = [{"role": "assistant", "content": None, "tool_calls": [_call(i, city="Oslo")]} for i in ids]
    return {"messages": [*results, *calls]}


def orphans(count: int) -> Request:
    """Results that nobody asked for."""
    return {"messages": [{"role": "tool", "tool_call_id": f"c{n}", "content": "rain"} for n in range(count)]}


def one_big_result(count: int) -> Request:
    """One result of 500 characters for each of ``count``."""
    result = {"role": "tool", "tool_call_id": "c", "content": "rain " * 100 * count}
    return {
        "messages": [{"role": "assistant", "content": None, "tool_calls": [_call("c", city="Oslo")]}, result]
    }


def unanswered(count: int) -> Request:
    """Calls in turns of their own, and no result at all."""
    return {
        "messages": [
            {"role": "assistant", "content": None, "tool_calls": [_call(f"call_{n}", city="Oslo")]}
            for n in range(count)
        ]
    }


def many_parts(count: int) -> Request:
    """One user message and one result of as many texts."""
    texts = [{"type": "text", "text": f"Text {number}"} for number in range(count // 2)]
    return {
        "messages": [
            {"role": "user", "content": texts},
            {"role": "assistant", "content": None, "tool_calls": [_call("c", city="Oslo")]},
            {"role": "tool", "tool_call_id": "c", "content": texts},
        ]
    }


ADVERSARIAL: Final[dict[str, Callable[[int], Request]]] = {
    "one role": one_role,
    "one turn": one_turn,
    "all ids equal": equal_ids,
    "all results first": results_first,
    "orphans": orphans,
    "one big result": one_big_result,
    "unanswered calls": unanswered,
    "many parts": many_parts,
}
