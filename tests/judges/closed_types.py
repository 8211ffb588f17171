"""Closed, strict validators for `TypedDict`s that describe a JSON body.

pydantic's own adapter is too kind for a judge: it lets unknown fields pass, checks an `Iterable` lazily
(so not at all) and tries every member of a union, whose errors then bury the one that matters.
"""

from __future__ import annotations

import collections.abc
import os
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import IO, Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import typing_extensions
from pydantic import BaseModel
from pydantic_core import CoreSchema, SchemaValidator, core_schema

TAG = "\0"
"""Marks the part of an error's location that names a variant of a union, not a place in the input."""

_LITERALS = (Literal, typing_extensions.Literal)
_UNIONS = (Union, types.UnionType)
_WRAPPERS = (
    typing_extensions.Required,
    typing_extensions.NotRequired,
    typing_extensions.ReadOnly,
    Annotated,
)
_ARRAYS = (list, collections.abc.Iterable, collections.abc.Sequence)
_OBJECTS = (dict, collections.abc.Mapping)
_SCALARS: dict[Any, tuple[str, CoreSchema]] = {
    str: ("string", core_schema.str_schema(strict=True)),
    int: ("number", core_schema.int_schema(strict=True)),
    float: ("number", core_schema.float_schema(strict=True)),
    bool: ("boolean", core_schema.bool_schema(strict=True)),
    type(None): ("null", core_schema.none_schema()),
}
_DISCRIMINATORS = ("type", "role")

_Picker = Callable[[Any], str | None]


@dataclass(frozen=True, slots=True)
class Open:
    """A `TypedDict` that takes fields beyond the declared ones."""

    cls: Any


def closed_validator(root: Any) -> SchemaValidator:
    """Build a strict validator in which every `TypedDict` refuses fields it doesn't declare.

    Args:
        root: A `TypedDict` class; everything reachable from its annotations is included.

    Returns:
        A validator for Python values as `json.loads` gives them.

    Raises:
        TypeError: An annotation has no meaning in a JSON body and stands outside a union.
    """
    builder = _Builder()
    schema = builder.schema(root)
    whole = core_schema.definitions_schema(schema, list(builder.definitions.values()))
    return SchemaValidator(whole)


class _Builder:
    def __init__(self) -> None:
        self.definitions: dict[str, CoreSchema] = {}
        self._seen: set[str] = set()

    def schema(self, annotation: Any) -> CoreSchema:
        if isinstance(annotation, Open):
            return self._typed_dict(annotation.cls, is_open=True)
        bare = unwrapped(annotation)
        if bare in (Any, object):
            return core_schema.any_schema()
        if bare in _SCALARS:
            return _SCALARS[bare][1]
        if typing_extensions.is_typeddict(bare):
            return self._typed_dict(bare)
        origin, args = get_origin(bare), get_args(bare)
        if origin in _LITERALS:
            return core_schema.literal_schema(list(args))
        if origin in _UNIONS:
            return self._union(json_members(bare))
        if origin in _ARRAYS:
            return core_schema.list_schema(self.schema(args[0]), strict=True)
        if origin in _OBJECTS:
            return core_schema.dict_schema(self.schema(args[0]), self.schema(args[1]), strict=True)
        raise TypeError(f"{bare!r} doesn't describe JSON")

    def _typed_dict(self, cls: Any, *, is_open: bool = False) -> CoreSchema:
        ref = f"{cls.__module__}.{cls.__qualname__}{'+' if is_open else ''}"
        # Marked before its fields are visited, so that a type may contain itself.
        if ref not in self._seen:
            self._seen.add(ref)
            fields = {
                name: core_schema.typed_dict_field(self.schema(hint), required=is_required(cls, name, hint))
                for name, hint in get_type_hints(cls, include_extras=True).items()
            }
            self.definitions[ref] = core_schema.typed_dict_schema(
                fields, ref=ref, strict=True, extra_behavior="allow" if is_open else "forbid"
            )
        return core_schema.definition_reference_schema(ref)

    def _union(self, members: list[Any]) -> CoreSchema:
        if any(member in (Any, object) for member in members):
            return core_schema.any_schema()
        by_kind: dict[str, list[Any]] = {}
        for member in members:
            by_kind.setdefault(_kind(member), []).append(member)
        variants = {kind: group for kind, group in by_kind.items() if kind != "object"}
        objects, pick_object = _object_variants(by_kind.get("object", []))
        variants |= objects
        choices = {TAG + name: self._any_of(group) for name, group in variants.items()}
        if len(choices) == 1:
            return next(iter(choices.values()))

        def pick(value: Any) -> str | None:
            kind = _kind_of_value(value)
            name = pick_object(value) if kind == "object" else kind
            return None if name is None or TAG + name not in choices else TAG + name

        wanted = " or ".join("object of a known type" if kind == "object" else kind for kind in by_kind)
        return core_schema.tagged_union_schema(
            choices, pick, custom_error_type="no_variant", custom_error_message=f"Input should be {wanted}"
        )

    def _any_of(self, group: list[Any]) -> CoreSchema:
        schemas = [self.schema(member) for member in group]
        if len(schemas) == 1:
            return schemas[0]
        return core_schema.union_schema(
            list(schemas), custom_error_type="no_variant", custom_error_message="Input fits no variant"
        )


