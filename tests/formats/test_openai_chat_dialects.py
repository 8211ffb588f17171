"""The dialects of the OpenAI Chat API: the same history, as each provider's wire wants it."""

from __future__ import annotations

from typing import Any

import pytest

from replayable import AssistantMessage, FilePart, ModelRef, Prompt, ReasoningPart, TextPart, UserMessage
from replayable.formats import format_named
from replayable.prompt import with_model

_CHAT = format_named("openai_chat")
_CHUNK = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}], "closed": True}
_DETAIL = {"type": "reasoning.text", "text": "Hm.", "format": "x", "index": 0}
_ANSWERS: dict[str, dict[str, Any]] = {
    "thinking": {"role": "assistant", "content": [_CHUNK, {"type": "text", "text": "4"}]},
    "reasoning_content": {"role": "assistant", "content": "4", "reasoning_content": "Hm."},
    "reasoning": {"role": "assistant", "content": "4", "reasoning": "Hm."},
    "reasoning_details": {
        "role": "assistant",
        "content": "4",
        "reasoning_details": [_DETAIL],
        "reasoning": "Hm.",
    },
    "thinking_blocks": {
        "role": "assistant",
        "content": "4",
        "thinking_blocks": [{"type": "thinking", "thinking": "Hm."}],
    },
}
_NEW: dict[str, dict[str, Any]] = {
    **_ANSWERS,
    "thinking": {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
            {"type": "text", "text": "4"},
        ],
    },
    "reasoning_details": {
        "role": "assistant",
        "content": "4",
        "reasoning_details": [{"type": "reasoning.text", "text": "Hm."}],
    },
}
_IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo=", "detail": "low"}}
_STUB = {"type": "text", "text": "[image/png omitted: not supported here]"}


def _sent(messages: list[Any], model: str) -> tuple[list[Any], list[str | None]]:
    encoded = _CHAT.encode(with_model(_CHAT.decode(messages), ModelRef.of(model)))
    return encoded.request, [change.rule for change in encoded.changes]


@pytest.mark.parametrize(
    ("model", "reads"),
    [
        ("mistral/magistral-medium-latest", ["thinking"]),
        ("deepseek/deepseek-reasoner", ["reasoning_content"]),
        ("moonshot/kimi-k2-thinking", ["reasoning_content"]),
        ("xai/grok-4", ["reasoning_content"]),
        ("groq/qwen3-32b", ["reasoning"]),
        ("openrouter/x/y", ["reasoning_details", "reasoning", "reasoning_content"]),
    ],
)
@pytest.mark.parametrize("field", _ANSWERS)
def test_reasoning_goes_where_the_provider_reads_it(field: str, model: str, reads: list[str]) -> None:
    """Where it stands already it stays, as the same object; else it moves, without what repeats it, and that is listed."""
    answer = _ANSWERS[field]
    (sent,), rules = _sent([answer], model)
    if field in reads:
        assert sent is answer
        assert rules == []
    else:
        assert sent == _NEW[reads[0]]
        assert rules == ["reasoning-field"]


def test_where_nobody_knows_the_field_reasoning_stays() -> None:
    """Strangers get what they got before; so does OpenAI, but for a chunk of the content that is no part of its API."""
    for field, answer in _ANSWERS.items():
        assert _sent([answer], "a-house-nobody-knows/m") == ([answer], [])
        if field == "thinking":
            without = {"role": "assistant", "content": "4"}
            assert _sent([answer], "openai/gpt-5") == ([without], ["no-field-for-reasoning"])
        else:
            assert _sent([answer], "openai/gpt-5") == ([answer], [])


_SAID: list[Any] = [
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "4"},
            {"type": "reference", "reference_ids": [1]},
            {"type": "refusal", "refusal": "No."},
        ],
    },
    {"role": "assistant", "content": None, "refusal": "Never."},
]


@pytest.mark.parametrize(
    ("model", "sent"),
    [
        ("a-house-nobody-knows/m", _SAID),
        (
            "openai/gpt-5",
            [{"role": "assistant", "content": [_SAID[0]["content"][0], _SAID[0]["content"][2]]}, _SAID[1]],
        ),
        (
            "mistral/mistral-large-latest",
            [
                {
                    "role": "assistant",
                    "content": [*_SAID[0]["content"][:2], {"type": "text", "text": "No."}],
                },
                {"role": "assistant", "content": "Never."},
            ],
        ),
    ],
)
def test_what_single_providers_say_beside_text(model: str, sent: list[Any]) -> None:
    """A refusal is text where nobody knows refusals, a reference leaves; both are listed."""
    written, rules = _sent(_SAID, model)

    assert written == sent
    assert rules == {"a": [], "o": ["not-supported-here"], "m": ["not-supported-here"] * 2}[model[0]]


