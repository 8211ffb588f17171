"""The judges by SDK types: what they accept, what they refuse, and how they take real traffic."""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.judges.good_requests import ANTHROPIC, ANTHROPIC_BETA, OPENAI_CHAT, OPENAI_RESPONSES
from tests.judges.sdk_types import anthropic_errors, openai_chat_errors, openai_responses_errors
from tests.recorded.rows import rows

_TEXT = {"type": "text", "text": "x"}
_PNG = {"type": "base64", "media_type": "image/png", "data": "AA=="}


@pytest.mark.parametrize("name", ANTHROPIC)
def test_anthropic_accepts(name: str) -> None:
    """A well-formed Anthropic request has no errors."""
    assert anthropic_errors(ANTHROPIC[name]) == []


@pytest.mark.parametrize("name", OPENAI_CHAT)
def test_openai_chat_accepts(name: str) -> None:
    """A well-formed OpenAI Chat request has no errors."""
    assert openai_chat_errors(OPENAI_CHAT[name]) == []


@pytest.mark.parametrize("name", OPENAI_RESPONSES)
def test_openai_responses_accepts(name: str) -> None:
    """A well-formed OpenAI Responses request has no errors."""
    assert openai_responses_errors(OPENAI_RESPONSES[name]) == []


@pytest.mark.parametrize(
    "item",
    [
        "x",
        {"role": "tool", "content": "x"},
        {"role": "user", "content": 1},
        {"role": "user", "content": [_TEXT]},
        {"role": "user", "content": [{"type": "input_image", "image_url": "https://x.org/a.png"}]},
        {"role": "assistant", "content": [{"type": "output_text", "text": "x"}]},
        {"type": "function_call", "name": "f", "arguments": "{}"},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": {}},
        {"type": "function_call_output", "call_id": "c", "output": None},
        {"type": "function_call_output", "call_id": "c", "output": [_TEXT]},
        {"type": "reasoning", "id": "rs_1"},
        {"type": "reasoning", "summary": []},
        {"type": "unknown"},
    ],
)
def test_openai_responses_refuses_item(item: Any) -> None:
    """A damaged OpenAI Responses item gives an error at its place."""
    errors = openai_responses_errors({"model": "m", "input": [{"role": "user", "content": "x"}, item]})

    assert errors == ["input.1: Input fits no variant"]


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"unknown": 1}, "unknown"),
        ({"messages": []}, "messages"),
        ({"instructions": []}, "instructions"),
        ({"tools": [{"type": "function", "parameters": {}}]}, "tools.0.name"),
        ({"tool_choice": "any"}, "tool_choice"),
    ],
)
def test_openai_responses_refuses_request(fields: dict[str, Any], path: str) -> None:
    """A damaged field of an OpenAI Responses request gives an error there."""
    errors = openai_responses_errors({**OPENAI_RESPONSES["text"], **fields})

    assert [error.partition(": ")[0] for error in errors] == [path]


@pytest.mark.parametrize("name", ANTHROPIC_BETA)
def test_anthropic_beta(name: str) -> None:
    """A field of the beta API is refused unless beta types are allowed."""
    assert anthropic_errors(ANTHROPIC_BETA[name]) != []
    assert anthropic_errors(ANTHROPIC_BETA[name], beta=True) == []


@pytest.mark.parametrize("name", ANTHROPIC)
def test_anthropic_beta_keeps_plain(name: str) -> None:
    """Allowing beta types refuses nothing that the plain types accept."""
    assert anthropic_errors(ANTHROPIC[name], beta=True) == []


@pytest.mark.parametrize(
    ("message", "path"),
    [
        ({"role": "user", "content": None}, "content"),
        ({"role": "user"}, "content"),
        ({"role": "user", "content": 1}, "content"),
        ({"role": "user", "content": _TEXT}, "content"),
        ({"role": "user", "content": ["x"]}, "content.0"),
        ({"role": "user", "content": "x", "name": "ann"}, "name"),
        ("x", ""),
        ({"role": "user", "content": [{**_TEXT, "index": 0}]}, "content.0.index"),
        ({"role": "user", "content": [{"type": "text"}]}, "content.0.text"),
        ({"role": "user", "content": [{"type": "text", "text": None}]}, "content.0.text"),
        ({"role": "user", "content": [{"text": "x"}]}, "content.0"),
        ({"role": "user", "content": [{"type": "input_text", "text": "x"}]}, "content.0"),
        (
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x.org"}}]},
            "content.0",
        ),
        (
            {"role": "user", "content": [{"type": "image", "source": {**_PNG, "media_type": "image/tiff"}}]},
            "content.0.source.media_type",
        ),
        (
            {"role": "user", "content": [{"type": "tool_result", "content": "x"}]},
            "content.0.tool_use_id",
        ),
        (
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": None}]},
            "content.0.content",
        ),
        (
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "x"}]}],
            },
            "content.0.content.0",
        ),
        (
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "is_error": "no"}]},
            "content.0.is_error",
        ),
        (
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": "{}"}]},
            "content.0.input",
        ),
        (
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f"}]},
            "content.0.input",
        ),
        (
            {"role": "assistant", "content": [{"type": "tool_use", "id": None, "name": "f", "input": {}}]},
            "content.0.id",
        ),
        (
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "x"}]},
            "content.0.signature",
        ),
        ({"role": "assistant", "content": "x", "tool_calls": []}, "tool_calls"),
        (
            {"role": "user", "content": [{**_TEXT, "cache_control": {"type": "short"}}]},
            "content.0.cache_control.type",
        ),
    ],
)
def test_anthropic_refuses_message(message: Any, path: str) -> None:
    """A damaged Anthropic message gives an error at the damaged place."""
    errors = anthropic_errors({**ANTHROPIC["text"], "messages": [message]})

    assert [error.partition(": ")[0] for error in errors] == [f"messages.0.{path}".rstrip(".")]


