"""One run of an agent: its history, and the prompt of each of its model calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NoReturn, TypeAlias, TypeVar

from .change_log import ChangeLog
from .changes import Change
from .errors import ConfigurationError, ProcessorError, ReplayableError, RunAborted
from .messages import Message, Messages, validate_messages
from .model_ref import ModelRef
from .processor import APIErrorArgs, ErrorRepair, InputArgs, InputStepArgs, LLMRequestArgs, Processor
from .prompt import Prompt, with_messages, with_more_messages
from .provider_error import ProviderError

__all__ = ["Prepared", "Run"]

T = TypeVar("T")

_HOOKS: Final = ("process_input", "process_input_step", "process_llm_request", "process_api_error")
Hooks: TypeAlias = Mapping[str, tuple[tuple[int, Processor], ...]]
"""The name of a hook -> the processors that have it, in order, each with its place in the pipeline."""
_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


class Prepared:
    """A prompt that is ready to be sent.

    Attributes:
        prompt: The prompt; the very same object as given when no processor changed anything.
    """

    __slots__ = ("_logs", "prompt")

    def __init__(self, prompt: Prompt, logs: Iterable[ChangeLog]) -> None:
        self.prompt: Prompt = prompt
        self._logs = tuple(logs)

    @property
    def changes(self) -> tuple[Change, ...]:
        """What the processors changed, in order. It is found by comparing when it is first asked for."""
        return tuple(change for log in self._logs for change in log.changes)


class Run:
    """One run: made by ``Pipeline.start``, which see. Three ways to use it:

    - ``run.prompt()`` before each call, ``run.recover(error)`` after a rejection (True: call again with a new
      ``run.prompt()``), ``run.extend(messages)`` with what came of it. For streams this is the way: recover as long as
      nothing has been handed out.
    - ``run.call(send)`` or ``await run.acall(send)``, which do the first two around your ``send``.
    - one ``run.prompt()``, when the prompt is all you want (``Pipeline.prepare``).

    Attributes:
        model: The model of the calls.
    """

    def __init__(
        self,
        hooks: Hooks,
        prompt: Prompt,
        *,
        model: ModelRef,
        max_retries: int = 1,
        request_context: Mapping[str, Any] | None = None,
        states: dict[int, dict[str, Any]] | None = None,
    ) -> None:
        self.model = model
        self._max_retries = max_retries
        self._hooks = hooks
        # The history as a prompt: with what is known about its messages, so that a step looks only at what is new.
        self._history = prompt
        self._request_context = request_context if request_context is not None else _NOTHING
        self._states: dict[int, dict[str, Any]] = {} if states is None else states
        self._step_number = 0
        self._retry_count = 0
        self._lasting = ChangeLog(prompt.messages)
        self._latest = ChangeLog()
        self._repaired: dict[str, None] = {}
        self._first_new = 0
        messages = self._through_messages("process_input", prompt.messages, self._lasting)
        self._history = _with(prompt, messages)
        self._first_new = len(messages)

    @property
    def messages(self) -> Messages:
        """The run's history, with what the input hooks and repairs made of it: this is what to store."""
        return self._history.messages

    @property
    def repaired_message_ids(self) -> tuple[str, ...]:
        """The ids of the stored messages that a repair changed or removed, in order: these are to be stored anew."""
        return tuple(self._repaired)

    @property
    def changes(self) -> tuple[Change, ...]:
        """What the input hooks and repairs changed so far, then what was changed in the latest prompt alone."""
        return (*self._lasting.changes, *self._latest.changes)

    def extend(self, messages: Sequence[Any]) -> None:
        """Add what the model answered and what its tools returned; plain dicts validate too."""
        new = validate_messages(messages)
        self._history = with_more_messages(self._history, new)
        self._lasting.extend(new)
        self._step_number += 1
        self._retry_count = 0

    def prompt(self) -> Prepared:
        """Return the prompt for the next model call."""
        # A log for each prompt: what it changed is forgotten with it, however many prompts a run has.
        log = self._latest = ChangeLog(outer=self._lasting)
        hook = "process_llm_request"
        prompt = _with(
            self._history, self._through_messages("process_input_step", self._history.messages, log)
        )
        for index, processor in self._hooks[hook]:
            args = LLMRequestArgs(prompt=prompt, **self._common(index, processor, hook, log))
            known = len(log)
            result = self._call(processor, hook, args)
            if result is None or result is prompt:
                continue
            if len(log) == known:
                log.record(prompt, result, processor=processor.id)
            prompt = result
        return Prepared(prompt, [log])

    def recover(self, error: Any, *, last_resort: bool = True) -> bool:
        """Repair the history after the provider rejected the request.

        Args:
            error: What the SDK raised, an error body, or its text.
            last_resort: Whether a rejection that says nothing may be answered by a full clean-up. Not where what was
                sent lacked repairs that are made now: those may be the answer.

        Returns:
            Whether to call again, with a new ``run.prompt()``. False when no processor knows a repair, or after
            ``max_retries`` tries for this step; a repair is kept even then, for the next turn.

        Raises:
            ProcessorError: A processor raised.
            RunAborted: A processor stopped the run.
        """
        rejection = ProviderError.of(error)
        hook = "process_api_error"
        retry = False
        for index, processor in self._hooks[hook]:
            seen = len(self._lasting.changes)
            args = APIErrorArgs(
                messages=self.messages,
                error=rejection,
                server_state=bool(self._history.server_state),
                last_resort=last_resort,
                **self._common(index, processor, hook, self._lasting),
            )
            repair: ErrorRepair | None = self._call(processor, hook, args)
            if repair is None:
                continue
            retry = retry or repair.retry
            if repair.messages is not None and repair.messages is not self.messages:
                self._persist(validate_messages(repair.messages), processor, seen)
        if not retry or self._retry_count >= self._max_retries:
            return False
        self._retry_count += 1
        return True

    def call(self, send: Callable[[Prompt], T]) -> T:
        """Call the model through ``send``, and once more when a rejection could be repaired.

        Raises:
            Exception: What ``send`` raised and nothing repaired, as the same object.
        """
        while True:
            prompt = self.prompt().prompt
            try:
                return send(prompt)
            except Exception as error:
                if not self.recover(error):
                    raise

    async def acall(self, send: Callable[[Prompt], Awaitable[T]]) -> T:
        """Do what ``call`` does, with an async ``send``."""
        while True:
            prompt = self.prompt().prompt
            try:
                return await send(prompt)
            except Exception as error:
                if not self.recover(error):
                    raise

    def _begun_anew(self, history: Prompt) -> Run:
        """Return a run with another reading of the same history; what the processors noted in this one still holds."""
        return Run(
            self._hooks,
            history,
            model=self.model,
            max_retries=self._max_retries,
            request_context=self._request_context,
            states=self._states,
        )

    def _persist(self, messages: Messages, processor: Processor, seen: int) -> None:
        if len(self._lasting.changes) == seen:
            self._lasting.record(self.messages, messages, processor=processor.id)
        # A repair may add or drop messages in front of the run's own.
        new = self.messages[self._first_new :]
        own = {id(message) for message in new}
        self._first_new = next(
            (index for index, message in enumerate(messages) if id(message) in own),
            max(len(messages) - len(new), 0),
        )
        self._history = with_messages(self._history, messages)
        for change in self._lasting.changes[seen:]:
            if change.message_id is not None:
                self._repaired.setdefault(change.message_id)

    def _through_messages(self, hook: str, messages: Messages, log: ChangeLog) -> Messages:
        kind = InputArgs if hook == "process_input" else InputStepArgs
        for index, processor in self._hooks[hook]:
            known = len(log)
            args = kind(messages=messages, **self._common(index, processor, hook, log))
            result = self._call(processor, hook, args)
            if result is None or result is messages:
                continue
            result = validate_messages(result)
            if len(log) == known:
                log.record(messages, result, processor=processor.id)
            messages = result
        return messages

    def _common(self, index: int, processor: Processor, hook: str, log: ChangeLog) -> dict[str, Any]:
        def abort(reason: str) -> NoReturn:
            raise RunAborted(reason, processor.id, hook)

        def record(before: Prompt | Sequence[Message], after: Prompt | Sequence[Message], rule: str) -> None:
            log.record(before, after, processor=processor.id, rule=rule)

        return {
            "model": self.model,
            "step_number": self._step_number,
            "retry_count": self._retry_count,
            "new_messages": self.messages[self._first_new :] if hook != "process_input" else (),
            "request_context": self._request_context,
            "state": self._states.setdefault(index, {}),
            "record": record,
            "abort": abort,
        }

    @staticmethod
    def _call(processor: Processor, hook: str, args: Any) -> Any:
        try:
            return getattr(processor, hook)(args)
        except ReplayableError:
            raise
        except Exception as error:
            raise ProcessorError(processor.id, hook, f"{type(error).__name__}: {error}") from error


