"""What a guard costs a call that needs nothing: ``python -m tests.bench.sdk_overhead``.

A plain and a wrapped client call the same server, in a process of its own on this machine, in turn, with the same
conversation of some 200 messages. It grows from call to call by an answer and what comes back, as an agent's does: the first
call of a conversation stands apart from the later ones, since a guard reads only what is new. The server answers at once,
or looks at the history first and refuses it for what a provider would. A real provider takes seconds.
"""

from __future__ import annotations

import multiprocessing
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any, Final, NamedTuple

from replayable.integrations import collect_changes
from tests.bench import shapes
from tests.integrations.loopback import Reply, serving
from tests.integrations.sdks import SDKS, Sdk
from tests.oracle import violations

MESSAGES: Final = 200
LATER: Final = 10
CONVERSATIONS: Final = 20
SHAPES: Final[dict[str, Callable[[int], shapes.Request]]] = {
    "openai_chat": shapes.ordinary,
    "openai_responses": shapes.ordinary_responses,
    "anthropic_messages": shapes.ordinary_anthropic,
    "gemini": shapes.ordinary_gemini,
    "bedrock_converse": shapes.ordinary_bedrock,
}
# Gemini 3 demands signatures of the calls that are not answered yet, which the ordinary history has none of.
PARAMETERS: Final = {"gemini": {"model": "gemini-2.5-pro"}}


class Pair(NamedTuple):
    """Times of one call in seconds, by a plain and a wrapped client."""

    plain: float
    guarded: float


class Overhead(NamedTuple):
    """What a guard adds to a call, in times of the plain one.

    Attributes:
        plain: Median time of the plain call in seconds.
        low: The lower quartile of the pairs.
        median: Their median.
        high: Their upper quartile.
    """

    plain: float
    low: float
    median: float
    high: float


def conversation(sdk: Sdk, least: int, calls: int) -> Iterator[list[Any]]:
    """Yield what an agent sends call by call: each history ends before an answer, and the next one has that, too."""
    wires = sdk.sent(SHAPES[sdk.api](least + 10 * calls))
    ends = (
        index
        for index in range(least, len(wires))
        if _is_answer(wires[index]) and not _is_answer(wires[index - 1])
    )
    for _, end in zip(range(calls), ends, strict=False):
        yield wires[:end]


def _is_answer(wire: Any) -> bool:
    return wire.get("role") not in ("user", "tool") and wire.get("type") != "function_call_output"


@contextmanager
def provider(sdk: Sdk, *, looks: bool) -> Iterator[str]:
    """Serve an SDK's API in a process of its own, and yield its address.

    Args:
        sdk: The SDK.
        looks: Whether it refuses histories that a provider would; else it answers at once.
    """
    # A forked child would share this process's threads and connections.
    processes = multiprocessing.get_context("spawn")
    here, there = processes.Pipe()
    process = processes.Process(target=_serve, args=(sdk.name, looks, there), daemon=True)
    process.start()
    try:
        yield here.recv()
    finally:
        here.send("stop")
        process.join()


def _serve(name: str, looks: bool, parent: Connection) -> None:
    sdk = next(sdk for sdk in SDKS if sdk.name == name)
    model = PARAMETERS.get(sdk.api, {}).get("model", sdk.model)

    def answer(path: str, body: Any) -> Reply:
        if looks and (found := violations(body, api=sdk.api, provider=sdk.provider, model=model)):
            return sdk.refusal(found[0].message)
        return sdk.reply((path, body), "Norway.")

    with serving(answer) as server:
        parent.send(server.url)
        parent.recv()


def pairs(sdk: Sdk, url: str, least: int, later: int, conversations: int) -> tuple[list[Pair], list[Pair]]:
    """Return the times of the first call of each conversation, and of the later ones."""
    first_calls: list[Pair] = []
    later_calls: list[Pair] = []
    plain = sdk.called(sdk.plain(url, "sync"), "sync")
    parameters = PARAMETERS.get(sdk.api, {})
    for turn in range(conversations):
        client = sdk.wrap(url, "sync")
        # The first call of a client opens its connection.
        sdk.ask(client, "sync", sdk.messages())
        for number, messages in enumerate(conversation(sdk, least, later + 1)):
            times: dict[bool, float] = {}
            # Each goes first in turn: the second finds the messages in the processor's cache.
            for guarded in (False, True) if (turn + number) % 2 else (True, False):
                start = time.perf_counter()
                sdk.ask(client if guarded else plain, "sync", messages, **parameters)
                times[guarded] = time.perf_counter() - start
            (later_calls if number else first_calls).append(Pair(times[False], times[True]))
    return first_calls, later_calls


def overhead(some: list[Pair]) -> Overhead:
    """Return what the guard added."""
    plain = statistics.median(pair.plain for pair in some)
    low, median, high = statistics.quantiles((pair.guarded / pair.plain - 1 for pair in some), n=4)
    return Overhead(plain, low, median, high)


def main(least: int = MESSAGES, later: int = LATER, conversations: int = CONVERSATIONS) -> None:
    """Print a line for each SDK and server."""
    print("| client | server | plain | first call | later call |\n|---|---|---|---|---|")
    for sdk in SDKS:
        for server, looks in (("answers at once", False), ("looks first", True)):
            with collect_changes() as changes, provider(sdk, looks=looks) as url:
                first, others = map(overhead, pairs(sdk, url, least, later, conversations))
            if changes:
                raise SystemExit(f"{sdk.name}: the history was to need nothing: {changes[0]}")
            cells = [f"{each.median:+.1%} ({each.low:+.0%} … {each.high:+.0%})" for each in (first, others)]
            print(
                f"| {sdk.name} | {server} | {others.plain * 1e3:.2f} ms | {' | '.join(cells)} |", flush=True
            )


if __name__ == "__main__":
    main()
