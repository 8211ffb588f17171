"""What the command needs for a long file of lines: `python -m tests.bench.command [MEGABYTES]` (300 unless given)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

__all__ = ["COMMANDS", "main"]

COMMANDS: Final = (("check",), ("check", "--format", "json"), ("fix",), ("fix", "--in-place"), ("show",))
_TURNS: Final = 20


def _request() -> dict[str, Any]:
    """A conversation of some 20,000 bytes, each of whose calls has an id that Anthropic refuses."""
    messages: list[dict[str, Any]] = []
    for number in range(_TURNS):
        call_id = f"functions.weather:{number}"
        function = {"name": "weather", "arguments": '{"city": "Oslo"}'}
        messages += [
            {"role": "user", "content": "x" * 400},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": call_id, "type": "function", "function": function}],
            },
            {"role": "tool", "tool_call_id": call_id, "content": "4 degrees, rain. " * 20},
        ]
    return {"model": "m", "messages": messages}


def _measured(arguments: tuple[str, ...], file: Path) -> tuple[float, float]:
    """Run the command on a file; return its peak of resident memory in MB and the seconds that it took."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "replayable", *arguments, str(file), "--model", "anthropic/claude-sonnet-5"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise RuntimeError(f"replayable {' '.join(arguments)} ended with {process.returncode}")
    return usage.ru_maxrss * 1024 / 1e6, time.perf_counter() - start


def main(megabytes: int) -> None:
    """Print a row for each command: for one line, and for all."""
    line = json.dumps(_request()) + "\n"
    with tempfile.TemporaryDirectory() as folder:
        print(f"| command | one line | {megabytes} MB | time |\n|---|---|---|---|")
        for arguments in COMMANDS:
            one, all_ = Path(folder) / "one.jsonl", Path(folder) / "all.jsonl"
            one.write_text(line, encoding="utf-8")
            with open(all_, "w", encoding="utf-8") as stream:
                for _ in range(megabytes * 1_000_000 // len(line)):
                    stream.write(line)
            little, _ = _measured(arguments, one)
            much, seconds = _measured(arguments, all_)
            print(
                f"| `{' '.join(arguments)}` | {little:.0f} MB | {much:.0f} MB | {seconds:.0f} s |", flush=True
            )
            for path in Path(folder).iterdir():
                path.unlink()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
