"""``python -m tests.bench.ratios``: each work's time as a ratio to ``json.dumps`` of the same request, and its growth."""

from __future__ import annotations

import functools
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tests.bench import shapes, work
from tests.bench.counting import steps


@dataclass(frozen=True, slots=True)
class Row:
    """One piece of work on one kind of history.

    Args:
        name: What it is.
        task: What is timed.
        goals: The most that it is to take, in times of ``json.dumps``, by the number of messages.
        shape: The history.
        api: The format that the history is written for.
    """

    name: str
    task: work.Work
    goals: Mapping[int, float] = field(default_factory=dict)
    shape: Callable[[int], shapes.Request] = shapes.ordinary
    api: str = "openai_chat"


SHAPES: Final = {
    "openai_responses": shapes.ordinary_responses,
    "anthropic": shapes.ordinary_anthropic,
    "gemini": shapes.ordinary_gemini,
    "bedrock": shapes.ordinary_bedrock,
    "cohere_v2": shapes.ordinary_cohere,
    "ollama_chat": shapes.ordinary_ollama,
}
"""The ordinary history on each wire but OpenAI Chat's."""


GROWTH: Final = 12.0
"""The most that ten times as many messages are to take, in times of what they took."""


def _on(apis: Iterable[str], name: str, task: work.Work, goals: Mapping[int, float]) -> Iterator[Row]:
    """The rows of one work on OpenAI Chat's wire, and on others."""
    yield Row(name, task, goals)
    for api in apis:
        yield Row(f"{name} ({api})", task, goals, SHAPES[api], api)


ROWS: Final = (
    *_on(SHAPES, "decode, facts included", work.decode, {10_000: 2.3}),
    *_on(["anthropic"], "clean_messages, nothing to do", work.clean, {10_000: 0.08}),
    *_on(["anthropic"], "default pipeline, nothing to do", work.pipeline, {10_000: 0.15}),
    Row("default pipeline, made by hand, first time", work.pipeline_by_hand, {10_000: 0.6}),
    Row("a later step of a run, two more messages", work.later_step, {10_000: 0.02, 100_000: 0.03}),
    Row("default pipeline, everything changes", work.change_everything, {10_000: 3.0}, shapes.to_be_changed),
    Row(
        "default pipeline, everything changes and is told",
        work.change_everything_and_tell,
        shape=shapes.to_be_changed,
    ),
    Row("ToolCallFilter, half of the steps", work.filter_half, {10_000: 1.0}),
    *_on(SHAPES, "encode, untouched", work.encode, {10_000: 0.05}),
    # The short history is what is felt on every call.
    *_on(SHAPES, "decode + default pipeline + encode", work.all_of_it, {20: 2.5}),
)


IMPORTS: Final = ("import replayable", "from replayable import UserMessage", "from replayable import *")
"""From nothing that is used to everything."""

_TURN: Final = 5


def best(times: int, *runs: Callable[[], Any]) -> list[float]:
    """Return the least of several timings of each function, in seconds of the processor's, with the garbage collector off.

    They take turns of a few runs, so that a machine that is busy for a while is so for all of them.
    """
    least = [float("inf")] * len(runs)
    gc.collect()
    gc.disable()
    try:
        for done in range(0, times, _TURN):
            for number, run in enumerate(runs):
                for _ in range(min(_TURN, times - done)):
                    start = time.thread_time()
                    run()
                    least[number] = min(least[number], time.thread_time() - start)
    finally:
        gc.enable()
    return least


def measured(row: Row, size: int, times: int) -> tuple[float, float]:
    """Return the time of a row's work in seconds, and that of ``json.dumps`` of its request."""
    request = row.shape(size)
    times = min(times, work.repeats(request))
    took, dumps = best(times, row.task(request, row.api), lambda: json.dumps(request))
    return took, dumps


