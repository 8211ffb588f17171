"""New ids for tool calls: deterministic, injective, the same for a call and its result."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from operator import is_
from typing import Final

from .edits import replace, with_parts
from .facts import CALLS, SERVER_TOOLS, TOOL, facts_of
from .messages import Message, Messages, Part, ToolCallPart, ToolResultPart
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

    def issue(call: ToolCallPart) -> str | None:
        old = call.tool_call_id or ""
        if not old and not fill_missing:
            return None
        latest[old] = new = new_id(old, seen.get(old, 0))
        seen[old] = seen.get(old, 0) + 1
        return new

    def reissue(result: ToolResultPart, of_call: str | None, is_stray: bool) -> str | None:
        if not result.tool_call_id and not fill_missing:
            return None
        return _stray(result.tool_call_id, latest, new_id) if is_stray else of_call

    out: list[Message] = []
    index = 0
    while index < len(messages):
        message, end = messages[index], index + 1
        facts = facts_of(message)
        if facts & SERVER_TOOLS:
            latest.update(_server_ids(message))
        if facts & CALLS:
            end = run_end(messages, index)
            calls = [call for _, call in client_calls(message)]
            ids = [issue(call) for call in calls]
            out.append(_with_ids(message, "tool_call", iter(ids)))
            results = [result for at in range(index + 1, end) for _, result in client_results(messages[at])]
            matches = match_results(calls, results)
            reissued = [
                reissue(result, ids[match] if match is not None else None, match is None)
                for result, match in zip(results, matches, strict=True)
            ]
            remaining = iter(reissued)
            out += [_with_ids(messages[at], "tool_result", remaining) for at in range(index + 1, end)]
        elif facts & TOOL:
            strays = (reissue(result, None, True) for _, result in client_results(message))
            out.append(_with_ids(message, "tool_result", strays))
        else:
            out.append(message)
        index = end
    return None if all(map(is_, out, messages)) else tuple(out)


def _server_ids(message: Message) -> Iterator[tuple[str, str]]:
    for part in message.parts:
        if part.type == "tool_call" and part.provider_executed and part.tool_call_id:
            yield part.tool_call_id, part.tool_call_id


def _stray(old: str | None, latest: dict[str, str], new_id: NewId) -> str | None:
    # Without an id and outside of every turn it belongs to no call: with a call's new id it would.
    if not old:
        return old
    return latest[old] if old in latest else new_id(old, 0)


def _with_ids(message: Message, kind: str, ids: Iterator[str | None]) -> Message:
    """Give the client's calls or results in a message the next of these ids; None: it keeps its own."""
    parts: list[Part] = []
    for part in message.parts:
        if (
            (part.type == "tool_call" or part.type == "tool_result")
            and part.type == kind
            and not part.provider_executed
        ):
            new = next(ids)
            if new is not None and new != (part.tool_call_id or ""):
                part = replace(part, tool_call_id=new)
        parts.append(part)
    return message if all(map(is_, parts, message.parts)) else with_parts(message, parts)
