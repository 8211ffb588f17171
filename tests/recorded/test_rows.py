"""Reading the recorded rows."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.recorded import rows as module
from tests.recorded.rows import Row, multi_turn, rows

_DATA: dict[str, Any] = {
    "id": "1",
    "provider": "openai",
    "api": "openai_chat",
    "model": "m",
    "status": 400,
    "request": {"messages": []},
    "server_state": False,
    "redacted": ["id"],
    "cause": "size",
    "error": "too long",
}


def test_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are read from the file of their kind and filtered by API."""
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    with gzip.open(tmp_path / "rejected.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(f"{json.dumps(_DATA)}\n{json.dumps({**_DATA, 'api': 'gemini'})}\n")

    row = Row("1", "openai", "openai_chat", "m", {"messages": []}, False, ("id",), "size", "too long")

    assert list(rows("rejected", "openai_chat")) == [row]
    assert len(list(rows("rejected"))) == 2


def test_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the folder there are no rows."""
    monkeypatch.setattr(module, "FOLDER", tmp_path / "absent")

    assert list(rows("accepted")) == []


@pytest.mark.parametrize(
    ("request_body", "expected"),
    [
        ({"messages": [{"role": "system"}, {"role": "user"}]}, False),
        ({"messages": [{"role": "developer"}, {"role": "user"}, {"role": "assistant"}]}, True),
        ({"contents": [{"parts": []}, {"role": "model"}]}, True),
        ({"input": [{"type": "message", "role": "user"}, {"type": "function_call"}]}, True),
        ({"input": "Hello"}, False),
        ({}, False),
    ],
)
def test_multi_turn(request_body: dict[str, Any], expected: bool) -> None:
    """System messages don't count as turns."""
    assert multi_turn(request_body) is expected
