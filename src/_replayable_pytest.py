"""What pytest loads by itself where replayable is installed: the fixture ``recorded_history``.

It stands beside the package, so that pytest starts without importing it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from replayable.testing import RecordedHistory

_FIXTURE = "recorded_history"
_MARKER = "recorded_histories"


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line(
        "markers",
        f"{_MARKER}(*places): the files and folders from which `{_FIXTURE}` takes its histories, seen from the folder of"
        " the test; `histories` unless given.",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test once for each recorded history."""
    if _FIXTURE not in metafunc.fixturenames:
        return
    from replayable import ReplayableError
    from replayable.testing import recorded_histories

    marker = metafunc.definition.get_closest_marker(_MARKER)
    folder = metafunc.definition.path.parent
    places = [folder / place for place in (marker.args if marker is not None else ("histories",))]
    try:
        found = [(history, place) for place in places for history in recorded_histories(place)]
    except ReplayableError as error:
        # A skipped test would look like one that passed.
        raise pytest.Collector.CollectError(f"{metafunc.definition.nodeid}: {error}") from None
    metafunc.parametrize(
        _FIXTURE,
        [history for history, _ in found],
        ids=[_id(history, place) for history, place in found],
        indirect=True,
    )


def _id(history: RecordedHistory, place: Path) -> str:
    name = history.path.relative_to(place if place.is_dir() else place.parent).as_posix()
    return name if history.line is None else f"{name}:{history.line}"


@pytest.fixture
def recorded_history(request: pytest.FixtureRequest) -> Any:
    """A history from a file: a `replayable.testing.RecordedHistory`. The test runs once for each."""
    return request.param
