"""Each SDK has an example, which runs offline; so does each framework, in an environment of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.test_examples import EXAMPLES, assert_prints_what_is_expected

PATHS = sorted((EXAMPLES / "integrations").glob("*_client.py"))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_example_prints_what_is_expected(path: Path) -> None:
    """The output is compared whole; an example is short enough to be read at once."""
    assert len(path.read_text("utf-8").splitlines()) < 60
    assert_prints_what_is_expected(path)