def prepared(run: Run) -> Prepared:
    """Return a run's next prompt, with what was changed before it, too."""
    prompt = run.prompt().prompt
    logs = (run._lasting, run._latest)  # pyright: ignore[reportPrivateUsage]  # nobody else's business
    return Prepared(prompt, logs)


def _with(prompt: Prompt, messages: Messages) -> Prompt:
    return prompt if messages is prompt.messages else with_messages(prompt, messages)


def hooks_of(processors: Sequence[Processor]) -> Hooks:
    """Return who has which hook: whose class has its own body for it, since the protocol's does nothing."""
    return {
        hook: tuple(
            (index, processor)
            for index, processor in enumerate(processors)
            if getattr(type(processor), hook, None) is not getattr(Processor, hook)
        )
        for hook in _HOOKS
    }


def checked(processors: Sequence[Any]) -> tuple[Processor, ...]:
    """Return the processors as a tuple.

    Raises:
        ConfigurationError: One of them is a class, or lacks an id or a hook.
    """
    for processor in processors:
        if isinstance(processor, type):
            raise ConfigurationError(f"{processor.__name__} is a class: put an instance of it into the list")
        lacking = [name for name in ("id", *_HOOKS) if not hasattr(processor, name)]
        if lacking:
            raise ConfigurationError(
                f"{type(processor).__name__} is not a processor: it has no {', '.join(lacking)};"
                " subclass replayable.Processor"
            )
    return tuple(processors)
