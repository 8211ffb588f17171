"""Each framework has a page in the docs, whose blocks run, and an example."""

from __future__ import annotations

import pytest

from tests.doc_blocks import ROOT, run_python_blocks
from tests.frameworks.adapters import FRAMEWORKS, Framework
from tests.test_examples import EXAMPLES, assert_prints_what_is_expected


@pytest.mark.parametrize("adapter", FRAMEWORKS, ids=lambda adapter: adapter.name)
def test_blocks_run_and_print_what_the_page_says(adapter: Framework, monkeypatch: pytest.MonkeyPatch) -> None:
    """No block calls a provider."""
    for provider in ("ANTHROPIC", "OPENAI"):
        monkeypatch.setenv(f"{provider}_API_KEY", "none")
    assert run_python_blocks(ROOT / "docs" / "howto" / "frameworks" / f"{adapter.name}.md")


@pytest.mark.parametrize("adapter", FRAMEWORKS, ids=lambda adapter: adapter.name)
def test_example_prints_what_is_expected(adapter: Framework) -> None:
    """The output is compared whole; an example is short enough to be read at once."""
    path = EXAMPLES / "integrations" / f"{adapter.name.replace('-', '_')}_agent.py"
    assert len(path.read_text("utf-8").splitlines()) < 60
    assert_prints_what_is_expected(path)
