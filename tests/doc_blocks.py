"""Runs the python blocks of a page of the docs."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
BLOCK: Final = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_python_blocks(path: Path) -> int:
    """Run the blocks of one page in order in one namespace; a text block behind one is what it prints.

    Returns:
        How many ran.
    """
    blocks = BLOCK.findall(path.read_text("utf-8"))
    namespace: dict[str, object] = {"__name__": "page"}
    ran = 0
    for number, (language, code) in enumerate(blocks):
        if language != "python":
            continue
        ran += 1
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, f"{path.relative_to(ROOT)}[{number}]", "exec", dont_inherit=True), namespace)
        if number + 1 < len(blocks) and blocks[number + 1][0] == "text":
            assert printed.getvalue() == blocks[number + 1][1]
    return ran
