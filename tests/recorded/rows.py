"""Recorded requests with the provider's verdict, read from beside the repository where they are present."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "recorded"

_TURNS = ("messages", "contents", "input")
"""Where the APIs keep their turns: most of them, Gemini, OpenAI Responses."""

SEALS_BLANKED = frozenset({"rig-61a5b388e72d94", "rig-cdbf4498fddffc"})
"""Accepted rows in which the recorder put other text in the place of what OpenAI had encrypted: that looks refused."""


@dataclass(frozen=True, slots=True)
class Row:
    """One recorded request.

    Attributes:
        request: The body as it was sent.
        server_state: The request builds on turns that the server holds.
        redacted: Kinds of fields that the recorder blanked; their values prove nothing.
        cause: Our reading of a refusal; None for an accepted request.
        error: The provider's error body; None for an accepted request.
    """

    id: str
    provider: str
    api: str
    model: str
    request: dict[str, Any]
    server_state: bool
    redacted: tuple[str, ...]
    cause: str | None
    error: str | None


def rows(kind: Literal["accepted", "rejected", "unrelated_errors"], *apis: str) -> Iterator[Row]:
    """Yield the recorded rows of a kind, in file order.

    Args:
        kind: The provider's verdict.
        apis: The wire APIs to keep; all of them when none is named.

    Returns:
        An iterator, empty when the folder is absent.
    """
    path = FOLDER / f"{kind}.jsonl.gz"
    if not path.is_file():
        return
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            data = json.loads(line)
            if not apis or data["api"] in apis:
                yield _row(data)


def multi_turn(request: Mapping[str, Any]) -> bool:
    """Tell whether a request has more than one message besides system and developer messages."""
    turns: list[Any] = next((request[key] for key in _TURNS if isinstance(request.get(key), list)), [])
    return sum(1 for turn in turns if not _is_system(turn)) > 1


def _is_system(turn: Any) -> bool:
    return isinstance(turn, dict) and turn.get("role") in ("system", "developer")


def _row(data: Mapping[str, Any]) -> Row:
    return Row(
        id=data["id"],
        provider=data["provider"],
        api=data["api"],
        model=data["model"],
        request=data["request"],
        server_state=data["server_state"],
        redacted=tuple(data["redacted"]),
        cause=data["cause"],
        error=data["error"],
    )
