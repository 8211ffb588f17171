"""What every integration does around one model call: repair the request, send it, and once more after a rejection."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from traceback import format_tb
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from ..changes import Change
from ..clean import CleanMessages
from ..compat.processor import ProviderHistoryCompat
from ..compat.providers import bound_to
from ..errors import ConfigurationError, HistoryFormatError
from ..formats import Encoded, Format
from ..model_ref import ModelRef
from ..pipeline import Pipeline
from ..processor import Processor
from ..prompt import Prompt, with_messages, with_model
from ..provider_error import ProviderError
from ..rule_memory import RuleMemory
from ._known_histories import KnownHistories, KnownHistory

__all__ = [
    "Codec",
    "Guard",
    "GuardedCall",
    "OnChange",
    "collect_changes",
    "may_be_repaired",
    "repaired_history",
    "unguarded",
    "who_serves",
]

T = TypeVar("T")

OnChange: TypeAlias = Callable[[tuple[Change, ...]], None]
"""Called for each request that differs from what the caller gave, with every difference. What it raises is logged."""

_logger: Final = logging.getLogger("replayable.integrations")

_collectors: ContextVar[tuple[list[Change], ...]] = ContextVar("replayable_collectors", default=())
_off: ContextVar[bool] = ContextVar("replayable_off", default=False)

# Timeouts and rate limits say nothing about the history. Of the server errors only the plain 500 may: it is how
# llama.cpp, LM Studio and vLLM report that a chat template refused the messages.
_NEVER: Final = frozenset({408, 429})
_TEMPLATE_ERROR: Final = 500
_RESPONSES: Final = "openai_responses"


class Codec(Protocol):
    """Reads the requests of one API or framework and writes them; every ``Format`` is one."""

    @property
    def decode(self) -> Callable[[Any], Prompt]:
        """Read a request."""
        ...

    @property
    def encode(self) -> Callable[[Prompt], Encoded]:
        """Write a request."""
        ...


class Guard:
    """The configuration that all calls through one wrapped client share. Any number of threads and tasks may use it.

    Args:
        processors: A pipeline, or the processors of one; those of ``Pipeline.default()`` unless given.
        memory: Where the default processors note which reactive rule cured which model; the guard's own unless given,
            so that one rejected request is paid once.
        on_change: Told of the changes of each request.

    Raises:
        ConfigurationError: Something in ``processors`` is not a processor, or ``memory`` came with ``processors``.
    """

    def __init__(
        self,
        processors: Pipeline | Sequence[Processor] | None = None,
        *,
        memory: RuleMemory | None = None,
        on_change: OnChange | None = None,
    ) -> None:
        if processors is None:
            # An empty memory is still the caller's own.
            remembering = ProviderHistoryCompat(memory=RuleMemory() if memory is None else memory)
            processors = [CleanMessages(missing_results="placeholder"), remembering]
        elif memory is not None:
            raise ConfigurationError(
                "memory is for the default processors: give yours to ProviderHistoryCompat(memory=…) in the list"
            )
        self.pipeline = processors if isinstance(processors, Pipeline) else Pipeline(processors)
        self._on_change = on_change
        self._histories = KnownHistories()

    def start(self, codec: Codec, request: Any, model: ModelRef) -> GuardedCall | None:
        """Return the guarded call for a request; None when it is to go out as it is.

        That is so inside ``unguarded()``, and for a request that cannot be read: the provider shall say what it thinks
        of it.
        """
        if _off.get():
            return None
        try:
            if isinstance(codec, Format):
                prompt, known = self._histories.read(codec, request)
            else:
                # A framework's own messages go back as the very same objects.
                prompt, known = codec.decode(request), None
        except HistoryFormatError as error:
            _tell_unreadable(error)
            return None
        return GuardedCall(self, codec, request, prompt, model, known)

    def report(self, changes: Sequence[Change]) -> None:
        """Log changes by rule and id, never by content, and tell whoever wants to know."""
        if not changes:
            return
        told = tuple(changes)
        for change in told:
            _logger.info(
                "%s/%s %s message %s (id %s)",
                change.processor,
                change.rule,
                change.action,
                change.message_index,
                change.message_id,
            )
        for collector in _collectors.get():
            collector.extend(told)
        if self._on_change is not None:
            try:
                self._on_change(told)
            except Exception as error:
                # Whoever listens may fail, and the call goes on. The error's own words may be the conversation's.
                _logger.error("on_change raised %s\n%s", type(error).__name__, _places(error))


def _places(error: Exception) -> str:
    return "".join(format_tb(error.__traceback__))


def _tell_unreadable(error: HistoryFormatError) -> None:
    _logger.warning("request left unguarded: it can't be read at %s", error.path or "its top")


def _never() -> bool:
    return False


class GuardedCall:
    """One model call: ``request()`` before each try, ``recover(error)`` after a rejection.

    Attributes:
        given: The request as it was given.
        run: The run behind it; its ``messages`` are the repaired history.
    """

    def __init__(
        self,
        guard: Guard,
        codec: Codec,
        given: Any,
        prompt: Prompt,
        model: ModelRef,
        known: KnownHistory | None,
    ) -> None:
        self.given = given
        self._guard = guard
        self._codec = codec
        self._known = known
        self.run = guard.pipeline.start(self._bound(prompt, model))

    def request(self) -> Any:
        """Return the request to send now; ``given`` itself when nothing needed a change."""
        prompt = self.run.prompt().prompt
        if prompt is not self._untouched and self._known is not None:
            if not self._read_whole(self._known):
                return self.given
            prompt = self.run.prompt().prompt
        if prompt is self._untouched and isinstance(self._codec, Format):
            # What a format's request was read to is written as that very request.
            return self.given
        encoded = self._codec.encode(prompt)
        self._guard.report((*self.run.changes, *encoded.changes))
        return encoded.request

    def _read_whole(self, known: KnownHistory) -> bool:
        """Begin anew with what the caller sent: what is known was read from messages that are merely equal.

        Returns:
            False when it can't be read, and is to go out as it is: another kind of mapping may stand where a dict was.
        """
        known.read_whole = True
        try:
            prompt = self._codec.decode(self.given)
        except HistoryFormatError as error:
            _tell_unreadable(error)
            return False
        self._known = None
        bound = self._bound(prompt, self.run.model)
        self.run = self.run._begun_anew(bound)  # pyright: ignore[reportPrivateUsage]  # nobody else's business
        return True

    def _bound(self, prompt: Prompt, model: ModelRef) -> Prompt:
        self._prompt = prompt
        self._untouched = bound_to(with_model(prompt, model), self._guard.pipeline.providers)
        return self._untouched

    def stored(self) -> Any:
        """Return the history as it is to be stored: repaired where a rejection told so, else as it was given."""
        prompt = with_messages(self._prompt, self.run.messages)
        return self._codec.encode(prompt).request

    def recover(self, error: Any) -> bool:
        """Tell whether to send ``request()`` once more: the rejection's cause was known and repaired.

        Args:
            error: What ``ProviderError.of`` accepts.
        """
        rejection = ProviderError.of(error)
        if not may_be_repaired(rejection):
            return False
        if self._known is not None and not self._read_whole(self._known):
            return False
        return self.run.recover(rejection)

    def send(self, call: Callable[[Any], T], *, handed_out: Callable[[], bool] = _never) -> T:
        """Send through ``call``, once more after a repaired rejection.

        Args:
            call: Sends a request.
            handed_out: Tells whether something of the answer has reached the caller: then nothing is sent again.

        Raises:
            Exception: What ``call`` raised and nothing repaired, as the same object.
        """
        while True:
            request = self.request()
            try:
                return call(request)
            except Exception as error:
                if handed_out() or not self.recover(error):
                    raise

    async def asend(
        self, call: Callable[[Any], Awaitable[T]], *, handed_out: Callable[[], bool] = _never
    ) -> T:
        """Do what ``send`` does, with an async ``call``."""
        while True:
            request = self.request()
            try:
                return await call(request)
            except Exception as error:
                if handed_out() or not self.recover(error):
                    raise


def who_serves(given: ModelRef | None, told: ModelRef) -> ModelRef:
    """Return who serves a model: what the caller said of it, else what it tells.

    Args:
        given: What the caller said; a name says nothing of OpenAI's second API.
        told: What the framework's model tells.
    """
    if given is None:
        return told
    return ModelRef.of(given, api=_RESPONSES) if told.api == _RESPONSES else given


def may_be_repaired(error: ProviderError) -> bool:
    """Tell whether an error is a rejection of the request, as far as its status tells: 4xx, a template's 500, or none."""
    status = error.status
    return status is None or status == _TEMPLATE_ERROR or (400 <= status < 500 and status not in _NEVER)


