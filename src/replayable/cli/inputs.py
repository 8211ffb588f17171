"""What the command reads: a request in a file, one on each line of a file, or every such file in a directory."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from io import BytesIO
from math import isinf
from typing import Any, BinaryIO, Final

from .failures import CommandError, reason
from .lines import lines_of
from .pasting import read_pasted
from .text import clipped, is_terminal

__all__ = ["STANDARD_INPUT", "Entry", "has_lines", "read_entries", "size_of", "sources"]

STANDARD_INPUT: Final = "-"
_LINES: Final = (".jsonl", ".ndjson")
_READ: Final = (".json", *_LINES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One request as it stands in a file.

    Args:
        file: The file's name; ``-`` for standard input.
        line: Its line, starting at 1; None where the file is one request.
        raw: Its bytes, as they were read.
    """

    file: str
    line: int | None
    raw: bytes

    @property
    def place(self) -> str:
        """The file, and the line where there are several."""
        return self.file if self.line is None else f"{self.file}:{self.line}"

    @property
    def text(self) -> str:
        """The JSON text; an entry that has a value has one."""
        # As `json.loads` reads bytes.
        return self.raw.decode(json.detect_encoding(self.raw), "surrogatepass")

    def lines_at(self, paths: Collection[str]) -> dict[str, int]:
        """Return the line of the file on which each path into the request begins."""
        if self.line is not None:
            return dict.fromkeys(paths, self.line)
        return lines_of(self.text, paths)

    def value(self) -> Any:
        """Return what the JSON says.

        Raises:
            CommandError: It is no JSON.
        """
        if not self.raw.strip():
            raise CommandError("is empty: give one request, or one list of messages")
        try:
            return json.loads(self.raw, parse_constant=_refuse, parse_float=_finite)
        except UnicodeDecodeError as error:
            raise CommandError(
                f"is not text: byte {error.start} is not UTF-8; save the request as JSON in UTF-8"
            ) from None
        except RecursionError as error:
            raise CommandError(reason(error)) from None
        except ValueError as error:
            raise CommandError(self._not_json(error)) from None

    def _not_json(self, error: ValueError) -> str:
        # Of a number of thousands of digits Python also tells how a program could allow it.
        told = str(error).partition("; use sys.")[0]
        if self.line is not None:
            # The error counts lines from this one on.
            why = f"{error.msg}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else told
            return f"is not JSON: {why}; each line holds one request, or one list of messages"
        remedy = "give one request, or one list of messages"
        if "Extra data" in told:
            remedy += "; for one on each line, say --jsonl"
        if self.raw.lstrip()[:2] in (b"{'", b"['") or self.raw.lstrip()[:3] == b"[{'":
            remedy = "it looks like what Python prints: write it with json.dumps"
        return f"is not JSON: {told}; {remedy}"


def _refuse(constant: str) -> Any:
    raise ValueError(f"it holds {constant}, which only Python takes for JSON")


def _finite(number: str) -> float:
    value = float(number)
    if isinf(value):
        # It could not be written again.
        raise CommandError(f"holds a number that is too large: {clipped(number, 40)}")
    return value


def sources(names: Sequence[str]) -> list[str]:
    """Return the files that are meant: each name, and in place of a directory the JSON files in it, by name.

    Raises:
        CommandError: A directory holds none, or can't be read.
    """
    files: list[str] = []
    for name in names:
        if name == STANDARD_INPUT or not _is_directory(name):
            files.append(name)
            continue
        found = sorted(_within(name))
        if not found:
            raise CommandError(f"{name}: holds no file whose name ends in {', '.join(_READ)}")
        files.extend(found)
    return files


def _within(directory: str) -> Iterator[str]:
    for folder, _, names in os.walk(directory, onerror=_unreadable):
        yield from (os.path.join(folder, name) for name in names if name.lower().endswith(_READ))


def _unreadable(error: OSError) -> None:
    raise CommandError(f"{error.filename}: can't be read: {error.strerror}")


def _is_directory(name: str) -> bool:
    try:
        return os.path.isdir(name)
    except ValueError:  # no file can have that name
        return False


def has_lines(name: str, forced: bool) -> bool:
    """Tell whether a file holds a request on each line."""
    return forced or name.lower().endswith(_LINES)


def size_of(files: Sequence[str]) -> int:
    """Return the bytes in all files; what has no size (standard input, a pipe) counts nothing."""
    total = 0
    for name in files:
        try:
            total += os.stat(name).st_size
        except (OSError, ValueError):
            continue
    return total


def read_entries(name: str, *, jsonl: bool, advance: Callable[[int], None]) -> Iterator[Entry]:
    """Yield the requests of a file, one at a time: of a file of lines no more than a line is held.

    Args:
        name: The file; ``-`` is standard input.
        jsonl: Each line is a request, whatever the file is called.
        advance: Told of the number of bytes read.

    Raises:
        CommandError: The file can't be read, or is a file of lines without any.
    """
    try:
        with _opened(name) as stream:
            if not has_lines(name, jsonl):
                raw = stream.read()
                advance(len(raw))
                yield Entry(file=name, line=None, raw=raw)
                return
            any_line = False
            for number, line in enumerate(stream, 1):
                if number == 1 and not (encoding := json.detect_encoding(line)).startswith("utf-8"):
                    # Where lines end in other encodings, bytes don't say.
                    raise CommandError(
                        f"looks like {encoding.upper()}: lines are read in UTF-8, convert it first"
                    )
                advance(len(line))
                if line.strip():
                    any_line = True
                    yield Entry(file=name, line=number, raw=line)
            if not any_line:
                raise CommandError("is empty: each line holds one request, or one list of messages")
    except OSError as error:
        raise CommandError(f"can't be read: {error.strerror}") from None


def _opened(name: str) -> AbstractContextManager[BinaryIO]:
    if name == STANDARD_INPUT:
        if sys.stdin is None:
            raise CommandError("can't be read: standard input is closed")
        return nullcontext(BytesIO(read_pasted()) if is_terminal(sys.stdin) else sys.stdin.buffer)
    try:
        return open(name, "rb")
    except ValueError as error:
        raise CommandError(f"can't be read: no file has that name ({error})") from None
