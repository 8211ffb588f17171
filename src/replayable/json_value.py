"""JSON values as message models hold them."""

from __future__ import annotations

import json
from json.scanner import make_scanner
from typing import Annotated, Any, Final, TypeAlias

from pydantic import AfterValidator, GetPydanticSchema
from pydantic_core import core_schema

__all__ = ["Json", "JsonObject", "Text", "json_text", "parse_json", "same_json"]


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON value")


_decoder: Any = json.JSONDecoder(parse_constant=_refuse)
# What `_decoder.decode` calls between two searches for white space, which take longer than a call's arguments do.
_scan: Final = make_scanner(_decoder)
_LEAVE: Final = object()


def _checked(value: Any) -> Any:
    """Refuse what `json.dumps` would refuse or silently rewrite. Iterative: histories may nest as deep as they like."""
    # A place is the way to it from the top, as nested pairs: only an error spells it out.
    todo: list[tuple[Any, Any]] = [(value, None)]
    around: set[int] = set()
    while todo:
        item, place = todo.pop()
        if item is None or isinstance(item, str | bool | int | float):
            continue
        if item is _LEAVE:
            around.remove(place)
            continue
        if not isinstance(item, list | dict):
            raise ValueError(f"expected a JSON value, found {type(item).__name__} at {_spelled(place)}")
        if id(item) in around:
            raise ValueError(f"JSON cannot hold itself, found a circle at {_spelled(place)}")
        around.add(id(item))
        todo.append((_LEAVE, id(item)))
        if isinstance(item, list):
            todo.extend((child, (place, index)) for index, child in enumerate(item))
            continue
        for key, child in item.items():
            if not isinstance(key, str):
                raise ValueError(
                    f"JSON object keys must be strings, found {type(key).__name__} at {_spelled(place)}"
                )
            todo.append((child, (place, key)))
    return value


def _spelled(place: Any) -> str:
    steps: list[str] = []
    while place is not None:
        place, step = place
        steps.append(f"[{step}]" if isinstance(step, int) else f".{step}")
    return "".join(reversed(steps)).removeprefix(".") or "the top"


# Static checkers see `Any`: JSON is the one place where it belongs.
Json: TypeAlias = Annotated[Any, AfterValidator(_checked)]
# A `str` that may hold lone surrogates: truncated emoji reach histories through JSON escapes, and pydantic's own
# string validation refuses them.
Text: TypeAlias = Annotated[
    str,
    GetPydanticSchema(
        lambda _source, _handler: core_schema.json_or_python_schema(
            json_schema=core_schema.str_schema(), python_schema=core_schema.is_instance_schema(str)
        )
    ),
]

# Keys may hold lone surrogates just as texts do.
JsonObject: TypeAlias = Annotated[dict[Text, Any], AfterValidator(_checked)]


def json_text(value: Any) -> str:
    """Return compact JSON of a value, keys in their own order, every character as it is."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def parse_json(text: str) -> tuple[bool, Any]:
    """Parse untrusted JSON; ``(False, None)`` when it is not JSON or nests deeper than Python can follow.

    ``NaN`` and ``Infinity``, which Python reads, are no JSON: no provider takes a body that holds them.
    """
    text = text.strip(" \t\n\r")
    try:
        value, end = _scan(text, 0)
    except (StopIteration, ValueError, RecursionError):
        return False, None
    return (True, value) if end == len(text) else (False, None)


def same_json(one: Any, other: Any) -> bool:
    """Compare two JSON values by text: in Python ``1 == True == 1.0``, and NaN differs from itself."""
    if one is other:
        return True
    try:
        return json_text(one) == json_text(other)
    except (RecursionError, ValueError, TypeError):
        # Nested deeper than Python can follow, a number of thousands of digits, or no JSON in a borrowed request.
        return False
