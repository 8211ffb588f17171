"""Streams that are begun anew when they begin with a rejection: as long as no event has been handed out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import asynccontextmanager
from typing import Any, Final

from ._guard import GuardedCall

__all__ = ["arestarted", "closed_after", "rejection_in", "restarted"]

# Streamed events of OpenAI's and Anthropic's that carry a rejection instead of an answer: the server had already said 200.
_FAILED: Final = frozenset({"error", "response.failed"})


def _nothing(event: Any) -> Any:
    return None


def restarted(
    events: Iterator[Any],
    call: GuardedCall,
    reopen: Callable[[], Iterator[Any]],
    rejection: Callable[[Any], Any] = _nothing,
) -> Iterator[Any]:
    """Yield a stream's events; when the first one is a rejection that could be repaired, those of the next request.

    Args:
        events: The stream that was opened.
        call: The call that opened it.
        reopen: Sends the call's next request and returns the new stream.
        rejection: Returns what an event says when it is a rejection, else None: some servers answer 200 first.
    """
    while True:
        try:
            first = next(events)
        except StopIteration:
            return
        except Exception as error:
            if not call.recover(error):
                raise
        else:
            said = rejection(first)
            if said is None or not call.recover(said):
                yield first
                yield from events
                return
        if isinstance(events, Generator):
            events.close()
        events = reopen()


async def arestarted(
    events: AsyncIterator[Any],
    call: GuardedCall,
    reopen: Callable[[], Awaitable[AsyncIterator[Any]]],
    rejection: Callable[[Any], Any] = _nothing,
) -> AsyncIterator[Any]:
    """Do what ``restarted`` does, for an async stream."""
    while True:
        async with closed_after(events):
            try:
                first = await anext(events)
            except StopAsyncIteration:
                return
            except Exception as error:
                if not call.recover(error):
                    raise
            else:
                said = rejection(first)
                if said is None or not call.recover(said):
                    yield first
                    async for event in events:
                        yield event
                    return
        events = await reopen()


@asynccontextmanager
async def closed_after(events: AsyncIterator[Any]) -> AsyncGenerator[None]:
    """Close a stream that is a generator: other than ``yield from``, ``async for`` leaves open what it does not read to its end."""
    try:
        yield
    finally:
        if isinstance(events, AsyncGenerator):
            await events.aclose()


def rejection_in(event: Any) -> Any:
    """Return what a streamed event says when it is a rejection, else None."""
    if getattr(event, "type", None) not in _FAILED:
        return None
    return event.model_dump() if hasattr(event, "model_dump") else event
