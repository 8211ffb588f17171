"""Histories as frameworks and traces keep them: refused by name, since they resemble a provider's own here and there."""

from __future__ import annotations

from typing import Any, Final

import pytest

from replayable import HistoryFormatError, check, fix
from replayable.formats import FORMATS, detect

_LANGCHAIN_FIELDS: Final = {
    "content": "Hi",
    "additional_kwargs": {},
    "response_metadata": {},
    "type": "human",
}
_KEPT: Final = [
    pytest.param(_LANGCHAIN_FIELDS, "LangChain", id="LangChain model_dump"),
    pytest.param({"type": "human", "data": _LANGCHAIN_FIELDS}, "LangChain", id="LangChain messages_to_dict"),
    pytest.param(
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", "schema", "messages", "HumanMessage"],
            "kwargs": {"content": "Hi", "type": "human"},
        },
        "LangChain",
        id="LangChain dumpd",
    ),
    pytest.param(
        {"parts": [{"content": "Hi", "part_kind": "user-prompt"}], "kind": "request"},
        "pydantic-ai",
        id="pydantic-ai",
    ),
    pytest.param(
        {"role": "user", "parts": [{"type": "text", "content": "Hi"}]},
        "OpenTelemetry",
        id="OpenTelemetry text",
    ),
    pytest.param(
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "1", "name": "f", "arguments": {}}]},
        "OpenTelemetry",
        id="OpenTelemetry call",
    ),
]


@pytest.mark.parametrize(
    "field", [None, *sorted({field for f in FORMATS.values() for field in f.marks.turns})]
)
@pytest.mark.parametrize(("message", "name"), _KEPT)
def test_what_no_provider_takes(message: dict[str, Any], name: str, field: str | None) -> None:
    """By `check` and `fix` alike, as a list or within a request; the error says what to give instead."""
    request = [message] if field is None else {field: [message]}
    for work in (check, fix):
        with pytest.raises(HistoryFormatError, match=f"found a message of {name}") as caught:
            work(request, model="openai/gpt-5")
        assert caught.value.path == f"{field or ''}[0]"
        assert caught.value.remedy


@pytest.mark.parametrize("package", ["langchain_core.messages.human", "pydantic_ai.messages"])
def test_their_own_objects(package: str) -> None:
    """Not only what JSON has of them."""
    message = type("Message", (), {"__module__": package})()
    with pytest.raises(HistoryFormatError, match="found a message of"):
        check([message], model="openai/gpt-5")


@pytest.mark.parametrize(
    ("message", "format_"),
    [
        ({"role": "user", "parts": [{"text": "Hi"}]}, "gemini"),
        ({"id": "1", "role": "user", "parts": [{"type": "text", "text": "Hi"}]}, "ai_sdk"),
        ({"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}, "openai_responses"),
    ],
)
def test_what_resembles_them(message: dict[str, Any], format_: str) -> None:
    """The formats that have parts, or a type in place of a role, are recognised as before."""
    assert detect([message]) == format_
