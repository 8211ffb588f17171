"""How the tests run the command: as a process of its own, so that streams, signals and exit codes are the real ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

__all__ = ["CLAUDE", "HISTORIES", "PLAIN", "run", "write"]

CLAUDE: Final = "anthropic/claude-sonnet-5"
HISTORIES: Final = Path(__file__).parents[1] / "histories"
PLAIN: Final = [{"role": "user", "content": "Hi"}]
# Seconds; generous, since the machine may be busy.
_TIMEOUT: Final = 120


def run(
    *arguments: str, stdin: bytes = b"", folder: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run the command with pipes for streams."""
    return subprocess.run(
        [sys.executable, "-m", "replayable", *arguments],
        input=stdin,
        capture_output=True,
        check=False,
        cwd=folder,
        env={**os.environ, **environment},
        timeout=_TIMEOUT,
    )


def write(path: Path, content: Any) -> str:
    """Write bytes as they are, a list of lines for a name that ends in .jsonl, else JSON; return the file's name."""
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(line) + "\n" for line in content), encoding="utf-8")
    else:
        path.write_text(json.dumps(content), encoding="utf-8")
    return str(path)
