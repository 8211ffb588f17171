"""``python -m tests.bench.peers``: what peers that do a part of the same job cost, beside replayable.

Run by hand, with the extra ``bench``; a peer that is not installed is left out. Each peer gets its own kind of
messages, made outside of the clock, and does its work on two histories: one with nothing to do, and one in which every
tenth result is lost. A peer that would take longer than 20 seconds for a size is left out from there on.
"""

from __future__ import annotations

import gc
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from replayable import ModelRef, Pipeline, ToolCallFilter, clean_messages
from replayable.formats import format_named
from tests.bench import shapes

SIZES: Final = (1_000, 10_000, 100_000)
_LIMIT: Final = 20.0
_CLAUDE: Final = "claude-sonnet-4-5"

Prepare = Callable[[shapes.Request], Callable[[], Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """One way of doing a part of the job.

    Args:
        package: The package on PyPI; empty for replayable.
        name: What is called.
        does: What it does of the job.
        prepare: From a request to the work to time; imports the package.
        shape: The history with nothing to do.
    """

    package: str
    name: str
    does: str
    prepare: Prepare
    shape: Callable[[int], shapes.Request] = shapes.ordinary


# --- replayable -----------------------------------------------------------------------------------------------------


def _clean(request: shapes.Request) -> Callable[[], Any]:
    messages = format_named("openai_chat").decode(request).messages
    return lambda: clean_messages(messages, missing_results="placeholder")


def _clean_dicts(request: shapes.Request) -> Callable[[], Any]:
    wire = format_named("openai_chat")
    model = ModelRef.of("openai/gpt-4o")
    return lambda: wire.encode(Pipeline.default().prepare(wire.decode(request), model=model).prompt)


def _to_anthropic(request: shapes.Request) -> Callable[[], Any]:
    source, target = format_named("openai_chat"), format_named("anthropic")
    model = ModelRef.of(f"anthropic/{_CLAUDE}")
    return lambda: target.encode(Pipeline.default().prepare(source.decode(request), model=model).prompt)


def _filter(request: shapes.Request) -> Callable[[], Any]:
    messages = format_named("openai_chat").decode(request).messages
    pipeline = Pipeline([ToolCallFilter()])
    return lambda: pipeline.start(messages, model=ModelRef())


# --- peers ----------------------------------------------------------------------------------------------------------


def _langchain_messages(request: shapes.Request) -> list[Any]:
    made: list[Any] = import_module("langchain_core.messages").convert_to_messages(request["messages"])
    return made


def _filter_messages(request: shapes.Request) -> Callable[[], Any]:
    messages = _langchain_messages(request)
    function = import_module("langchain_core.messages").filter_messages
    return lambda: function(messages, exclude_tool_calls=True)


def _merge_message_runs(request: shapes.Request) -> Callable[[], Any]:
    messages = _langchain_messages(request)
    function = import_module("langchain_core.messages").merge_message_runs
    return lambda: function(messages)


def _clear_tool_uses(request: shapes.Request) -> Callable[[], Any]:
    messages = _langchain_messages(request)
    edit = import_module("langchain.agents.middleware").ClearToolUsesEdit(trigger=0, keep=0)
    # It changes the list, so it gets one of its own; tokens are the caller's to count.
    return lambda: edit.apply(list(messages), count_tokens=len)


def _patch_tool_calls(request: shapes.Request) -> Callable[[], Any]:
    state = {"messages": _langchain_messages(request)}
    middleware = import_module("deepagents.middleware.patch_tool_calls").PatchToolCallsMiddleware()
    return lambda: middleware.before_agent(state, None)


def _repair_messages(request: shapes.Request) -> Callable[[], Any]:
    models = import_module("pydantic_ai.messages")
    messages: list[Any] = []
    for message in request["messages"]:
        if message["role"] == "tool":
            part = models.ToolReturnPart("weather", message["content"], message["tool_call_id"])
        elif message["role"] == "user":
            part = models.UserPromptPart(message["content"])
        else:
            calls = [
                models.ToolCallPart("weather", call["function"]["arguments"], call["id"])
                for call in message.get("tool_calls", ())
            ]
            messages.append(models.ModelResponse(calls or [models.TextPart(message["content"])]))
            continue
        if messages and isinstance(messages[-1], models.ModelRequest):
            # All results of a turn stand in one request there.
            messages[-1] = models.ModelRequest([*messages[-1].parts, part])
        else:
            messages.append(models.ModelRequest([part]))
    return lambda: models.repair_messages(messages)


def _litellm_factory() -> Any:
    # It would look for prices in the network.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    litellm: Any = import_module("litellm")
    litellm.modify_params = True
    return import_module("litellm.litellm_core_utils.prompt_templates.factory")


def _sanitize(request: shapes.Request) -> Callable[[], Any]:
    factory = _litellm_factory()
    return lambda: factory.sanitize_messages_for_tool_calling(request["messages"])


def _anthropic_messages_pt(request: shapes.Request) -> Callable[[], Any]:
    factory = _litellm_factory()
    return lambda: factory.anthropic_messages_pt(
        list(request["messages"]), model=_CLAUDE, llm_provider="anthropic"
    )


def _drop_orphan_function_calls(request: shapes.Request) -> Callable[[], Any]:
    function = import_module("agents.run_internal.items").drop_orphan_function_calls
    return lambda: function(request["input"])


def _repair_of(module: str) -> Prepare:
    def prepare(request: shapes.Request) -> Callable[[], Any]:
        function = import_module(module).repair
        return lambda: function(request["messages"])

    return prepare


OURS: Final = (
    Peer(
        package="",
        name="`clean_messages`",
        does="every call answered directly behind it, once; moves, renames, drops; on models",
        prepare=_clean,
    ),
    Peer(
        package="",
        name="decode + default pipeline + encode",
        does="the same and the provider's rules, from wire to wire, every change listed on request",
        prepare=_clean_dicts,
    ),
    Peer(
        package="",
        name="the same, OpenAI to Anthropic",
        does="and written for another API",
        prepare=_to_anthropic,
    ),
    Peer(
        package="",
        name="`ToolCallFilter`",
        does="all calls leave with their results, text stays; on models",
        prepare=_filter,
    ),
)

PEERS: Final = (
    Peer(
        package="langchain-core",
        name="`filter_messages(exclude_tool_calls=True)`",
        does="drops messages with calls, their text included, and tool messages",
        prepare=_filter_messages,
    ),
    Peer(
        package="langchain-core",
        name="`merge_message_runs`",
        does="merges neighbours of one role; pairs nothing",
        prepare=_merge_message_runs,
    ),
    Peer(
        package="langchain",
        name="`ClearToolUsesEdit`",
        does="replaces old results by a placeholder; calls stay",
        prepare=_clear_tool_uses,
    ),
    Peer(
        package="deepagents",
        name="`PatchToolCallsMiddleware`",
        does="answers calls whose id no result has, anywhere; moves and drops nothing",
        prepare=_patch_tool_calls,
    ),
    Peer(
        package="pydantic-ai-slim",
        name="`repair_messages`",
        does="answers calls without a result, drops results without a call",
        prepare=_repair_messages,
    ),
    Peer(
        package="litellm",
        name="`sanitize_messages_for_tool_calling`",
        does="answers calls, drops orphans and duplicates, fills empty text; moves nothing",
        prepare=_sanitize,
    ),
    Peer(
        package="litellm",
        name="`anthropic_messages_pt`",
        does="the same, and writes Anthropic's messages",
        prepare=_anthropic_messages_pt,
    ),
    Peer(
        package="openai-agents",
        name="`drop_orphan_function_calls`",
        does="drops calls without a result; results without a call stay",
        prepare=_drop_orphan_function_calls,
        shape=shapes.ordinary_responses,
    ),
    Peer(
        package="turnsafe",
        name="`repair`",
        does="answers, drops and moves; on dicts",
        prepare=_repair_of("turnsafe"),
    ),
    Peer(
        package="tessera-transcript",
        name="`repair`",
        does="answers and drops; leaves misplaced results; refuses an id used in two turns without two results; on dicts",
        prepare=_repair_of("tessera"),
    ),
    Peer(
        package="tool-call-repair",
        name="`repair`",
        does="drops calls and results without a partner, misplaced ones, too; on dicts",
        prepare=_repair_of("toolrepair"),
    ),
)


def with_lost_results(request: shapes.Request) -> shapes.Request:
    """The same request without every tenth result."""
    key = "messages" if "messages" in request else "input"
    results = 0
    kept: list[Any] = []
    for message in request[key]:
        if message.get("role") == "tool" or message.get("type") == "function_call_output":
            results += 1
            if results % 10 == 0:
                continue
        kept.append(message)
    return {**request, key: kept}


def cost(peer: Peer, size: int, *, broken: bool, times: int) -> float:
    """Return the microseconds per message, of the processor's time; the best of a few runs."""
    request = peer.shape(size)
    request = with_lost_results(request) if broken else request
    count = len(request["messages" if "messages" in request else "input"])
    # A peer that changed what it was given would find less to do the next time.
    before = json.dumps(request)
    run = peer.prepare(request)
    least = float("inf")
    gc.collect()
    gc.disable()
    try:
        for _ in range(times):
            start = time.process_time()
            run()
            least = min(least, time.process_time() - start)
            if least > 1:
                # Long enough to be measured once.
                break
    finally:
        gc.enable()
    if json.dumps(request) != before:
        raise RuntimeError(f"{peer.name} of {peer.package} changed what it was given")
    return least / count * 1e6


def main(peers: tuple[Peer, ...] = OURS + PEERS, sizes: tuple[int, ...] = SIZES, *, times: int = 3) -> None:
    """Print the table: microseconds per message, nothing to do / every tenth result lost."""
    print(f"| package | what | what of the job | {' | '.join(f'{size:,}' for size in sizes)} |")
    print(f"|---|---|---|{'---|' * len(sizes)}")
    for peer in peers:
        try:
            label = f"{peer.package} {version(peer.package)}" if peer.package else "replayable"
        except PackageNotFoundError:
            continue
        cells: list[str] = []
        dearest: list[float] = []
        for size in sizes:
            # A message costs what it did, or grows dearer as it did.
            expected = dearest[-1] * max(dearest[-1] / dearest[-2], 1) if len(dearest) > 1 else 0
            if expected * size > _LIMIT * 1e6:
                cells.append("-")
                continue
            both = [cost(peer, size, broken=broken, times=times) for broken in (False, True)]
            dearest.append(max(both))
            cells.append(" / ".join(f"{value:.2f}" for value in both))
        print(f"| {label} | {peer.name} | {peer.does} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
