"""xAI's API, which serves Grok."""

from __future__ import annotations

from typing import Final

from ...messages import AssistantMessage, SystemMessage, UserMessage
from ..provider import Dialect, Provider
from ..rule import Evidence, Example
from ..rules.content import blank_messages
from .serving import chat_model

__all__ = ["XAI"]

EMPTY_MESSAGES: Final = blank_messages(
    "xai-empty-messages",
    "system",
    "user",
    "assistant",
    blank=lambda text: not text,
    summary="A message without any content leaves the prompt; a user's says that it was empty.",
    evidence=(
        Evidence(
            entry="xai-empty-content",
            text="Invalid request content: Each message must have at least one content element. | An empty message was provided."
            " Every message needs at least one non-empty content element.",
            pattern=r"Each message must have at least one content element|Every message needs at least one non-empty content element",
            cause="A message holds nothing: it only thought, or its instructions are empty.",
            status=400,
            link="https://github.com/AstrBotDevs/AstrBot/issues/6447",
        ),
    ),
    examples=(
        Example(
            title="Empty instructions",
            before=(SystemMessage(""), UserMessage("Hello"), AssistantMessage("")),
            after=(UserMessage("Hello"),),
        ),
    ),
)

XAI: Final = Provider(
    name="xai",
    recognise=chat_model("xai"),
    # https://docs.x.ai/docs/guides/reasoning, https://docs.x.ai/docs/guides/image-understanding
    dialect=Dialect(reasoning_fields=("reasoning_content",), media=frozenset({"image_url"})),
    structure=(EMPTY_MESSAGES,),
)
