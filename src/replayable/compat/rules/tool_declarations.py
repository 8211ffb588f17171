"""Rule makers for declared tools."""

from __future__ import annotations

from typing_extensions import Unpack

from ..._node import make
from ...edits import replace
from ...facts import CALLS
from ...prompt import Prompt, ToolDefinition
from ...turns import client_calls
from ..rule import CompatRule
from .making import RuleFields

__all__ = ["declare_used_tools"]


def declare_used_tools(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Declare the tools that the history calls, where the request declares none; their parameters are left open."""
    when = fields.get("when")

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        if prompt.tools or (when is not None and not when(prompt)):
            return None
        used = dict.fromkeys(
            call.tool_name for message in prompt.messages for _, call in client_calls(message)
        )
        if not used:
            return None
        parameters = {"type": "object", "properties": {}}
        tools = tuple(make(ToolDefinition, name=tool_name, parameters=parameters) for tool_name in used)
        return replace(prompt, tools=tools)

    return CompatRule(
        name=name,
        summary=fields["summary"],
        apply_to_prompt=apply_to_prompt,
        needs=CALLS,
        evidence=fields["evidence"],
        examples=fields.get("examples", ()),
    )
