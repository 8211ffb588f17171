"""Sample values of the types that the providers' SDKs declare: every variant of every union is in one of them.

Each text in them is a mark of its own (``mark_7_``), so that a checker can look for it in whatever a request becomes.
"""

from __future__ import annotations

import base64
import collections.abc
import enum
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

import typing_extensions
from google.genai import types as google
from pydantic import BaseModel

from tests.judges.closed_types import Open, is_required, json_members, unwrapped

__all__ = ["MARK", "Samples"]

MARK: Final = re.compile(r"mark_\d+_")
_VALUES: Final = 2
"""How many values of an enumeration are tried: nobody but the provider tells them apart."""
_DEEPEST: Final = 8
_LISTS: Final = (list, collections.abc.Iterable, collections.abc.Sequence)
_DICTS: Final = (dict, collections.abc.Mapping)
_ONE_OF: Final = (google.Part, google.FunctionResponsePart)
"""Models of which one field is set, and the others say what kind it is not."""


def _base64(mark: str) -> str:
    return base64.b64encode(mark.encode()).decode()


# What a text must look like whose type says only that it is one, by the field that it stands in.
_TEXTS: Final[Mapping[str, Callable[[str], str]]] = {
    "data": _base64,
    "arguments": lambda mark: f'{{"any": "{mark}"}}',
    "url": lambda mark: f"https://example.com/{mark}",
    "image_url": lambda mark: f"https://example.com/{mark}",
    "fileUri": lambda mark: f"https://example.com/{mark}",
    "uri": lambda mark: f"s3://bucket/{mark}",
    "mimeType": lambda _: "image/png",
}
_SCALARS: Final[Mapping[Any, Callable[[str], Any]]] = {
    bytes: _base64,
    int: lambda _: 3,
    float: lambda _: 0.5,
    bool: lambda _: True,
    Any: lambda mark: {"any": mark},
    object: lambda mark: {"any": mark},
}


class Samples:
    """Makes samples of types: of ``TypedDict`` and pydantic classes, and of botocore's shapes."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._within: list[Any] = []

    def of(self, annotation: Any, field: str = "") -> list[Any]:
        """Return samples of an annotation: one for each variant, and of an object one with the required fields alone,
        unless nothing is required.

        Args:
            annotation: It, as the SDK's class has it.
            field: The name of the field that it is the type of.

        Returns:
            None at all where the type holds itself again, or something that is no JSON.
        """
        bare = unwrapped(annotation.cls if isinstance(annotation, Open) else annotation)
        if bare is str:
            return [_TEXTS.get(field, str)(self._mark())]
        if bare in _SCALARS:
            return [_SCALARS[bare](self._mark())]
        origin, args = get_origin(bare), get_args(bare)
        if origin in (Literal, typing_extensions.Literal):
            return list(args[:_VALUES])
        if origin in _LISTS:
            return [self.of(args[0], field)]
        if origin in _DICTS:
            return [{self._mark(): value} for value in self.of(args[1])]
        if args:
            return [sample for member in _members(bare) for sample in self.of(member, field)]
        if isinstance(bare, type) and issubclass(bare, enum.Enum):
            return [item.value for item in bare if not item.name.endswith("UNSPECIFIED")][:_VALUES]
        if bare in self._within or len(self._within) > _DEEPEST:
            return []
        self._within.append(bare)
        try:
            return self._objects(bare)
        finally:
            self._within.pop()

    def named(self, union: Any) -> Iterator[tuple[str, Any]]:
        """Yield each sample of a union's members with the name of the member."""
        for member in _members(unwrapped(union)):
            for sample in self.of(member):
                yield unwrapped(member).__name__, sample

    def of_shape(self, shape: Any, field: str = "") -> list[Any]:
        """Return samples of a botocore shape."""
        match shape.type_name:
            case "structure" if getattr(shape, "is_document_type", False):
                return [{"any": self._mark()}]
            case "structure" if getattr(shape, "is_tagged_union", False):
                return [
                    {name: sample}
                    for name, member in shape.members.items()
                    for sample in self.of_shape(member, name)
                ]
            case "structure":
                members = {name: self.of_shape(member, name) for name, member in shape.members.items()}
                return _combined(members, set(shape.required_members))
            case "list":
                return [self.of_shape(shape.member, field)]
            case "string":
                return list(shape.enum[:_VALUES]) or [_TEXTS.get(field, str)(self._mark())]
            case "blob":
                return [self._mark().encode()]
            case "boolean":
                return [True]
            case "integer" | "long" | "float" | "double":
                return [3]
            case other:
                raise TypeError(f"no samples of a {other}")

    def _objects(self, cls: Any) -> list[Any]:
        fields = _fields(cls)
        samples = {name: self.of(annotation, name) for name, (annotation, _) in fields.items()}
        if cls in _ONE_OF:
            return [{name: sample} for name, values in samples.items() for sample in values]
        return _combined(samples, {name for name, (_, required) in fields.items() if required})

    def _mark(self) -> str:
        return f"mark_{next(self._numbers)}_"


def _members(union: Any) -> list[Any]:
    """What a union is of, without null."""
    args = get_args(union)
    if not args or get_origin(union) in (*_LISTS, *_DICTS, Literal, typing_extensions.Literal):
        return [union]
    if any(isinstance(arg, type) and arg.__module__.startswith("google.") for arg in args):
        return [arg for arg in args if arg is not type(None)]
    return [member for member in json_members(union) if member is not type(None)]


def _fields(cls: Any) -> dict[str, tuple[Any, bool]]:
    """The fields of a class by their names on the wire: the type of each, and whether it must be there."""
    if typing_extensions.is_typeddict(cls):
        hints = get_type_hints(cls, include_extras=True)
        return {name: (hint, is_required(cls, name, hint)) for name, hint in hints.items()}
    if isinstance(cls, type) and issubclass(cls, BaseModel):
        return {
            field.alias or name: (field.annotation, field.is_required())
            for name, field in cls.model_fields.items()
        }
    raise TypeError(f"no samples of {cls!r}")


def _combined(samples: Mapping[str, list[Any]], required: set[str]) -> list[Any]:
    """Objects with all fields, as many as the field with the most samples has; and one with the required fields alone."""
    if any(not samples[name] for name in required):
        return []
    known = {name: values for name, values in samples.items() if values}
    rows = max((len(values) for values in known.values()), default=0)
    whole = [{name: values[row % len(values)] for name, values in known.items()} for row in range(rows)]
    least = {name: samples[name][0] for name in known if name in required}
    return whole if whole and least in (whole[0], {}) else [least, *whole]
