"""Rule makers for where system messages may stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ...edits import replace
from ...facts import SYSTEM
from ...messages import Message, Messages
from ...model_ref import ModelRef
from ...prompt import Prompt, with_messages
from ...provider_error import ProviderError
from ..rule import CompatRule, Evidence, Example
from .system_messages import changes_tools, told_by_user

__all__ = ["later_system_as_user"]

# Wires that have a place of its own for the system prompt.
_BESIDE_THE_LIST: Final = ("anthropic", "bedrock")


def later_system_as_user(
    name: str,
    *,
    in_list: Callable[[ModelRef], bool],
    tool_changes_of: str | None = None,
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
        tool_changes_of: The API, where it takes one there that changes the tools in its own way, whatever the model.
        summary: The rule's summary.
        evidence: The provider's words.
        examples: Before and after.
    """

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        allowed = prompt.model is not None and any(map(in_list, prompt.model.candidates()))
        messages = _moved(
            prompt.messages,
            in_list=allowed,
            to_top=prompt.api in _BESIDE_THE_LIST,
            changed_by=tool_changes_of,
        )
        return None if messages is None else with_messages(prompt, messages)

    def fix(messages: Messages, _error: ProviderError) -> Messages | None:
        # The provider has spoken: it takes none in the list, wherever it stands.
        return _moved(messages, in_list=False, to_top=True)

    return CompatRule(
        name=name,
        summary=summary,
        apply_to_prompt=apply_to_prompt,
        fix=fix if any(said.pattern is not None for said in evidence) else None,
        needs=SYSTEM,
        evidence=evidence,
        examples=examples,
    )


def _moved(
    messages: Messages, *, in_list: bool, to_top: bool, changed_by: str | None = None
) -> Messages | None:
    """Put the leading system messages beside the list, if there is such a place, and tell later ones as the user's, except
    those that change the tools in the way of the API ``changed_by``.
    """
    out: list[Message] = []
    changed, leading = False, True
    for index, message in enumerate(messages):
        if message.role != "system":
            leading = False
        elif leading:
            if message.placement == "list" and to_top:
                message = replace(message, placement="top")
                changed = True
        elif not (in_list and _stands_well(messages, index)) and not _changes_tools_of(message, changed_by):
            changed = True
            told = told_by_user(message)
            if told is None:
                continue
            message = told
        out.append(message)
    return tuple(out) if changed else None


def _changes_tools_of(message: Message, api: str | None) -> bool:
    return any(part.type == "opaque" and part.api == api and changes_tools(part) for part in message.parts)


def _stands_well(messages: Messages, index: int) -> bool:
    return messages[index - 1].role in ("user", "tool") and (
        index + 1 == len(messages) or messages[index + 1].role == "assistant"
    )