def main(
    sizes: tuple[int, ...] = (20, 1_000, 10_000, 100_000),
    *,
    adversarial: tuple[int, int] = (10_000, 100_000),
    times: int = 100,
) -> None:
    """Print the tables; each number is the best of ``times``, of fewer for long histories."""
    growth = f"growth {sizes[-1]:,} / {sizes[-2]:,}"
    print(
        f"| work | {' | '.join(f'{size:,}' for size in sizes)} | {growth} |\n|---|{'---|' * (len(sizes) + 1)}"
    )
    missed: list[str] = []
    for row in ROWS:
        taken = [measured(row, size, times) for size in sizes]
        ratios = {size: took / dumps for size, (took, dumps) in zip(sizes, taken, strict=True)}
        grown = taken[-1][0] / taken[-2][0]
        missed += [
            f"{row.name}: {ratios[size]:.3f}x at {size:,}, not {goal}x"
            for size, goal in row.goals.items()
            if ratios.get(size, 0) > goal
        ]
        if grown > GROWTH:
            small, large = (steps(row.task(row.shape(size), row.api)) for size in sizes[-2:])
            missed.append(f"{row.name}: {grown:.1f}-fold, in {large / small:.2f}-fold steps")
        cells = [f"{ratio:.3f}x" for ratio in ratios.values()]
        print(f"| {row.name} | {' | '.join(cells)} | {grown:.1f}-fold |", flush=True)
    print("\nGoals that this run missed:", *(missed or ["none"]), sep="\n- ")
    _print_adversarial(*adversarial, times=min(times, 3))
    _print_memory(sizes[-2])
    print("\n| import | of `from pydantic import BaseModel` |\n|---|---|")
    for statement, ratio in import_ratios(min(times, 10)).items():
        print(f"| `{statement}` | {ratio:.2f}x |")


def _print_adversarial(small: int, large: int, *, times: int) -> None:
    print(
        f"\n| shape | clean_messages, {large:,} | growth | all, {large:,} | growth |\n|---|---|---|---|---|"
    )
    for name, shape in shapes.ADVERSARIAL.items():
        cells = []
        requests = [shape(size) for size in (large, small)]
        for task in (work.clean, work.all_of_it):
            runs = [task(request, "openai_chat") for request in requests]
            took, less, dumps = best(times, *runs, functools.partial(json.dumps, requests[0]))
            cells.append(f"{took / dumps:.3f}x | {took / less:.1f}-fold")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def _print_memory(size: int) -> None:
    text = json.dumps(shapes.ordinary(size))
    wire, request = allocated(lambda: json.loads(text))
    models, _ = allocated(work.decode(request, "openai_chat"), keep=False)
    print(f"\nMemory at {size:,} messages, in times of the wire's own ({wire / 1e6:.1f} MB):")
    passes, _ = allocated(work.pipeline(request, "openai_chat"), keep=False)
    print(f"decoding at its peak {models / wire:.2f}x, a pass with nothing to do {passes / wire:.3f}x")


def allocated(run: Callable[[], Any], *, keep: bool = True) -> tuple[int, Any]:
    """Return the bytes that a function's result takes (``keep``) or that it took at its peak, and the result."""
    gc.collect()
    tracemalloc.start()
    try:
        result = run()
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return (kept if keep else peak), result


def import_ratios(times: int) -> dict[str, float]:
    """Return the time of each way to import replayable in times of pydantic's, each in a fresh interpreter.

    Byte code is compiled beforehand, as it is where the package is installed.
    """
    timed = "import time; start = time.process_time(); {}; print(time.process_time() - start)"
    statements = ("from pydantic import BaseModel", *IMPORTS)
    least = dict.fromkeys(statements, float("inf"))
    with tempfile.TemporaryDirectory() as folder:
        compiled = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        compiled.pop("PYTHONDONTWRITEBYTECODE", None)
        # The first time compiles; then they take turns, so that a busy machine is busy for all of them.
        for time_number in range(times + 1):
            for statement in statements:
                command = [sys.executable, "-c", timed.format(statement)]
                took = float(subprocess.check_output(command, env=compiled))
                if time_number:
                    least[statement] = min(least[statement], took)
    return {statement: least[statement] / least[statements[0]] for statement in IMPORTS}


if __name__ == "__main__":
    main()
