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
from .tools_as_text import told_as_text

__all__ = ["declare_used_tools"]


def declare_used_tools(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Declare the tools that the history calls, where the request declares none; their parameters are left open.

    After a rejection, when only the history can be changed, calls and results are told as text instead.
    """
    when = fields.get("when")
    as_text = told_as_text(lambda message: True)
    answers = any(evidence.pattern is not None for evidence in fields["evidence"])

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        # A bare list of messages says nothing of the tools that go with it.
        if prompt.tools or prompt.request is None or (when is not None and not when(prompt)):
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
        fix=(lambda messages, _error: as_text(messages)) if answers else None,
        needs=CALLS,
        evidence=fields["evidence"],
        examples=fields.get("examples", ()),
    )
