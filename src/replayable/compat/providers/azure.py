"""Azure OpenAI: what its moderation adds to OpenAI's APIs (whose own rules are in ``openai``)."""

from __future__ import annotations

from typing import Final

from ...messages import UserMessage
from ..provider import Provider
from ..rule import Evidence, Example
from ..rules.text_tags import rename_tag
from .openai import CHAT_DIALECT

__all__ = ["AZURE"]

SYSTEM_REMINDER: Final = rename_tag(
    "azure-system-reminder-transform",
    old="system-reminder",
    new="memory-context",
    summary="<system-reminder> tags in user and system text are renamed, which Azure's moderation takes for prompt injection.",
    evidence=(
        Evidence(
            text="The response was filtered due to the prompt triggering Azure OpenAI's content management policy."
            " (innererror.content_filter_result.jailbreak: filtered)",
            status=400,
            link="https://github.com/openai/openai-agents-python/issues/806",
            date="2025-06-03",
        ),
    ),
    examples=(
        Example(
            title="A reminder in a user's turn",
            before=(UserMessage('<system-reminder kind="todo">Two left.</system-reminder> Go on.'),),
            after=(UserMessage('<memory-context kind="todo">Two left.</memory-context> Go on.'),),
        ),
    ),
)

AZURE: Final = Provider(
    name="azure",
    recognise=lambda model: (
        model.provider == "azure" and model.api in ("openai_chat", "openai_responses", None)
    ),
    dialect=CHAT_DIALECT,
    rules=(SYSTEM_REMINDER,),
)
