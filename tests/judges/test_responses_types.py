"""The judge by OpenAI's types of Responses requests: what it accepts, what it refuses, how it takes real traffic."""

from __future__ import annotations

from typing import Any

import pytest

from tests.judges.sdk_types import openai_responses_errors
from tests.recorded.rows import rows

_ASK = {"role": "user", "content": "How warm is it in Oslo?"}
_CALL = {"type": "function_call", "call_id": "call_1", "name": "weather", "arguments": "{}"}
_OUTPUT = {"type": "function_call_output", "call_id": "call_1", "output": "12 degrees"}
_REASONING = {"type": "reasoning", "id": "rs_1", "summary": []}


@pytest.mark.parametrize(
    "items",
    [
        [_ASK],
        [_ASK, {"role": "assistant", "content": "Warm."}, _ASK],
        [_ASK, _REASONING, _CALL, _OUTPUT],
        [_ASK, {"type": "item_reference", "id": "fc_1"}, _OUTPUT],
    ],
)
def test_plain_requests_are_accepted(items: list[Any]) -> None:
    """A well-formed request has no errors; a function tool need not say whether it is strict."""
    tool = {"type": "function", "name": "weather", "parameters": {"type": "object"}}
    assert openai_responses_errors({"model": "m", "input": items, "tools": [tool]}) == []


@pytest.mark.parametrize(
    "item",
    [
        {**_CALL, "arguments": {}},
        {**_CALL, "index": 0},
        {key: value for key, value in _CALL.items() if key != "call_id"},
        {**_OUTPUT, "output": 12},
        {**_REASONING, "reasoning_content": "Hm."},
        {key: value for key, value in _REASONING.items() if key != "summary"},
        {"role": "user", "content": [{"type": "text", "text": "Hm"}]},
        {"role": "user", "content": [{"type": "output_text", "text": "Hm"}]},
        {"role": "tool", "content": "Hm"},
        {"type": "tool_use", "id": "1"},
    ],
)
def test_damaged_items_are_refused(item: dict[str, Any]) -> None:
    """A damaged item gives an error at its place."""
    errors = openai_responses_errors({"model": "m", "input": [_ASK, item]})
    assert {error.partition(": ")[0].split(".")[1] for error in errors} == {"1"}


def test_recorded_requests() -> None:
    """Most of what OpenAI accepts fits its types, and nothing misfits outside of what was said and of the tools."""
    accepted = [row for row in rows("accepted", "openai_responses") if row.provider in ("openai", "azure")]
    misfits = {row.id: openai_responses_errors({**row.request, "stream": False}) for row in accepted}
    places = {error.partition(":")[0].partition(".")[0] for errors in misfits.values() for error in errors}
    refused = sum(bool(errors) for errors in misfits.values())
    print(f"OpenAI's Responses types: of {len(accepted)} accepted requests {refused} refused")
    # The API takes `client_metadata`, which the types don't know.
    assert places <= {"client_metadata", "input", "tools"}
    assert refused <= len(accepted) * 0.1
