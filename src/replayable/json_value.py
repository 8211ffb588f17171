"""JSON values as message models hold them."""

from __future__ import annotations

import json
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, GetPydanticSchema
from pydantic_core import core_schema

__all__ = ["Json", "JsonObject", "Text", "json_text", "parse_json", "same_json"]


def _checked(value: Any) -> Any:
    """Refuse what `json.dumps` would refuse or silently rewrite. Iterative: histories may nest as deep as they like."""
    todo: list[tuple[Any, str]] = [(value, "")]
    while todo:
        item, path = todo.pop()
        if item is None or isinstance(item, str | bool | int | float):
            continue
        if isinstance(item, list):
            todo.extend((child, f"{path}[{index}]") for index, child in enumerate(item))
        elif isinstance(item, dict):
            for key, child in item.items():
                if not isinstance(key, str):
                    raise ValueError(
                        f"JSON object keys must be strings, found {type(key).__name__} at {path or 'the top'}"
                    )
                todo.append((child, f"{path}.{key}" if path else key))
        else:
            raise ValueError(f"expected a JSON value, found {type(item).__name__} at {path or 'the top'}")
    return value


# Static checkers see `Any`: JSON is the one place where it belongs.
Json: TypeAlias = Annotated[Any, AfterValidator(_checked)]
JsonObject: TypeAlias = Annotated[dict[str, Any], AfterValidator(_checked)]

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


def json_text(value: Any) -> str:
    """Return compact JSON of a value, keys in their own order, every character as it is."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def parse_json(text: str) -> tuple[bool, Any]:
    """Parse untrusted JSON; ``(False, None)`` when it is not JSON or nests deeper than Python can follow."""
    try:
        return True, json.loads(text)
    except (ValueError, RecursionError):
        return False, None


def same_json(one: Any, other: Any) -> bool:
    """Compare two JSON values by text: in Python ``1 == True == 1.0``, and NaN differs from itself."""
    if one is other:
        return True
    try:
        return json_text(one) == json_text(other)
    except RecursionError:
        return False
