"""Rule makers for names: of tools, the same in calls, results, declared tools and the tool choice; and of speakers."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from typing_extensions import Unpack

from ...edits import map_messages, map_parts, replace
from ...facts import ODD_NAMES, WIRE_FIELDS
from ...messages import Message, Messages, Part
from ...prompt import Prompt, ToolChoice, facts_of_prompt, with_messages
from ...tool_call_ids import digest
from ...turns import client_calls
from ..rule import CompatRule
from .making import RuleFields, message_rule
from .wire_fields import options_of, with_options

__all__ = ["is_valid_name", "speaker_names", "tool_names"]

_VALID: Final = r"[a-zA-Z0-9_-]{1,64}"
_INVALID = re.compile(r"[^a-zA-Z0-9_-]+")


def is_valid_name(name: str) -> bool:
    """Tell whether a name is one of ``[a-zA-Z0-9_-]``, 1 to 64 characters."""
    return re.fullmatch(_VALID, name) is not None


def valid_name(name: str, *, max_length: int) -> str:
    """Return a name of ``[a-zA-Z0-9_-]`` that begins with a letter; it ends in a digest, so that no two become one."""
    stem = (
        _INVALID.sub("_", name[: max_length * 2]).lstrip("_-0123456789").rstrip("_")[: max_length - 7]
        or "tool"
    )
    return f"{stem}_{digest(name, 6)}"


def tool_names(
    name: str,
    *,
    pattern: str = _VALID,
    undeclared: str | None = None,
    max_length: int = 64,
    **fields: Unpack[RuleFields],
) -> CompatRule:
    """Rename the tools whose name does not match ``pattern``, everywhere in the prompt; valid names never change. A result
    whose name is empty takes that of its call.

    Args:
        name: The rule's name.
        pattern: What a whole name must match. Every name of ``[a-zA-Z_][a-zA-Z0-9_-]*`` up to 64 characters must.
        undeclared: What the name of a call must match before a call to the model where the request declares no such
            tool; ``pattern`` unless given.
        max_length: The longest name to make.
        fields: See ``RuleFields``.
    """
    valid = re.compile(pattern).fullmatch
    valid_undeclared = valid if undeclared is None else re.compile(undeclared).fullmatch

    def renamed(old: str) -> str:
        return old if valid(old) else valid_name(old, max_length=max_length)

    def rename_called(messages: Messages, stays: Callable[[str], object]) -> Messages | None:
        called = {
            call.tool_call_id: call.tool_name
            for message in messages
            for _, call in client_calls(message)
            if call.tool_call_id
        }

        def change(_message: Message, part: Part) -> Part:
            if (part.type != "tool_call" and part.type != "tool_result") or part.provider_executed:
                return part
            old = part.tool_name
            if part.type == "tool_result" and old == "":
                # It says nothing; its call does, if it has an id: by position is another rule's business.
                old = called.get(part.tool_call_id or "")
            if old is None:
                return part
            new = old if stays(old) else renamed(old)
            return part if new == part.tool_name else replace(part, tool_name=new)

        return map_parts(messages, change, needs=ODD_NAMES)

    rule = message_rule(name, lambda messages: rename_called(messages, valid), needs=None, **fields)
    when: Callable[[Prompt], bool] = fields.get("when", lambda prompt: True)

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        if not when(prompt):
            return None
        odd = {tool.name for tool in prompt.tools or () if tool.type == "function" and not valid(tool.name)}
        messages = None
        # Declared tools may have odd names, too, so the facts say only whether to look at the messages.
        if facts_of_prompt(prompt) & ODD_NAMES:
            messages = rename_called(
                prompt.messages, lambda called: called not in odd and valid_undeclared(called)
            )
        new = prompt if messages is None else with_messages(prompt, messages)
        if odd:
            tools = tuple(
                replace(tool, name=renamed(tool.name))
                if tool.type == "function" and tool.name in odd
                else tool
                for tool in prompt.tools or ()
            )
            new = replace(new, tools=tools, tool_choice=_renamed_choice(prompt.tool_choice, renamed))
        return None if new is prompt else new

    return CompatRule(
        name=rule.name,
        summary=rule.summary,
        apply_to_prompt=apply_to_prompt,
        fix=rule.fix,
        models=rule.models,
        evidence=rule.evidence,
        examples=rule.examples,
    )


def _renamed_choice(choice: ToolChoice | None, renamed: Callable[[str], str]) -> ToolChoice | None:
    if choice is None:
        return None
    name = None if choice.tool_name is None else renamed(choice.tool_name)
    allowed = None if choice.allowed is None else tuple(map(renamed, choice.allowed))
    same = name == choice.tool_name and allowed == choice.allowed
    return choice if same else replace(choice, tool_name=name, allowed=allowed)


def speaker_names(name: str, *, api: str, pattern: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Rewrite the ``name`` of a message (who speaks) where it does not match ``pattern``."""
    valid = re.compile(pattern).fullmatch

    def change(message: Message) -> Message:
        options = options_of(message, api)
        given = options.get("name")
        if message.role == "tool" or not isinstance(given, str) or valid(given):
            return message
        new: Message = with_options(message, api, {**options, "name": valid_name(given, max_length=64)})
        return new

    return message_rule(name, lambda messages: map_messages(messages, change), needs=WIRE_FIELDS, **fields)
