"""Guarding the SDK clients of OpenAI and Anthropic, which share their make.

Every creating method of theirs (``create``, ``parse``, ``stream``, ``with_raw_response``, betas) ends in the client's
``request(cast_to, options, stream=…, stream_cls=…)``: one place to repair the body before, and to send it once more
after a rejection. The SDK's own retries happen inside of it, so the two never multiply.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from functools import wraps
from typing import Any, Final, TypeVar, cast

from ..formats import format_named
from ..model_ref import ModelRef
from ._guard import Guard, GuardedCall
from ._streams import arestarted, rejection_in, restarted
from ._twins import class_of, twin

__all__ = ["guarded_client"]

C = TypeVar("C")

# The SDKs' markers of a parameter that was not given; they are private, and different in each.
_LEFT_OUT: Final = frozenset({"NotGiven", "Omit"})


def guarded_client(
    client: C,
    guard: Guard,
    *,
    formats: Mapping[str, str],
    model_of: Callable[[Any, Any, str], ModelRef],
) -> C:
    """Return a copy of a client whose creating calls go through a guard; the client itself stays as it is.

    The copy shares the client's connections. It is an instance of the client's class, and so are its own copies
    (``with_options``), which stay guarded.

    Args:
        client: An SDK client.
        guard: What its calls go through.
        formats: Path of a creating call -> format name of its body.
        model_of: Returns the model of a call from the client, the body's ``model`` and the format name.
    """
    original = class_of(client)
    calls = _Calls(guard, dict(formats), model_of)
    guarded = _arequest if inspect.iscoroutinefunction(original.request) else _request
    attributes = vars(client).copy()
    made = twin(client, {"request": guarded(original.request, calls)}, attributes)
    for name, value in vars(client).items():
        # A resource (``client.messages``) calls the client that it was made for.
        if getattr(value, "_client", None) is not client:
            continue
        if hasattr(original, name):
            # It is made when it is asked for.
            del attributes[name]
        elif hasattr(value, "_post"):
            attributes[name] = type(value)(made)
    return cast(C, made)


class _Calls:
    """Finds the calls to guard among a client's requests."""

    def __init__(
        self, guard: Guard, formats: Mapping[str, str], model_of: Callable[[Any, Any, str], ModelRef]
    ) -> None:
        self._guard = guard
        self._formats = formats
        self._model_of = model_of

    def start(self, client: Any, options: Any) -> GuardedCall | None:
        name = self._formats.get(_path(client, options.url))
        body = None if name is None else _body(options)
        if name is None or body is None or options.method.lower() != "post":
            return None
        model = self._model_of(client, body.get("model"), name)
        return self._guard.start(format_named(name), body, model)


def _path(client: Any, url: Any) -> str:
    """Where a request goes, from the client's base URL on: a caller of ``post`` may give all of it, or no first slash."""
    return "/" + str(url).partition("?")[0].removeprefix(str(client.base_url)).lstrip("/")


def _request(send: Any, calls: _Calls) -> Any:
    """The ``request`` of a guarded sync client; ``send`` is its class's own."""

    @wraps(send)
    def request(self: Any, cast_to: Any, options: Any, **streaming: Any) -> Any:
        call = calls.start(self, options)
        if call is None:
            return send(self, cast_to, options, **streaming)

        def attempt(body: Any) -> Any:
            return send(
                self, cast_to, options if body is call.given else _with_body(options, body), **streaming
            )

        answer = call.send(attempt)
        if streaming.get("stream") and hasattr(answer, "_iterator"):
            answer._iterator = _events(answer, call, attempt)
        return answer

    return request


def _arequest(send: Any, calls: _Calls) -> Any:
    """Do what ``_request`` does, for an async client."""

    @wraps(send)
    async def request(self: Any, cast_to: Any, options: Any, **streaming: Any) -> Any:
        call = calls.start(self, options)
        if call is None:
            return await send(self, cast_to, options, **streaming)

        async def attempt(body: Any) -> Any:
            return await send(
                self, cast_to, options if body is call.given else _with_body(options, body), **streaming
            )

        answer = await call.asend(attempt)
        if streaming.get("stream") and hasattr(answer, "_iterator"):
            answer._iterator = _aevents(answer, call, attempt)
        return answer

    return request


def _body(options: Any) -> dict[str, Any] | None:
    """The body as it will be sent: what was left out is not in it, and ``extra_body`` stands over it."""
    body, extra = options.json_data, options.extra_json
    if not isinstance(body, dict):
        return None
    # What can be read but once is read here: the SDKs take any iterable for a list.
    body.update({key: list(value) for key, value in body.items() if isinstance(value, Iterator)})
    whole = {**body, **extra} if isinstance(extra, Mapping) else body
    return {key: value for key, value in whole.items() if type(value).__name__ not in _LEFT_OUT}


def _with_body(options: Any, body: Any) -> Any:
    changed = copy.copy(options)
    changed.json_data = body
    changed.extra_json = None
    return changed


def _events(stream: Any, call: GuardedCall, attempt: Callable[[Any], Any]) -> Iterator[Any]:
    def reopen() -> Iterator[Any]:
        stream.response.close()
        events: Iterator[Any] = _taken_over(stream, call.send(attempt))
        return events

    return restarted(stream._iterator, call, reopen, rejection_in)


def _aevents(stream: Any, call: GuardedCall, attempt: Callable[[Any], Any]) -> AsyncIterator[Any]:
    async def reopen() -> AsyncIterator[Any]:
        await stream.response.aclose()
        events: AsyncIterator[Any] = _taken_over(stream, await call.asend(attempt))
        return events

    return arestarted(stream._iterator, call, reopen, rejection_in)


def _taken_over(stream: Any, renewed: Any) -> Any:
    """The events of another stream, whose connection is the one to be closed from now on.

    OpenAI's stream helpers keep the response itself, so it is that very object that stands for the other one.
    """
    stream.response.__dict__ = renewed.response.__dict__
    renewed.response = stream.response
    return renewed._iterator
