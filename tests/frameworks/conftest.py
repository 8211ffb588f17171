"""Only the frameworks that are named on the command line are tested: each needs an environment of its own."""

from __future__ import annotations

import gc
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.frameworks.adapters import FRAMEWORKS

# Where the tests of one framework alone stand.
_FOLDERS: Final = {framework.name.replace("-", "_"): framework.name for framework in FRAMEWORKS}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that names them."""
    names = [framework.name for framework in FRAMEWORKS]
    parser.addoption(
        "--framework", action="append", choices=names, help="a framework to test; may be repeated"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Don't fail for what others do, and stay off the network."""
    # Else LiteLLM fetches its table of models when it is imported.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    # What a framework forgets to close is its own affair, and so are its experiments, what it takes from Python, and what
    # pydantic thinks of its types.
    for warning in (
        ":ResourceWarning",
        ":pytest.PytestUnraisableExceptionWarning",
        ":UserWarning:pydantic",
        r"\[EXPERIMENTAL\]:UserWarning",
        "SelectableGroups:DeprecationWarning",
    ):
        config.addinivalue_line("filterwarnings", f"ignore:{warning}")


def pytest_unconfigure() -> None:
    """Let go of what the frameworks left open while nobody minds: pytest collects it next, when the filters are gone."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # An object that closes another when it goes needs a second look.
        for _ in range(3):
            gc.collect()


@pytest.fixture(autouse=True)
def no_callbacks_stay() -> Iterator[None]:
    """LiteLLM's callbacks are the whole process's: one test's (the docs' page sets some) would act in the next."""
    yield
    if (litellm := sys.modules.get("litellm")) is not None:
        vars(litellm)["callbacks"] = []


@pytest.fixture(autouse=True)
def no_streams_stay() -> Iterator[None]:
    """What a framework leaves of a stream goes here: collected within a later request, it waits for httpcore's lock for ever."""
    yield
    gc.collect()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the folders of all others: their packages may not be installed here."""
    others = {name for name in _FOLDERS if _FOLDERS[name] not in (config.getoption("--framework") or ())}
    return True if collection_path.is_dir() and collection_path.name in others else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of all others."""
    chosen = config.getoption("--framework")
    if not chosen:
        raise pytest.UsageError("say which framework is installed here: --framework NAME")
    kept = [item for item in items if _framework_of(item) in (None, *chosen)]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


def _framework_of(item: pytest.Item) -> str | None:
    """The framework that a test is for, by its parameter."""
    callspec = getattr(item, "callspec", None)
    adapter = callspec.params.get("adapter") if callspec is not None else None
    return None if adapter is None else adapter.name
