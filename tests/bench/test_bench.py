"""The benches, for pytest-benchmark: ``pytest tests/bench --benchmark-enable``; without it each runs once, small."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.bench import ratios, shapes, work

SIZES = (20, 1_000, 10_000, 100_000)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("row", ratios.ROWS, ids=lambda row: row[0])
def test_work(benchmark: Any, row: Any, size: int) -> None:
    """Each piece of work at each size, beside `json.dumps` of the same request in `extra_info`."""
    _, task, shape = row
    request = shape(size if benchmark.enabled else 20)
    benchmark.extra_info["json.dumps"] = ratios.best(lambda: json.dumps(request), 2)
    benchmark.pedantic(task(request), rounds=3)


@pytest.mark.parametrize("shape", shapes.ADVERSARIAL.values(), ids=shapes.ADVERSARIAL)
def test_adversarial_shapes(benchmark: Any, shape: Any) -> None:
    """Each adversarial shape goes through `clean_messages`."""
    benchmark.pedantic(work.clean(shape(100_000 if benchmark.enabled else 100)), rounds=3)


def test_the_tables_print(capsys: pytest.CaptureFixture[str]) -> None:
    """The script behind the numbers in the docs works."""
    ratios.main((20,), adversarial=(20, 40))
    printed = capsys.readouterr().out
    assert printed.count("x |") == len(ratios.ROWS) + len(shapes.ADVERSARIAL)