@pytest.mark.parametrize("message", [{"role": "tool", "content": "x"}, {"content": "x"}])
def test_anthropic_refuses_role(message: dict[str, Any]) -> None:
    """An Anthropic message needs a role that the API has."""
    errors = anthropic_errors({**ANTHROPIC["text"], "messages": [message]})

    # The place is the message or its role: SDKs write the roles as one type or as several.
    assert [error.partition(": ")[0].removesuffix(".role") for error in errors] == ["messages.0"]


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"max_tokens": "100"}, "max_tokens"),
        ({"max_tokens": True}, "max_tokens"),
        ({"system": {"type": "text", "text": "x"}}, "system"),
        ({"system": [{"type": "text", "text": "x", "role": "system"}]}, "system.0.role"),
        ({"tools": [{"name": "f"}]}, "tools.0.input_schema"),
        ({"tools": [{"name": "f", "input_schema": {}}]}, "tools.0.input_schema.type"),
        ({"tools": [{"type": "function", "function": {"name": "f"}}]}, "tools.0"),
        ({"tool_choice": "auto"}, "tool_choice"),
        ({"tool_choice": {"type": "tool"}}, "tool_choice.name"),
        ({"frequency_penalty": 1.0}, "frequency_penalty"),
        ({"messages": {}}, "messages"),
        ({"metadata": {"user_id": object()}}, "body"),
        ({"metadata": {"user_id": float("nan")}}, "body"),
    ],
)
def test_anthropic_refuses_request(fields: dict[str, Any], path: str) -> None:
    """A damaged field of an Anthropic request gives an error there."""
    errors = anthropic_errors({**ANTHROPIC["text"], **fields})

    assert [error.partition(": ")[0] for error in errors] == [path]


@pytest.mark.parametrize("field", ["model", "max_tokens", "messages"])
def test_anthropic_required(field: str) -> None:
    """An Anthropic request without a required field is refused."""
    request = {key: value for key, value in ANTHROPIC["text"].items() if key != field}

    assert anthropic_errors(request) == [f"{field}: Field required"]


_FUNCTION = {"name": "f", "arguments": "{}"}


