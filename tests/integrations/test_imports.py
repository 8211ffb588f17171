"""Nobody pays for an integration that is not used, and who lacks its package is told which extra to install."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
        f"import sys, {module}; print(sorted(n for n in {names} if n in sys.modules or"
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
