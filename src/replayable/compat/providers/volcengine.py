"""Volcengine Ark, which serves Doubao."""

from __future__ import annotations

from typing import Final

from ...messages import AssistantMessage, UserMessage
from ..provider import Provider
from ..rule import Evidence, Example
from ..rules.content import content_present
from .serving import chat_model

__all__ = ["VOLCENGINE"]

_CHAT: Final = "openai_chat"

CONTENT_PRESENT: Final = content_present(
    "volcengine-content-present",
    "system",
    "user",
    "assistant",
    "tool",
    api=_CHAT,
    summary="A message whose content is null or absent says an empty text instead, unless it makes calls.",
    evidence=(
        Evidence(
            entry="volcengine-missing-content",
            text="The request failed because it is missing `messages.content` parameter. Request id: {id}",
            pattern=r"missing `messages\.content` parameter",
            cause="A message has no content.",
            status=400,
            link="https://github.com/AstrBotDevs/AstrBot/issues/6852",
        ),
    ),
    examples=(
        Example(
            title="An answer that broke off",
            before=(UserMessage("Hello"), AssistantMessage(provider_options={_CHAT: {"$content": "null"}})),
            after=(UserMessage("Hello"), AssistantMessage("")),
        ),
    ),
)

VOLCENGINE: Final = Provider(
    name="volcengine", recognise=chat_model("volcengine"), structure=(CONTENT_PRESENT,)
)
