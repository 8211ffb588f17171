"""The closed validators, on small types of our own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, Required, TypedDict

import pytest
from pydantic import BaseModel
from pydantic_core import ValidationError

from tests.judges.closed_types import TAG, closed_validator


class _Model(BaseModel):
    type: Literal["leaf"]


class _Leaf(TypedDict, total=False):
    type: Required[Literal["leaf"]]
    size: int


class _Branch(TypedDict, total=False):
    type: Required[Literal["branch"]]
    children: Required[Iterable[_Node]]


_Node = _Leaf | _Branch | _Model | bytes


class _Typed(TypedDict, total=False):
    type: Required[Literal["object"]]


class _Root(TypedDict, total=False):
    node: _Node
    free: dict[str, object]
    schema: _Typed | dict[str, object]
    text: str | Iterable[_Leaf] | None


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"node": {"type": "leaf", "size": 1}},
        {"node": {"type": "branch", "children": [{"type": "branch", "children": []}]}},
        {"free": {"any": [1, None, {"thing": 2.5}]}},
        {"schema": {"type": "object", "properties": {}}},
        {"text": None},
        {"text": [{"type": "leaf"}]},
    ],
)
def test_valid(value: dict[str, Any]) -> None:
    """A value of the declared shape passes, at any depth of a type that contains itself."""
    assert closed_validator(_Root).validate_python(value) == value


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"other": 1}, ("other",)),
        ({"node": {"type": "leaf", "other": 1}}, ("node", "other")),
        ({"node": {"size": 1}}, ("node",)),
        ({"node": {"type": ["leaf"]}}, ("node",)),
        ({"node": {"type": "leaf", "size": "1"}}, ("node", "size")),
        ({"node": {"type": "leaf", "size": True}}, ("node", "size")),
        ({"node": {"type": "branch"}}, ("node", "children")),
        ({"node": {"type": "branch", "children": [{"type": "leaf", "x": 1}]}}, ("node", "children", 0, "x")),
        ({"node": {"type": "branch", "children": ({"type": "leaf"},)}}, ("node", "children")),
        ({"node": b"leaf"}, ("node",)),
        ({"node": _Model(type="leaf")}, ("node",)),
        ({"free": {1: "key"}}, ("free", 1, "[key]")),
        ({"schema": {"properties": {}}}, ("schema", "type")),
        ({"text": 1}, ("text",)),
        ({"text": {"type": "leaf"}}, ("text",)),
    ],
)
def test_invalid(value: dict[str, Any], path: tuple[str | int, ...]) -> None:
    """Each fault gives one error, at the place where it is."""
    with pytest.raises(ValidationError) as caught:
        closed_validator(_Root).validate_python(value)

    locations = [error["loc"] for error in caught.value.errors()]

    assert [tuple(part for part in loc if not str(part).startswith(TAG)) for loc in locations] == [path]


def test_not_json() -> None:
    """An annotation that means nothing in JSON is a mistake of ours, raised when the validator is built."""

    class Odd(TypedDict):
        data: bytes

    with pytest.raises(TypeError, match="doesn't describe JSON"):
        closed_validator(Odd)
