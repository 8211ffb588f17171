"""The quick look for fields that a provider does not know agrees with the walk that drops them, wherever a field stands."""

from __future__ import annotations

from typing import Any

import pytest

from replayable import (
    AssistantMessage,
    FilePart,
    Message,
    ModelRef,
    Prompt,
    ProviderError,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from replayable.compat.providers.gemini_parts import FOREIGN_FIELDS as OF_GEMINI
from replayable.compat.providers.gemini_parts import MEDIA_RESOLUTION
from replayable.compat.providers.response_items import FOREIGN_FIELDS as OF_RESPONSES
from replayable.compat.rule import CompatRule

_NAMES = ("cache_control", "status", "tool_calls", "type", "thought", "mediaResolution", "id", "role")
_HOLDERS = ("content", "functionCall", "functionResponse")
_FIELDS: tuple[dict[str, Any], ...] = (
    {},
    *({name: "x"} for name in _NAMES),
    *({holder: {name: "x"}} for holder in _HOLDERS for name in _NAMES),
    *({holder: "x"} for holder in _HOLDERS),
    {"functionCall": {}, "content": {}},
)


def _places(options: dict[str, Any]) -> list[Message]:
    """A message for each place where options can stand."""
    text = TextPart("Hello", provider_options=options)
    file = FilePart(url="https://a/b", provider_options=options)
    call = ToolCallPart(tool_name="t", input={}, provider_options=options)
    return [
        UserMessage("Hello", provider_options=options),
        UserMessage([text]),
        UserMessage(["Hello", file]),
        AssistantMessage([text]),
        AssistantMessage([ReasoningPart(text="Hm.", provider_options=options)]),
        AssistantMessage([call]),
        ToolMessage([ToolResultPart(output="x", provider_options=options)]),
        ToolMessage([ToolResultPart(content=(text,))]),
        ToolMessage([ToolResultPart(content=(TextPart("Hello"), file))]),
    ]


@pytest.mark.parametrize(
    ("rule", "api", "model"),
    [
        (OF_RESPONSES, "openai_responses", "openai.responses/gpt-5"),
        (OF_GEMINI, "gemini", "google/gemini-2.5-flash"),
        (MEDIA_RESOLUTION, "gemini", "google/gemini-2.5-flash"),
    ],
)
def test_the_quick_look_finds_what_the_walk_drops(rule: CompatRule, api: str, model: str) -> None:
    """Before a call a history is looked at first; after a rejection that names nothing it is walked: the same comes of it."""
    assert rule.apply_to_prompt is not None
    assert rule.fix is not None
    dropped = 0
    for fields in _FIELDS:
        for options in ({api: fields}, {"another": fields}, {"another": {}, api: fields}):
            for message in _places(options):
                history = (UserMessage("Hi"), message)
                walked = rule.fix(history, ProviderError())
                looked_at = rule.apply_to_prompt(Prompt(messages=history, model=ModelRef.of(model)))
                assert (None if looked_at is None else looked_at.messages) == walked
                dropped += walked is not None
    assert dropped
