"""Each framework has a page in the docs, whose blocks run."""

from __future__ import annotations

import pytest

from tests.doc_blocks import ROOT, run_python_blocks
from tests.frameworks.adapters import FRAMEWORKS, Framework


@pytest.mark.parametrize("adapter", FRAMEWORKS, ids=lambda adapter: adapter.name)
def test_blocks_run_and_print_what_the_page_says(adapter: Framework, monkeypatch: pytest.MonkeyPatch) -> None:
    """No block calls a provider."""
    for provider in ("ANTHROPIC", "OPENAI"):
        monkeypatch.setenv(f"{provider}_API_KEY", "none")
    assert run_python_blocks(ROOT / "docs" / "howto" / "frameworks" / f"{adapter.name}.md")
