"""Rule makers for tools that a provider's own server executed."""

from __future__ import annotations

from ...edits import drop_parts
from ...facts import SERVER_TOOLS
from ...messages import AssistantMessage, Message, Part, TextPart, ToolCallPart, ToolResultPart, UserMessage
from ...model_ref import ModelRef
from ...prompt import Prompt, with_messages
from ..rule import CompatRule, Evidence, Example

__all__ = ["strip_foreign_provider_executed_tools"]


def strip_foreign_provider_executed_tools(name: str) -> CompatRule:
    """Drop the calls, with their results, that a server of another provider executed; the text around them stays.

    Whose server it was is told by the message's ``provider``, else by its ``api``. Where neither tells, they stay.
    """

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        model = prompt.model
        if model is None or (model.provider is None and model.api is None):
            return None
        foreign = False

        def unwanted(message: Message, part: Part) -> bool:
            nonlocal foreign
            if message.role == "assistant":
                foreign = _is_foreign(message, model)
            # A tool message follows the assistant message whose calls it answers.
            return foreign and part.type in ("tool_call", "tool_result") and part.provider_executed

        messages = drop_parts(prompt.messages, unwanted, needs=SERVER_TOOLS)
        return None if messages is None else with_messages(prompt, messages)

    return CompatRule(
        name=name,
        summary="A call that one provider's server executed means nothing to another: it leaves with its result.",
        apply_to_prompt=apply_to_prompt,
        needs=SERVER_TOOLS,
        evidence=(
            Evidence(
                text="messages.{i}.content.{j}.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",
                status=400,
                link="https://github.com/ding113/claude-code-hub/issues/470",
                date="2025-12-27",
            ),
        ),
        examples=(_EXAMPLE,),
    )


def _is_foreign(message: AssistantMessage, model: ModelRef) -> bool:
    if message.provider is not None:
        made_by = ModelRef.of({"provider": message.provider, "model": message.model}).provider
        return all(candidate.provider not in (None, made_by) for candidate in model.candidates())
    if message.api is None:
        return False
    return all(candidate.api not in (None, message.api) for candidate in model.candidates())


_EXAMPLE = Example(
    title="A web search that another provider ran",
    before=(
        UserMessage("What's new in Oslo?"),
        AssistantMessage(
            parts=[
                ToolCallPart(
                    tool_call_id="ws_1", tool_name="web_search", input={"q": "Oslo"}, provider_executed=True
                ),
                ToolResultPart(tool_call_id="ws_1", output=[{"title": "Snow"}], provider_executed=True),
                TextPart("It snowed."),
            ],
            provider="xai",
        ),
    ),
    after=(UserMessage("What's new in Oslo?"), AssistantMessage("It snowed.", provider="xai")),
)
