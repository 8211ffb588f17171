"""``CleanMessages``: ``clean_messages`` as a processor."""

from __future__ import annotations

from typing_extensions import override

from .compat.pairing_faults import PAIRING_FAULTS
from .compat.providers import takes_unanswered_turns, takes_unpaired
from .errors import ConfigurationError
from .facts import UNPAIRED
from .pairing import MissingResults, clean_messages
from .processor import APIErrorArgs, ErrorRepair, LLMRequestArgs, Processor
from .prompt import Prompt, facts_of_prompt, with_messages

__all__ = ["CleanMessages"]


class CleanMessages(Processor):
    """Repairs orphaned tool calls and results.

    Before a call this changes the prompt only. After a rejection that says that calls and results are not paired, the
    stored history is repaired too; what is still pending in it (a call that waits for approval or broke off) stays, since
    its result may yet come. Where the provider holds part of the history, calls and results that have no partner here are
    left alone; so is a turn whose calls have no results at all, where the model's provider takes it.

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
        if not facts_of_prompt(prompt) & UNPAIRED:
            return None
        model = prompt.model or args.model
        messages = clean_messages(
            prompt.messages,
            missing_results=self.missing_results,
            open_ended=bool(prompt.server_state) or takes_unpaired(model),
            keep_unanswered_turns=takes_unanswered_turns(model),
        )
        return None if messages is prompt.messages else with_messages(prompt, messages)

    @override
    def process_api_error(self, args: APIErrorArgs) -> ErrorRepair | None:
        if not any(said.matches(args.error) for fault in PAIRING_FAULTS for said in fault.evidence):
            return None
        messages = clean_messages(
            args.messages,
            missing_results=self.missing_results,
            open_ended=args.server_state,
            keep_pending=True,
        )
        return None if messages is args.messages else ErrorRepair(messages=tuple(messages), retry=True)
