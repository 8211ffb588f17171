"""Reading what a provider said out of whatever the caller caught."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

from replayable import ProviderError
from tests.sdk_errors import WRAPPERS, BotocoreError, StatusError

SENTENCES = [
    "messages.1.content.0: Invalid `signature` in `thinking` block",
    "messages.3.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
    'tool "x" said:\nno',
]


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_finds_the_sentence_in_every_wrapper(wrapper: str, sentence: str) -> None:
    """The provider's sentence is among the texts, without backticks, however it is wrapped."""
    error = ProviderError.of(WRAPPERS[wrapper](sentence))
    assert error.matches(re.compile(re.escape(sentence.replace("`", "")))), error.texts


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (StatusError("no", body=None, status_code=422), 422),
        (BotocoreError("no"), 400),
        ({"error": {"code": 404, "message": "no"}}, 404),
        ("Error code: 400 - {'error': 'no'}", 400),
        ("something went wrong", None),
        (None, None),
    ],
)
def test_tells_the_status(error: Any, status: int | None) -> None:
    """The HTTP status is read from attributes, bodies, botocore's metadata, or the text."""
    assert ProviderError.of(error).status == status


def test_passes_over_the_request_that_a_server_echoes() -> None:
    """What the user wrote is never taken for what the provider said."""
    body = {
        "detail": [{"msg": "Field required", "input": {"messages": "Invalid signature in thinking block"}}]
    }
    assert ProviderError.of(body).texts == ("Field required",)


def test_never_raises_on_hostile_objects() -> None:
    """Attributes that raise, cycles, and depth without end say nothing, and cost little."""

    class HostileError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no")

        @property
        def body(self) -> object:
            raise RuntimeError("no")

    cycle: dict[str, Any] = {}
    cycle["error"] = cycle
    deep: Any = "end"
    for _ in range(100_000):
        deep = [deep]
    looping = HostileError()
    looping.__cause__ = looping
    for error in (HostileError(), cycle, deep, looping, object(), 3.5, {"error": "[" * 100_000}):
        ProviderError.of(error)


def test_caps_sizes_before_any_pattern_runs() -> None:
    """A body of megabytes is cut: 64 texts of 20,000 characters at most, in no time."""
    start = time.perf_counter()
    error = ProviderError.of({"errors": [{"message": "\\" * 5_000_000}] * 1000})
    assert time.perf_counter() - start < 5
    assert len(error.texts) <= 64
    assert all(len(text) <= 20_000 for text in error.texts)


def test_returns_a_provider_error_as_it_is() -> None:
    """Reading twice is reading once."""
    error = ProviderError.of("no")
    assert ProviderError.of(error) is error