def test_the_bare_files_of_mistral() -> None:
    """OpenAI's parts hold an object; what was bare goes there in one, a sound with the format that its first bytes tell."""
    parts = [
        {"type": "image_url", "image_url": "https://x/a.png"},
        {"type": "input_audio", "input_audio": "SUQzBAAA"},
    ]
    message = {"role": "user", "content": parts}

    assert _sent([message], "mistral/pixtral-12b")[0][0] is message
    assert _sent([message], "openai/gpt-4o-audio-preview") == (
        [
            {
                "role": "user",
                "content": [
                    {"type": "image_url", "image_url": {"url": "https://x/a.png"}},
                    {"type": "input_audio", "input_audio": {"data": "SUQzBAAA", "format": "mp3"}},
                ],
            }
        ],
        [],
    )


def test_reasoning_made_elsewhere() -> None:
    """Readable reasoning of another API goes into the dialect's field; opaque reasoning only OpenRouter could carry."""
    history = (
        AssistantMessage(parts=[ReasoningPart(text="Hm."), ReasoningPart(encrypted="x"), TextPart("4")]),
    )

    def sent(model: str) -> tuple[Any, list[str | None]]:
        encoded = _CHAT.encode(Prompt(messages=history, model=ModelRef.of(model)))
        return encoded.request[0], [change.rule for change in encoded.changes]

    assert sent("mistral/m") == (_NEW["thinking"], ["no-field-for-reasoning"])
    assert sent("deepseek/m") == (_NEW["reasoning_content"], ["no-field-for-reasoning"])
    assert sent("openai/m") == ({"role": "assistant", "content": "4"}, ["no-field-for-reasoning"] * 2)
    details = [{"type": "reasoning.text", "text": "Hm."}, {"type": "reasoning.encrypted", "data": "x"}]
    assert sent("openrouter/m") == ({"role": "assistant", "content": "4", "reasoning_details": details}, [])


def test_a_file_that_the_provider_refuses_becomes_a_text() -> None:
    """DeepSeek reads text alone: an image of the same API is told, and listed."""
    user = {"role": "user", "content": [{"type": "text", "text": "What is it?"}, _IMAGE]}
    (sent,), rules = _sent([user], "deepseek/deepseek-chat")
    assert sent == {"role": "user", "content": [{"type": "text", "text": "What is it?"}, _STUB]}
    assert rules == ["not-supported-here"]
    (same,), rules = _sent([user], "groq/llama-4-scout")
    assert same is user
    assert rules == []


def test_an_image_in_a_tool_result() -> None:
    """Where results hold text alone it follows the complete run in a user message; Mistral takes it in place."""
    calls = [
        {"id": i, "type": "function", "function": {"name": "look", "arguments": "{}"}}
        for i in ("call_0001", "call_0002")
    ]
    first = {
        "role": "tool",
        "tool_call_id": "call_0001",
        "content": [{"type": "text", "text": "Here:"}, _IMAGE],
    }
    second = {"role": "tool", "tool_call_id": "call_0002", "content": "none"}
    history = [{"role": "assistant", "content": None, "tool_calls": calls}, first, second]

    for model in ("mistral/pixtral-large", "a-house-nobody-knows/m"):
        sent, rules = _sent(history, model)
        assert sent[1] is first
        assert rules == []
    sent, rules = _sent(history, "openai/gpt-5")
    see = {"type": "text", "text": "[image/png: see the next user message]"}
    assert sent == [
        history[0],
        {**first, "content": [{"type": "text", "text": "Here:"}, see]},
        second,
        {"role": "user", "content": [_IMAGE]},
    ]
    assert rules == ["file-follows-tool-result"]
    sent, rules = _sent(history, "deepseek/deepseek-chat")
    assert sent == [history[0], {**first, "content": [{"type": "text", "text": "Here:"}, _STUB]}, second]
    assert rules == ["not-supported-here"]


_PDF = FilePart(media_type="application/pdf", data="JVBERi0=", filename="a.pdf")
_PDF_URL = FilePart(media_type="application/pdf", url="https://example.org/a.pdf")
_MP4 = FilePart(media_type="video/mp4", url="https://example.org/a.mp4")
_WAV = FilePart(media_type="audio/x-wav", data="UklGRg==")
_BMP = FilePart(media_type="image/bmp", data="Qk0=")


