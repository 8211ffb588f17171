"""How histories of other APIs are written for Gemini, and what of Gemini's goes to others and comes back."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replayable import ModelRef, Prompt
from replayable.formats import format_named, gemini
from replayable.messages import (
    AssistantMessage,
    FilePart,
    Message,
    OpaquePart,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from replayable.prompt import ProviderTool, ToolChoice, ToolDefinition
from tests.judges.gemini_types import gemini_errors
from tests.recorded.conversation import differences, read

_PNG: Final = FilePart(media_type="image/png", data="AA==")
_GEMINI_2: Final = ModelRef.of("google/gemini-2.5-flash")
_GEMINI_3: Final = ModelRef.of("google/gemini-3-pro-preview")


def written(
    *messages: Message, model: ModelRef | None = _GEMINI_2, **fields: Any
) -> tuple[dict[str, Any], set[str | None]]:
    """The request that a foreign history becomes, checked by the SDK's types, and the rules of its changes."""
    encoded = gemini.encode(
        Prompt(messages=messages, model=model, api="openai_chat", **{"request": {}, **fields})
    )
    assert gemini_errors(encoded.request) == []
    return encoded.request, {change.rule for change in encoded.changes}


def asked(*names: str) -> AssistantMessage:
    """An answer that calls tools, each under an id made of its name and place."""
    calls = [
        ToolCallPart(tool_call_id=f"{name}{at}", tool_name=name, input={"n": at})
        for at, name in enumerate(names)
    ]
    return AssistantMessage(parts=calls)


def answer(tool_call_id: str, output: Any = "x", **fields: Any) -> ToolMessage:
    """A message with one result."""
    return ToolMessage(parts=[ToolResultPart(tool_call_id=tool_call_id, output=output, **fields)])


def responses(request: dict[str, Any], at: int) -> list[Any]:
    """The function responses of a content."""
    return [
        part["functionResponse"] for part in request["contents"][at]["parts"] if "functionResponse" in part
    ]


def test_results_follow_their_calls() -> None:
    """All results of a turn are one content, in the order of their calls, under the names of the tools."""
    request, rules = written(asked("f", "g", "h"), answer("h2", "3"), answer("f0", "1"), answer("g1", "2"))

    assert responses(request, 1) == [
        {"id": "f0", "name": "f", "response": {"output": "1"}},
        {"id": "g1", "name": "g", "response": {"output": "2"}},
        {"id": "h2", "name": "h", "response": {"output": "3"}},
    ]
    assert rules == set()


def test_no_ids_for_vertex() -> None:
    """Vertex gets calls and results without ids: position and name tell."""
    request, _ = written(asked("f"), answer("f0"), model=ModelRef.of("vertex/gemini-2.5-flash"))

    assert request["contents"][0]["parts"] == [{"functionCall": {"name": "f", "args": {"n": 0}}}]
    assert responses(request, 1) == [{"name": "f", "response": {"output": "x"}}]


@pytest.mark.parametrize(
    ("output", "is_error", "expected"),
    [
        ("x", None, {"output": "x"}),
        ("", None, {"output": ""}),
        (None, None, {"output": ""}),
        ({"a": 1}, None, {"a": 1}),
        ({"output": 1}, None, {"output": {"output": 1}}),
        ({"error": 1}, False, {"output": {"error": 1}}),
        ([1], None, {"output": [1]}),
        ("no", True, {"error": "no"}),
        ({"code": 1}, True, {"error": {"code": 1}}),
    ],
)
def test_outputs_are_wrapped(output: Any, is_error: bool | None, expected: Any) -> None:
    """Every answer is an object, and says the same when it is read again."""
    request, _ = written(asked("f"), answer("f0", output, is_error=is_error))
    part = gemini.decode(request).messages[1].parts[0]

    assert responses(request, 1)[0]["response"] == expected
    assert isinstance(part, ToolResultPart)
    assert part.output == ("" if output is None else output)
    assert bool(part.is_error) is bool(is_error)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"input": [1]}, {"input": [1]}),
        ({"input": None, "raw_input": "not json"}, {"raw_arguments": "not json"}),
        ({"input": None, "raw_input": ""}, {}),
    ],
)
def test_arguments_are_an_object(fields: dict[str, Any], expected: Any) -> None:
    """What is no object is put into one, and listed."""
    call = ToolCallPart(tool_call_id="c", tool_name="f", **fields)
    request, rules = written(AssistantMessage(parts=[call]), answer("c"))

    assert request["contents"][0]["parts"][0]["functionCall"]["args"] == expected
    assert rules == {"input-is-no-object"}