@pytest.mark.parametrize(
    ("message", "path"),
    [
        ({"role": "user", "content": None}, "content"),
        ({"role": "user"}, "content"),
        ({"role": "user", "content": "x", "id": "1"}, "id"),
        ({"role": "user", "content": "x", "tool_calls": None}, "tool_calls"),
        ({"role": "model", "content": "x"}, ""),
        ({"role": "user", "content": [{**_TEXT, "id": "1"}]}, "content.0.id"),
        ({"role": "user", "content": [{"type": "image", "source": _PNG}]}, "content.0"),
        (
            {"role": "user", "content": [{"type": "image_url", "image_url": "https://x.org"}]},
            "content.0.image_url",
        ),
        ({"role": "system", "content": [{"type": "input_text", "text": "x"}]}, "content.0.type"),
        ({"role": "assistant", "content": "x", "reasoning_content": "y"}, "reasoning_content"),
        ({"role": "assistant", "content": [{"type": "thinking", "thinking": "x"}]}, "content.0"),
        (
            {"role": "assistant", "tool_calls": {"id": "c", "type": "function", "function": _FUNCTION}},
            "tool_calls",
        ),
        ({"role": "assistant", "tool_calls": None}, "tool_calls"),
        (
            {"role": "assistant", "tool_calls": [{"type": "function", "function": _FUNCTION}]},
            "tool_calls.0.id",
        ),
        ({"role": "assistant", "tool_calls": [{"id": "c", "function": _FUNCTION}]}, "tool_calls.0"),
        ({"role": "assistant", "tool_calls": [{"id": "c", "type": "function"}]}, "tool_calls.0.function"),
        (
            {
                "role": "assistant",
                "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": {}}}],
            },
            "tool_calls.0.function.arguments",
        ),
        (
            {
                "role": "assistant",
                "tool_calls": [{"id": "c", "index": 0, "type": "function", "function": _FUNCTION}],
            },
            "tool_calls.0.index",
        ),
        ({"role": "tool", "content": "x"}, "tool_call_id"),
        ({"role": "tool", "tool_call_id": "c"}, "content"),
        ({"role": "tool", "tool_call_id": "c", "content": None}, "content"),
        ({"role": "tool", "tool_call_id": "c", "content": {"a": 1}}, "content"),
        ({"role": "tool", "tool_call_id": "c", "content": "x", "name": "f"}, "name"),
        ({"role": "function", "content": "x"}, "name"),
    ],
)
def test_openai_chat_refuses_message(message: Any, path: str) -> None:
    """A damaged OpenAI Chat message gives an error at the damaged place."""
    errors = openai_chat_errors({**OPENAI_CHAT["text"], "messages": [message]})

    assert [error.partition(": ")[0] for error in errors] == [f"messages.0.{path}".rstrip(".")]


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"max_tokens": 1.5}, "max_tokens"),
        ({"temperature": "1"}, "temperature"),
        ({"system": "x"}, "system"),
        ({"tools": [{"name": "f", "input_schema": {"type": "object"}}]}, "tools.0"),
        ({"tools": [{"type": "function", "function": {"parameters": {}}}]}, "tools.0.function.name"),
        ({"tool_choice": "any"}, "tool_choice"),
        ({"stop": {"a": 1}}, "stop"),
        ({"messages": "x"}, "messages"),
    ],
)
def test_openai_chat_refuses_request(fields: dict[str, Any], path: str) -> None:
    """A damaged field of an OpenAI Chat request gives an error there."""
    errors = openai_chat_errors({**OPENAI_CHAT["text"], **fields})

    assert [error.partition(": ")[0] for error in errors] == [path]


def test_errors_are_short() -> None:
    """At most five lines are given and none of them repeats the input."""
    secret = "s" * 5000
    errors = openai_chat_errors(
        {"model": "m", "messages": [{"role": secret, "content": secret, secret: 1}] * 20}
    )
    deep = openai_chat_errors(
        {**OPENAI_CHAT["text"], "messages": [{"role": "user", "content": "x", secret: secret}]}
    )

    assert len(errors) == 5
    assert len(deep) == 1
    assert all(len(line) < 200 for line in errors + deep)


_JUDGES = [
    ("openai_chat", "openai", openai_chat_errors, OPENAI_CHAT),
    ("anthropic_messages", "anthropic", anthropic_errors, ANTHROPIC),
]


@pytest.mark.parametrize(("api", "provider", "judge", "own"), _JUDGES)
def test_real_traffic(
    api: str, provider: str, judge: Callable[[Any], list[str]], own: dict[str, dict[str, Any]]
) -> None:
    """Most accepted requests pass, and the same requests with one seeded fault don't."""
    requests = list(own.values())
    requests += [row.request for row in rows("accepted", api) if row.provider == provider]
    # The judged types are those of a request that isn't streamed.
    bodies = [{key: value for key, value in request.items() if key != "stream"} for request in requests]
    verdicts = [(body, judge(body)) for body in bodies]
    passed = [body for body, errors in verdicts if not errors]
    kinds = Counter(re.sub(r"\.\d+", "[]", error) for _, errors in verdicts for error in errors)
    print(f"{api}: {len(passed)} of {len(bodies)} pass")
    for kind, count in kinds.most_common():
        print(f"{count:5} {kind}")

    undetected = Counter(name for body in passed for name, damaged in _damaged(body) if not judge(damaged))

    assert len(passed) >= 0.8 * len(bodies)
    assert undetected == Counter()


def _damaged(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield copies of a request, each with one fault that no API of ours accepts."""
    yield "unknown request field", {**body, "unknown": 1}
    yield "no messages", {key: value for key, value in body.items() if key != "messages"}
    yield "messages as an object", {**body, "messages": dict(enumerate(body["messages"]))}
    for name, change in (
        ("unknown message field", {"unknown": 1}),
        ("unknown role", {"role": "narrator"}),
        ("content as a number", {"content": 7}),
        ("unknown block type", {"content": [{"type": "unknown", "text": "x"}]}),
        ("unknown field on a block", {"content": [{**_TEXT, "unknown": 1}]}),
        ("text as a number", {"content": [{"type": "text", "text": 7}]}),
    ):
        # The last message, since a judge could stop before it.
        messages = copy.copy(body["messages"])
        messages[-1] = {**messages[-1], **change}
        yield name, {**body, "messages": messages}
