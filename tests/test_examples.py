"""Each example runs offline and prints what `examples/expected` holds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_example_prints_what_is_expected(path: Path) -> None:
    """The output is compared whole."""
    assert_prints_what_is_expected(path)


def assert_prints_what_is_expected(path: Path) -> None:
    """Run an example in a process of its own; ``expected`` stands beside it."""
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == (path.parent / "expected" / f"{path.stem}.txt").read_text("utf-8")
