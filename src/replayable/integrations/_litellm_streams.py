"""Streams of LiteLLM's that begin with a rejection.

It opens some of them only when their first chunk is asked for, and some servers answer 200 before they refuse. What is
handed out stays LiteLLM's own object, whose class gets another way to the next chunk.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from ._guard import GuardedCall
from ._streams import arestarted, rejection_in, restarted

__all__ = ["aguarded_stream", "guarded_stream"]


def guarded_stream(answer: Any, call: GuardedCall, attempt: Callable[[Any], Any]) -> Any:
    """Return a call's answer; a stream begins anew when its first chunk is a rejection that can be repaired.

    Args:
        answer: What LiteLLM returned.
        call: The call.
        attempt: Sends a request.
    """
    original: Any = type(answer)
    if not hasattr(original, "__next__"):
        return answer

    def chunks() -> Iterator[Any]:
        while True:
            try:
                chunk = original.__next__(answer)
            except StopIteration:
                return
            yield chunk

    def reopen() -> Iterator[Any]:
        renewed = call.send(attempt)
        if hasattr(answer, "close"):
            answer.close()
        _take_over(answer, renewed)
        return chunks()

    guarded = restarted(chunks(), call, reopen, rejection_in)
    return _with_method(answer, "__next__", lambda self: next(guarded))


def aguarded_stream(answer: Any, call: GuardedCall, attempt: Callable[[Any], Any]) -> Any:
    """Do what ``guarded_stream`` does, for an async call."""
    original: Any = type(answer)
    if not hasattr(original, "__anext__"):
        return answer

    async def chunks() -> AsyncIterator[Any]:
        while True:
            try:
                chunk = await original.__anext__(answer)
            except StopAsyncIteration:
                return
            yield chunk

    async def reopen() -> AsyncIterator[Any]:
        renewed = await call.asend(attempt)
        if hasattr(answer, "aclose"):
            await answer.aclose()
        _take_over(answer, renewed)
        return chunks()

    guarded = arestarted(chunks(), call, reopen, rejection_in)
    return _with_method(answer, "__anext__", lambda self: anext(guarded))


def _with_method(stream: Any, name: str, method: Any) -> Any:
    kind: Any = type(stream)
    fields = {"__doc__": kind.__doc__, "__module__": kind.__module__, "__qualname__": kind.__qualname__}
    stream.__class__ = type(kind.__name__, (kind,), {**fields, name: method})
    return stream


def _take_over(stream: Any, renewed: Any) -> None:
    """Make a stream one that was opened later."""
    vars(stream).clear()
    vars(stream).update(vars(renewed))
