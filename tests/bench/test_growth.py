"""Work grows with the length of a history and no faster, on every wire and in every shape; counted, not timed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.bench import growth
from tests.bench.counting import steps


@pytest.mark.parametrize("work", [growth.run_of, growth.there_and_back], ids=lambda work: work.__name__)
@pytest.mark.parametrize("shape", growth.SHAPES)
@pytest.mark.parametrize("wire", growth.WIRES)
def test_twice_the_history_is_twice_the_work(
    wire: str, shape: str, work: Callable[[str, str, int], Callable[[], Any]]
) -> None:
    """Twice as many messages take at most twice as many steps (and a twentieth for what grows by chance)."""
    # What is worked out once (classes, tables) is so before.
    work(wire, shape, 10)()
    small, large = (steps(work(wire, shape, count)) for count in (50, 100))
    assert small > 50
    assert large < 2.1 * small


def test_steps_see_what_is_quadratic() -> None:
    """Of a loop within a loop, of one-line loops and of calls of functions written in C."""

    def loops(count: int) -> Callable[[], Any]:
        return lambda: [number for number in range(count) for _ in range(number)]

    def calls(count: int) -> Callable[[], Any]:
        return lambda: sum(len(str(number)) for number in range(count) for _ in range(number))

    for work in (loops, calls):
        assert steps(work(200)) > 3.5 * steps(work(100))


def test_the_table_prints(capsys: pytest.CaptureFixture[str]) -> None:
    """A row for every shape on every wire."""
    growth.main((5, 10, 20), times=1)
    assert capsys.readouterr().out.count("-fold |") == len(growth.WIRES) * len(growth.SHAPES)
