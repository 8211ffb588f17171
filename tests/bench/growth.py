"""``python -m tests.bench.growth``: how time grows with the length of a history, on every wire, ordinary and adversarial."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from replayable import ModelRef
from replayable.formats import format_named
from tests.bench import shapes, work
from tests.bench.ratios import GROWTH, best

__all__ = ["SHAPES", "WIRES", "run_of", "there_and_back"]

WIRES: Final = {
    **{api: (api, model) for api, model in work.READERS.items()},
    "mistral": ("openai_chat", ModelRef.of("mistral/mistral-large-latest")),
}
"""The API that a request is written for, and the model that it goes to."""

SHAPES: Final[dict[str, Callable[[int], shapes.Request]]] = {
    "ordinary": shapes.ordinary,
    "everything changes": shapes.to_be_changed,
    **shapes.ADVERSARIAL,
}


def run_of(wire: str, shape: str, count: int) -> Callable[[], Any]:
    """Decode, the default pipeline, encode; every change is read."""
    api, model = WIRES[wire]
    request = {**SHAPES[shape](count), "model": model.model}
    return work.all_of_it(request if api == "openai_chat" else shapes.converted(request, api), api, model)


def there_and_back(wire: str, shape: str, count: int) -> Callable[[], Any]:
    """From OpenAI Chat's wire to another, and back."""
    api, model = WIRES[wire]
    chat, other = format_named("openai_chat"), format_named(api)
    request = {**SHAPES[shape](count), "model": model.model}

    def run() -> Any:
        over = other.encode(chat.decode(request))
        back = chat.encode(other.decode(over.request))
        return over.changes, back.changes

    return run


def main(sizes: tuple[int, ...] = (1_000, 10_000, 100_000), *, times: int = 3) -> None:
    """Print the milliseconds at each size, the best of some times, and the growth from the last but one to the last."""
    print("| wire | shape | " + " | ".join(f"{size:,}" for size in sizes) + " | growth |")
    print(f"|---|---|{'---|' * (len(sizes) + 1)}")
    missed: list[str] = []
    for wire in WIRES:
        for shape in SHAPES:
            taken = [best(times, run_of(wire, shape, size))[0] for size in sizes]
            grown = taken[-1] / taken[-2]
            cells = [f"{1000 * seconds:,.1f}" for seconds in taken]
            print(f"| {wire} | {shape} | {' | '.join(cells)} | {grown:.1f}-fold |", flush=True)
            if grown > GROWTH:
                missed.append(f"{wire}, {shape}: {grown:.1f}-fold")
    print(f"\nGrown by more than {GROWTH:g}:", *(missed or ["none"]), sep="\n- ")


if __name__ == "__main__":
    main()
