"""Histories that somebody put together: messages of several APIs in one list, parts of several in one message."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import pytest

from replayable import HistoryFormatError, ModelRef, check, fix
from replayable.formats import detect, format_named
from replayable.prompt import with_model

_MODELS = {
    "openai_chat": "groq/llama-4",
    "openai_responses": "openai/gpt-5",
    "anthropic": "anthropic/claude-sonnet-5",
    "gemini": "google/gemini-2.5-pro",
    "bedrock": "bedrock/us.anthropic.claude-sonnet-5",
    "cohere_v2": "cohere/command-a-03-2025",
    "ollama_chat": "ollama/qwen3:4b",
}
_CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}
_TOOL_USE = {"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Oslo"}}
_TOOL_RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": "rain"}


def _turn(api: str, name: str) -> list[Any]:
    """A question, a call with an id of its own, its result, and an answer, as an API has them."""
    question, answer, output = f"Question {name}?", f"Answer {name}.", f"output {name}"
    call_id, arguments = f"call_{name}", {"of": name}
    text = json.dumps(arguments)
    match api:
        case "openai_responses":
            return [
                {"role": "user", "content": [{"type": "input_text", "text": question}]},
                {"type": "function_call", "call_id": call_id, "name": "weather", "arguments": text},
                {"type": "function_call_output", "call_id": call_id, "output": output},
                {
                    "type": "message",
                    "role": "assistant",
                    "content": [{"type": "output_text", "text": answer}],
                },
            ]
        case "anthropic":
            use = {"type": "tool_use", "id": call_id, "name": "weather", "input": arguments}
            result = {"type": "tool_result", "tool_use_id": call_id, "content": output}
            return [
                {"role": "user", "content": question},
                {"role": "assistant", "content": [use]},
                {"role": "user", "content": [result]},
                {"role": "assistant", "content": [{"type": "text", "text": answer}]},
            ]
        case "gemini":
            response = {"id": call_id, "name": "weather", "response": {"output": output}}
            return [
                {"role": "user", "parts": [{"text": question}]},
                {
                    "role": "model",
                    "parts": [{"functionCall": {"id": call_id, "name": "weather", "args": arguments}}],
                },
                {"role": "user", "parts": [{"functionResponse": response}]},
                {"role": "model", "parts": [{"text": answer}]},
            ]
        case "bedrock":
            return [
                {"role": "user", "content": [{"text": question}]},
                {
                    "role": "assistant",
                    "content": [{"toolUse": {"toolUseId": call_id, "name": "weather", "input": arguments}}],
                },
                {
                    "role": "user",
                    "content": [{"toolResult": {"toolUseId": call_id, "content": [{"text": output}]}}],
                },
                {"role": "assistant", "content": [{"text": answer}]},
            ]
        case _:
            function = {"name": "weather", "arguments": arguments if api == "ollama_chat" else text}
            return [
                {"role": "user", "content": question},
                {
                    "role": "assistant",
                    "tool_calls": [{"id": call_id, "type": "function", "function": function}],
                },
                {"role": "tool", "tool_call_id": call_id, "content": output},
                {"role": "assistant", "content": answer},
            ]


def _says(prompt: Any) -> list[Any]:
    """What a prompt says, in order: texts, calls and results."""
    told: list[Any] = []
    for message in prompt.messages:
        for part in message.parts:
            match part.type:
                case "text" if not part.text:
                    # Beside calls some wires want a content.
                    assert message.role == "assistant"
                case "text":
                    told.append((message.role, part.text))
                case "tool_call":
                    told.append((part.tool_call_id, part.tool_name, part.input))
                case "tool_result":
                    content = part.output if part.content is None else part.content[0].text
                    told.append((part.tool_call_id, content))
                case _:
                    told.append(part)
    return told


def _expected(name: str) -> list[Any]:
    return [
        ("user", f"Question {name}?"),
        (f"call_{name}", "weather", {"of": name}),
        (f"call_{name}", f"output {name}"),
        ("assistant", f"Answer {name}."),
    ]


@pytest.mark.parametrize(("api", "other"), [*permutations(_MODELS, 2)])
def test_turns_of_two_apis(api: str, other: str) -> None:
    """Each is read as its own API's; the list is the same object as long as nobody says who reads it, else all is of one API."""
    wires = [*_turn(api, "a"), *_turn(other, "b"), *_turn(api, "c")[:1]]
    codec = format_named(api)
    prompt = codec.decode(wires)

    assert _says(prompt) == [*_expected("a"), *_expected("b"), *_expected("c")[:1]]
    assert codec.encode(prompt).request is wires
    assert codec.encode(prompt).changes == ()

    model = ModelRef.of(_MODELS[api], api=api)
    fixed = fix(wires, model=model, source=api, to=api)
    pure = codec.decode(fixed.request)
    assert _says(pure) == _says(prompt)
    assert check(fixed.request, model=model, source=api) == []
    assert fix(fixed.request, model=model, source=api, to=api).request is fixed.request