def repaired_history(
    codec: Codec,
    messages: Sequence[T],
    on_change: OnChange | None = None,
    *,
    model: ModelRef | None = None,
    processors: Pipeline | Sequence[Processor] | None = None,
) -> list[T]:
    """Repair a stored history.

    Args:
        codec: Reads and writes a list of such messages.
        messages: They stay as they are.
        on_change: Called with the changes, if there are any.
        model: Who reads it next; without one only calls and results are repaired, unless there are ``processors``.
        processors: A pipeline, or the processors of one; those of ``Pipeline.default()`` unless given.

    Returns:
        A new list; what needed no repair is in it as the same object.
    """
    if model is None and processors is None:
        processors = [CleanMessages(missing_results="placeholder")]
    guard = Guard(processors, on_change=on_change)
    call = guard.start(codec, list(messages), ModelRef() if model is None else model)
    repaired: list[T] = list(messages) if call is None else list(call.request())
    return repaired


@contextmanager
def collect_changes() -> Generator[list[Change], None, None]:
    """Collect the changes of every guarded call inside the block, in this thread or task and the tasks it starts.

    A thread that is started inside the block tells of its calls when it runs in a copy of the context, as those of
    ``asyncio.to_thread`` do.

    Yields:
        A list that grows by the changes of each request sent.
    """
    changes: list[Change] = []
    token = _collectors.set((*_collectors.get(), changes))
    try:
        yield changes
    finally:
        _collectors.reset(token)


@contextmanager
def unguarded() -> Generator[None, None, None]:
    """Send the calls inside the block as they are: no prevention, no recovery.

    It reaches as far as ``collect_changes`` does.
    """
    token = _off.set(True)
    try:
        yield
    finally:
        _off.reset(token)
