"""JSON values as models hold them."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import pytest
from pydantic import ValidationError

from replayable import ToolCallPart, UserMessage
from replayable.json_value import json_text, parse_json, same_json


class _Colour(StrEnum):
    RED = "red"


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def _circle() -> Any:
    circle: dict[str, Any] = {"list": [1]}
    circle["list"].append({"back": circle})
    return circle


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -1.5,
        float("inf"),
        "",
        "\ud83d",
        [],
        {},
        {"": [{"a": None}]},
        _Colour.RED,
        _nested(50_000),
    ],
    ids=lambda value: type(value).__name__,
)
def test_json_values_are_taken_as_they_are(value: Any) -> None:
    """Any JSON value is the very same object afterwards, however deep it nests."""
    assert ToolCallPart(tool_name="t", input=value).input is value


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (object(), "expected a JSON value, found object at the top"),
        ({"a": [1, {2}]}, r"expected a JSON value, found set at a\[1\]"),
        ([{"a": {"b": b""}}], r"expected a JSON value, found bytes at \[0\]\.a\.b"),
        ({1: 2}, "JSON object keys must be strings, found int at the top"),
        ({"a": [{None: 2}]}, r"JSON object keys must be strings, found NoneType at a\[0\]"),
        (_circle(), r"JSON cannot hold itself, found a circle at list\[1\]\.back"),
    ],
)
def test_anything_else_is_refused_by_its_place(value: Any, message: str) -> None:
    """What no JSON text can say is refused, with the place where it stands; a circle is found, not followed."""
    with pytest.raises(ValidationError, match=message):
        ToolCallPart(tool_name="t", input=value)


def test_one_value_may_stand_in_two_places() -> None:
    """The same list twice is no circle."""
    shared = [1]
    assert ToolCallPart(tool_name="t", input=[shared, shared, {"x": shared}]).input == [[1], [1], {"x": [1]}]


def test_keys_may_hold_lone_surrogates() -> None:
    """Keys are as free as texts."""
    message = UserMessage("Hi", metadata={"\ud83d": {"\udc00": 1}}, provider_options={"x": {"\ud83d": 1}})
    assert message.metadata == {"\ud83d": {"\udc00": 1}}
    assert message.provider_options == {"x": {"\ud83d": 1}}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": 1}, {"a": 1}, True),
        (1, True, False),
        (1, 1.0, False),
        ([0], [False], False),
        (float("nan"), float("nan"), True),
        ("\ud83d", "\ud83d", True),
        (_nested(50_000), _nested(50_000), False),
        (10**5000, 10**5000, False),
        ({("a",): 1}, {("a",): 1}, False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_are_compared_by_text(one: Any, other: Any, same: bool) -> None:
    """Two values are the same when their JSON is; beyond what Python can print they are not."""
    assert same_json(one, other) is same
    assert same_json(one, one)


def test_text_and_back() -> None:
    """Compact, keys in their order, characters as they are; what is no JSON says so without raising."""
    assert json_text({"b": [1, "é"], "a": None}) == '{"b":[1,"é"],"a":null}'
    assert parse_json('{"b":[1,"é"],"a":null}') == (True, {"b": [1, "é"], "a": None})
    assert parse_json("null") == (True, None)
    assert parse_json('{"b":') == (False, None)
    assert parse_json("[" * 100_000) == (False, None)
