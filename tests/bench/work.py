"""What is measured: each piece of work is prepared outside of the clock and returns a function to time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from replayable import (
    ModelRef,
    Pipeline,
    ToolCallFilter,
    clean_messages,
    messages_from_json,
    messages_to_json,
)
from replayable.facts import facts_of_all
from replayable.formats import format_named
from replayable.prompt import with_model
from tests.bench.shapes import Request

CHAT: Final = format_named("openai_chat")
OPENAI: Final = ModelRef.of("openai/gpt-4o")
CLAUDE: Final = ModelRef.of("anthropic/claude-sonnet-5")

Work = Callable[[Request], Callable[[], Any]]


def decode(request: Request) -> Callable[[], Any]:
    """Decode, facts included."""
    return lambda: facts_of_all(CHAT.decode(request).messages)


def clean(request: Request) -> Callable[[], Any]:
    """``clean_messages`` on decoded messages."""
    messages = CHAT.decode(request).messages
    facts_of_all(messages)
    return lambda: clean_messages(messages, missing_results="placeholder")


def pipeline(request: Request) -> Callable[[], Any]:
    """The default pipeline on a decoded prompt, for the model that it was made for."""
    prompt = with_model(CHAT.decode(request), OPENAI)
    facts_of_all(prompt.messages)
    return lambda: Pipeline.default().prepare(prompt)


def pipeline_by_hand(request: Request) -> Callable[[], Any]:
    """The default pipeline on messages made by hand, the first time that it sees them."""
    text = messages_to_json(CHAT.decode(request).messages)
    fresh = iter([messages_from_json(text) for _ in range(6)])
    return lambda: Pipeline.default().prepare(next(fresh), model=OPENAI)


def change_everything(request: Request) -> Callable[[], Any]:
    """The default pipeline where every id is rewritten and all reasoning stripped."""
    prompt = with_model(CHAT.decode(request), CLAUDE)
    facts_of_all(prompt.messages)
    return lambda: Pipeline.default().prepare(prompt)


def filter_half(request: Request) -> Callable[[], Any]:
    """``ToolCallFilter``, all but the later half of the steps."""
    messages = CHAT.decode(request).messages
    steps = sum(1 for message in messages if any(part.type == "tool_call" for part in message.parts))
    tool_filter = ToolCallFilter(filter_after_tool_steps=steps // 2)
    return lambda: Pipeline([tool_filter]).start(messages, model=OPENAI)


def encode(request: Request) -> Callable[[], Any]:
    """Encode, untouched."""
    prompt = CHAT.decode(request)
    return lambda: CHAT.encode(prompt)


def all_of_it(request: Request) -> Callable[[], Any]:
    """Decode, default pipeline with nothing to do, encode."""
    return lambda: CHAT.encode(Pipeline.default().prepare(CHAT.decode(request), model=OPENAI).prompt)
