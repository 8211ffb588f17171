"""Count what a judge says about the broken histories, before and after they went through the library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from replayable import fix
from tests.judges.histories import BROKEN, request

Judge = Callable[[Mapping[str, Any]], str | None]
"""Says why it refuses a body in the OpenAI Chat format; `None` when it accepts it."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The names of the broken histories that a judge refuses, as they are and after the repair.

    Args:
        raw: Those refused as they are.
        repaired: Of those, the ones refused after the repair.
    """

    raw: frozenset[str]
    repaired: frozenset[str]


def verdicts(judge: Judge, *, name: str, model: str) -> Verdicts:
    """Ask the judge, and print how it went. A judge that takes everything, or nothing, is none.

    Args:
        judge: The judge.
        name: What the printed line calls it.
        model: The model that `fix` writes for, such as `vllm/google/gemma-2-9b-it`.
    """
    bodies = {title: request(messages) for title, messages in BROKEN.items()}
    raw = frozenset(title for title, body in bodies.items() if judge(body) is not None)
    fixed = {title: fix(bodies[title], model=model, to="openai_chat").request for title in raw}
    repaired = frozenset(title for title, body in fixed.items() if judge(body) is not None)
    print(
        f"{name}: of {len(bodies)} broken histories {len(raw)} refused raw, {len(repaired)} after the repair"
    )
    assert 0 < len(raw) < len(bodies), f"{name} judges nothing"
    return Verdicts(raw, repaired)
