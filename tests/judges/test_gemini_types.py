"""The judge of Gemini requests: what it accepts, what it refuses, and how it takes real traffic."""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any

import pytest

from tests.judges.gemini_types import gemini_errors
from tests.recorded.rows import rows
from tests.recorded.wires import own

_TEXT = {"text": "Hi"}


def _request(*parts: Any, **fields: Any) -> dict[str, Any]:
    return {"contents": [{"role": "user", "parts": list(parts)}], **fields}


@pytest.mark.parametrize("row", [row for row in own("good") if row.api == "gemini"], ids=lambda row: row.id)
def test_accepts(row: Any) -> None:
    """Well-formed requests, in either spelling, have no errors."""
    assert gemini_errors(row.request) == []


@pytest.mark.parametrize(
    "request_body",
    [
        {},
        {"contents": []},
        {"contents": "Hi"},
        _request(_TEXT, unknown=1),
        _request({"text": 1}),
        _request({"text": "Hi", "unknown": 1}),
        _request({"functionCall": {"name": "f", "args": [1]}}),
        _request({"functionResponse": {"name": "f", "response": "x"}}),
        _request({"inlineData": {"mimeType": "image/png", "data": "%"}}),
        _request(_TEXT, tools=[{"unknownTool": {}}]),
        _request(_TEXT, tools=[{"functionDeclarations": [{"name": "f", "parameters": {"type": "WRONG"}}]}]),
        _request(_TEXT, toolConfig={"functionCallingConfig": {"mode": "WRONG"}}),
        _request(_TEXT, generationConfig={"max_tokens": 1}),
        _request(_TEXT, systemInstruction="Be brief."),
        _request(_TEXT, labels={"a": float("nan")}),
    ],
)
def test_refuses(request_body: dict[str, Any]) -> None:
    """Each of these has one fault."""
    assert gemini_errors(request_body)


def test_real_traffic() -> None:
    """Most accepted requests pass, and the same requests with one seeded fault don't."""
    requests = [row.request for row in own("good") if row.api == "gemini"]
    requests += [row.request for row in rows("accepted", "gemini")]
    verdicts = [(request, gemini_errors(request)) for request in requests]
    passed = [request for request, errors in verdicts if not errors]
    kinds = Counter(error for _, errors in verdicts for error in errors)
    print(f"{len(passed)} of {len(requests)} pass; {kinds.most_common()}")

    assert len(passed) >= 0.95 * len(requests)
    for request in passed:
        damaged = copy.deepcopy(request)
        damaged["contents"][-1]["parts"][-1]["unknown"] = 1
        assert gemini_errors(damaged)
