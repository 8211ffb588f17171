"""Requests that stand within something else: a line of a batch, of a log or of a trace."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final, TypeAlias

from ..errors import HistoryFormatError
from ..formats import FORMATS
from ..places import below
from .failures import CommandError
from .text import clipped

__all__ = ["Find", "Wrapped", "finder"]

Path: TypeAlias = tuple[str | int, ...]
"""The keys and indexes that lead to a value."""

# The keys by which a wrapper is known, though it may hold a field that a request has, too; and the key of what is wrapped.
_WRAPPERS: Final = (
    # https://platform.openai.com/docs/guides/batch
    ({"custom_id", "body"}, "body"),
    # https://docs.anthropic.com/en/docs/build-with-claude/batch-processing
    ({"custom_id", "params"}, "params"),
    # https://ai.google.dev/gemini-api/docs/batch-api
    ({"key", "request"}, "request"),
    # What went in and what came out, as exports of traces have it: https://langfuse.com/docs/observability/data-model.
    # A request to the Responses API has an input, but no output.
    ({"input", "output"}, "input"),
    ({"inputs", "outputs"}, "inputs"),
)
# What logs call the request or the arguments of a call.
_NAMES: Final = (
    "body",
    "input",
    "inputBodyJson",
    "inputs",
    "json",
    "json_data",
    "kwargs",
    "params",
    "payload",
    "request",
)
_TURNS: Final = {field for known in FORMATS.values() for field in known.marks.turns}
_DEEPEST: Final = 4
# So many values are looked at for one that could be meant.
_LOOKED_AT: Final = 10_000
_KEYS_TOLD: Final = 10
_STEP: Final = re.compile(r"\[(\d{1,9})\]|(?:^|\.)([^.\[\]]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapped:
    """A request, and what it stands in.

    Args:
        whole: The value that the file or the line holds.
        path: Where in it the request stands; empty where it is the request.
    """

    whole: Any
    path: Path

    @property
    def request(self) -> Any:
        """What stands there."""
        return _under(self.whole, self.path)

    @property
    def place(self) -> str:
        """The path, as ``--at`` takes it."""
        return _written(self.path)

    def around(self, request: Any) -> Any:
        """Return the whole with another request in place of its own; the very same whole for the very same request."""
        return self.whole if request is self.request else _replaced(self.whole, self.path, request)

    @contextmanager
    def errors_placed(self) -> Generator[None]:
        """Let errors about the request name where it stands; say what could be meant where no wrapper was known."""
        try:
            yield
        except HistoryFormatError as error:
            if self.path:
                raise error.under(self.place) from None
            meant = None if error.path else _looked_for(self.whole)
            if meant is None:
                raise
            raise HistoryFormatError(
                path="",
                found=error.found,
                expected=error.expected,
                remedy=f"one stands further inside: say --at {_written(meant)}",
            ) from None


Find: TypeAlias = Callable[[Any], Wrapped]
"""Finds the request in a value."""


def finder(at: str | None) -> Find:
    """Return what finds the requests: at a path, or else where the wrappers that are known keep them.

    Args:
        at: As errors write paths: ``data[0].request``; empty where the value is the request, whatever it looks like.

    Raises:
        CommandError: It is no path.
    """
    if at is None:
        return lambda value: Wrapped(whole=value, path=_recognised(value, _DEEPEST))
    path = _read(at)
    return lambda value: _at(value, path)


def _read(at: str) -> Path:
    path: list[str | int] = []
    end = 0
    while end < len(at):
        step = _STEP.match(at, end)
        if step is None:
            raise CommandError(f"--at {at}: is no path; write it as in request.body or data[0].request")
        path.append(step[2] if step[1] is None else int(step[1]))
        end = step.end()
    return tuple(path)


def _at(whole: Any, path: Path) -> Wrapped:
    value: Any = whole
    for number, key in enumerate(path):
        try:
            value = value[key]
        except (LookupError, TypeError):
            around = _written(path[:number]) or "the input"
            raise CommandError(f"--at {_written(path)}: {around} is {_held(value)}") from None
    return Wrapped(whole=whole, path=path)


def _held(value: Any) -> str:
    if isinstance(value, dict):
        keys = [clipped(str(key), 40) for key in value]
        more = f" and {len(keys) - _KEYS_TOLD} more" if len(keys) > _KEYS_TOLD else ""
        return f"an object with the keys {', '.join(keys[:_KEYS_TOLD])}{more}" if keys else "an empty object"
    if isinstance(value, list):
        return f"a list of length {len(value)}"
    return "a text" if isinstance(value, str) else "neither an object nor a list"


def _recognised(value: Any, depth: int) -> Path:
    if not isinstance(value, dict) or not depth:
        return ()
    for keys, name in _WRAPPERS:
        if value.keys() >= keys and isinstance(value[name], dict | list):
            return (name, *_recognised(value[name], depth - 1))
    if value.keys() & _TURNS:
        return ()
    paths = [(name, *_recognised(value[name], depth - 1)) for name in _NAMES if name in value]
    found = [path for path in paths if _is_request(_under(value, path))]
    if len(found) > 1:
        places = " and ".join(map(_written, found))
        raise CommandError(f"holds a request at {places}: say --at and the one that is meant")
    return found[0] if found else ()


def _is_request(value: Any) -> bool:
    if isinstance(value, dict):
        return any(isinstance(value.get(field), list) for field in _TURNS)
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(item, dict) and "role" in item for item in value)
    )


def _looked_for(value: Any) -> Path | None:
    """The path of the first thing that looks like a request, what is outside before what is inside."""
    todo: list[tuple[Path, Any]] = [((), value)]
    for path, at in todo:  # grows
        if path and _is_request(at):
            return path
        children: Iterable[tuple[Any, Any]] = (
            at.items() if isinstance(at, dict) else enumerate(at) if isinstance(at, list) else ()
        )
        if len(todo) < _LOOKED_AT:
            todo.extend(((*path, key), child) for key, child in children if isinstance(child, dict | list))
    return None


def _under(value: Any, path: Path) -> Any:
    return reduce(lambda around, key: around[key], path, value)


def _replaced(value: Any, path: Path, request: Any) -> Any:
    if not path:
        return request
    copy = value.copy()
    copy[path[0]] = _replaced(value[path[0]], path[1:], request)
    return copy


def _written(path: Path) -> str:
    return reduce(below, path, "")
