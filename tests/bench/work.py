"""What is measured: each piece of work is prepared outside of the clock and returns a function to time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from replayable import (
    AssistantMessage,
    ModelRef,
    Pipeline,
    ToolCallFilter,
    UserMessage,
    clean_messages,
    messages_from_json,
    messages_to_json,
)
from replayable.formats import format_named
from replayable.prompt import facts_of_prompt, with_model
from tests.bench.shapes import Request

CLAUDE: Final = ModelRef.of("anthropic/claude-sonnet-4-5")
# The model for which a request on each wire was made: nothing is to be done for it.
READERS: Final = {
    "openai_chat": ModelRef.of("openai/gpt-4o"),
    "openai_responses": ModelRef.of("openai.responses/gpt-5"),
    "anthropic": CLAUDE,
    "gemini": ModelRef.of("google/gemini-2.5-flash"),
    "bedrock": ModelRef.of("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
    "cohere_v2": ModelRef.of("cohere/command-a-03-2025"),
    "ollama_chat": ModelRef.of("ollama/qwen3:4b", api="ollama_chat"),
}

# A request and the API that it is written for.
Work = Callable[[Request, str], Callable[[], Any]]


def repeats(request: Request) -> int:
    """How often to measure: short histories take little time and vary much."""
    count = len(next(request[key] for key in ("messages", "input", "contents") if key in request))
    return 100 if count < 5_000 else 15 if count < 50_000 else 5


def decode(request: Request, api: str) -> Callable[[], Any]:
    """Decode, facts included."""
    wire = format_named(api)
    return lambda: facts_of_prompt(wire.decode(request))


def clean(request: Request, api: str) -> Callable[[], Any]:
    """``clean_messages`` on decoded messages."""
    messages = format_named(api).decode(request).messages
    return lambda: clean_messages(messages, missing_results="placeholder")


def pipeline(request: Request, api: str) -> Callable[[], Any]:
    """The default pipeline on a decoded prompt, for the model that it was made for."""
    prompt = with_model(format_named(api).decode(request), READERS[api])
    return lambda: Pipeline.default().prepare(prompt)


def pipeline_by_hand(request: Request, api: str) -> Callable[[], Any]:
    """The default pipeline on messages made by hand, the first time that it sees them."""
    text = messages_to_json(format_named(api).decode(request).messages)
    fresh = iter([messages_from_json(text) for _ in range(repeats(request))])
    return lambda: Pipeline.default().prepare(next(fresh), model=READERS[api])


def later_step(request: Request, api: str) -> Callable[[], Any]:
    """A later step of a run: two more messages, and the next prompt."""
    run = Pipeline.default().start(format_named(api).decode(request), model=READERS[api])
    run.prompt()
    more = [UserMessage("And tomorrow?"), AssistantMessage("Sun.")]

    def step() -> Any:
        run.extend(more)
        return run.prompt()

    return step


def change_everything(request: Request, api: str) -> Callable[[], Any]:
    """The default pipeline where every id is rewritten and all reasoning stripped."""
    prompt = with_model(format_named(api).decode(request), CLAUDE)
    return lambda: Pipeline.default().prepare(prompt)


def filter_half(request: Request, api: str) -> Callable[[], Any]:
    """``ToolCallFilter``, all but the later half of the steps."""
    messages = format_named(api).decode(request).messages
    steps = sum(1 for message in messages if any(part.type == "tool_call" for part in message.parts))
    tool_filter = ToolCallFilter(filter_after_tool_steps=steps // 2)
    return lambda: Pipeline([tool_filter]).start(messages, model=READERS[api])


def encode(request: Request, api: str) -> Callable[[], Any]:
    """Encode, untouched."""
    wire = format_named(api)
    prompt = wire.decode(request)
    return lambda: wire.encode(prompt)


def change_everything_and_tell(request: Request, api: str) -> Callable[[], Any]:
    """The same, and every change is read."""
    change = change_everything(request, api)
    return lambda: change().changes


def all_of_it(request: Request, api: str, model: ModelRef | None = None) -> Callable[[], Any]:
    """Decode, the default pipeline for a model (the one that the request was made for), encode; every change is read."""
    wire = format_named(api)

    def run() -> Any:
        prepared = Pipeline.default().prepare(wire.decode(request), model=model or READERS[api])
        return wire.encode(prepared.prompt), prepared.changes

    return run
