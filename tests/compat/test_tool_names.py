"""Names of tools: one that is empty is refused everywhere."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from replayable import ModelRef, fix
from tests.oracle.cases import CASES
from tests.recorded.wires import FORMATS

_CALL: Final = {"id": "D681PevKs", "type": "function", "function": {"name": "", "arguments": "{}"}}
_REQUEST: Final[dict[str, Any]] = {
    "messages": [
        {"role": "user", "content": "Where is Oslo?"},
        {"role": "assistant", "content": None, "tool_calls": [_CALL]},
        {"role": "tool", "tool_call_id": "D681PevKs", "name": "", "content": "In Norway."},
        {"role": "user", "content": "Thanks."},
    ],
    "tools": [{"type": "function", "function": {"name": "", "parameters": {"type": "object"}}}],
}
_TARGETS: Final = sorted(
    {(case.api, case.provider, case.model or "some-model") for case in CASES if case.api in FORMATS}
)


@pytest.mark.parametrize(("api", "provider", "model"), _TARGETS)
def test_a_tool_without_a_name_gets_one(api: str, provider: str, model: str) -> None:
    """Whoever reads it, as a call or told as text: it has the one new name wherever it occurs."""
    wire = FORMATS[api]
    target = ModelRef.of(ModelRef.of({"provider": provider, "model": model}), api=wire)
    written = json.dumps(fix(_REQUEST, model=target, source="openai_chat", to=wire).request)
    assert "tool_e3b0c4" in written
    assert '"name": ""' not in written


def test_a_result_without_a_name_takes_that_of_its_call() -> None:
    """A valid name of a call is what its nameless result gets, not one of its own."""
    messages = [
        *_REQUEST["messages"][:1],
        {"role": "assistant", "tool_calls": [{**_CALL, "function": {"name": "search", "arguments": "{}"}}]},
        *_REQUEST["messages"][2:],
    ]
    fixed = fix({"messages": messages}, model="groq/llama-3.3-70b").request
    assert fixed["messages"][2]["name"] == "search"
