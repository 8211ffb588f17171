"""Rule makers for where system messages may stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ...edits import replace
from ...facts import SYSTEM
from ...messages import Message
from ...model_ref import ModelRef
from ...prompt import Prompt, with_messages
from ..rule import CompatRule, Evidence, Example
from .system_messages import system_as_user

__all__ = ["later_system_as_user"]

# Wires that have a place of its own for the system prompt.
_BESIDE_THE_LIST: Final = ("anthropic", "bedrock")


def later_system_as_user(
    name: str,
    *,
    in_list: Callable[[ModelRef], bool],
    summary: str,
    evidence: tuple[Evidence, ...],
    examples: tuple[Example, ...] = (),
) -> CompatRule:
    """Turn a system message that stands among the others into a user message between ``<system>`` tags.

    It stays where it is, so that the prompt before it does not change (moving it to the top would void the cache of all
    that follows). One that says nothing goes. The leading ones are the system prompt and stay what they are.

    Args:
        name: The rule's name.
        in_list: Whether a model takes a system message after a user's, before an assistant's or at the end.
        summary: The rule's summary.
        evidence: The provider's words.
        examples: Before and after.
    """

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        messages = prompt.messages
        allowed = prompt.model is not None and any(in_list(model) for model in prompt.model.candidates())
        out: list[Message] = []
        changed, leading = False, True
        for index, message in enumerate(messages):
            if message.role != "system":
                leading = False
            elif leading:
                if message.placement == "list" and prompt.api in _BESIDE_THE_LIST:
                    message = replace(message, placement="top")
                    changed = True
            elif not (allowed and _stands_well(messages, index)):
                changed = True
                if all(part.type == "text" and not part.text.strip() for part in message.parts):
                    # Between tags it would look like something, and no rule for empties would find it.
                    continue
                message = system_as_user(message)
            out.append(message)
        return with_messages(prompt, tuple(out)) if changed else None

    return CompatRule(
        name=name,
        summary=summary,
        apply_to_prompt=apply_to_prompt,
        needs=SYSTEM,
        evidence=evidence,
        examples=examples,
    )


def _stands_well(messages: tuple[Message, ...], index: int) -> bool:
    return messages[index - 1].role in ("user", "tool") and (
        index + 1 == len(messages) or messages[index + 1].role == "assistant"
    )
