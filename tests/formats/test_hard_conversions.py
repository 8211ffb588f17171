"""Conversions in which it is easy to lose, misplace or invent something: each with the answer that is right, reasoned out."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import pytest

from replayable import AssistantMessage, Prompt, ReasoningPart, UserMessage, fix
from replayable.formats import format_named
from tests.recorded.targets import TARGETS

_JUDGES: Final = {target.format: target.judge for target in TARGETS if target.name == target.format}
_MODELS: Final = {
    "openai_chat": "openai/gpt-5",
    "openai_responses": "openai/gpt-5",
    "anthropic": "anthropic/claude-sonnet-5",
    "gemini": "google/gemini-2.5-pro",
    "bedrock": "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "cohere_v2": "cohere/command-a-03-2025",
    "ollama_chat": "ollama/qwen3:4b",
}
_TURNS: Final = {"gemini": "contents", "openai_responses": "input"}
_PNG: Final = "iVBORw0KGgo="
_GO: Final = {"role": "user", "content": "Go"}
_GO_GEMINI: Final = {"role": "user", "parts": [{"text": "Go"}]}
_GO_BEDROCK: Final = {"role": "user", "content": [{"text": "Go"}]}
# Ids for what has none: by the place of the call.
_ID_0, _ID_1 = "call_0_67d80dd9d7", "call_1_21c5c2a600"


class Case(NamedTuple):
    """A request of one API, and the messages that another one is to get.

    Attributes:
        name: What is hard about it.
        source: The format of the request.
        turns: Its messages.
        target: The format of the answer.
        expected: The messages of the answer.
        told: Rules of the changes that must be there.
    """

    name: str
    source: str
    turns: list[Any]
    target: str
    expected: list[Any]
    told: frozenset[str] = frozenset()


def _chat_call(call_id: str, name: str, arguments: str = "{}") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _chat_calls(*calls: dict[str, Any], content: str | None = None) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def _chat_result(call_id: str, content: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def _use(call_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def _result(call_id: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def _claude(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def _user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _called(name: str, call_id: str | None = None, **arguments: Any) -> dict[str, Any]:
    call = {"name": name, "args": arguments}
    return {"functionCall": call if call_id is None else {"id": call_id, **call}}


def _answered(name: str, call_id: str | None = None, **response: Any) -> dict[str, Any]:
    answer = {"name": name, "response": response}
    return {"functionResponse": answer if call_id is None else {"id": call_id, **answer}}


def _model(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


def _contents(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def _item_call(call_id: str, name: str, arguments: str = "{}", **more: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments, **more}


def _item_output(call_id: str, output: Any) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": output}


def _bed_use(call_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": call_id, "name": name, "input": arguments}}


def _bed_result(call_id: str, *content: Any, **more: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": call_id, "content": list(content), **more}}


def _image_url(data: str = _PNG) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}


_IMAGE: Final = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": _PNG}}
_SHOT: Final = [
    _GO,
    _claude(_use("toolu_a", "shot"), _use("toolu_b", "time")),
    _user(_result("toolu_a", [_text("Here"), _IMAGE]), _result("toolu_b", "noon"), _text("And?")),
]
_SEE_NEXT: Final = "[image/png: see the next user message]"
_TWICE: Final = [
    _GO_GEMINI,
    _model(_called("f", x=1), _called("g", x=2)),
    _contents(_answered("g", output="G"), _answered("f", output="F")),
]
_SAME_NAME: Final = [
    _GO_GEMINI,
    _model(_called("f", x=1), _called("f", x=2)),
    _contents(_answered("f", output="1"), _answered("f", output="2")),
]
_THINKS: Final = [
    _GO,
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm"}]},
    _item_call("c1", "f", '{"x": 1}', id="fc_1"),
    {"type": "reasoning", "id": "rs_2", "summary": []},
    _item_call("c2", "g", id="fc_2"),
    _item_output("c1", "F"),
    _item_output("c2", "G"),
]
_SEARCHED: Final = [
    _GO,
    _claude(
        _text("Searching."),
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "news"}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
        _text("It rains."),
    ),
    {"role": "user", "content": "More"},
]
_SIGNED: Final = [
    _GO,
    _claude(
        {"type": "thinking", "thinking": "Hm", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "cmVk"},
        _use("toolu_a", "f"),
    ),
    _user(_result("toolu_a", "ok")),
]
_BROKEN: Final = [
    _GO,
    _chat_calls(_chat_call("c1", "f", '{"a": '), _chat_call("c2", "g", '["x"]'), _chat_call("c3", "h", "")),
    _chat_result("c1", "bad"),
    _chat_result("c2", "ok"),
    _chat_result("c3", "ok"),
]
_SYSTEMS: Final = [
    {"role": "system", "content": "S1"},
    {"role": "user", "content": "A"},
    {"role": "system", "content": "S2"},
    {"role": "system", "content": "S3"},
    {"role": "assistant", "content": "C"},
    {"role": "user", "content": "D"},
]
_INTERRUPTED: Final = [
    _GO,
    _chat_calls(_chat_call("c1", "f"), _chat_call("c2", "g")),
    _chat_result("c1", "F"),
    {"role": "user", "content": "Wait"},
    _chat_result("c2", "G"),
]
_ODD_IDS: Final = [
    _GO,
    _chat_calls(_chat_call("a.b", "f"), _chat_call("a:b", "g")),
    _chat_result("a:b", "G"),
    _chat_result("a.b", "F"),
]
_CUSTOM: Final = [
    _GO,
    {"type": "custom_tool_call", "call_id": "c1", "name": "sql", "input": "SELECT 1"},
    {"type": "custom_tool_call_output", "call_id": "c1", "output": "1"},
]
_LEGACY: Final = [
    _GO,
    {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": '{"x": 1}'}},
    {"role": "function", "name": "f", "content": "1"},
    {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
    {"role": "function", "name": "f", "content": "2"},
]
_NOT_HERE: Final = frozenset({"not-supported-here"})

CASES: Final = (
    Case(
        "the image of one of two parallel results comes behind both",
        "anthropic",
        _SHOT,
        "openai_chat",
        [
            _GO,
            _chat_calls(_chat_call("toolu_a", "shot"), _chat_call("toolu_b", "time")),
            _chat_result("toolu_a", f"Here\n{_SEE_NEXT}"),
            _chat_result("toolu_b", "noon"),
            _user(_image_url()),
            {"role": "user", "content": "And?"},
        ],
    ),
    Case(
        "the same without a field for images in messages of typed parts",
        "anthropic",
        _SHOT,
        "ollama_chat",
        [
            _GO,
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {"id": "toolu_a", "type": "function", "function": {"name": "shot", "arguments": {}}},
                    {"id": "toolu_b", "type": "function", "function": {"name": "time", "arguments": {}}},
                ],
            },
            {**_chat_result("toolu_a", f"Here\n{_SEE_NEXT}"), "tool_name": "shot"},
            {**_chat_result("toolu_b", "noon"), "tool_name": "time"},
            {"role": "user", "content": "", "images": [_PNG]},
            {"role": "user", "content": "And?"},
        ],
        frozenset({"file-follows-tool-result"}),
    ),
    Case(
        "an image within a result stays there where the wire takes it",
        "anthropic",
        _SHOT,
        "openai_responses",
        [
            _GO,
            _item_call("toolu_a", "shot"),
            _item_call("toolu_b", "time"),
            _item_output(
                "toolu_a",
                [
                    {"type": "input_text", "text": "Here"},
                    {"type": "input_image", "detail": "auto", "image_url": f"data:image/png;base64,{_PNG}"},
                ],
            ),
            _item_output("toolu_b", "noon"),
            {"role": "user", "content": "And?"},
        ],
    ),
    Case(
        "calls without ids that are answered in another order belong together by name",
        "gemini",
        _TWICE,
        "openai_chat",
        [
            _GO,
            _chat_calls(_chat_call(_ID_0, "f", '{"x":1}'), _chat_call(_ID_1, "g", '{"x":2}')),
            _chat_result(_ID_1, "G"),
            _chat_result(_ID_0, "F"),
        ],
    ),
    Case(
        "the same for Claude: one turn of results",
        "gemini",
        _TWICE,
        "anthropic",
        [
            _GO,
            _claude(_use(_ID_0, "f", x=1), _use(_ID_1, "g", x=2)),
            _user(_result(_ID_1, "G"), _result(_ID_0, "F")),
        ],
    ),
    Case(
        "two calls of one tool without ids belong to their results by position",
        "gemini",
        _SAME_NAME,
        "anthropic",
        [
            _GO,
            _claude(_use(_ID_0, "f", x=1), _use(_ID_1, "f", x=2)),
            _user(_result(_ID_0, "1"), _result(_ID_1, "2")),
        ],
    ),
    Case(
        "reasoning between parallel calls does not part them",
        "openai_responses",
        _THINKS,
        "anthropic",
        [
            _GO,
            _claude(_use("c1", "f", x=1), _use("c2", "g")),
            _user(_result("c1", "F"), _result("c2", "G")),
        ],
        frozenset({"anthropic-strip-foreign-reasoning-content"}),
    ),
    Case(
        "the same in Gemini's contents",
        "openai_responses",
        _THINKS,
        "gemini",
        [
            _GO_GEMINI,
            _model(_called("f", "c1", x=1), _called("g", "c2")),
            _contents(_answered("f", "c1", output="F"), _answered("g", "c2", output="G")),
        ],
    ),
    Case(
        "what a server's tool found leaves with its call, and what was said around it stays",
        "anthropic",
        _SEARCHED,
        "gemini",
        [
            _GO_GEMINI,
            _model({"text": "Searching."}, {"text": "It rains."}),
            _contents({"text": "More"}),
        ],
        frozenset({"strip-foreign-provider-executed-tools"}),
    ),
    Case(
        "a file id of Anthropic's is none of OpenAI's",
        "anthropic",
        [_user({"type": "document", "source": {"type": "file", "file_id": "file_011"}}, _text("Sum up"))],
        "openai_chat",
        [_user(_text("[file omitted: not supported here]"), _text("Sum up"))],
        _NOT_HERE,
    ),
    Case(
        "signed and redacted thinking is nobody else's",
        "anthropic",
        _SIGNED,
        "gemini",
        [_GO_GEMINI, _model(_called("f", "toolu_a")), _contents(_answered("f", "toolu_a", output="ok"))],
        frozenset({"gemini-strip-foreign-reasoning"}),
    ),
    Case(
        "a compaction can be read by OpenAI alone: what was lost is said where it stood",
        "openai_responses",
        [_GO, {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"}, _GO],
        "anthropic",
        [_GO, {"role": "assistant", "content": "[compaction omitted: not supported here]"}, _GO],
        _NOT_HERE,
    ),
    Case(
        "a cache point leaves no empty block behind",
        "bedrock",
        [_user({"text": "Hi"}, {"cachePoint": {"type": "default"}})],
        "anthropic",
        [{"role": "user", "content": "Hi"}],
        frozenset({"fields-left-out"}),
    ),
    Case(
        "a custom tool's free text becomes the one argument of an object",
        "openai_responses",
        _CUSTOM,
        "anthropic",
        [_GO, _claude(_use("c1", "sql", input="SELECT 1")), _user(_result("c1", "1"))],
    ),
    Case(
        "the same where calls without a declared tool are refused",
        "openai_responses",
        _CUSTOM,
        "bedrock",
        [
            _GO_BEDROCK,
            {"role": "assistant", "content": [_bed_use("c1", "sql", input="SELECT 1")]},
            {"role": "user", "content": [_bed_result("c1", {"text": "1"})]},
        ],
        frozenset({"bedrock-tool-input"}),
    ),
    Case(
        "a result that is null is a result",
        "gemini",
        [_GO_GEMINI, _model(_called("f", "c1")), _contents(_answered("f", "c1", output=None))],
        "anthropic",
        [_GO, _claude(_use("c1", "f")), _user(_result("c1", ""))],
    ),
    Case(
        "an error without words is an error",
        "anthropic",
        [
            _GO,
            _claude(_use("c1", "f")),
            _user({"type": "tool_result", "tool_use_id": "c1", "is_error": True}),
        ],
        "gemini",
        [_GO_GEMINI, _model(_called("f", "c1")), _contents(_answered("f", "c1", error=""))],
    ),
    Case(
        "the same on Bedrock, which wants words",
        "anthropic",
        [
            _GO,
            _claude(_use("c1", "f")),
            _user({"type": "tool_result", "tool_use_id": "c1", "is_error": True}),
        ],
        "bedrock",
        [
            _GO_BEDROCK,
            {"role": "assistant", "content": [_bed_use("c1", "f")]},
            {"role": "user", "content": [_bed_result("c1", {"text": "(no output)"}, status="error")]},
        ],
    ),
    Case(
        "arguments that are no object become one, with all that they said",
        "openai_chat",
        _BROKEN,
        "anthropic",
        [
            _GO,
            _claude(_use("c1", "f", raw_arguments='{"a": '), _use("c2", "g", input=["x"]), _use("c3", "h")),
            _user(_result("c1", "bad"), _result("c2", "ok"), _result("c3", "ok")),
        ],
    ),
    Case(
        "where arguments are text they stay letter by letter",
        "openai_chat",
        _BROKEN,
        "openai_responses",
        [
            _GO,
            _item_call("c1", "f", '{"a": '),
            _item_call("c2", "g", '["x"]'),
            _item_call("c3", "h", ""),
            _item_output("c1", "bad"),
            _item_output("c2", "ok"),
            _item_output("c3", "ok"),
        ],
    ),
    Case(
        "later system prompts stay where they stand, in one turn with the user's",
        "openai_chat",
        _SYSTEMS,
        "bedrock",
        [
            _user({"text": "A"}, {"text": "<system>\nS2\n</system>"}, {"text": "<system>\nS3\n</system>"}),
            {"role": "assistant", "content": [{"text": "C"}]},
            _user({"text": "D"}),
        ],
    ),
    Case(
        "a refusal is what was said",
        "openai_chat",
        [_GO, {"role": "assistant", "content": None, "refusal": "I can't."}, _GO],
        "anthropic",
        [_GO, {"role": "assistant", "content": "I can't."}, _GO],
        _NOT_HERE,
    ),
    Case(
        "the user's words wait for all results",
        "openai_chat",
        _INTERRUPTED,
        "anthropic",
        [
            _GO,
            _claude(_use("c1", "f"), _use("c2", "g")),
            _user(_result("c1", "F"), _result("c2", "G")),
            {"role": "user", "content": "Wait"},
        ],
    ),
    Case(
        "the same in one turn",
        "openai_chat",
        _INTERRUPTED,
        "bedrock",
        [
            _GO_BEDROCK,
            {"role": "assistant", "content": [_bed_use("c1", "f"), _bed_use("c2", "g")]},
            _user(_bed_result("c1", {"text": "F"}), _bed_result("c2", {"text": "G"}), {"text": "Wait"}),
        ],
    ),
    Case(
        "each of two answers in a row keeps its call and its result",
        "openai_chat",
        [
            _GO,
            _chat_calls(_chat_call("c1", "f"), content="X"),
            _chat_calls(_chat_call("c2", "g"), content="Y"),
            _chat_result("c1", "F"),
            _chat_result("c2", "G"),
        ],
        "anthropic",
        [
            _GO,
            _claude(_text("X"), _use("c1", "f")),
            _user(_result("c1", "F")),
            _claude(_text("Y"), _use("c2", "g")),
            _user(_result("c2", "G")),
        ],
    ),
    Case(
        "ids that differ in what Claude doesn't take stay different",
        "openai_chat",
        _ODD_IDS,
        "anthropic",
        [
            _GO,
            _claude(_use("a_b_2e7336dc8e", "f"), _use("a_b_6783a31eab", "g")),
            _user(_result("a_b_6783a31eab", "G"), _result("a_b_2e7336dc8e", "F")),
        ],
    ),
    Case(
        "calls of the older form get ids, each its own",
        "openai_chat",
        _LEGACY,
        "openai_responses",
        [
            _GO,
            _item_call(_ID_0, "f", '{"x": 1}'),
            _item_output(_ID_0, "1"),
            _item_call(_ID_1, "f"),
            _item_output(_ID_1, "2"),
        ],
    ),
    Case(
        "calls of Ollama's have none either",
        "ollama_chat",
        [
            _GO,
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {"function": {"name": "f", "arguments": {"x": 1}}},
                    {"function": {"name": "f", "arguments": {"x": 2}}},
                ],
            },
            {"role": "tool", "tool_name": "f", "content": "1"},
            {"role": "tool", "tool_name": "f", "content": "2"},
        ],
        "anthropic",
        [
            _GO,
            _claude(_use(_ID_0, "f", x=1), _use(_ID_1, "f", x=2)),
            _user(_result(_ID_0, "1"), _result(_ID_1, "2")),
        ],
    ),
    Case(
        "a call that was never answered gets an answer before its neighbour's",
        "openai_chat",
        [
            _GO,
            _chat_calls(_chat_call("c1", "f"), _chat_call("c2", "g")),
            _chat_result("c2", "G"),
            {"role": "user", "content": "Stop"},
        ],
        "gemini",
        [
            _GO_GEMINI,
            _model(_called("f", "c1"), _called("g", "c2")),
            _contents(
                _answered(
                    "f",
                    "c1",
                    error="No result of this tool call was recorded; whether the tool ran is not known.",
                ),
                _answered("g", "c2", output="G"),
            ),
            _contents({"text": "Stop"}),
        ],
    ),
    Case(
        "a text behind a call stands before it where that is asked for",
        "anthropic",
        [
            _GO,
            _claude(_text("One"), _use("toolu_a", "f"), _text("Two"), _use("toolu_b", "g")),
            _user(_result("toolu_a", "A"), _result("toolu_b", "B")),
        ],
        "bedrock",
        [
            _GO_BEDROCK,
            {
                "role": "assistant",
                "content": [
                    {"text": "One"},
                    {"text": "Two"},
                    _bed_use("toolu_a", "f"),
                    _bed_use("toolu_b", "g"),
                ],
            },
            _user(_bed_result("toolu_a", {"text": "A"}), _bed_result("toolu_b", {"text": "B"})),
        ],
    ),
    Case(
        "a plan is what the model said before its call",
        "cohere_v2",
        [
            _GO,
            {"role": "assistant", "tool_plan": "I will look.", "tool_calls": [_chat_call("c1", "f")]},
            _chat_result("c1", [{"type": "document", "document": {"id": "d1", "data": '{"r":1}'}}]),
            _GO,
        ],
        "openai_chat",
        [
            _GO,
            _chat_calls(_chat_call("c1", "f"), content="I will look."),
            _chat_result("c1", '{"r":1}'),
            _GO,
        ],
        frozenset({"fields-left-out"}),
    ),
    Case(
        "an image by URL where only bytes are taken",
        "anthropic",
        [
            _user(
                {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
                _text("What?"),
            )
        ],
        "bedrock",
        [
            _user(
                {"text": "[image/png at https://example.org/a.png omitted: not supported here]"},
                {"text": "What?"},
            )
        ],
        _NOT_HERE,
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.source} to {case.target}: {case.name}")
def test_hard_conversions(case: Case) -> None:
    """The target gets just these messages, its own types take them, and a change tells what is no longer there."""
    source: dict[str, Any] = {_TURNS.get(case.source, "messages"): case.turns}

    fixed = fix(source, model=_MODELS[case.target], source=case.source, to=case.target)

    assert fixed.request[_TURNS.get(case.target, "messages")] == case.expected
    assert case.told <= {change.rule for change in fixed.changes}
    judge = _JUDGES.get(case.target)
    assert judge is None or judge(fixed.request) == []


@pytest.mark.parametrize("response", [{"error": None}, {"output": None}, {"error": ""}, {}])
def test_gemini_s_own_forms_of_nothing(response: dict[str, Any]) -> None:
    """Written anew for Gemini, a result that says nothing says it as it did."""
    known = format_named("gemini")
    contents = [_GO_GEMINI, _model(_called("f", "c1")), _contents(_answered("f", "c1", **response))]
    prompt = known.decode(contents)
    copies = tuple(message.model_copy() for message in prompt.messages)

    assert known.encode(prompt.model_copy(update={"messages": copies})).request == contents


@pytest.mark.parametrize(
    ("signature", "encrypted"), [("c2ln", None), (None, "c2ln"), ("", "c2ln"), ("c2ln", "x")]
)
@pytest.mark.parametrize("api", ["anthropic", "bedrock"])
def test_what_seals_readable_reasoning_is_its_signature(
    api: str, signature: str | None, encrypted: str | None
) -> None:
    """OpenAI Agents keep Claude's signature where OpenAI has its encrypted content."""
    part = ReasoningPart(text="Hm.", signature=signature, encrypted=encrypted)
    prompt = Prompt(
        messages=(UserMessage("Go"), AssistantMessage(parts=[part], api=api)), request={}, api=api
    )
    answer = format_named(api).encode(prompt).request["messages"][1]
    told: dict[str, Any] = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    if api == "bedrock":
        told = {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "c2ln"}}}
    assert answer["content"] == [told]
