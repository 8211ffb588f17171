"""What a guard costs a call that needs nothing: ``python -m tests.bench.sdk_overhead``.

A plain and a wrapped client call the same loopback server in turn, with the same conversation of some 200 messages. It grows
from call to call by an answer and what comes back, as an agent's does: the first call of a conversation stands apart from
the later ones, since a guard reads only what is new. A ratio is that of the medians of one run. A real provider takes
seconds where the loopback takes milliseconds.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from replayable.integrations import collect_changes
from tests.bench import shapes
from tests.integrations.loopback import serving
from tests.integrations.sdks import SDKS, Sdk

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


class Overhead(NamedTuple):
    """Median times of a call in seconds."""

    plain: float
    guarded: float


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


def overhead(sdk: Sdk, least: int, later: int, conversations: int) -> tuple[Overhead, Overhead]:
    """Return the times of the first call of a conversation, and of the later ones."""
    times: dict[tuple[bool, bool], list[float]] = {}
    with serving(lambda path, body: sdk.reply((path, body), "Norway.")) as server:
        plain = sdk.called(sdk.plain(server.url, "sync"), "sync")
        parameters = PARAMETERS.get(sdk.api, {})
        for turn in range(conversations):
            client = sdk.wrap(server.url, "sync")
            # The first call of a client opens its connection.
            sdk.ask(client, "sync", sdk.messages())
            for number, messages in enumerate(conversation(sdk, least, later + 1)):
                # Each goes first in turn: the second finds the messages in the processor's cache.
                for guarded in (False, True) if (turn + number) % 2 else (True, False):
                    start = time.perf_counter()
                    sdk.ask(client if guarded else plain, "sync", messages, **parameters)
                    times.setdefault((number > 0, guarded), []).append(time.perf_counter() - start)
    medians = {kind: statistics.median(some) for kind, some in times.items()}
    return (
        Overhead(medians[False, False], medians[False, True]),
        Overhead(medians[True, False], medians[True, True]),
    )


def main() -> None:
    """Print a line for each SDK."""
    print("| client | plain | guarded, first call | guarded, later call |\n|---|---|---|---|")
    for sdk in SDKS:
        with collect_changes() as changes:
            first, later = overhead(sdk, MESSAGES, LATER, CONVERSATIONS)
        if changes:
            raise SystemExit(f"{sdk.name}: the history was to need nothing: {changes[0]}")
        cells = [
            f"{each.guarded * 1e3:.2f} ms, {each.guarded / each.plain - 1:+.0%}" for each in (first, later)
        ]
        print(f"| {sdk.name} | {later.plain * 1e3:.2f} ms | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
