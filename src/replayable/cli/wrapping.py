"""Requests that stand within something else: a line of a batch, of a log or of a trace."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final, TypeAlias

from ..errors import HistoryFormatError
from ..formats import FORMATS
from ..json_value import parse_json
from ..places import below
from .failures import CommandError
from .text import clipped, counted, json_of

__all__ = ["Find", "Wrapped", "finder"]

Path: TypeAlias = tuple[str | int, ...]
"""The keys and indexes that lead to a value."""

# The keys by which a wrapper is known, though it may hold a field that a request has, too; and the key of what is wrapped.
_WRAPPERS: Final = (
    # https://platform.openai.com/docs/guides/batch
    ({"custom_id", "body"}, "body"),
    # https://docs.claude.com/en/docs/build-with-claude/batch-processing
    ({"custom_id", "params"}, "params"),
    # https://ai.google.dev/gemini-api/docs/batch-api
    ({"key", "request"}, "request"),
    # Of a call that was refused, it has no output: https://docs.aws.amazon.com/bedrock/latest/userguide/model-invocation-logging.html
    ({"schemaType", "input"}, "input"),
    # What went in and what came out, as exports of traces have it; a request to the Responses API has an input, but no output:
    # https://langfuse.com/docs/api-and-data-platform/features/blob-storage-export-fields,
    # https://docs.langchain.com/langsmith/run-data-format
    ({"input", "output"}, "input"),
    ({"inputs", "outputs"}, "inputs"),
    ({"inputs", "run_type"}, "inputs"),
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
    "message",
    # https://docs.aws.amazon.com/bedrock/latest/userguide/batch-inference-data.html
    "modelInput",
    "params",
    "payload",
    "request",
)
_TURNS: Final = {field for known in FORMATS.values() for field in known.marks.turns}
_DEEPEST: Final = 4
# So many values are looked at for one that could be meant.
_LOOKED_AT: Final = 10_000
_KEYS_TOLD: Final = 10
# An index, a key in quotes, or a plain key.
_STEP: Final = re.compile(r'\[(\d{1,9})\]|\[("(?:[^"\\]|\\.)*")\]|(?:^|\.)([^.\[\]]+)')


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapped:
    """A request, and what it stands in.

    Args:
        whole: The value that the file or the line holds.
        path: Where in it the request stands; empty where it is the request. It leads into texts that are JSON, too.
        request: What stands there; of a text that is JSON, what that says.
    """

    whole: Any
    path: Path
    request: Any

    def place_of(self, path: str) -> str:
        """Return where in the whole a path into the request leads, as ``--at`` takes it."""
        place = _written(self.path)
        return f"{place}.{path}" if place and path and not path.startswith("[") else place + path

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
                raise error.under(_written(self.path)) from None
            meant = None if error.path else _looked_for(self.whole)
            if meant is None:
                raise
            raise HistoryFormatError(
                path="",
                found=error.found,
                expected=error.expected,
                remedy=f"one stands further inside: say --at {shlex.quote(_written(meant))}",
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
        return _found
    path = _read(at)
    return lambda value: _at(value, path)


def _found(value: Any) -> Wrapped:
    path = _recognised(_opened(value), _DEEPEST)
    return Wrapped(whole=value, path=path, request=_under(value, path))


def _read(at: str) -> Path:
    path: list[str | int] = []
    end = 0
    while end < len(at):
        step = _STEP.match(at, end)
        if step is None:
            raise CommandError(f"--at {at}: is no path; write it as in request.body or data[0].request")
        index, quoted, plain = step.groups()
        path.append(int(index) if index else _unquoted(at, quoted) if quoted else plain)
        end = step.end()
    return tuple(path)


def _unquoted(at: str, key: str) -> str:
    try:
        return str(json.loads(key))
    except ValueError:
        raise CommandError(f"--at {at}: {key} is no JSON string") from None


def _at(whole: Any, path: Path) -> Wrapped:
    value: Any = whole
    for number, key in enumerate(path):
        try:
            value = _item(_opened(value), key)
        except (LookupError, TypeError):
            around = _written(path[:number]) or "the input"
            raise CommandError(f"--at {_written(path)}: {around} is {_held(value)}") from None
    return Wrapped(whole=whole, path=path, request=_opened(value))


def _item(value: Any, key: str | int) -> Any:
    if not isinstance(value, dict | list):
        raise TypeError  # a text has indexes, too
    return value[key]  # type: ignore[index]  # the wrong kind of key is caught


def _held(value: Any) -> str:
    if isinstance(value, dict):
        keys = [clipped(str(key), 40) for key in value]
        more = f" and {len(keys) - _KEYS_TOLD} more" if len(keys) > _KEYS_TOLD else ""
        return f"an object with the keys {', '.join(keys[:_KEYS_TOLD])}{more}" if keys else "an empty object"
    if isinstance(value, list):
        return f"a list of length {len(value)}"
    return "a text" if isinstance(value, str) else "neither an object nor a list"


def _recognised(value: Any, depth: int) -> Path:
    if isinstance(value, list) and value and all(map(_holds_request, value)):
        first = _written((0, *_recognised(value[0], depth)))
        raise CommandError(
            f"holds {counted(len(value), 'request')} in a list: write each on a line of its own (jq -c '.[]'), or say"
            f" --at and the one that is meant, e.g. --at {shlex.quote(first)}"
        )
    if not isinstance(value, dict) or not depth:
        return ()
    name = _wrapped_under(value)
    if name is not None:
        return (name, *_recognised(_opened(value[name]), depth - 1))
    if value.keys() & _TURNS:
        return ()
    paths = [(name, *_recognised(_opened(value[name]), depth - 1)) for name in _NAMES if name in value]
    found = [path for path in paths if _is_request(_under(value, path))]
    if len(found) > 1:
        places = " and ".join(map(_written, found))
        raise CommandError(f"holds a request at {places}: say --at and the one that is meant")
    return found[0] if found else ()


def _wrapped_under(value: Any) -> str | None:
    """The key under which a wrapper that is known holds its request; None where it is no such wrapper."""
    if not isinstance(value, dict):
        return None
    names = (name for keys, name in _WRAPPERS if value.keys() >= keys)
    return next((name for name in names if isinstance(_opened(value[name]), dict | list)), None)


def _holds_request(value: Any) -> bool:
    return isinstance(value, dict) and (_wrapped_under(value) is not None or _is_request(value))


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
    todo: list[tuple[Path, Any]] = [((), _opened(value))]
    for path, at in todo:  # grows
        if path and _is_request(at):
            return path
        children: Iterable[tuple[Any, Any]] = (
            at.items() if isinstance(at, dict) else enumerate(at) if isinstance(at, list) else ()
        )
        if len(todo) < _LOOKED_AT:
            opened = ((key, _opened(child)) for key, child in children)
            todo.extend(((*path, key), child) for key, child in opened if isinstance(child, dict | list))
    return None


def _under(value: Any, path: Path) -> Any:
    return reduce(lambda around, key: _opened(around[key]), path, _opened(value))


def _opened(value: Any) -> Any:
    """What a text says that is a JSON object or list, as exports write them; any other value as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    is_json, opened = parse_json(value)
    return opened if is_json else value


def _replaced(value: Any, path: Path, request: Any) -> Any:
    new = request
    if path:
        new = _opened(value).copy()
        new[path[0]] = _replaced(new[path[0]], path[1:], request)
    return json_of(new) if isinstance(value, str) else new


def _written(path: Path) -> str:
    return reduce(below, path, "")
