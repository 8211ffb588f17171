"""Rule makers for tags inside text."""

from __future__ import annotations

import re

from ...edits import map_parts, replace
from ...facts import SYSTEM, USER
from ...messages import Message, Part
from ...prompt import Prompt, with_messages
from ..rule import CompatRule, Evidence, Example

__all__ = ["rename_tag"]


def rename_tag(
    name: str,
    *,
    old: str,
    new: str,
    summary: str,
    evidence: tuple[Evidence, ...],
    examples: tuple[Example, ...] = (),
) -> CompatRule:
    """Rename a tag in user and system text; its attributes and what it holds stay."""
    tag = re.compile(rf"<(/?){re.escape(old)}(?=[\s/>])")
    mark = f"{old}"

    def rename(message: Message, part: Part) -> Part:
        if part.type != "text" or mark not in part.text:
            return part
        text = tag.sub(rf"<\g<1>{new}", part.text)
        return part if text == part.text else replace(part, text=text)

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        messages = map_parts(prompt.messages, rename, needs=USER | SYSTEM)
        return None if messages is None else with_messages(prompt, messages)

    return CompatRule(
        name=name,
        summary=summary,
        apply_to_prompt=apply_to_prompt,
        needs=USER | SYSTEM,
        evidence=evidence,
        examples=examples,
    )
