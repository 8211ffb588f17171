"""How rule makers make a rule: one change of messages, used before a call and after a rejection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Required, TypeAlias

from typing_extensions import TypedDict, Unpack

from ...messages import Messages
from ...model_ref import ModelRef
from ...prompt import Prompt, with_messages
from ..evidence import Evidence
from ..rule import CompatRule, Example

__all__ = [
    "ChangeMessages",
    "ForModels",
    "RuleFields",
    "begins_here",
    "for_models",
    "message_rule",
    "models_of",
    "thinking_said",
]

ChangeMessages: TypeAlias = Callable[[Messages], Messages | None]
"""A change of a history; None for "unchanged". Pure, idempotent."""


class RuleFields(TypedDict, total=False):
    """What every rule maker takes besides its own arguments.

    Args:
        summary: The rule's summary.
        evidence: The provider's words. Where one of them has a pattern, the rule also repairs the stored history after
            such a rejection, whatever ``when`` says: then the provider has spoken.
        examples: Histories before and after.
        when: For which prompts the rule runs before a call; all of them unless given.
        repair: What is done after a rejection, where that goes further than before a call.
        before_call: Whether it runs before a call at all; by default it does.
    """

    summary: Required[str]
    evidence: Required[tuple[Evidence, ...]]
    examples: tuple[Example, ...]
    when: Callable[[Prompt], bool]
    repair: ChangeMessages
    before_call: bool


def message_rule(
    name: str, change: ChangeMessages, *, needs: int | None = None, **fields: Unpack[RuleFields]
) -> CompatRule:
    """Return the rule that makes one change of a history.

    Args:
        name: The rule's name.
        change: The change.
        needs: Facts (see ``replayable.facts``) of which the history must have one for the change to have anything to do.
        fields: See ``RuleFields``.
    """
    when = fields.get("when")

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        if when is not None and not when(prompt):
            return None
        messages = change(prompt.messages)
        return None if messages is None else with_messages(prompt, messages)

    repair = fields.get("repair", change)
    answers = any(evidence.pattern is not None for evidence in fields["evidence"])
    return CompatRule(
        name=name,
        summary=fields["summary"],
        apply_to_prompt=apply_to_prompt if fields.get("before_call", True) else None,
        fix=(lambda messages, _error: repair(messages)) if answers else None,
        needs=needs,
        models=models_of(when),
        evidence=fields["evidence"],
        examples=fields.get("examples", ()),
    )


@dataclass(frozen=True, slots=True)
class ForModels:
    """The condition that something holds for a prompt's model or for one of its fallbacks.

    Args:
        holds: What is to hold. It must accept any model, and always say the same of it.
    """

    holds: Callable[[ModelRef], bool]

    def __call__(self, prompt: Prompt) -> bool:
        """Tell whether it holds for a prompt."""
        return prompt.model is not None and self.of(prompt.model)

    def of(self, model: ModelRef) -> bool:
        """Tell whether it holds for a model."""
        return any(map(self.holds, model.candidates()))


def for_models(holds: Callable[[ModelRef], bool]) -> ForModels:
    """Return the condition that something holds for a prompt's model or for one of its fallbacks."""
    return ForModels(holds)


def models_of(when: Callable[[Prompt], bool] | None) -> Callable[[ModelRef], bool] | None:
    """Return the models for which a rule's condition can hold, where it asks for nothing else; None: any may do."""
    return when.of if isinstance(when, ForModels) else None


def begins_here(prompt: Prompt) -> bool:
    """Tell whether the request is all there is: the provider holds no messages before it, and none of its tools."""
    return not prompt.server_state


def thinking_said(prompt: Prompt, api: str) -> bool | None:
    """Return whether thinking is on, as the request will say it: one that is written for another API leaves that out."""
    return prompt.thinking if prompt.api in (api, None) else None
