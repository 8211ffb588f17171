"""The compact model-facing output as text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from replayable.model_output import model_output_text


def nested(value: Any, depth: int) -> Any:
    """A value inside that many `{"value": …}`."""
    for _ in range(depth):
        value = {"value": value}
    return value


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("sunny", "sunny"),
        ("", ""),
        (None, ""),
        (4, "4"),
        (4.5, "4.5"),
        (True, "true"),
        (False, "false"),
        ({"type": "text", "value": "sunny"}, "sunny"),
        ({"type": "text", "text": "sunny"}, "sunny"),
        ({"value": "sunny"}, "sunny"),
        ({"value": None}, ""),
        ({"type": "json", "value": {"a": 1}}, '{"a":1}'),
        (
            {"type": "content", "value": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
            "a\nb",
        ),
        (["a", 1, {"value": "b"}, "", None], "a\n1\nb"),
        ([], ""),
        ({"a": [1, None]}, '{"a":[1,null]}'),
        ({"type": "text"}, '{"type":"text"}'),
        ({"type": "text", "text": ""}, ""),
        ({"type": "text", "value": None}, ""),
        ({"type": "text", "value": None, "text": "sunny"}, "sunny"),
        ({"type": "text", "value": 4}, "4"),
        ({"type": "text", "value": "sunny", "text": "rain"}, "sunny"),
        ({"text": "sunny"}, '{"text":"sunny"}'),
        ({}, "{}"),
        ([["a", ["b"]], "c"], "a\nb\nc"),
        ({"city": "Malmö \ud83d"}, '{"city":"Malmö \ud83d"}'),
        ("\ud83d", "\ud83d"),
        (nested("deep", 3), "deep"),
    ],
)
def test_each_form_as_text(output: Any, text: str) -> None:
    """Strings as they are, scalars as JSON writes them, wrappers unwrapped, lists joined, the rest as compact JSON."""
    assert model_output_text(output) == text


def test_deep_nesting_is_data() -> None:
    """Wrappers nest a level or two; what nests 300 levels is told as JSON, all of it."""
    text = model_output_text(nested("deep", 300))
    assert text == json.dumps(nested("deep", 300 - 16), separators=(",", ":"))


def test_a_number_of_thousands_of_digits_says_nothing_and_raises_nothing() -> None:
    """Python refuses to write it, and no model could read it."""
    assert model_output_text({"digits": 10**5000}) == ""
    assert model_output_text(["a", 10**5000]) == "a"


def test_endless_nesting_says_nothing_and_raises_nothing() -> None:
    """Deeper than Python can follow there is nothing that a model could read."""
    assert model_output_text(nested("deep", 100_000)) == ""
