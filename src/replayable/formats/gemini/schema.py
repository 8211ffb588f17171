"""Gemini's own form of a schema (``parameters``), an excerpt of OpenAPI 3.0, as JSON Schema."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["json_schema"]

# https://ai.google.dev/api/caching#Schema
# A type is written in capitals or as its number.
_TYPES: Final[dict[Any, str]] = {
    key: name.lower()
    for number, name in enumerate(("STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"), 1)
    for key in (name, number)
}
_SPELLED: Final = {
    "any_of": "anyOf",
    "max_items": "maxItems",
    "min_items": "minItems",
    "max_length": "maxLength",
    "min_length": "minLength",
    "max_properties": "maxProperties",
    "min_properties": "minProperties",
}
_COUNTS: Final = frozenset({*_SPELLED.values()}) - {"anyOf"}
# Where schemas stand: one, a list of them, or an object of them.
_NESTED: Final = frozenset({"items", "additionalProperties"})
_LISTS: Final = frozenset({"anyOf"})
_OBJECTS: Final = frozenset({"properties"})


def json_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return JSON Schema that says the same; the very object when it says so already.

    Types are written in capitals or as numbers here, counts as text (they are 64-bit numbers), and what may be null says
    ``nullable``. A field that is null says nothing.
    """
    top: list[Any] = [schema]
    # Iterative: a schema from a request nests as deep as it likes.
    todo: list[tuple[Any, Any]] = [(top, 0)]
    changed = False
    while todo:
        holder, place = todo.pop()
        given = holder[place]
        if not isinstance(given, dict):
            continue
        own, differs = _own_level(given)
        changed = changed or differs
        holder[place] = own
        for key, value in own.items():
            if key in _NESTED and isinstance(value, dict):
                todo.append((own, key))
            elif key in _LISTS and isinstance(value, list):
                own[key] = [*value]
                todo.extend((own[key], index) for index in range(len(value)))
            elif key in _OBJECTS and isinstance(value, dict):
                own[key] = {**value}
                todo.extend((own[key], name) for name in value)
    result: dict[str, Any] = top[0]
    return result if changed else schema


def _own_level(schema: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """A copy of one level, and whether it differs."""
    own: dict[str, Any] = {}
    differs = False
    for key, given in schema.items():
        if given is None:
            # Of the SDK's object, dumped whole: it says nothing.
            differs = True
            continue
        name, value = _SPELLED.get(key, key), given
        if (
            name == "type"
            and isinstance(given, str | int)
            and not isinstance(given, bool)
            and given in _TYPES
        ):
            value = _TYPES[given]
        elif (
            name in _COUNTS
            and isinstance(given, str)
            and len(given) < 19
            and given.isascii()
            and given.isdigit()
        ):
            value = int(given)
        differs = differs or name is not key or value is not given
        own[name] = value
    kind = own.get("type")
    if own.get("nullable") is True and isinstance(kind, str):
        del own["nullable"]
        own["type"] = [kind, "null"]
        if isinstance(own.get("enum"), list) and None not in own["enum"]:
            own["enum"] = [*own["enum"], None]
        differs = True
    return own, differs
