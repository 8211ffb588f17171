"""``CleanMessages``: ``clean_messages`` as a processor."""

from __future__ import annotations

from typing_extensions import override

from .errors import ConfigurationError
from .pairing import MissingResults, clean_messages
from .processor import LLMRequestArgs, Processor
from .prompt import Prompt, with_messages

__all__ = ["CleanMessages"]


class CleanMessages(Processor):
    """Repairs orphaned tool calls and results in the outgoing prompt; the stored history stays as it is.

    Where the provider holds part of the history, calls and results that have no partner here are left alone.

    Args:
        missing_results: As for ``clean_messages``.

    Raises:
        ConfigurationError: ``missing_results`` is neither ``"drop"`` nor ``"placeholder"``.
    """

    id = "clean-messages"

    def __init__(self, missing_results: MissingResults = "drop") -> None:
        if missing_results not in ("drop", "placeholder"):
            raise ConfigurationError(
                f"missing_results must be 'drop' or 'placeholder', not {missing_results!r}"
            )
        self.missing_results: MissingResults = missing_results

    @override
    def process_llm_request(self, args: LLMRequestArgs) -> Prompt | None:
        prompt = args.prompt
        messages = clean_messages(
            prompt.messages, missing_results=self.missing_results, open_ended=bool(prompt.server_state)
        )
        return None if messages is prompt.messages else with_messages(prompt, messages)
