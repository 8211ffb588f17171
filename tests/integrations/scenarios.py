"""The scenarios that every integration must pass; the table in the docs is made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

import pytest

__all__ = ["FRAMEWORK_SCENARIOS", "SCENARIOS", "Adapter", "Scenario", "scenario"]

C = TypeVar("C", bound=Callable[..., None])


class Adapter(Protocol):
    """What can be put around a model call, and in which ways it calls."""

    @property
    def name(self) -> str:
        """Its name in the table."""
        ...

    @property
    def modes(self) -> Sequence[str]:
        """The ways of calling that it has: ``sync``, ``async``, ``stream``, ``async stream``."""
        ...

    @property
    def impossible(self) -> dict[str, str]:
        """Titles of scenarios that what it adapts makes impossible, each with the reason."""
        ...

    @property
    def repairs(self) -> frozenset[str]:
        """Titles of scenarios whose faults the framework repairs itself."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One row of the table.

    Args:
        title: What happens.
        cells: The ways of calling in which it is tested, by the adapter's name; or why it can't be.
        by_itself: The names of adapters whose framework sees to it itself, with the adapter or without.
    """

    title: str
    cells: dict[str, tuple[str, ...] | str]
    by_itself: frozenset[str]


SCENARIOS: Final[list[Scenario]] = []
"""Those of SDK clients, in the order in which the test modules define them."""
FRAMEWORK_SCENARIOS: Final[list[Scenario]] = []
"""Those of frameworks."""


def scenario(
    title: str,
    adapters: Sequence[Adapter],
    *,
    modes: Sequence[str] = (),
    listed: list[Scenario] = SCENARIOS,
) -> Callable[[C], C]:
    """Run a test, which takes ``adapter`` and ``mode``, for each adapter in each of its ways, and list it.

    Args:
        title: The row in the table.
        adapters: What it is run for.
        modes: The ways of calling in which the scenario can happen at all; all unless given.
        listed: The table.
    """
    pairs: list[tuple[Adapter, str]] = []
    cells: dict[str, tuple[str, ...] | str] = {}
    for adapter in adapters:
        if title in adapter.impossible:
            cells[adapter.name] = adapter.impossible[title]
            continue
        ways = tuple(mode for mode in adapter.modes if not modes or mode in modes)
        cells[adapter.name] = ways
        pairs += [(adapter, mode) for mode in ways]
    by_itself = frozenset(adapter.name for adapter in adapters if title in adapter.repairs)
    listed.append(Scenario(title=title, cells=cells, by_itself=by_itself))
    ids = [f"{adapter.name}-{mode}" for adapter, mode in pairs]

    def parametrized(test: C) -> C:
        marked: C = pytest.mark.parametrize(("adapter", "mode"), pairs, ids=ids)(test)
        return marked

    return parametrized