def test_media_of_a_result_behind_the_results() -> None:
    """Before Gemini 3 a file follows all results of its turn, in the same content."""
    result = ToolResultPart(tool_call_id="f0", output=[TextPart("Here:"), _PNG])
    request, rules = written(asked("f", "g"), ToolMessage(parts=[result]), answer("g1"))

    assert request["contents"][1]["parts"][2:] == [{"inlineData": {"mimeType": "image/png", "data": "AA=="}}]
    assert responses(request, 1)[0]["response"] == {"output": "Here:\n[image/png: see behind the results]"}
    assert rules == {"file-follows-tool-result"}


def test_media_in_a_result() -> None:
    """From Gemini 3 on a file stands in the result."""
    result = ToolResultPart(tool_call_id="f0", output=[TextPart("Here:"), _PNG])
    request, rules = written(asked("f"), ToolMessage(parts=[result]), model=_GEMINI_3)

    assert responses(request, 1)[0]["parts"] == [{"inlineData": {"mimeType": "image/png", "data": "AA=="}}]
    assert responses(request, 1)[0]["response"] == {"output": "Here:"}
    assert rules == set()


def test_system_messages() -> None:
    """The leading ones are the system instruction; a later one stays where it is, between tags."""
    request, rules = written(
        SystemMessage("One"),
        SystemMessage("Two"),
        UserMessage("Hi"),
        SystemMessage("Three"),
        UserMessage("Ho"),
    )

    assert request["systemInstruction"] == {"parts": [{"text": "One"}, {"text": "Two"}]}
    assert request["contents"][1] == {"role": "user", "parts": [{"text": "<system>\nThree\n</system>"}]}
    assert rules == {"system-stands-in-a-user-turn"}


def test_a_bare_list_keeps_its_system_prompt_beside() -> None:
    """A list of messages becomes a list of contents; the system instruction is handed out with it."""
    encoded = gemini.encode(Prompt(messages=(SystemMessage("One"), UserMessage("Hi")), api="openai_chat"))

    assert encoded.request == [{"role": "user", "parts": [{"text": "Hi"}]}]
    assert encoded.system == {"parts": [{"text": "One"}]}


def test_foreign_reasoning_is_left_out() -> None:
    """What another API thought is listed, not sent; Gemini's own goes with its signature."""
    thought = ReasoningPart(text="Hm", signature="c2ln")
    foreign = AssistantMessage(parts=[thought, TextPart("Hi")], api="anthropic")
    own = AssistantMessage(parts=[thought, TextPart("Hi")], api="gemini")
    sealed = AssistantMessage(parts=[ReasoningPart(encrypted="x"), TextPart("Hi")])
    request, rules = written(UserMessage("a"), foreign, UserMessage("b"), own, UserMessage("c"), sealed)

    assert request["contents"][1]["parts"] == [{"text": "Hi"}]
    assert request["contents"][3]["parts"][0] == {"text": "Hm", "thought": True, "thoughtSignature": "c2ln"}
    assert request["contents"][5]["parts"] == [{"text": "Hi"}]
    assert rules == {"foreign-reasoning"}


def test_what_cannot_be_said() -> None:
    """Files by another provider's id, and parts of other APIs, become texts that say what was there."""
    request, rules = written(
        UserMessage(
            [FilePart(media_type="image/png", file_id="file-1"), OpaquePart(api="x", value={"type": "y"})]
        ),
        AssistantMessage([ToolCallPart(tool_name="web_search", provider_executed=True), TextPart("Found.")]),
    )

    assert request["contents"][0]["parts"] == [
        {"text": "[image/png omitted: not supported here]"},
        {"text": "[y omitted: not supported here]"},
    ]
    assert request["contents"][1]["parts"] == [{"text": "Found."}]
    assert rules == {"not-supported-here", "provider-executed-tool"}


@pytest.mark.parametrize(
    ("url", "media_type", "expected"),
    [
        ("https://example.org/a.png?x=1", "image/*", "image/png"),
        ("https://example.org/a", "image/*", "image/jpeg"),
        ("https://example.org/a.pdf", None, "application/pdf"),
        ("https://example.org/a.png", "image/webp", "image/webp"),
    ],
)
def test_files_by_url(url: str, media_type: str | None, expected: str) -> None:
    """Where only the kind is known the name's ending tells the type, else the likely one is taken."""
    request, _ = written(UserMessage([FilePart(url=url, media_type=media_type)]))

    assert request["contents"][0]["parts"] == [{"fileData": {"fileUri": url, "mimeType": expected}}]


