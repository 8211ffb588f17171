"""Streams that are begun anew."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any, cast

from replayable.integrations._guard import GuardedCall
from replayable.integrations._streams import arestarted, restarted


class _Repaired:
    """A call whose every rejection is repaired."""

    def recover(self, error: Any) -> bool:
        return True


_CALL = cast(GuardedCall, _Repaired())


def _rejection(event: Any) -> Any:
    return event if event == "refused" else None


def test_a_stream_that_began_with_a_rejection_is_closed() -> None:
    """Before the next one is opened, so that its connection is free."""
    seen: list[str] = []

    def stream(*events: str) -> Iterator[str]:
        try:
            yield from events
        finally:
            seen.append(f"closed {events[0]}")

    def reopen() -> Iterator[str]:
        seen.append("reopened")
        return stream("one", "two")

    assert list(restarted(stream("refused", "more"), _CALL, reopen, _rejection)) == ["one", "two"]
    assert seen == ["closed refused", "reopened", "closed one"]


def test_an_async_stream_that_began_with_a_rejection_is_closed() -> None:
    """The same."""
    seen: list[str] = []

    async def stream(*events: str) -> AsyncIterator[str]:
        try:
            for event in events:
                yield event
        finally:
            seen.append(f"closed {events[0]}")

    async def reopen() -> AsyncIterator[str]:
        seen.append("reopened")
        return stream("one", "two")

    async def main() -> list[str]:
        first = stream("refused", "more")
        return [event async for event in arestarted(first, _CALL, reopen, _rejection)]

    assert asyncio.run(main()) == ["one", "two"]
    assert seen == ["closed refused", "reopened", "closed one"]
