"""Recorded histories: requests in files, as a provider got them or an agent stored them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from ..cli.failures import CommandError
from ..cli.inputs import Entry, read_entries, sources
from ..errors import ConfigurationError, HistoryFormatError

__all__ = ["RecordedHistory", "recorded_histories", "request_in"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedHistory:
    """A request, or a list of messages, in a file.

    Args:
        path: The file.
        line: Its line in a file of lines, starting at 1; None where the file is one request.
        raw: Its JSON, as it stands there.
    """

    path: Path
    line: int | None
    raw: bytes = field(repr=False)  # what people said stays out of pytest's reports

    def __str__(self) -> str:
        return str(self.path) if self.line is None else f"{self.path}:{self.line}"

    @property
    def request(self) -> Any:
        """What the JSON says, read anew each time: what one test changes in it, no other one sees.

        Raises:
            HistoryFormatError: It is no JSON; ``path`` names file and line.
        """
        try:
            return Entry(file=str(self.path), line=self.line, raw=self.raw).value()
        except CommandError as error:
            raise _unreadable(str(self), error) from None


def recorded_histories(place: str | PathLike[str]) -> Iterator[RecordedHistory]:
    """Yield the histories in a file or, by name, in all files of a folder and the folders in it.

    Files whose names end in ``.json`` hold one request or list of messages, those in ``.jsonl`` and ``.ndjson`` one on
    each line.

    Args:
        place: The file or the folder.

    Raises:
        ConfigurationError: The folder holds no such file: a test of nothing is none.
        HistoryFormatError: A file can't be read, or holds nothing.
    """
    try:
        files = sources([str(Path(place))])
    except CommandError as error:
        raise ConfigurationError(str(error)) from None
    for file in files:
        try:
            for entry in read_entries(file, jsonl=False, advance=lambda _: None):
                yield RecordedHistory(path=Path(file), line=entry.line, raw=entry.raw)
        except CommandError as error:
            raise _unreadable(file, error) from None


def request_in(history: Any) -> Any:
    """Return the request of a recorded history; anything else as it is."""
    return history.request if isinstance(history, RecordedHistory) else history


def _unreadable(place: str, error: CommandError) -> HistoryFormatError:
    return HistoryFormatError(path=place, found=f"a file that {error}", expected="JSON")
