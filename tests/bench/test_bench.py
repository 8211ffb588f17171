"""The benches, for pytest-benchmark: ``pytest tests/bench --benchmark-enable``; without it each runs once, small."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.bench import ratios, shapes, work

SIZES = (20, 1_000, 10_000, 100_000)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("row", ratios.ROWS, ids=lambda row: row.name)
def test_work(benchmark: Any, row: ratios.Row, size: int) -> None:
    """Each piece of work at each size, beside `json.dumps` of the same request in `extra_info`."""
    request = row.shape(size if benchmark.enabled else 20)
    benchmark.extra_info["json.dumps"] = ratios.best(2, lambda: json.dumps(request))[0]
    benchmark.pedantic(row.task(request, row.api), rounds=3)


@pytest.mark.parametrize("task", [work.clean, work.all_of_it], ids=lambda task: task.__name__)
@pytest.mark.parametrize("shape", shapes.ADVERSARIAL.values(), ids=shapes.ADVERSARIAL)
def test_adversarial_shapes(benchmark: Any, shape: Any, task: work.Work) -> None:
    """Each adversarial shape goes through `clean_messages`, and through all of it."""
    benchmark.pedantic(task(shape(100_000 if benchmark.enabled else 100), "openai_chat"), rounds=3)


def test_the_tables_print(capsys: pytest.CaptureFixture[str]) -> None:
    """The script behind the numbers in the docs works."""
    ratios.main((20, 40), adversarial=(20, 40), times=1)
    printed = capsys.readouterr().out
    assert printed.count("-fold") == len(ratios.ROWS) + 2 * len(shapes.ADVERSARIAL)
    assert "pydantic import BaseModel" in printed


@pytest.mark.parametrize(
    ("shape", "api"),
    [
        (shapes.ordinary, "openai_chat"),
        (shapes.ordinary_anthropic, "anthropic"),
        (shapes.ordinary_gemini, "gemini"),
    ],
)
def test_ordinary_histories_need_nothing(shape: Any, api: str) -> None:
    """What is measured as "nothing to do" gives back the very object that went in."""
    request = shape(40)
    assert work.all_of_it(request, api)().request is request
