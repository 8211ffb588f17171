"""Rule makers for an answer that the history ends with, which the model is to continue."""

from __future__ import annotations

from typing_extensions import Unpack

from ...edits import replace, with_parts
from ...facts import ASSISTANT
from ...messages import Message, Messages, Part
from ..rule import CompatRule
from .empties import is_empty_answer
from .making import RuleFields, message_rule

__all__ = ["no_trailing_space"]


def no_trailing_space(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Cut white space from the end of a final answer; a blank text goes, and the message with it if nothing is left."""

    def change(messages: Messages) -> Messages | None:
        end = len(messages)
        while end and _is_empty(messages[end - 1]):
            # To the provider, answers in a row are one.
            end -= 1
        if not end or messages[end - 1].role != "assistant":
            return None
        last = messages[end - 1]
        parts: list[Part] = list(last.parts)
        while parts and (final := parts[-1]).type == "text":
            text = final.text.rstrip()
            if text == final.text:
                break
            parts[-1:] = [replace(final, text=text)] if text else []
            if text:
                break
        if len(parts) == len(last.parts) and parts[-1] is last.parts[-1]:
            return None
        kept = (with_parts(last, parts),) if parts else ()
        return (*messages[: end - 1], *kept, *messages[end:])

    return message_rule(name, change, needs=ASSISTANT, **fields)


def _is_empty(message: Message) -> bool:
    return message.role == "assistant" and (not message.parts or is_empty_answer(message))
