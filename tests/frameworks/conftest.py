"""Only the frameworks that are named on the command line are tested: each needs an environment of its own."""

from __future__ import annotations

import pytest

from tests.frameworks.adapters import FRAMEWORKS


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that names them."""
    names = [framework.name for framework in FRAMEWORKS]
    parser.addoption(
        "--framework", action="append", choices=names, help="a framework to test; may be repeated"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Don't fail for what others do."""
    # What a framework forgets to close is its own affair, and so is what pydantic thinks of its types.
    for warning in ("ResourceWarning", "pytest.PytestUnraisableExceptionWarning", "UserWarning:pydantic"):
        config.addinivalue_line("filterwarnings", f"ignore::{warning}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of all others."""
    chosen = config.getoption("--framework")
    if not chosen:
        raise pytest.UsageError("say which framework is installed here: --framework NAME")
    kept = [item for item in items if _framework_of(item) in (None, *chosen)]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


def _framework_of(item: pytest.Item) -> str | None:
    """The framework that a test is for: that of its parameter, or of its folder."""
    callspec = getattr(item, "callspec", None)
    if callspec is not None and "adapter" in callspec.params:
        name: str = callspec.params["adapter"].name
        return name
    folders = {framework.name.replace("-", "_"): framework.name for framework in FRAMEWORKS}
    return next((folders[part] for part in item.path.parts if part in folders), None)