@pytest.mark.parametrize(
    ("part", "model", "wire"),
    [
        (
            _PDF,
            "openai/gpt-5",
            {
                "type": "file",
                "file": {"file_data": "data:application/pdf;base64,JVBERi0=", "filename": "a.pdf"},
            },
        ),
        (
            _PDF,
            "mistral/m",
            {
                "type": "document_url",
                "document_url": "data:application/pdf;base64,JVBERi0=",
                "document_name": "a.pdf",
            },
        ),
        (_PDF_URL, "mistral/m", {"type": "document_url", "document_url": "https://example.org/a.pdf"}),
        (_PDF_URL, "openai/gpt-5", None),
        (_PDF, "groq/m", None),
        (FilePart(file_id="file-1"), "openai/gpt-5", {"type": "file", "file": {"file_id": "file-1"}}),
        (FilePart(file_id="f", provider_options={"anthropic": {}}), "openai/gpt-5", None),
        (_MP4, "openrouter/m", {"type": "video_url", "video_url": {"url": "https://example.org/a.mp4"}}),
        (_MP4, "openai/gpt-5", None),
        (_WAV, "openai/gpt-5", {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}),
        (_WAV, "xai/grok-4", None),
        (_WAV, "mistral/voxtral", {"type": "input_audio", "input_audio": "UklGRg=="}),
        (FilePart(file_id="f-1"), "mistral/m", {"type": "file", "file_id": "f-1"}),
        (_BMP, "openai/gpt-5", None),
        (
            FilePart(media_type="image/*", data="iVBORw0KGgo="),
            "openai/gpt-5",
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
        ),
    ],
)
def test_files_in_the_parts_that_a_dialect_has(
    part: FilePart, model: str, wire: dict[str, Any] | None
) -> None:
    """A file becomes the part that the provider reads, or a text that says what was there."""
    encoded = _CHAT.encode(
        Prompt(messages=(UserMessage([TextPart("See:"), part]),), model=ModelRef.of(model))
    )
    written = encoded.request[0]["content"][1]
    if wire is None:
        assert written["text"].endswith("omitted: not supported here]")
        assert [change.rule for change in encoded.changes] == ["not-supported-here"]
    else:
        assert written == wire
        assert encoded.changes == ()


_SPOKEN = {"id": "audio_1", "transcript": "Four.", "expires_at": 1}
_OTHER_FORMS: list[dict[str, Any]] = [
    {"type": "input_audio", "input_audio": "UklGRg=="},
    {"type": "input_audio", "input_audio": "https://example.org/a.mp3"},
    {"type": "file", "file_id": "f-1"},
    {"type": "file_url", "file_url": {"url": "https://example.org/a.pdf"}},
    {"type": "document_url", "document_url": "https://example.org/a.pdf", "document_name": "A"},
    {"type": "reference", "reference_ids": [1, 2]},
    {"image_url": {"url": "https://example.org/a.png"}},
    {"odd": 1},
]


@pytest.mark.parametrize("part", _OTHER_FORMS)
def test_other_forms_come_back(part: dict[str, Any]) -> None:
    """By value too, when the message was copied."""
    user = {"role": "user", "content": [part]}
    prompt = _CHAT.decode([user])
    copied = prompt.messages[0].model_copy(update={"parts": (prompt.messages[0].parts[0].model_copy(),)})
    assert _CHAT.encode(Prompt(messages=(copied,), api="openai_chat")).request == [user]


def test_a_spoken_answer() -> None:
    """It goes back to OpenAI in its field; to others as the text that was spoken, or a text that says what was there."""
    answer = {"role": "assistant", "content": None, "audio": _SPOKEN}
    (message,) = _CHAT.decode([answer]).messages
    copied = message.model_copy(update={"parts": tuple(part.model_copy() for part in message.parts)})
    assert _CHAT.encode(Prompt(messages=(copied,), api="openai_chat")).request == [answer]

    assert _sent([answer], "openai/gpt-4o-audio-preview")[0][0] is answer
    (told,), rules = _sent([answer], "mistral/m")
    assert told == {"role": "assistant", "content": "Four."}
    assert rules == ["not-supported-here"]
    (told,), rules = _sent([{**answer, "audio": {"id": "audio_1"}}], "mistral/m")
    assert told == {"role": "assistant", "content": "[audio/* omitted: not supported here]"}
    assert rules == ["not-supported-here"]
    assert _CHAT.decode([{"role": "assistant", "content": "4", "audio": None}]).messages[0].parts == (
        TextPart("4"),
    )


def test_older_and_custom_calls() -> None:
    """Mistral takes calls of functions alone: others are written as such, with ids; where nobody knows they stay."""
    history: list[dict[str, Any]] = [
        {"role": "assistant", "content": None, "function_call": {"name": "weather", "arguments": "{}"}},
        {"role": "function", "name": "weather", "content": "rain"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c2", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}}],
        },
        {"role": "tool", "tool_call_id": "c2", "content": "1"},
    ]
    assert _sent(history, "a-house-nobody-knows/m") == (history, [])
    sent, rules = _sent(history, "mistral/m")
    call_id = sent[0]["tool_calls"][0]["id"]
    assert sent == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": call_id, "type": "function", "function": {"name": "weather", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": call_id, "name": "weather", "content": "rain"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c2", "type": "function", "function": {"name": "sql", "arguments": '"SELECT 1"'}}
            ],
        },
        {"role": "tool", "tool_call_id": "c2", "content": "1"},
    ]
    assert rules == ["input-is-no-object"]
