"""What a guard costs a call that needs nothing: ``python -m tests.bench.sdk_overhead``.

A plain and a wrapped client call the same loopback server in turn, with a history of 200 messages; the ratio is that
of the medians of one run. A real provider takes seconds where the loopback takes milliseconds.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any, Final

from replayable.integrations import collect_changes, unguarded
from tests.bench import shapes
from tests.integrations.loopback import serving
from tests.integrations.sdks import SDKS, Sdk

MESSAGES: Final = 200
PAIRS: Final = 100
SHAPES: Final[dict[str, Callable[[int], shapes.Request]]] = {
    "openai_chat": shapes.ordinary,
    "openai_responses": shapes.ordinary_responses,
    "anthropic_messages": shapes.ordinary_anthropic,
    "gemini": shapes.ordinary_gemini,
    "bedrock_converse": shapes.ordinary_bedrock,
}


def overhead(sdk: Sdk, messages: list[Any], pairs: int) -> tuple[float, float]:
    """Return the median times of a plain and of a guarded call, in seconds."""
    times: dict[bool, list[float]] = {False: [], True: []}
    with serving(lambda path, body: sdk.reply((path, body), "Norway.")) as server:
        client = sdk.wrap(server.url, "sync")
        for _ in range(pairs):
            for guarded in (False, True):
                start = time.perf_counter()
                if guarded:
                    sdk.ask(client, "sync", messages)
                else:
                    with unguarded():
                        sdk.ask(client, "sync", messages)
                times[guarded].append(time.perf_counter() - start)
    return statistics.median(times[False]), statistics.median(times[True])


def main() -> None:
    """Print one line for each SDK."""
    for sdk in SDKS:
        # Some models refuse a history that ends with an answer: the question makes it one that needs nothing.
        history = [*sdk.sent(SHAPES[sdk.api](MESSAGES)), sdk.messages()[-1]]
        with collect_changes() as changes:
            plain, guarded = overhead(sdk, history, PAIRS)
        if changes:
            raise SystemExit(f"{sdk.name}: the history was to need nothing: {changes[0]}")
        print(
            f"{sdk.name}: {plain * 1e3:.2f} ms plain, {guarded * 1e3:.2f} ms guarded: {guarded / plain - 1:+.1%}"
        )


if __name__ == "__main__":
    main()
