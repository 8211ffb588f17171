"""What the tests of stored histories share: fixtures, comparison by value, a filter, damage."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from replayable.edits import drop_parts, replace
from replayable.facts import CALLS, RESULTS, SERVER_TOOLS
from replayable.formats import format_named
from replayable.messages import Message, Part, messages_from_json, messages_to_json
from replayable.prompt import Prompt, with_messages
from tests.oracle import Violation, violations

_HISTORIES = Path(__file__).parent / "histories"
_JUNK: tuple[Any, ...] = (
    None,
    True,
    0,
    1.5,
    "",
    "x",
    [],
    {},
    [None],
    {"type": "text"},
    ["a", {"b": 1}],
    "data:,",
)


def history(name: str) -> Any:
    """Read a recorded history by its file's name."""
    return json.loads((_HISTORIES / f"{name}.json").read_text(encoding="utf-8"))


def sorted_text(value: Any) -> str:
    """Return JSON text by which two values compare, whatever the order of their keys."""
    return json.dumps(value, sort_keys=True, default=str)


def through_json(prompt: Prompt) -> Prompt:
    """Return the prompt with its messages stored as JSON and read back."""
    return replace(prompt, messages=messages_from_json(messages_to_json(prompt.messages)))


def without_tools(prompt: Prompt, *names: str) -> Prompt:
    """Return the prompt without the calls and results of some tools."""

    def unwanted(_message: Message, part: Part) -> bool:
        return part.type in ("tool_call", "tool_result") and part.tool_name in names

    messages = drop_parts(prompt.messages, unwanted, needs=CALLS | RESULTS | SERVER_TOOLS)
    assert messages is not None
    return with_messages(prompt, messages)


def rejections(request: Any, system: Any, *, api: str) -> list[Violation]:
    """Return why the provider would reject a converted request, or list of messages."""
    anthropic = api == "anthropic"
    model = "claude-sonnet-4-5" if anthropic else "gpt-5"
    if isinstance(request, list):
        request = {"model": model, "max_tokens": 100, "messages": request}
        if system is not None:
            request["system"] = system
    judged_as = "anthropic_messages" if anthropic else api
    return violations(request, api=judged_as, provider="anthropic" if anthropic else "openai", model=model)


def written(source: str, request: Any, target: str) -> Any:
    """Return a request of one format in another."""
    return format_named(target).encode(format_named(source).decode(request)).request


def messages_in(request: Any) -> list[dict[str, Any]]:
    """Return the list of messages of a request, or the bare list."""
    found: list[dict[str, Any]] = (
        request if isinstance(request, list) else request.get("messages", request.get("prompt"))
    )
    return found


def damaged(value: Any, *, seed: int, times: int) -> Iterator[Any]:
    """Yield copies of some JSON, each with one to three values replaced, removed or repeated."""
    chance = random.Random(seed)
    for _ in range(times):
        broken = copy.deepcopy(value)
        for _ in range(chance.randint(1, 3)):
            _damage(broken, chance)
        yield broken


def _damage(value: Any, chance: random.Random) -> None:
    places = list(_places(value))
    if not places:
        return
    holder, key = chance.choice(places)
    match chance.randrange(4):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        case 2 if isinstance(holder, dict):
            holder[chance.choice(("type", "state", "text", "unknown", "content", "parts"))] = chance.choice(
                _JUNK
            )
        case _:
            holder[key] = copy.deepcopy(chance.choice(_JUNK))


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    items: Any = value.items() if isinstance(value, dict) else enumerate(value)
    for key, child in items:
        yield value, key
        if isinstance(child, dict | list):
            yield from _places(child)
