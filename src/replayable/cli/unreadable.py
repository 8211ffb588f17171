"""What can't be read as a request: told at once, counted, and passed over."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeAlias, TypeVar

from ..errors import HistoryFormatError
from .failures import CommandError, reason
from .inputs import Entry

__all__ = ["Unreadable"]

T = TypeVar("T")

Tell: TypeAlias = Callable[[str, int | None, str], None]
"""Takes the file, the line where it is known, and why."""


class Unreadable:
    """Guards the work on each file and each request, so that the others go on."""

    def __init__(self, tell: Tell) -> None:
        self.count: int = 0
        self._tell = tell

    @contextmanager
    def file(self, name: str) -> Generator[None]:
        """Guard the reading of a file."""
        try:
            yield
        except (CommandError, MemoryError) as error:
            self._add(name, None, error)

    def attempt(self, work: Callable[[Entry], T], entry: Entry) -> T | None:
        """Work on a request; return None when it can't be read."""
        try:
            return work(entry)
        except Exception as error:
            path = error.path if isinstance(error, HistoryFormatError) else ""
            line = entry.lines_at([path])[path] if path else entry.line
            self._add(entry.file, line, error)
            return None

    def _add(self, name: str, line: int | None, error: Exception) -> None:
        self.count += 1
        self._tell(name, line, reason(error))
