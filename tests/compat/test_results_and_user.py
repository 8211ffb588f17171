"""Where roles must alternate, what is the user's stands in one message of the wire: all results, and words behind them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import pytest

from replayable import fix

_Wire: TypeAlias = Callable[[str], dict[str, Any]]


def _anthropic(*results: str) -> list[dict[str, Any]]:
    return [{"type": "tool_result", "tool_use_id": one, "content": "Cold."} for one in results]


def _converse(*results: str) -> list[dict[str, Any]]:
    return [{"toolResult": {"toolUseId": one, "content": [{"text": "Cold."}]}} for one in results]


CALLS: Final[dict[str, _Wire]] = {
    "anthropic": lambda one: {"type": "tool_use", "id": one, "name": "weather", "input": {}},
    "bedrock": lambda one: {"toolUse": {"toolUseId": one, "name": "weather", "input": {}}},
}
RESULTS: Final = {"anthropic": _anthropic, "bedrock": _converse}
TEXTS: Final[dict[str, _Wire]] = {
    "anthropic": lambda text: {"type": "text", "text": text},
    "bedrock": lambda text: {"text": text},
}


@pytest.mark.parametrize(
    ("api", "model"),
    [
        ("anthropic", {"provider": "minimax", "model": "MiniMax-M2"}),
        ("bedrock", {"provider": "bedrock", "model": "us.anthropic.claude-sonnet-4-5-20250929-v1:0"}),
    ],
    ids=["anthropic", "bedrock"],
)
@pytest.mark.parametrize("asks", [False, True], ids=["results", "results and words"])
def test_results_that_stand_apart_go_together(api: str, model: dict[str, str], asks: bool) -> None:
    """A user message for each result is how some agents answer parallel calls."""
    first, second = RESULTS[api]("c1"), RESULTS[api]("c2")
    words = [TEXTS[api]("And Bergen?")] if asks else []
    history = [
        {"role": "user", "content": [TEXTS[api]("Where is it cold?")]},
        {"role": "assistant", "content": [CALLS[api]("c1"), CALLS[api]("c2")]},
        {"role": "user", "content": first},
        {"role": "user", "content": second},
        *({"role": "user", "content": [word]} for word in words),
    ]
    sent = fix(history, model=model, source=api, to=api).request
    assert sent == [*history[:2], {"role": "user", "content": [*first, *second, *words]}]
