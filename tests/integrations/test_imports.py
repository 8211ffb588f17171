"""Nobody pays for an integration that is not used, and who lacks its package is told which extra to install."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys

import pytest

import replayable
from tests.frameworks.adapters import FRAMEWORKS
from tests.integrations.adapters import MODULES

_SDKS = [module.__name__.rpartition(".")[2] for module in MODULES]
_NAMES = [*_SDKS, *(framework.name.replace("-", "_") for framework in FRAMEWORKS)]
# Top-level packages of integrations whose module is not named like them.
_PACKAGES = {
    "boto3": "botocore",
    "google_genai": "google.genai",
    "google_adk": "google.adk",
    "openai_agents": "agents",
}


def _run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("module", ["replayable", "replayable.integrations"])
def test_the_library_imports_no_integration(module: str) -> None:
    """Neither the adapters nor the packages that they adapt."""
    names = {*_NAMES, *(_PACKAGES.get(name, name) for name in _NAMES)}
    code = (
        f"import sys; from {module} import *; print(sorted(n for n in {names} if n in sys.modules or"
        " f'replayable.integrations.{n}' in sys.modules))"
    )
    assert _run(code).strip() == "[]"


@pytest.mark.parametrize("name", _NAMES)
def test_a_missing_package_is_told_with_its_extra(name: str) -> None:
    """The package may well be installed here: it is hidden."""
    package = _PACKAGES.get(name, name)
    code = (
        "import sys\n"
        f"sys.modules[{package!r}] = None\n"
        f"try: import replayable.integrations.{name}\n"
        "except ImportError as error: print(type(error).__name__, error)"
    )
    printed = _run(code)
    assert printed.startswith("MissingExtraError"), printed
    assert f"replayable[{name.replace('_', '-')}]" in printed


def test_each_public_name_is_known_to_type_checkers_and_at_run_time() -> None:
    """The names are looked up when they are first asked for: the table of their modules says what type checkers read."""
    source = ast.parse(inspect.getsource(replayable))
    checked = {
        alias.name: node.module
        for block in source.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    table = replayable._MODULES
    assert table == checked
    assert sorted((*table, "__version__")) == sorted(replayable.__all__)
    assert set(replayable.__all__) <= set(dir(replayable))
    assert all(getattr(replayable, name) is not None for name in replayable.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Pipelin'"):
        replayable.Pipelin  # type: ignore[attr-defined]  # noqa: B018  # asking is what is tested


def test_an_import_loads_nothing_that_is_not_used() -> None:
    """A message needs neither a provider's rules nor a format; the package alone not even pydantic."""
    loaded = (
        "print(sorted(name for name in sys.modules if name.startswith(('pydantic.main', 'replayable.'))))"
    )
    assert _run(f"import sys, replayable; {loaded}").strip() == "['replayable._version']"
    printed = _run(f"import sys; from replayable import UserMessage; {loaded}")
    assert "replayable.messages" in printed
    assert "replayable.compat" not in printed
    assert "replayable.formats" not in printed
