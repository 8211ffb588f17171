"""``python -m tests.bench.ratios``: each work's time as a ratio to ``json.dumps`` of the same request, and its growth."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable
from typing import Any, Final

from tests.bench import shapes, work

# Name, the work, its history; the short history is measured for what is felt on every call.
ROWS: Final[list[tuple[str, work.Work, Callable[[int], shapes.Request]]]] = [
    ("decode, facts included", work.decode, shapes.ordinary),
    ("clean_messages, nothing to do", work.clean, shapes.ordinary),
    ("default pipeline, nothing to do", work.pipeline, shapes.ordinary),
    ("default pipeline, made by hand, first time", work.pipeline_by_hand, shapes.ordinary),
    ("default pipeline, everything changes", work.change_everything, shapes.to_be_changed),
    ("ToolCallFilter, half of the steps", work.filter_half, shapes.ordinary),
    ("encode, untouched", work.encode, shapes.ordinary),
    ("decode + default pipeline + encode", work.all_of_it, shapes.ordinary),
]


def best(run: Callable[[], Any], times: int = 5) -> float:
    """Return the least of several timings, in seconds, with the garbage collector off."""
    least = float("inf")
    for _ in range(times):
        gc.collect()
        gc.disable()
        try:
            start = time.perf_counter()
            run()
            least = min(least, time.perf_counter() - start)
        finally:
            gc.enable()
    return least


def ratio(task: work.Work, request: shapes.Request) -> float:
    """Return the time of a piece of work, in times of ``json.dumps`` of its request."""
    return best(task(request)) / best(lambda: json.dumps(request))


def main(
    sizes: tuple[int, ...] = (20, 1_000, 10_000, 100_000), *, adversarial: tuple[int, int] = (10_000, 100_000)
) -> None:
    """Print the tables."""
    print("| work | " + " | ".join(f"{size:,}" for size in sizes) + " |")
    print("|---|" + "---|" * len(sizes))
    for name, task, shape in ROWS:
        print(
            f"| {name} | " + " | ".join(f"{ratio(task, shape(size)):.3f}x" for size in sizes) + " |",
            flush=True,
        )
    print(f"\n| clean_messages on | time at {adversarial[1]:,} / at {adversarial[0]:,} |\n|---|---|")
    for name, shape in shapes.ADVERSARIAL.items():
        small, large = (best(work.clean(shape(size)), 3) for size in adversarial)
        print(f"| {name} | {large / small:.1f}x |", flush=True)


if __name__ == "__main__":
    main()
