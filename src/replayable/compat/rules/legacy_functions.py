"""Rule makers for the older form of calls on OpenAI's Chat wire: ``function_call``, ``functions``, the role ``function``."""

from __future__ import annotations

from typing import Any, Final

from typing_extensions import Unpack

from ...edits import map_messages, replace, with_parts
from ...facts import CALLS, TOOL, facts_of
from ...messages import Message, Messages, Part
from ...prompt import Prompt, with_messages
from ..rule import CompatRule
from .making import RuleFields, message_rule
from .tool_call_ids import with_missing_ids
from .wire_fields import options_of, with_options

__all__ = ["functions_as_tools", "is_legacy"]

_CHAT: Final = "openai_chat"
_LEGACY: Final = "$legacy"


def is_legacy(part: Any) -> bool:
    """Whether a call or a declared tool stood in the older form."""
    return part.type in ("tool_call", "function") and bool(options_of(part, _CHAT).get(_LEGACY))


def functions_as_tools(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Send calls, results and declared functions of the older form as tools, with ids."""
    rule = message_rule(name, _as_tool_calls, needs=CALLS | TOOL, **fields)
    when = fields.get("when")

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        if when is not None and not when(prompt):
            return None
        messages = _as_tool_calls(prompt.messages)
        new = prompt if messages is None else with_messages(prompt, messages)
        if any(map(is_legacy, prompt.tools or ())):
            new = replace(new, tools=tuple(map(_without_note, prompt.tools or ())))
        return None if new is prompt else new

    return CompatRule(
        name=name,
        summary=rule.summary,
        apply_to_prompt=apply_to_prompt,
        fix=rule.fix,
        models=rule.models,
        needs=CALLS | TOOL,
        evidence=rule.evidence,
        examples=rule.examples,
    )


def _as_tool_calls(messages: Messages) -> Messages | None:
    def change(message: Message) -> Message:
        if message.role == "tool" and options_of(message, _CHAT).get("role") == "function":
            options = {key: value for key, value in options_of(message, _CHAT).items() if key != "role"}
            renamed: Message = with_options(message, _CHAT, options)
            return renamed
        if not facts_of(message) & CALLS or not any(map(is_legacy, message.parts)):
            return message
        parts: list[Part] = [_without_note(part) for part in message.parts]
        return with_parts(message, parts)

    changed = map_messages(messages, change)
    if changed is None:
        return None
    return with_missing_ids(changed) or changed


def _without_note(node: Any) -> Any:
    if not is_legacy(node):
        return node
    options = options_of(node, _CHAT)
    return with_options(node, _CHAT, {key: value for key, value in options.items() if key != _LEGACY})
