"""New ids for tool calls: deterministic, injective, the same for a call and its result."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Final

from .edits import replace, with_parts
from .facts import CALLS, SERVER_TOOLS, TOOL, facts_of
from .messages import Message, Messages, Part
from .turns import client_calls, client_results, match_results, run_end

__all__ = ["NewId", "digest", "readable_id", "reissue_ids"]

NewId = Callable[[str, int], str]
"""From a call's id (empty where it is missing), and how many earlier calls had the same (starts at 0), to its new id."""

_INVALID: Final = re.compile(r"[^a-zA-Z0-9_-]+")


def digest(seed: str, length: int) -> str:
    """Return ``length`` hex digits that depend on nothing but ``seed``; lone surrogates are allowed in it."""
    return sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:length]


def readable_id(seed: str, *, max_length: int = 64) -> str:
    """Return an id of ``[a-zA-Z0-9_-]`` that keeps what it can of ``seed`` and ends in a digest of all of it.

    Replacing characters alone collides (``a.b`` and ``a:b``), and so does cutting; the digest keeps them apart.
    """
    mark = digest(seed, 10)
    stem = _INVALID.sub("_", seed[:max_length])[: max_length - len(mark) - 1].strip("_") or "call"
    return f"{stem}_{mark}"


def reissue_ids(messages: Sequence[Message], new_id: NewId, *, fill_missing: bool = True) -> Messages | None:
    """Give the client's tool calls the ids that ``new_id`` says, call and result together.

    A result that belongs to no call of its turn takes the new id of the latest call that had its id; one that answers a
    call that the provider executed keeps its own, as that call does.

    Args:
        messages: The history.
        new_id: What makes the ids.
        fill_missing: Whether calls and results without an id get one, too.

    Returns:
        The messages, or None when every id stayed.
    """
    seen: dict[str, int] = {}
    latest: dict[str, str] = {}
    out = list(messages)
    changed = False
    index = 0
    while index < len(out):
        end = index + 1
        renamed: dict[tuple[int, int], str | None] = {}
        facts = facts_of(out[index])
        if facts & SERVER_TOOLS:
            latest.update(_server_ids(out[index]))
        if facts & CALLS:
            end = run_end(out, index)
            calls = list(client_calls(out[index]))
            ids: list[str] = []
            for part_index, call in calls:
                old = call.tool_call_id or ""
                if not old and not fill_missing:
                    ids.append("")
                    continue
                ids.append(new_id(old, seen.get(old, 0)))
                seen[old] = seen.get(old, 0) + 1
                latest[old] = ids[-1]
                renamed[index, part_index] = ids[-1]
            places = [(at, part) for at in range(index + 1, end) for part in client_results(out[at])]
            matches = match_results([call for _, call in calls], [result for _, (_, result) in places])
            for (at, (part_index, result)), match in zip(places, matches, strict=True):
                if not result.tool_call_id and not fill_missing:
                    continue
                renamed[at, part_index] = (
                    ids[match] if match is not None else _stray(result.tool_call_id, latest, new_id)
                )
        elif facts & TOOL:
            for part_index, result in client_results(out[index]):
                if not result.tool_call_id and not fill_missing:
                    continue
                renamed[index, part_index] = _stray(result.tool_call_id, latest, new_id)
        for at in range(index, end):
            message = _renamed(out[at], at, renamed)
            changed = changed or message is not out[at]
            out[at] = message
        index = end
    return tuple(out) if changed else None


def _server_ids(message: Message) -> Iterator[tuple[str, str]]:
    for part in message.parts:
        if part.type == "tool_call" and part.provider_executed and part.tool_call_id:
            yield part.tool_call_id, part.tool_call_id


def _stray(old: str | None, latest: dict[str, str], new_id: NewId) -> str | None:
    # Without an id and outside of every turn it belongs to no call: with a call's new id it would.
    if not old:
        return old
    return latest[old] if old in latest else new_id(old, 0)


def _renamed(message: Message, index: int, renamed: dict[tuple[int, int], str | None]) -> Message:
    parts: list[Part] = []
    changed = False
    for part_index, part in enumerate(message.parts):
        new = renamed.get((index, part_index))
        if (
            new is not None
            and (part.type == "tool_call" or part.type == "tool_result")
            and new != (part.tool_call_id or "")
        ):
            part = replace(part, tool_call_id=new)
            changed = True
        parts.append(part)
    return with_parts(message, parts) if changed else message
