"""Recorded requests, damaged as agents break them: whatever was lost, doubled or misplaced comes out whole."""

from __future__ import annotations

import copy
from typing import Any, Final

import pytest

from replayable import fix
from tests.recorded.rows import Row
from tests.recorded.targets import TARGETS, Target
from tests.recorded.wires import FORMATS, MODELS, accepted_conversations, own, turns_of, with_turns

_BY_API: Final = {target.api: target for target in reversed(TARGETS) if target.api in MODELS}


def _judged(target: Target, model: str, request: Any, *, typed: bool) -> list[str]:
    """What the target's SDK types (if asked) and the oracle have against a request for a model of its provider."""
    errors = target.judge(request) if typed and target.judge is not None else []
    return [*errors, *target.violations(request, model)]


def _damaged(row: Row) -> list[tuple[str, list[object]]]:
    """Ways in which agents break a history: each is a list of messages."""
    messages = turns_of(row.request)
    if not messages:
        return []
    results = [index for index, message in enumerate(messages) if _holds_results(message)]
    cuts: list[tuple[str, list[object]]] = [("cut at the front", _from_the_middle(messages))]
    if results:
        at = results[0]
        cuts.append(("a result is lost", messages[:at] + messages[at + 1 :]))
        cuts.append(("a result is there twice", [*messages[: at + 1], messages[at], *messages[at + 1 :]]))
        late = {"role": "user", "content": "Still there?"}
        cuts.append(("a user message came first", [*messages[:at], late, *messages[at:]]))
        cuts.append(("the result came first", [messages[at], *messages[:at], *messages[at + 1 :]]))
        cuts.append(("it broke off", messages[:at]))
        cuts.append(("the call is lost", _without_calls_before(messages, at)))
        cuts.append(("the ids are odd", _with_odd_ids(messages)))
    return cuts


def _from_the_middle(messages: list[Any]) -> list[Any]:
    """The later half; a system message that this would put first says something about what was cut."""
    start = len(messages) // 2
    while start < len(messages) and messages[start].get("role") in ("system", "developer"):
        start += 1
    return messages[start:]


def _asks(message: Any) -> bool:
    """Whether a message holds something of the user besides results, without which there is nothing to send."""
    content = message.get("content")
    blocks = content if isinstance(content, list) else [content]
    return message.get("role") == "user" and any(
        not isinstance(block, dict) or block.get("type") != "tool_result" for block in blocks
    )


def _without_calls_before(messages: list[Any], at: int) -> list[Any]:
    """The messages without the answer whose calls the results at this place belong to."""
    call = next((index for index in range(at - 1, -1, -1) if _answers(messages[index])), at)
    return [*messages[:call], *messages[call + 1 :]]


def _answers(message: Any) -> bool:
    return (message.get("role"), message.get("type")) in (
        ("assistant", None),
        ("assistant", "message"),
        (None, "function_call"),
    )


_ID_KEYS: Final = {
    "function": "id",
    "tool_use": "id",
    "tool_result": "tool_use_id",
    "tool": "tool_call_id",
    "function_call": "call_id",
    "function_call_output": "call_id",
}


def _with_odd_ids(messages: list[Any]) -> list[Any]:
    """The messages with ids of calls and results as Kimi makes them, longer than some providers take."""
    renamed = copy.deepcopy(messages)
    for message in renamed:
        content = message.get("content")
        blocks = content if isinstance(content, list) else []
        for item in [message, *(message.get("tool_calls") or ()), *blocks]:
            key = _ID_KEYS.get(str(item.get("type", item.get("role")))) if isinstance(item, dict) else None
            if key and isinstance(item.get(key), str):
                item[key] = f"functions.{item[key]}:{'0' * 40}"
    return renamed


def _holds_results(message: dict[str, object]) -> bool:
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    is_result = message.get("role") == "tool" or message.get("type") == "function_call_output"
    return is_result or any(
        isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks
    )


@pytest.mark.parametrize("target", sorted(MODELS))
@pytest.mark.parametrize("api", sorted(MODELS))
def test_broken_histories_come_out_whole(api: str, target: str) -> None:
    """Whatever was lost, doubled or misplaced: the oracle of the target API accepts what comes out."""
    provider, _, name = MODELS[target].partition("/")
    tried = 0
    for number, row in enumerate(row for row in accepted_conversations() if row.api == api):
        # Every third recorded one keeps this quick; the project's own are all tried.
        if number % 3 and not row.id.startswith("good-"):
            continue
        if target == api and row.provider != provider:
            # On its own API a request keeps what only its own provider takes; so does the model.
            continue
        reader = row.model if target == api else name
        for damage, messages in _damaged(row):
            if not any(map(_asks, messages)):
                continue
            tried += 1
            fixed = fix(
                with_turns(row.request, messages),
                model=f"{provider}/{reader}",
                source=FORMATS[api],
                to=FORMATS[target],
            )
            left = _judged(_BY_API[target], reader, fixed.request, typed=target != api)
            assert left == [], (row.id, damage)
    print(f"{tried} damaged requests of {api} came out whole for {target}")
    assert tried


@pytest.mark.parametrize("target", sorted(MODELS))
def test_the_main_job_on_own_broken_histories(target: str) -> None:
    """Each shipped broken history comes out as another API accepts it, with changes listed."""
    for row in own("broken"):
        if row.api != target:
            fixed = fix(row.request, model=MODELS[target], source=FORMATS[row.api], to=FORMATS[target])
            model = MODELS[target].partition("/")[2]
            assert _judged(_BY_API[target], model, fixed.request, typed=True) == [], row.id
            assert fixed.changes
