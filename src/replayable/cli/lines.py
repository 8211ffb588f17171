"""On which line of a JSON text a value stands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Final

from ..places import below

__all__ = ["lines_of"]

# A string, a bracket, a colon, a comma, a line's end, or a number or constant. Line ends stand between tokens only.
_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}:,\n]|[^\s"\[\]{}:,]+', re.DOTALL)


def lines_of(text: str, paths: Iterable[str]) -> dict[str, int]:
    """Return the line, starting at 1, on which each path begins; that of what is around it where it is missing.

    Args:
        text: Valid JSON.
        paths: As ``Places`` writes them: ``messages[3].content``.
    """
    wanted = {path: [path, *_around(path)] for path in paths}
    found = _found(text, {path for ancestry in wanted.values() for path in ancestry})
    return {path: next(found[one] for one in ancestry if one in found) for path, ancestry in wanted.items()}


def _around(path: str) -> Iterator[str]:
    """The paths of what is around, from the inside; some may be none, since keys may hold dots and brackets."""
    while path:
        path = path[: max(path.rfind("."), path.rfind("["), 0)]
        yield path


def _found(text: str, wanted: set[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    line = 1
    # Of each open object or list: its path, None where nothing below is wanted; and the index or key that comes next,
    # None where a key is awaited.
    open_paths: list[str | None] = []
    keys: list[int | str | None] = []
    for match in _TOKEN.finditer(text):
        first = text[match.start()]
        if first == "\n":
            line += 1
        elif first == ",":
            keys[-1] = key + 1 if isinstance(key := keys[-1], int) else None
        elif first in "]}":
            open_paths.pop()
            keys.pop()
        elif first == ":":
            continue
        elif keys and keys[-1] is None:
            keys[-1] = json.loads(match[0])
        else:
            path = _next(open_paths, keys)
            if path in wanted:
                found[path] = line
            else:
                path = None
            if first in "[{":
                open_paths.append(path)
                keys.append(0 if first == "[" else None)
    return found


def _next(open_paths: list[str | None], keys: list[int | str | None]) -> str | None:
    if not open_paths:
        return ""
    path, key = open_paths[-1], keys[-1]
    return None if path is None or key is None else below(path, key)
