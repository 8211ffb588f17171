"""The pipeline: an explicit list of processors, run in order: ``p3(p2(p1(history)))``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ._node import make
from .clean import CleanMessages
from .compat.processor import ProviderHistoryCompat
from .compat.provider import Provider
from .compat.providers import PROVIDERS, bound_to
from .errors import ConfigurationError
from .messages import validate_messages
from .model_ref import ModelRef
from .processor import Processor
from .prompt import Prompt, with_model
from .run import Prepared, Run, checked, hooks_of, prepared

__all__ = ["Pipeline"]


class Pipeline:
    """An ordered list of processors. It holds configuration only: one pipeline serves any number of concurrent runs.

    Args:
        processors: The processors, in the order in which they run.
        max_retries: How many times one model call may be tried again after a repaired rejection.

    Attributes:
        providers: The rows whose word counts for a model in its runs: those of its first ``ProviderHistoryCompat`` that
            was given other ones than the built-in rows, else these.

    Raises:
        ConfigurationError: Something in the list is not a processor, or ``max_retries`` is negative.
    """

    def __init__(self, processors: Sequence[Processor], *, max_retries: int = 1) -> None:
        self.processors: tuple[Processor, ...] = checked(processors)
        self._hooks = hooks_of(self.processors)
        if max_retries < 0:
            raise ConfigurationError(f"max_retries must be 0 or more, not {max_retries}")
        self.max_retries = max_retries
        self.providers: tuple[Provider, ...] = next(
            (
                processor.providers
                for processor in self.processors
                if isinstance(processor, ProviderHistoryCompat) and processor.providers is not PROVIDERS
            ),
            PROVIDERS,
        )

    @classmethod
    def default(cls) -> Pipeline:
        """Return what fits most agents: repaired pairs, then the rules of the provider that reads the prompt."""
        return cls([CleanMessages(missing_results="placeholder"), ProviderHistoryCompat()])

    def start(
        self,
        history: Prompt | Sequence[Any],
        *,
        model: Any = None,
        request_context: Mapping[str, Any] | None = None,
    ) -> Run:
        """Start a run: the input hooks see the history now, ``run.prompt()`` is called before each model call.

        Args:
            history: The messages (plain dicts validate too), or a prompt.
            model: What ``ModelRef.of`` accepts; without it the prompt's own model counts.
            request_context: The caller's own mapping, handed to every hook.
        """
        prompt = history if isinstance(history, Prompt) else make(Prompt, messages=validate_messages(history))
        if model is not None:
            ref = ModelRef.of(model)
            if ref != prompt.model:
                prompt = with_model(prompt, ref)
        prompt = bound_to(prompt, self.providers)
        return Run(
            self._hooks,
            prompt,
            model=prompt.model or ModelRef(),
            max_retries=self.max_retries,
            request_context=request_context,
        )

    def prepare(
        self,
        history: Prompt | Sequence[Any],
        *,
        model: Any = None,
        request_context: Mapping[str, Any] | None = None,
    ) -> Prepared:
        """Return the prompt for one model call, for those who want nothing else; arguments as for ``start``."""
        return prepared(self.start(history, model=model, request_context=request_context))
