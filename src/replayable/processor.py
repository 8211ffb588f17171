"""The processor protocol: four hooks around a model call, each with one args object.

Hooks are synchronous and pure: no clock, no randomness, no I/O, no mutation. A hook returns None for "unchanged".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol, runtime_checkable

from .messages import Message, Messages
from .model_ref import ModelRef
from .prompt import Prompt
from .provider_error import ProviderError

__all__ = [
    "APIErrorArgs",
    "ErrorRepair",
    "HookArgs",
    "InputArgs",
    "InputStepArgs",
    "LLMRequestArgs",
    "Processor",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class HookArgs:
    """What every hook is told.

    Args:
        model: The model of the coming (or failed) call.
        step_number: Which model call of the run this is; starts at 0.
        retry_count: How many times this step was sent again after a rejection; starts at 0.
        new_messages: The messages that the run itself has added so far.
        request_context: The caller's own mapping.
        state: A dict private to this processor for this run.
        record: Call ``record(before, after, rule)`` with two versions of the messages or of the prompt to have a
            change listed under a rule's name. What a hook changes without recording it is listed under the processor.
        abort: Call ``abort(reason)`` to stop the run with ``RunAborted``.
    """

    model: ModelRef
    step_number: int
    retry_count: int
    new_messages: Messages
    request_context: Mapping[str, Any]
    state: dict[str, Any]
    record: Callable[[Prompt | Sequence[Message], Prompt | Sequence[Message], str], None]
    abort: Callable[[str], NoReturn]


@dataclass(frozen=True, slots=True, kw_only=True)
class InputArgs(HookArgs):
    """Args of ``process_input``: the messages that the run starts with."""

    messages: Messages


@dataclass(frozen=True, slots=True, kw_only=True)
class InputStepArgs(HookArgs):
    """Args of ``process_input_step``: the messages that this step would send."""

    messages: Messages


@dataclass(frozen=True, slots=True, kw_only=True)
class LLMRequestArgs(HookArgs):
    """Args of ``process_llm_request``: the prompt as it would be sent."""

    prompt: Prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class APIErrorArgs(HookArgs):
    """Args of ``process_api_error``: the run's history, and what the provider said.

    Args:
        messages: The stored history, not the prompt that was sent.
        error: The rejection; ``error.raw`` is what the caller caught.
        server_state: Whether the provider holds part of the history.
        last_resort: Whether what may be lost for nothing may be tried, too.
    """

    messages: Messages
    error: ProviderError
    server_state: bool
    last_resort: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRepair:
    """What ``process_api_error`` returns.

    Args:
        messages: The repaired history, which replaces the stored one; None when it stays as it is.
        retry: Whether the call is worth another try.
    """

    messages: Messages | None = None
    retry: bool = False


@runtime_checkable
class Processor(Protocol):
    """Something that looks at a history around a model call. Subclass it and override any of the hooks::

        class DropSystem(Processor):
            id = "drop-system"

            @override
            def process_llm_request(self, args: LLMRequestArgs) -> Prompt | None: ...

    Attributes:
        id: Names the processor in changes and errors.
        name: The name to display; the id unless set.
    """

    id: str

    @property
    def name(self) -> str:
        """The name to display."""
        return self.id

    def process_input(self, args: InputArgs) -> Messages | None:
        """Change the messages once, before the agent loop; lasts for the run's history."""
        return None

    def process_input_step(self, args: InputStepArgs) -> Messages | None:
        """Change the messages before every model call; lasts for this step."""
        return None

    def process_llm_request(self, args: LLMRequestArgs) -> Prompt | None:
        """Change the prompt right before it is sent to one model; lasts for this call only."""
        return None

    def process_api_error(self, args: APIErrorArgs) -> ErrorRepair | None:
        """Repair the stored history after the provider rejected the request, and ask to retry."""
        return None
