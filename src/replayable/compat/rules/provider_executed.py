"""Rule makers for tools that a provider's own server executed."""

from __future__ import annotations

from ...edits import map_messages, with_parts
from ...facts import ASSISTANT, SERVER_TOOLS, TOOL, facts_of
from ...messages import AssistantMessage, Message, Part, TextPart, ToolCallPart, ToolResultPart, UserMessage
from ...model_ref import ModelRef
from ...prompt import Prompt, with_messages
from ...turns import client_calls
from ..rule import CompatRule, Evidence, Example

__all__ = ["strip_foreign_provider_executed_tools"]

# What LiteLLM hands on of Anthropic's on OpenAI's wire says that it came from there.
_WITHOUT_SERVER_TOOLS = frozenset({"openai_chat", "cohere_v2", "ollama_chat", "bedrock"})
_NOTES_ITS_OWN = frozenset({"anthropic", "gemini"})


def strip_foreign_provider_executed_tools(name: str) -> CompatRule:
    """Drop the calls, with their results, that a server of another provider executed; the text around them stays.

    Whose server it was is told by the message's ``provider``, else by its ``api``; where neither tells, they stay. What
    the reader's API has no words for leaves in any case.
    """

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        model = prompt.model
        if model is None or (model.provider is None and model.api is None):
            return None
        # Of the assistant message before: whether a foreign server ran its tools, and the calls that leave it.
        foreign = False
        leaving: set[str | None] = set()

        def change(message: Message) -> Message | None:
            nonlocal foreign, leaving
            facts = facts_of(message)
            if message.role == "assistant":
                foreign = bool(facts & SERVER_TOOLS) and _is_foreign(message, model)
                leaving = _server_ids(message) if foreign else set()
            # A tool message follows the assistant message whose calls it answers.
            if not foreign or not facts & (ASSISTANT | TOOL):
                return message
            parts = [part for part in message.parts if not _leaves(part, leaving)]
            if len(parts) == len(message.parts):
                return message
            return with_parts(message, parts) if parts else None

        messages = map_messages(prompt.messages, change)
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


def _server_ids(message: Message) -> set[str | None]:
    """The ids of the calls that the server executed, save those that the client has to answer too."""
    own = {call.tool_call_id for _, call in client_calls(message)}
    return {
        part.tool_call_id for part in message.parts if part.type == "tool_call" and part.provider_executed
    } - own


def _leaves(part: Part, leaving: set[str | None]) -> bool:
    if part.type == "tool_call":
        return part.provider_executed
    # An answer leaves with its call, also where it does not say whose it is.
    return part.type == "tool_result" and (
        part.provider_executed or (bool(part.tool_call_id) and part.tool_call_id in leaving)
    )


def _is_foreign(message: AssistantMessage, model: ModelRef) -> bool:
    made_by = message.provider
    if made_by is not None:
        made_by = ModelRef.of({"provider": made_by, "model": message.model}).provider
    return all(_is_foreign_to(candidate, message, made_by) for candidate in model.candidates())


def _is_foreign_to(reader: ModelRef, message: AssistantMessage, made_by: str | None) -> bool:
    if message.api != reader.api and _has_no_word_for(message, reader.api):
        # Its own, perhaps, but made over another of its APIs.
        return True
    if made_by is not None:
        return reader.provider not in (None, made_by)
    return message.api is not None and reader.api not in (None, message.api)


def _has_no_word_for(message: AssistantMessage, api: str | None) -> bool:
    if api in _NOTES_ITS_OWN:
        # It has one for the tools of its own servers, whose kind is noted.
        return not any(api in (part.provider_options or ()) for part in message.parts)
    return api in _WITHOUT_SERVER_TOOLS


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
