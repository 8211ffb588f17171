"""Count what a judge says about broken requests, before and after they went through the library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from replayable import fix

Judge = Callable[[Mapping[str, Any]], str | None]
"""Says why it refuses a request body; `None` when it accepts it."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The names of the broken requests that a judge refuses, as they are and after the repair.

    Args:
        raw: Those refused as they are.
        repaired: Of those, the ones refused after the repair.
    """

    raw: frozenset[str]
    repaired: frozenset[str]


def verdicts(
    judge: Judge, broken: Mapping[str, Mapping[str, Any]], *, name: str, model: str, format: str
) -> Verdicts:
    """Ask the judge, and print how it went. A judge that takes everything, or nothing, is none.

    Args:
        judge: The judge.
        broken: Request bodies by title.
        name: What the printed line calls the judge.
        model: The model that `fix` writes for, such as `vllm/google/gemma-2-9b-it`.
        format: The format of the bodies, which they keep.
    """
    raw = frozenset(title for title, body in broken.items() if judge(body) is not None)
    fixed = {title: fix(broken[title], model=model, to=format, source=format).request for title in raw}
    repaired = frozenset(title for title, body in fixed.items() if judge(body) is not None)
    print(
        f"{name}: of {len(broken)} broken requests {len(raw)} refused raw, {len(repaired)} after the repair"
    )
    assert 0 < len(raw) < len(broken), f"{name} judges nothing"
    return Verdicts(raw, repaired)