@pytest.mark.parametrize(("api", "other"), [*permutations(_MODELS, 2)])
def test_any_of_their_formats_is_recognised(api: str, other: str) -> None:
    """Whichever format the list is taken for, nothing in it is lost."""
    wires = [*_turn(api, "a"), *_turn(other, "b")]

    prompt = format_named(detect(wires)).decode(wires)

    assert _says(prompt) == [*_expected("a"), *_expected("b")]


@pytest.mark.parametrize(
    ("api", "wires", "written"),
    [
        # A call in OpenAI's form, its result in Anthropic's, and the other way round.
        (
            "openai_chat",
            [
                {"role": "assistant", "content": None, "tool_calls": [_CALL]},
                {"role": "user", "content": [_TOOL_RESULT]},
            ],
            [
                {"role": "assistant", "content": None, "tool_calls": [_CALL]},
                {"role": "tool", "tool_call_id": "c1", "content": "rain"},
            ],
        ),
        (
            "anthropic",
            [
                {"role": "assistant", "content": [_TOOL_USE]},
                {"role": "tool", "tool_call_id": "c1", "content": "rain"},
            ],
            [{"role": "assistant", "content": [_TOOL_USE]}, {"role": "user", "content": [_TOOL_RESULT]}],
        ),
        (
            "anthropic",
            [
                {"role": "assistant", "content": "Let me see.", "tool_calls": [_CALL]},
                {"role": "user", "content": [_TOOL_RESULT]},
            ],
            [
                {"role": "assistant", "content": [{"type": "text", "text": "Let me see."}, _TOOL_USE]},
                {"role": "user", "content": [_TOOL_RESULT]},
            ],
        ),
        # The same call in both forms is one call.
        (
            "openai_chat",
            [
                {"role": "assistant", "content": [_TOOL_USE], "tool_calls": [_CALL]},
                {"role": "tool", "tool_call_id": "c1", "content": "rain"},
            ],
            [
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{**_CALL, "function": _CALL["function"]}],
                },
                {"role": "tool", "tool_call_id": "c1", "content": "rain"},
            ],
        ),
        # Results of Anthropic's beside what OpenAI's users send, and within a tool message.
        (
            "openai_chat",
            [
                {"role": "assistant", "content": None, "tool_calls": [_CALL]},
                {
                    "role": "user",
                    "name": "Ann",
                    "content": [
                        _TOOL_RESULT,
                        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
                    ],
                },
            ],
            [
                {"role": "assistant", "content": None, "tool_calls": [_CALL]},
                {"role": "tool", "tool_call_id": "c1", "content": "rain"},
                {
                    "role": "user",
                    "name": "Ann",
                    "content": [{"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}],
                },
            ],
        ),
        (
            "openai_chat",
            [
                {"role": "assistant", "content": None, "tool_calls": [_CALL]},
                {"role": "tool", "tool_call_id": "c1", "content": [_TOOL_RESULT]},
            ],
            [
                {"role": "assistant", "content": None, "tool_calls": [_CALL]},
                {"role": "tool", "tool_call_id": "c1", "content": "rain"},
            ],
        ),
        # Text as other APIs write it.
        (
            "openai_chat",
            [{"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}],
            [{"role": "user", "content": "Hi"}],
        ),
        ("bedrock", [{"role": "user", "content": "Hi"}], [{"role": "user", "content": [{"text": "Hi"}]}]),
        (
            "ollama_chat",
            [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}],
            [{"role": "user", "content": "Hi"}],
        ),
    ],
)
def test_parts_of_two_apis(api: str, wires: Any, written: Any) -> None:
    """What another API has within a message is written as the list's own API has it."""
    model = ModelRef.of(_MODELS[api], api=api)
    wires = [{"role": "user", "content": "Weather?"}, *wires] if wires[0]["role"] != "user" else wires
    fixed = fix(wires, model=model, source=api, to=api)
    assert _plain(fixed.request[-len(written) :]) == _plain(written)
    assert any(change.rule == "of-another-api" for change in fixed.changes)
    assert any(finding.rule == "of-another-api" for finding in check(wires, model=model, source=api))


def _plain(value: Any) -> Any:
    """Without what JSON text may spell in two ways."""
    return json.dumps(value, sort_keys=True).replace(r"\"city\": ", r"\"city\":")


def test_signed_thinking_stays_its_maker_s() -> None:
    """Claude's thinking in a list of OpenAI's goes back to Claude letter by letter, and to nobody else."""
    thinking = {"type": "thinking", "thinking": "Rain?", "signature": "c2ln"}
    wires = [
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": [thinking, _TOOL_USE]},
        {"role": "user", "content": [_TOOL_RESULT]},
        {"role": "assistant", "content": None, "tool_calls": [{**_CALL, "id": "c2"}]},
        {"role": "tool", "tool_call_id": "c2", "content": "sun"},
    ]

    claude = fix(wires, model=_MODELS["anthropic"], source="openai_chat", to="anthropic").request
    assert claude[1] == {"role": "assistant", "content": [thinking, _TOOL_USE]}
    groq = fix(wires, model=_MODELS["openai_chat"], source="openai_chat", to="openai_chat").request
    assert "c2ln" not in repr(groq)


def test_calls_without_ids_get_some() -> None:
    """Gemini's calls have none, and OpenAI's API needs them."""
    wires = [
        *_turn("openai_chat", "a"),
        {"role": "model", "parts": [{"functionCall": {"name": "weather", "args": {}}}]},
        {
            "role": "user",
            "parts": [{"functionResponse": {"name": "weather", "response": {"output": "hail"}}}],
        },
    ]
    prompt = with_model(format_named("openai_chat").decode(wires), ModelRef.of(_MODELS["openai_chat"]))

    call, result = format_named("openai_chat").encode(prompt).request[-2:]

    assert call["tool_calls"][0]["id"] == result["tool_call_id"]
    assert result["content"] == "hail"


def test_malformed_messages_are_told_with_their_place() -> None:
    """Behind messages of another API, too, and in one."""
    own, foreign = _turn("openai_chat", "a"), _turn("gemini", "b")
    with pytest.raises(
        HistoryFormatError, match=r"^messages\[8\]\.content: expected a string or a list of parts"
    ):
        format_named("openai_chat").decode({"messages": [*own, *foreign, {"role": "user", "content": 5}]})
    broken = {"role": "model", "parts": [{"functionCall": {"name": 5}}]}
    with pytest.raises(HistoryFormatError, match=r"^messages\[4\]\.parts\[0\]\.functionCall\.name: expected"):
        format_named("openai_chat").decode({"messages": [*own, broken, *foreign]})
