"""The benches, for pytest-benchmark: ``pytest tests/bench --benchmark-enable``; without it each runs once, small."""

from __future__ import annotations

import json
from typing import Any

import pytest

from replayable.integrations import collect_changes
from tests.bench import command, peers, ratios, sdk_overhead, shapes, work
from tests.integrations.sdks import SDKS, Sdk

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
    table, _, rest = printed.partition("Goals that this run missed:")
    goals, _, adversarial = rest.partition("| shape |")
    assert table.count("-fold") == len(ratios.ROWS)
    assert adversarial.count("-fold") == 2 * len(shapes.ADVERSARIAL)
    # Everything is dearer than nothing.
    assert goals.strip()
    assert "pydantic import BaseModel" in printed


@pytest.mark.parametrize(("api", "shape"), [("openai_chat", shapes.ordinary), *ratios.SHAPES.items()])
def test_ordinary_histories_need_nothing(api: str, shape: Any) -> None:
    """What is measured as "nothing to do" gives back the very object that went in."""
    request = shape(40)
    encoded, changes = work.all_of_it(request, api)()
    assert encoded.request is request
    assert changes == ()


def test_the_table_of_peers_prints(capsys: pytest.CaptureFixture[str]) -> None:
    """The script that measures beside peers works for what needs none of them, and leaves out what is not installed."""
    absent = peers.Peer(package="no-such-peer", name="x", does="y", prepare=lambda request: lambda: None)
    peers.main((*peers.OURS, absent), (20, 40), times=1)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + len(peers.OURS)
    assert all(line.count(" / ") == 2 for line in lines[2:])


def test_every_tenth_result_is_lost() -> None:
    """The broken history is the ordinary one less every tenth result, on both wires that are measured."""
    for shape, key in ((shapes.ordinary, "messages"), (shapes.ordinary_responses, "input")):
        request = shape(100)
        lost = len(request[key]) - len(peers.with_lost_results(request)[key])
        assert lost == sum("output" in item or item.get("role") == "tool" for item in request[key]) // 10


@pytest.mark.parametrize("sdk", SDKS, ids=lambda sdk: sdk.name)
def test_a_guard_has_nothing_to_do_around_sdk_clients(sdk: Sdk) -> None:
    """What is measured there is a call that needs no repair, the first one and a later one, on a server that looks."""
    with collect_changes() as changes, sdk_overhead.provider(sdk, looks=True) as url:
        first, later = sdk_overhead.pairs(sdk, url, least=12, later=1, conversations=2)
    assert changes == []
    assert (len(first), len(later)) == (2, 2)
    for each in (first, later):
        told = sdk_overhead.overhead(each)
        assert told.plain > 0
        assert told.low <= told.median <= told.high


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    """Each command is measured on a file of lines, and takes no more memory for a longer one."""
    command.main(3)
    rows = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines()[2:]]
    assert len(rows) == len(command.COMMANDS)
    for name, one, all_, _ in rows:
        assert float(all_.split()[0]) < 1.1 * float(one.split()[0]), name
