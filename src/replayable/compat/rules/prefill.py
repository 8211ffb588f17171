"""Rule makers for an answer that the history ends with, which the model is to continue."""

from __future__ import annotations

from typing_extensions import Unpack

from ...edits import replace, with_parts
from ...facts import ASSISTANT
from ...messages import Messages, Part
from ..rule import CompatRule
from .making import RuleFields, message_rule

__all__ = ["no_trailing_space"]


def no_trailing_space(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Cut white space from the end of a final answer; a blank text goes, and the message with it if nothing is left."""

    def change(messages: Messages) -> Messages | None:
        if not messages or messages[-1].role != "assistant" or not messages[-1].parts:
            return None
        last = messages[-1]
        parts: list[Part] = list(last.parts)
        while parts and (end := parts[-1]).type == "text":
            text = end.text.rstrip()
            if text == end.text:
                break
            parts[-1:] = [replace(end, text=text)] if text else []
            if text:
                break
        if len(parts) == len(last.parts) and parts[-1] is last.parts[-1]:
            return None
        return (*messages[:-1], with_parts(last, parts)) if parts else messages[:-1]

    return message_rule(name, change, needs=ASSISTANT, **fields)
