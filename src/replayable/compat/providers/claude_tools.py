"""What Claude asks of the names of tools, on Anthropic's Messages API and behind gateways that speak another one."""

from __future__ import annotations

from typing import Final

from ...messages import AssistantMessage, ToolCallPart, ToolMessage, ToolResultPart, UserMessage
from ...model_ref import ModelRef
from ..rule import Evidence, Example
from ..rules.making import for_models
from ..rules.tool_names import tool_names

__all__ = ["TOOL_NAMES", "TOOL_NAME_LENGTH"]

_COMMAND: Final = "git log --oneline --graph --decorate --all " * 5


def _asks(name: str) -> AssistantMessage:
    return AssistantMessage([ToolCallPart(tool_call_id="toolu_1", tool_name=name, input={})])


_FOUND: Final = ToolMessage([ToolResultPart(tool_call_id="toolu_1", output="3 commits")])

TOOL_NAMES: Final = tool_names(
    "anthropic-tool-names",
    pattern=r"[a-zA-Z0-9_-]{1,128}",
    # Whole commands that a model had called for a tool went back until one was too long.
    undeclared=r"[\s\S]{1,200}",
    summary="Names of declared tools that Claude refuses are rewritten, the same in calls and in the tool choice; and names of"
    " calls that are empty or have more than 200 characters.",
    evidence=(
        Evidence(
            text="messages.{i}.content.{j}.tool_use.name: String should have at least 1 character",
            pattern=r"tool_use\.name: String should have at least 1 character",
            cause="A call names no tool: its stream broke, or was put together wrongly.",
            status=400,
            link="https://github.com/sipeed/picoclaw/issues/1658",
            date="2026-03-16",
        ),
        Evidence(
            text="messages.{i}.content.{j}.tool_use.name: String should have at most 200 characters",
            pattern=r"tool_use\.name: String should have at most \d+ characters",
            cause="A model took what it wanted to run for the name of a tool.",
            status=400,
            link="https://github.com/anthropics/claude-code/issues/2673",
            date="2025-06-27",
        ),
        Evidence(
            text="tools.{i}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
            pattern=r"tools\.\d+\.custom\.name: String should (?:match pattern|have at (?:least|most))",
            cause="A declared tool has dots, spaces or the like in its name, or too many characters.",
            status=400,
            link="https://github.com/modelcontextprotocol/modelcontextprotocol/issues/1345",
            date="2025-08-14",
        ),
    ),
    examples=(
        Example(
            title="A command that a model took for a tool",
            before=(UserMessage("What is new?"), _asks(_COMMAND), _FOUND),
            after=(
                UserMessage("What is new?"),
                _asks("git_log_--oneline_--graph_--decorate_--all_git_log_--onel_982aa9"),
                _FOUND,
            ),
        ),
    ),
)


def _is_on_bedrock(model: ModelRef) -> bool:
    return model.provider == "bedrock"


TOOL_NAME_LENGTH: Final = tool_names(
    "anthropic-bedrock-tool-name-length",
    pattern=r"[\s\S]{1,64}",
    undeclared=r"[\s\S]*",
    when=for_models(_is_on_bedrock),
    summary="Names of declared tools that have more than 64 characters are rewritten on Bedrock, the same in calls.",
    evidence=(
        Evidence(
            text="tools.{i}.custom.name: String should have at most 64 characters",
            cause="A declared tool has a longer name than Bedrock takes, as Anthropic's own API does.",
            status=400,
            link="https://github.com/anthropics/claude-code/issues/5132",
            date="2025-08-05",
        ),
    ),
)
