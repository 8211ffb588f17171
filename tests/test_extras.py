"""The packages that the tests need come with the extras that README installs for them."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from itertools import chain
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_ROOT: Final = Path(__file__).resolve().parents[1]
# What stands in the tree itself: examples and the docs' generator import from the folder that they stand in.
_OURS: Final = {"replayable", "tests"} | {path.stem for path in _ROOT.glob("docs/*.py")}


def _imported(path: Path) -> Iterator[str]:
    """The packages that a module imports when it is loaded, from outside of the standard library."""
    for node in ast.parse(path.read_text("utf-8")).body:
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None and not node.level:
            names = [node.module]
        yield from {name.partition(".")[0] for name in names} - sys.stdlib_module_names - _OURS


def _brought(requirement: Requirement, seen: dict[str, set[str]]) -> None:
    """Note what a requirement installs, and what that requires, each with the extras that were asked for."""
    name = canonicalize_name(requirement.name)
    known = seen.get(name)
    if known is not None and requirement.extras <= known:
        return
    seen[name] = requirement.extras | (known or set())
    try:
        lines = requires(name) or []
    except PackageNotFoundError:  # not for this platform
        return
    for inner in map(Requirement, lines):
        extras = ("", *requirement.extras)
        if inner.marker is None or any(inner.marker.evaluate({"extra": extra}) for extra in extras):
            _brought(inner, seen)


def test_readme_installs_what_the_tests_import() -> None:
    """In a fresh clone nothing else is there."""
    extras = re.search(
        r'pip install -q "\.\[([\w,]+)\]" && \S+ -m pytest', (_ROOT / "README.md").read_text("utf-8")
    )
    assert extras is not None
    seen: dict[str, set[str]] = {}
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    groups = [
        project["dependencies"],
        *(project["optional-dependencies"][name] for name in extras[1].split(",")),
    ]
    for requirement in map(Requirement, chain.from_iterable(groups)):
        _brought(requirement, seen)
    distributions = packages_distributions()
    missing = {
        (path.relative_to(_ROOT).as_posix(), name)
        for path in (_ROOT / "tests").rglob("*.py")
        if "frameworks" not in path.parts
        for name in _imported(path)
        if not seen.keys() & {canonicalize_name(found) for found in distributions.get(name, [])}
    }
    assert missing == set()
