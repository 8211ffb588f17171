"""New ids for tool calls: deterministic, injective, the same for a call and its result."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from operator import is_
from typing import Final

from ._node import build, fields_of
from .facts import CALLS, IRREGULAR, SERVER_TOOLS, TOOL, Known, build_renamed, known_of_all
from .messages import Message, Messages, Part
from .turns import client_calls, client_results, match_results

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

    def issue(old: str | None) -> str | None:
        if not old and not fill_missing:
            return old
        key = old or ""
        occurrence = seen.get(key, 0)
        latest[key] = new = new_id(key, occurrence)
        seen[key] = occurrence + 1
        return new or old

    def reissue(old: str | None, match: int | None) -> str | None:
        if not old and not fill_missing:
            return old
        return _stray(old, latest, new_id) if match is None else issued[match] or old

    known = known_of_all(messages)
    out: list[Message] = []
    index = 0
    while index < len(messages):
        message, (facts, ids), end = messages[index], known[index], index + 1
        if facts & SERVER_TOOLS:
            latest.update(_server_ids(message))
        if facts & CALLS:
            while end < len(messages) and known[end][0] & TOOL:
                facts |= known[end][0]
                end += 1
            issued = [issue(old) for old in ids]
            out.append(_with_ids(message, known[index], issued))
            answers = zip(messages[index + 1 : end], known[index + 1 : end], strict=True)
            if facts & IRREGULAR:
                matches = _matches(message, messages[index + 1 : end])
                for answer, about in answers:
                    out.append(_with_ids(answer, about, [reissue(old, next(matches)) for old in about[1]]))
            else:
                # All have ids, of which no message has one twice.
                renamed = dict(zip(ids, issued, strict=True))
                for answer, about in answers:
                    new = [renamed.get(old) or _stray(old, latest, new_id) for old in about[1]]
                    out.append(_with_ids(answer, about, new))
        elif facts & TOOL:
            out.append(_with_ids(message, known[index], [reissue(old, None) for old in ids]))
        else:
            out.append(message)
        index = end
    return None if all(map(is_, out, messages)) else tuple(out)


def _matches(message: Message, answers: Sequence[Message]) -> Iterator[int | None]:
    """Say for each of the client's results in the answers which of the calls in the message it answers."""
    calls = [call for _, call in client_calls(message)]
    return iter(match_results(calls, [result for answer in answers for _, result in client_results(answer)]))


def _server_ids(message: Message) -> Iterator[tuple[str, str]]:
    for part in message.parts:
        if part.type == "tool_call" and part.provider_executed and part.tool_call_id:
            yield part.tool_call_id, part.tool_call_id


def _stray(old: str | None, latest: dict[str, str], new_id: NewId) -> str | None:
    # Without an id and outside of every turn it belongs to no call: with a call's new id it would.
    if not old:
        return old
    return latest[old] if old in latest else new_id(old, 0)


def _with_ids(message: Message, known: Known, new_ids: Sequence[str | None]) -> Message:
    """Give the client's calls, or the client's results in a tool message, these ids."""
    facts, old_ids = known
    ids = tuple(new_ids)
    if ids == old_ids:
        return message
    about = fields_of(message).copy()
    kind = "tool_result" if facts & TOOL else "tool_call"
    remaining = iter(ids)
    parts: list[Part] = []
    for part in about["parts"]:
        fields = fields_of(part)
        if fields["type"] == kind and not fields["provider_executed"]:
            new = next(remaining)
            if new != fields["tool_call_id"]:
                fields = fields.copy()
                fields["tool_call_id"] = new
                part = build(type(part), fields)
        parts.append(part)
    about["parts"] = tuple(parts)
    return build_renamed(type(message), about, facts, ids)
