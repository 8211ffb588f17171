"""What the recorded tests share: our format of a recorded API, and the requests that the project has of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from replayable import ModelRef, formats
from tests.recorded.rows import Row, multi_turn, rows

FORMATS: Final = {
    api: name
    for api, name in {
        "openai_chat": "openai_chat",
        "openai_responses": "openai_responses",
        "anthropic_messages": "anthropic",
        "gemini": "gemini",
        "bedrock_converse": "bedrock",
        "cohere_v2": "cohere_v2",
        "ollama_chat": "ollama_chat",
    }.items()
    if name in formats.FORMATS
}
"""Each recorded API -> the format that reads it."""
MODELS: Final = {
    "openai_chat": "openai/gpt-4o",
    "openai_responses": "openai/gpt-5",
    "anthropic_messages": "anthropic/claude-sonnet-4-5",
}
"""Who reads a request next on each API."""
_OWN: Final = Path(__file__).resolve().parents[1] / "histories"


def accepted() -> Iterator[Row]:
    """The recorded requests that their provider accepted, then the project's own good ones.

    The recorded ones lie beside the repository, where they are there at all; the own ones always are.
    """
    yield from rows("accepted", *FORMATS)
    yield from own("good")


def accepted_conversations() -> Iterator[Row]:
    """Those of several turns, all of which stand in the request."""
    return (row for row in accepted() if multi_turn(row.request) and not row.server_state)


def turns_of(request: Any) -> list[Any]:
    """The list of messages of a request, wherever it stands; empty where the input is one text."""
    turns: Any = next((request[key] for key in ("messages", "contents", "input") if key in request), [])
    return turns if isinstance(turns, list) else []


def with_turns(request: dict[str, Any], turns: list[Any]) -> dict[str, Any]:
    """The request with other turns."""
    return {**request, next(key for key in ("messages", "contents", "input") if key in request): turns}


def own(kind: str) -> Iterator[Row]:
    """The project's own histories: ``good-*.json`` and ``broken-*.json``, each ``{api, provider, model, request}``."""
    for path in sorted(_OWN.glob(f"{kind}-*.json")):
        data: dict[str, Any] = json.loads(path.read_text("utf-8"))
        yield Row(
            id=path.stem,
            provider=data["provider"],
            api=data["api"],
            model=data["model"],
            request=data["request"],
            server_state=False,
            redacted=(),
            cause=None,
            error=None,
        )


def own_model(row: Row) -> ModelRef:
    """The model that a request was sent to."""
    given = {"provider": row.provider, "model": row.request.get("model", row.model)}
    return ModelRef.of(given, api=FORMATS[row.api])
