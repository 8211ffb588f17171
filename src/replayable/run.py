"""One run of an agent: its history, and the prompt of each of its model calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, NoReturn

from .changes import Change, ChangeLog
from .errors import ConfigurationError, ProcessorError, ReplayableError, RunAborted
from .messages import Message, Messages, validate_messages
from .model_ref import ModelRef
from .processor import InputArgs, InputStepArgs, LLMRequestArgs, Processor
from .prompt import Prompt, with_messages

__all__ = ["Prepared", "Run"]

_HOOKS: Final = ("process_input", "process_input_step", "process_llm_request")
_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A prompt that is ready to be sent.

    Args:
        prompt: The prompt; the very same object as given when no processor changed anything.
        changes: What the processors changed, in order.
    """

    prompt: Prompt
    changes: tuple[Change, ...]


class Run:
    """One run: made by ``Pipeline.start``, which see.

    Attributes:
        model: The model of the calls.
    """

    def __init__(
        self,
        processors: Sequence[Processor],
        prompt: Prompt,
        *,
        model: ModelRef,
        request_context: Mapping[str, Any] | None = None,
    ) -> None:
        self.model = model
        self._processors = processors
        self._template = prompt
        self._request_context = request_context if request_context is not None else _NOTHING
        self._states: dict[int, dict[str, Any]] = {}
        self._step_number = 0
        self._retry_count = 0
        self._log = ChangeLog(prompt.messages)
        self._messages = self._through_messages("process_input", prompt.messages)
        self._first_new = len(self._messages)

    @property
    def messages(self) -> Messages:
        """The run's history."""
        return self._messages

    @property
    def changes(self) -> tuple[Change, ...]:
        """Everything that the processors changed so far, in order."""
        return tuple(self._log.changes)

    def extend(self, messages: Sequence[Any]) -> None:
        """Add what the model answered and what its tools returned; plain dicts validate too."""
        self._messages = (*self._messages, *validate_messages(messages))
        self._step_number += 1
        self._retry_count = 0

    def prompt(self) -> Prepared:
        """Return the prompt for the next model call."""
        seen = len(self._log.changes)
        messages = self._through_messages("process_input_step", self._messages)
        prompt = (
            self._template if messages is self._template.messages else with_messages(self._template, messages)
        )
        for index, processor in enumerate(self._processors):
            if not _overrides(processor, "process_llm_request"):
                continue
            args = LLMRequestArgs(prompt=prompt, **self._common(index, "process_llm_request"))
            known = len(self._log.changes)
            result = self._call(processor, "process_llm_request", args)
            if result is None or result is prompt:
                continue
            if len(self._log.changes) == known:
                self._log.record(prompt, result, processor=processor.id)
            prompt = result
        return Prepared(prompt=prompt, changes=tuple(self._log.changes[seen:]))

    def _through_messages(self, hook: str, messages: Messages) -> Messages:
        for index, processor in enumerate(self._processors):
            if not _overrides(processor, hook):
                continue
            kind = InputArgs if hook == "process_input" else InputStepArgs
            known = len(self._log.changes)
            result = self._call(processor, hook, kind(messages=messages, **self._common(index, hook)))
            if result is None or result is messages:
                continue
            result = validate_messages(result)
            if len(self._log.changes) == known:
                self._log.record(messages, result, processor=processor.id)
            messages = result
        return messages

    def _common(self, index: int, hook: str) -> dict[str, Any]:
        processor = self._processors[index]

        def abort(reason: str) -> NoReturn:
            raise RunAborted(reason, processor.id, hook)

        def record(before: Prompt | Sequence[Message], after: Prompt | Sequence[Message], rule: str) -> None:
            self._log.record(before, after, processor=processor.id, rule=rule)

        return {
            "model": self.model,
            "step_number": self._step_number,
            "retry_count": self._retry_count,
            "new_messages": self._messages[self._first_new :] if hook != "process_input" else (),
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


def _overrides(processor: Processor, hook: str) -> bool:
    """Whether the processor's class has its own body for the hook; the protocol's does nothing."""
    return getattr(type(processor), hook, None) is not getattr(Processor, hook)


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