def unwrapped(annotation: Any) -> Any:
    """Return a type without what is said around it (`Required`, `Annotated` and the like)."""
    while get_origin(annotation) in _WRAPPERS:
        annotation = get_args(annotation)[0]
    return annotation


def is_required(cls: Any, name: str, hint: Any) -> bool:
    """Whether a field of a `TypedDict` with this hint must be there."""
    # `__required_keys__` can't see a `Required[...]` that stands in a postponed (string) annotation.
    while get_origin(hint) in _WRAPPERS:
        if get_origin(hint) is typing_extensions.Required:
            return True
        if get_origin(hint) is typing_extensions.NotRequired:
            return False
        hint = get_args(hint)[0]
    return name in cls.__required_keys__


def json_members(annotation: Any) -> list[Any]:
    """Flatten a union and leave out what a decoded JSON body can't hold: models, bytes, files."""
    members: list[Any] = []
    for arg in get_args(annotation):
        bare = unwrapped(arg)
        if get_origin(bare) in _UNIONS:
            members += json_members(bare)
        elif not _is_python_only(bare):
            members.append(bare)
    return list(dict.fromkeys(_without_plain_dicts(members)))


def _without_plain_dicts(members: list[Any]) -> list[Any]:
    """Read `SomeTypedDict | dict[str, object]` as `SomeTypedDict` with further fields.

    That is how an SDK writes "a JSON schema of an object"; the bare dict alone would accept anything.
    """
    typed = [member for member in members if typing_extensions.is_typeddict(member)]
    plain = [member for member in members if get_origin(member) in _OBJECTS]
    if not typed or not plain:
        return members
    return [Open(member) if member in typed else member for member in members if member not in plain]


def _is_python_only(annotation: Any) -> bool:
    cls = get_origin(annotation) or annotation
    return isinstance(cls, type) and issubclass(cls, (BaseModel, bytes, bytearray, os.PathLike, IO))


def _kind(annotation: Any) -> str:
    if annotation in _SCALARS:
        return _SCALARS[annotation][0]
    origin = get_origin(annotation)
    if origin in _LITERALS:
        kinds = {_kind_of_value(value) for value in get_args(annotation)}
        if len(kinds) != 1:
            raise TypeError(f"{annotation!r} mixes JSON types")
        return kinds.pop()
    return "array" if origin in _ARRAYS else "object"


def _kind_of_value(value: Any) -> str:
    # bool first: it is an int for Python, not for JSON.
    for cls, kind in ((bool, "boolean"), (str, "string"), (dict, "object"), (list, "array")):
        if isinstance(value, cls):
            return kind
    if isinstance(value, (int, float)):
        return "number"
    return "null" if value is None else type(value).__name__


def _object_variants(group: list[Any]) -> tuple[dict[str, list[Any]], _Picker]:
    """Tell the objects of a union apart by the literal in their `type` or `role`, where that is possible."""
    for field in _DISCRIMINATORS:
        table = _literal_table(group, field)
        if table is not None and len(group) > 1:
            names = {literal: cls.__name__ for literal, cls in table.items()}
            return {cls.__name__: [cls] for cls in group}, _by_literal(field, names)
    return ({"object": group} if group else {}), lambda value: "object"


def _by_literal(field: str, names: Mapping[str | None, str]) -> _Picker:
    def pick(value: Any) -> str | None:
        literal = value.get(field)
        return names.get(literal) if literal is None or isinstance(literal, str) else None

    return pick


def _literal_table(group: list[Any], field: str) -> dict[str | None, Any] | None:
    """Map each literal of `field` (None: absent or null) to its class; None if two classes share one."""
    table: dict[str | None, Any] = {}
    for cls in group:
        hint = (
            get_type_hints(cls, include_extras=True).get(field)
            if typing_extensions.is_typeddict(cls)
            else None
        )
        literals = _literals(unwrapped(hint))
        if not literals:
            return None
        if not is_required(cls, field, hint):
            literals.add(None)
        if literals & table.keys():
            return None
        table |= dict.fromkeys(literals, cls)
    return table


def _literals(annotation: Any) -> set[str | None]:
    if annotation is type(None):
        return {None}
    origin = get_origin(annotation)
    if origin in _LITERALS:
        return set(get_args(annotation))
    if origin in _UNIONS:
        parts = [_literals(unwrapped(arg)) for arg in get_args(annotation)]
        return set().union(*parts) if all(parts) else set()
    return set()