@pytest.mark.parametrize(
    ("choice", "config", "complete"),
    [
        (ToolChoice(), {"mode": "AUTO"}, True),
        (ToolChoice(type="none"), {"mode": "NONE"}, True),
        (ToolChoice(type="required"), {"mode": "ANY"}, True),
        (ToolChoice(type="tool", tool_name="f"), {"mode": "ANY", "allowedFunctionNames": ["f"]}, True),
        (
            ToolChoice(type="required", allowed=("f", "g")),
            {"mode": "ANY", "allowedFunctionNames": ["f", "g"]},
            True,
        ),
        (ToolChoice(allowed=("f",)), {"mode": "VALIDATED", "allowedFunctionNames": ["f"]}, True),
        (ToolChoice(parallel=False), {"mode": "AUTO"}, False),
    ],
)
def test_tools(choice: ToolChoice, config: Any, complete: bool) -> None:
    """Functions go with their JSON Schema, and the choice as a mode; what is another API's own is listed."""
    schema = {"type": "object", "additionalProperties": False}
    tools = (
        ToolDefinition(name="f", parameters=schema, strict=True),
        ProviderTool(api="anthropic", value={}),
        ToolDefinition(name="g", description="Does"),
    )
    request, rules = written(
        UserMessage("Hi"), tools=tools, tool_choice=choice, request={"max_tokens": 5, "seed": 1}
    )

    assert request["tools"] == [
        {"functionDeclarations": [{"name": "f", "parametersJsonSchema": schema}]},
        {"functionDeclarations": [{"name": "g", "description": "Does"}]},
    ]
    assert request["toolConfig"] == {"functionCallingConfig": config}
    assert request["generationConfig"] == {"maxOutputTokens": 5}
    expected = {"request-fields-left-out", "provider-tool-left-out", "fields-left-out"}
    assert rules == (expected if complete else expected | {"tool-choice"})


def test_an_answer_of_which_nothing_is_left() -> None:
    """A content without parts would be refused: it goes, as the changes say."""
    sealed = AssistantMessage(parts=[ReasoningPart(encrypted="x")])
    request, rules = written(UserMessage("a"), sealed, UserMessage("b"))

    assert [content["role"] for content in request["contents"]] == ["user", "user"]
    assert rules == {"foreign-reasoning"}


# --- there and back -----------------------------------------------------------------------------------------------

_NAMES: Final = st.sampled_from(["f", "g"])
_IDS: Final = st.none() | st.sampled_from(["a", "b", "c", "d"])
_TEXTS: Final = st.text(min_size=1, max_size=5).filter(lambda text: bool(text.strip()))
_OBJECTS: Final = st.dictionaries(
    st.sampled_from(["output", "error", "a"]), st.integers() | _TEXTS, max_size=2
)


@st.composite
def _requests(draw: st.DrawFn) -> dict[str, Any]:
    """A Gemini request: texts and turns with calls, with or without ids, each of them answered."""
    contents: list[Any] = []
    for _ in range(draw(st.integers(1, 3))):
        contents.append({"role": "user", "parts": [{"text": draw(_TEXTS)}]})
        names = draw(st.lists(_NAMES, max_size=3))
        ids = draw(st.lists(_IDS, min_size=len(names), max_size=len(names)))
        calls, answers = [], []
        for name, tool_call_id in zip(names, ids, strict=True):
            own = {} if tool_call_id is None else {"id": tool_call_id}
            calls.append({"functionCall": {**own, "name": name, "args": draw(_OBJECTS)}})
            output = draw(_TEXTS.map(lambda text: {"output": text}) | _OBJECTS)
            answers.append({"functionResponse": {**own, "name": name, "response": output}})
        if calls:
            contents.append({"role": "model", "parts": calls})
            contents.append({"role": "user", "parts": answers})
        contents.append({"role": "model", "parts": [{"text": draw(_TEXTS)}]})
    return {"contents": contents}


@given(_requests(), st.sampled_from(["openai_chat", "anthropic"]))
def test_there_and_back(request: dict[str, Any], other: str) -> None:
    """Calls, results, texts and their order survive another API; so they do on the way there."""
    recorded = {"openai_chat": "openai_chat", "anthropic": "anthropic_messages"}[other]
    there = format_named(other).encode(gemini.decode(request)).request
    back = gemini.encode(format_named(other).decode(there)).request

    before = read(request, "gemini")
    assert _said(before, read(there, recorded)) == []
    assert _said(before, read(back, "gemini")) == []
    assert gemini_errors(back) == []


def _said(before: Any, after: Any) -> list[Any]:
    # OpenAI's API has no mark for an error: it comes back as the output.
    return [found for found in differences(before, after) if found.kind != "call_error"]


@given(_requests())
def test_generated_requests_come_back(request: dict[str, Any]) -> None:
    """What nobody touched is the very object."""
    assert gemini.encode(gemini.decode(request)).request is request


def test_words_in_the_turn_of_results_follow_all_of_them() -> None:
    """Results stand in the order of their calls, however they came; what the user says with them comes behind."""
    both = ToolMessage(parts=[*answer("b1").parts, *answer("a0").parts])
    words = UserMessage("Go on.", provider_options={"gemini": {"$continues": True}})
    request, _ = written(UserMessage("Hi"), asked("a", "b"), both, words)
    parts = request["contents"][-1]["parts"]
    assert [part.get("functionResponse", part).get("name") for part in parts] == ["a", "b", None]
    assert parts[-1] == {"text": "Go on."}
