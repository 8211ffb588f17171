"""What goes wrong, said in one line."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Final

from ..errors import ReplayableError

__all__ = ["CommandError", "reason"]

_PACKAGE: Final = Path(__file__).parents[1]


class CommandError(Exception):
    """The command can't do what it was asked; the message says why and what to do."""


def reason(error: Exception) -> str:
    """Return why something failed: the error's own words where it is one of ours, else where the bug is."""
    if isinstance(error, CommandError | ReplayableError):
        return str(error)
    if isinstance(error, MemoryError):
        return "too large for this machine's memory"
    if isinstance(error, RecursionError):
        return "nests too deep to be a request"
    if isinstance(error, OSError) and error.strerror:
        about = f": {error.filename}" if error.filename else ""
        return f"{error.strerror}{about}"
    # No word of the error itself, which may quote the input: the place is what a report needs.
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(_PACKAGE)
    ]
    place = f" at {Path(frames[-1].filename).relative_to(_PACKAGE)}:{frames[-1].lineno}" if frames else ""
    return f"a bug in replayable ({type(error).__name__}{place}); please report it"
