"""One line around a google-genai client: ``client = wrap(genai.Client())``. Needs ``replayable[google-genai]``.

The SDK has no public place between its methods and its HTTP calls. All of ``models.generate_content``,
``generate_content_stream``, ``count_tokens``, chats, and their async twins end in four methods of its API client, with
the body as JSON: these are overridden, on a copy.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from typing import Any, Final, TypeVar, cast

from ..endpoints import served_model
from ..errors import ConfigurationError
from ..formats import format_named
from ..pipeline import Pipeline
from ..processor import Processor
from ..rule_memory import RuleMemory
from ._extras import missing_extra
from ._guard import Guard, GuardedCall, OnChange, collect_changes, unguarded
from ._streams import arestarted, restarted
from ._twins import class_of, twin

try:
    from google.genai import Client, models
    from google.genai.client import AsyncClient
except ModuleNotFoundError as _error:
    raise missing_extra(_error, "google-genai") from None

__all__ = ["collect_changes", "unguarded", "wrap"]

C = TypeVar("C", bound=Client)

# The calls that read a conversation: "models/gemini-…:generateContent", on Vertex with more in front.
_PATH: Final = re.compile(r"([^/:]{1,512}):(?:generateContent|streamGenerateContent|countTokens)(?:\?|$)")


def wrap(
    client: C,
    *,
    processors: Pipeline | Sequence[Processor] | None = None,
    memory: RuleMemory | None = None,
    on_change: OnChange | None = None,
) -> C:
    """Return a copy of a client whose content generation can't be refused for its history.

    ``models.generate_content``, ``generate_content_stream``, ``count_tokens``, ``chats``, and the same under ``aio``:
    every request is repaired for the model it goes to before it is sent, and once more after a rejection whose cause
    is known (a stream as long as no chunk has been handed out). Errors that no rule knows reach you as the SDK raised
    them. Everything else of the client, type included, stays as it is.

    Args:
        client: A client for the Gemini API or for Vertex AI; it stays as it is, and shares its connections.
            Of one that is wrapped already, these settings take the place of the former.
        processors: A pipeline, or the processors of one; those of ``Pipeline.default()`` unless given.
        memory: Where the default processors note which rule cured which model; the wrapped client's own unless given.
        on_change: Called with the changes of each request that differs from yours; or see ``collect_changes``.

    Raises:
        ConfigurationError: It is no such client; see ``Pipeline``; or ``memory`` came together with ``processors``.
    """
    if not isinstance(client, Client):
        raise ConfigurationError(f"{type(client).__name__} is no google-genai client")
    guard = Guard(processors, memory=memory, on_change=on_change)
    api = _guarded_api(vars(client)["_api_client"], guard)
    changed = {"_api_client": api, "_models": models.Models(api), "_aio": AsyncClient(api)}
    return cast(C, twin(client, _kept(client), {**vars(client), **changed}))


def _guarded_api(api: Any, guard: Guard) -> Any:
    original = class_of(api)
    provider = "vertex" if api.vertexai else "google"

    def start(path: str, body: Any) -> GuardedCall | None:
        match = _PATH.search(path)
        if match is None:
            return None
        return guard.start(format_named("gemini"), body, served_model(provider, match[1], "gemini"))

    def request(self: Any, http_method: str, path: str, request_dict: Any, http_options: Any = None) -> Any:
        def attempt(repaired: Any) -> Any:
            # The SDK takes keys of its own out of the body that it is given.
            return original.request(self, http_method, path, dict(repaired), http_options)

        call = start(path, request_dict)
        if call is None:
            return original.request(self, http_method, path, request_dict, http_options)
        return call.send(attempt)

    def request_streamed(
        self: Any, http_method: str, path: str, request_dict: Any, http_options: Any = None
    ) -> Iterator[Any]:
        def attempt(repaired: Any) -> Iterator[Any]:
            chunks: Iterator[Any] = original.request_streamed(
                self, http_method, path, dict(repaired), http_options
            )
            return chunks

        call = start(path, request_dict)
        if call is None:
            return attempt(request_dict)
        # A generator: it is sent, and refused, when the first chunk is asked for.
        return restarted(attempt(call.request()), call, lambda: attempt(call.request()))

    async def async_request(
        self: Any, http_method: str, path: str, request_dict: Any, http_options: Any = None
    ) -> Any:
        def attempt(repaired: Any) -> Awaitable[Any]:
            answer: Awaitable[Any] = original.async_request(
                self, http_method, path, dict(repaired), http_options
            )
            return answer

        call = start(path, request_dict)
        if call is None:
            return await original.async_request(self, http_method, path, request_dict, http_options)
        return await call.asend(attempt)

    async def async_request_streamed(
        self: Any, http_method: str, path: str, request_dict: Any, http_options: Any = None
    ) -> AsyncIterator[Any]:
        async def attempt(repaired: Any) -> AsyncIterator[Any]:
            chunks: AsyncIterator[Any] = await original.async_request_streamed(
                self, http_method, path, dict(repaired), http_options
            )
            return chunks

        call = start(path, request_dict)
        if call is None:
            return await attempt(request_dict)
        return arestarted(await call.asend(attempt), call, lambda: call.asend(attempt))

    methods = (request, request_streamed, async_request, async_request_streamed)
    # What is opened later (sessions, tokens) must be seen by both.
    return twin(api, {**_kept(api), **{method.__name__: method for method in methods}}, vars(api))


def _kept(original: Any) -> dict[str, Any]:
    """Fields of a class whose instances keep another object alive, since it closes shared connections when it goes."""

    def leave_open(self: Any) -> None:
        """The original closes them."""

    return {"_replayable_original": original, "__del__": leave_open}
