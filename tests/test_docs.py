"""README and docs: every python block runs and prints what the page says, links resolve, generated pages are current."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", PAGES, ids=_name)
def test_python_blocks_run_and_print_what_the_page_says(path: Path) -> None:
    """Blocks of one page run in order in one namespace; a text block behind one is what it prints."""
    blocks = _BLOCK.findall(path.read_text("utf-8"))
    namespace: dict[str, object] = {"__name__": "page"}
    for number, (language, code) in enumerate(blocks):
        if language != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, f"{_name(path)}[{number}]", "exec", dont_inherit=True), namespace)
        if number + 1 < len(blocks) and blocks[number + 1][0] == "text":
            assert printed.getvalue() == blocks[number + 1][1]


@pytest.mark.parametrize("path", PAGES, ids=_name)
def test_relative_links_resolve(path: Path) -> None:
    """Every link to a file of the project leads to one."""
    prose = _BLOCK.sub("", path.read_text("utf-8"))
    targets = [link.partition("#")[0] for link in _LINK.findall(prose) if "://" not in link]
    assert [target for target in targets if target and not (path.parent / target).exists()] == []


def test_generated_pages_are_current() -> None:
    """`python docs/generate.py` would change nothing."""
    done = subprocess.run(
        [sys.executable, "docs/generate.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_the_readme_s_command_runs_the_main_job() -> None:
    """What the first command runs at its end prints a request and its changes."""
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    command = next(line for line in lines if line.startswith("python3 -m venv"))
    arguments = command.rpartition("replayable fix")[2].split()
    done = subprocess.run(
        [sys.executable, "-m", "replayable", "fix", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONWARNINGS": "error"},
    )
    assert done.returncode == 0, done.stderr
    assert '"tool_use_id": "functions_search_0_85c5207c10"' in done.stdout
    assert "clean-messages: removed message 1" in done.stderr
