"""Rule makers for empty and blank content."""

from __future__ import annotations

from ...edits import replace, with_parts
from ...facts import BLANK, facts_of
from ...messages import Message, Part, TextPart
from ...prompt import Prompt, with_messages
from ..rule import CompatRule, Evidence, Example

__all__ = ["drop_empty"]

# What stands in for a user turn that says nothing, where dropping it would change whose turn it is.
_PLACEHOLDER = "(empty message)"


def drop_empty(
    name: str, *, summary: str, evidence: tuple[Evidence, ...], examples: tuple[Example, ...] = ()
) -> CompatRule:
    """Drop blank text, and messages with nothing in them.

    An empty user message stays as a placeholder where an assistant message (or nothing) stands before it: dropping it
    would put two answers in a row. The final message may be an empty answer.
    """

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        out: list[Message] = []
        changed = False
        last = len(prompt.messages) - 1
        for index, message in enumerate(prompt.messages):
            new = _cleared(message)
            if not new.parts and not (index == last and new.role == "assistant"):
                if new.role == "user" and not (out and out[-1].role in ("user", "tool")):
                    new = with_parts(new, (TextPart(_PLACEHOLDER),))
                else:
                    changed = True
                    continue
            changed = changed or new is not message
            out.append(new)
        return with_messages(prompt, tuple(out)) if changed else None

    return CompatRule(
        name=name,
        summary=summary,
        apply_to_prompt=apply_to_prompt,
        needs=BLANK,
        evidence=evidence,
        examples=examples,
    )


def _cleared(message: Message) -> Message:
    if not facts_of(message) & BLANK:
        return message
    parts: list[Part] = []
    for part in message.parts:
        if part.type == "text" and not part.text.strip():
            continue
        if part.type == "tool_result" and part.content is not None and not part.provider_executed:
            content = tuple(item for item in part.content if item.type != "text" or item.text.strip())
            if len(content) < len(part.content):
                part = replace(part, content=content)
        parts.append(part)
    if len(parts) == len(message.parts) and all(
        new is old for new, old in zip(parts, message.parts, strict=True)
    ):
        return message
    return with_parts(message, parts)
