"""Cohere's chat API: what is read, form by form, and what is written."""

from __future__ import annotations

import pickle
from typing import Any, Final

import pytest

from replayable import (
    AssistantMessage,
    Change,
    FilePart,
    HistoryFormatError,
    Message,
    ModelRef,
    OpaquePart,
    Prompt,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
    messages_from_json,
    messages_to_json,
)
from replayable.formats import format_named
from replayable.formats.wire import Encoded
from replayable.prompt import ToolChoice, ToolDefinition, with_messages, with_model

_COHERE: Final = format_named("cohere_v2")
_CALL: Final = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"n": 1}'}}
_CALLED: Final = ToolCallPart(tool_call_id="c", tool_name="f", input={"n": 1}, raw_input='{"n": 1}')
_PNG: Final = FilePart(media_type="image/png", data="QQ==")


def _own(**options: Any) -> dict[str, Any]:
    return {"provider_options": {"cohere_v2": options}}


def _answered(*parts: Any, **fields: Any) -> AssistantMessage:
    return AssistantMessage(parts, api="cohere_v2", **fields)


def _result(**fields: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": "c", **fields}


def _document(data: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "document", "document": {**fields, "data": data}}


def _written(*messages: Message, **fields: Any) -> Encoded:
    return _COHERE.encode(Prompt(messages=messages, request={}, **fields))


def _rules(encoded: Encoded) -> list[str | None]:
    return [change.rule for change in encoded.changes]


# --- what is read, and comes back ---------------------------------------------------------------------------------

_FORMS: Final[list[tuple[dict[str, Any], Message]]] = [
    ({"role": "system", "content": "A"}, SystemMessage("A", placement="list")),
    ({"role": "user", "content": "Hi"}, UserMessage("Hi")),
    ({"role": "user", "content": "Hi", "note": 1}, UserMessage("Hi", **_own(note=1))),
    (
        {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
        UserMessage("Hi", **_own(**{"$content": "list"})),
    ),
    (
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Hi", "note": 1},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,QQ==", "detail": "low"}},
                {"type": "image_url", "image_url": "https://example.org/a.png"},
                {"type": "hologram"},
            ],
        },
        UserMessage(
            [
                TextPart("Hi", **_own(note=1)),
                FilePart(
                    media_type="image/png",
                    data="QQ==",
                    **_own(**{"$type": "image_url", "image_url": {"detail": "low"}}),
                ),
                FilePart(
                    media_type="image/*",
                    url="https://example.org/a.png",
                    **_own(**{"$type": "image_url", "$form": "string"}),
                ),
                OpaquePart(api="cohere_v2", value={"type": "hologram"}),
            ]
        ),
    ),
    (
        {"role": "assistant", "tool_plan": "I look.", "tool_calls": [_CALL]},
        _answered(
            TextPart("I look.", **_own(**{"$field": "tool_plan"})), _CALLED, **_own(**{"$content": "absent"})
        ),
    ),
    (
        {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "Hm."}],
            "tool_plan": "I look.",
            "tool_calls": [_CALL],
            "citations": [],
        },
        _answered(
            ReasoningPart(text="Hm.", **_own(**{"$field": "thinking"})),
            TextPart("I look.", **_own(**{"$field": "tool_plan"})),
            _CALLED,
            **_own(citations=[]),
        ),
    ),
    (
        {"role": "assistant", "content": None, "tool_plan": None, "tool_calls": None},
        _answered(**_own(**{"tool_plan": None, "tool_calls": None, "$content": "null"})),
    ),
    (
        {"role": "assistant", "content": [], "tool_calls": [{"function": {"name": "f", "note": 1}}]},
        _answered(
            ToolCallPart(
                tool_name="f",
                **_own(**{"$type": "absent", "$arguments": "absent", "function": {"note": 1}}),
            ),
            **_own(**{"$content": "list"}),
        ),
    ),
    (_result(content="ok"), ToolMessage([ToolResultPart(tool_call_id="c", output="ok")])),
    (
        _result(content=[_document({"n": 1}, id="d"), _document('{"n": 1}'), {"type": "text", "text": "x"}]),
        ToolMessage(
            [
                ToolResultPart(
                    tool_call_id="c",
                    content=(
                        TextPart('{"n":1}', **_own(**{"$type": "document", "document": {"id": "d"}})),
                        TextPart('{"n": 1}', **_own(**{"$type": "document", "$data": "text"})),
                        TextPart("x"),
                    ),
                )
            ],
            **_own(**{"$content": "list"}),
        ),
    ),
    (
        _result(content=[{"type": "document", "document": {"id": "d"}}]),
        ToolMessage(
            [
                ToolResultPart(
                    tool_call_id="c",
                    content=(
                        OpaquePart(api="cohere_v2", value={"type": "document", "document": {"id": "d"}}),
                    ),
                )
            ],
            **_own(**{"$content": "list"}),
        ),
    ),
    (
        {"role": "tool", "tool_call_id": None},
        ToolMessage([ToolResultPart()], **_own(**{"tool_call_id": None, "$content": "absent"})),
    ),
]


@pytest.mark.parametrize(("wire", "message"), _FORMS)
def test_a_message_is_read_and_written(wire: dict[str, Any], message: Message) -> None:
    """Each form becomes its message, and comes back: as the very object, and by value when nothing is remembered."""
    prompt = _COHERE.decode([wire])
    stored = messages_from_json(messages_to_json(prompt.messages))

    assert prompt.messages == (message,)
    assert _COHERE.encode(prompt).request[0] is wire
    assert _COHERE.encode(with_messages(prompt, stored)).request == [wire]


def test_a_whole_request() -> None:
    """Tools, the choice and thinking are read; documents and settings stay beside; all of it comes back from a store."""
    request = {
        "model": "command-a-03-2025",
        "messages": [{"role": "user", "content": "Hi"}],
        "tools": [{"type": "function", "function": {"name": "f"}}],
        "tool_choice": "REQUIRED",
        "thinking": {"type": "disabled"},
        "documents": ["A fact."],
        "strict_tools": True,
    }
    prompt = _COHERE.decode(request)

    assert prompt.tools == (ToolDefinition(name="f"),)
    assert prompt.tool_choice == ToolChoice(type="required", **_own(**{"$wire": "REQUIRED"}))
    assert prompt.thinking is False
    assert _COHERE.encode(prompt).request is request
    assert _COHERE.encode(pickle.loads(pickle.dumps(prompt))).request == request


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ([1], "[0]: expected a message"),
        ([{"role": "bot"}], "[0].role: expected one of the roles system, user, assistant, tool"),
        ([{"role": "user", "content": 1}], "[0].content: expected a string or a list of blocks"),
        ([{"role": "user", "content": [1]}], "[0].content[0]: expected a content block"),
        ([{"role": "user", "content": [{"type": "text"}]}], "[0].content[0].text: expected a string"),
        ([{"role": "assistant", "tool_plan": 1}], "[0].tool_plan: expected a string"),
        ([{"role": "assistant", "tool_calls": 1}], "[0].tool_calls: expected a list of tool calls"),
        ([{"role": "assistant", "tool_calls": [{}]}], "[0].tool_calls[0].function: expected an object"),
        (
            [{"role": "assistant", "tool_calls": [{"function": {}}]}],
            "[0].tool_calls[0].function.name: expected a string",
        ),
        ([{"role": "tool", "tool_call_id": 1}], "[0].tool_call_id: expected a string"),
    ],
)
def test_malformed(request_: Any, told: str) -> None:
    """What is of no known shape is told with its place."""
    with pytest.raises(HistoryFormatError) as caught:
        _COHERE.decode(request_)

    assert str(caught.value).startswith(told)


# --- what is written ----------------------------------------------------------------------------------------------


def test_what_was_said_before_calls_is_the_plan() -> None:
    """Cohere refuses text beside calls; several texts are paragraphs of the plan, and listed."""
    encoded = _written(UserMessage("Hi"), AssistantMessage([TextPart("A"), TextPart("B"), _CALLED]))
    one = _written(UserMessage("Hi"), AssistantMessage(["A", _CALLED]))

    assert encoded.request["messages"][1] == {
        "role": "assistant",
        "tool_plan": "A\n\nB",
        "tool_calls": [_CALL],
    }
    assert _rules(encoded) == ["texts-joined"]
    assert one.request["messages"][1]["tool_plan"] == "A"
    assert one.changes == ()


def test_a_plan_without_calls_is_text() -> None:
    """When the calls have left, the plan is what the assistant said."""
    prompt = _COHERE.decode([{"role": "assistant", "tool_plan": "I look.", "tool_calls": [_CALL]}])
    message = prompt.messages[0].model_copy(update={"parts": prompt.messages[0].parts[:1]})
    request = _COHERE.encode(with_messages(prompt, [message])).request

    assert request == [{"role": "assistant", "content": "I look."}]


@pytest.mark.parametrize(("thinking", "sent"), [(True, True), (None, False)])
def test_reasoning_of_others(thinking: bool | None, sent: bool) -> None:
    """Thinking content wants thinking to be on; else it stays behind, and is listed."""
    answer = AssistantMessage([ReasoningPart(text="Hm."), TextPart("Yes.")], api="openai_chat")
    encoded = _written(answer, thinking=thinking)
    thought = {"type": "thinking", "thinking": "Hm."}

    assert encoded.request["messages"] == [
        {"role": "assistant", "content": [thought, {"type": "text", "text": "Yes."}] if sent else "Yes."}
    ]
    assert _rules(encoded) == ([] if sent else ["no-field-for-reasoning"])


def test_images_of_results_follow_the_run() -> None:
    """Results hold no images: they follow behind all results, and a text tells so."""
    calls = [_CALLED, _CALLED.model_copy(update={"tool_call_id": "d"})]
    results = ToolMessage(
        [
            ToolResultPart(tool_call_id="c", content=(TextPart("Look:"), _PNG)),
            ToolResultPart(tool_call_id="d", output={"n": 1}, is_error=True),
        ]
    )
    encoded = _written(UserMessage("Hi"), AssistantMessage(calls), results, UserMessage("And?"))
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,QQ=="}}

    assert encoded.request["messages"][2:] == [
        _result(
            content=[
                {"type": "text", "text": "Look:"},
                {"type": "text", "text": "[image/png: see the next user message]"},
            ]
        ),
        {"role": "tool", "tool_call_id": "d", "content": '{"n":1}'},
        {"role": "user", "content": [image]},
        {"role": "user", "content": "And?"},
    ]
    assert _rules(encoded) == ["file-follows-tool-result", "fields-left-out"]


@pytest.mark.parametrize(
    ("part", "block"),
    [
        (_PNG, {"type": "image_url", "image_url": {"url": "data:image/png;base64,QQ=="}}),
        (
            FilePart(media_type="image/*", url="https://example.org/a"),
            {"type": "image_url", "image_url": {"url": "https://example.org/a"}},
        ),
        (FilePart(media_type="image/tiff", data="QQ=="), "[image/tiff omitted: not supported here]"),
        (
            FilePart(media_type="application/pdf", data="QQ=="),
            "[application/pdf omitted: not supported here]",
        ),
        (OpaquePart(api="anthropic", value={"type": "x"}), "[x omitted: not supported here]"),
    ],
)
def test_files(part: Any, block: Any) -> None:
    """Images are shown; everything else becomes a text that says what was there, and is listed."""
    encoded = _written(UserMessage(["Look.", part]))
    expected = {"type": "text", "text": block} if isinstance(block, str) else block

    assert encoded.request["messages"][0]["content"] == [{"type": "text", "text": "Look."}, expected]
    assert _rules(encoded) == (["not-supported-here"] if isinstance(block, str) else [])


@pytest.mark.parametrize(
    ("choice", "written", "complete"),
    [
        (ToolChoice(), {}, True),
        (ToolChoice(type="required"), {"tool_choice": "REQUIRED"}, True),
        (ToolChoice(type="none"), {"tool_choice": "NONE"}, True),
        (ToolChoice(type="tool", tool_name="f"), {"tool_choice": "REQUIRED"}, False),
        (ToolChoice(allowed=("f",)), {}, False),
        (ToolChoice(parallel=False), {}, False),
    ],
)
def test_tool_choice(choice: ToolChoice, written: dict[str, Any], complete: bool) -> None:
    """A choice that Cohere has no words for is said as far as it goes, and listed."""
    encoded = _written(UserMessage("Hi"), tools=(ToolDefinition(name="f"),), tool_choice=choice)

    assert {key: value for key, value in encoded.request.items() if key == "tool_choice"} == written
    assert ("tool-choice" not in _rules(encoded)) is complete


def test_a_changed_document() -> None:
    """A document keeps its id; its data are an object as long as its text is one."""
    prompt = _COHERE.decode([_result(content=[_document({"n": 1}, id="d")])])
    for text, data in (('{"n":2}', {"n": 2}), ("gone", "gone")):
        result: Any = prompt.messages[0].parts[0]
        part = result.content[0].model_copy(update={"text": text})
        message = prompt.messages[0].model_copy(
            update={"parts": (result.model_copy(update={"content": (part,)}),)}
        )
        request = _COHERE.encode(with_messages(prompt, [message])).request

        assert request == [_result(content=[_document(data, id="d")])]


def test_a_request_of_another_api() -> None:
    """An Anthropic request keeps its limit and model; everything else is listed as left out."""
    claude = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 5,
        "temperature": 1,
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "Hi"}],
    }
    prompt = with_model(format_named("anthropic").decode(claude), ModelRef.of("cohere/command-a-03-2025"))

    assert _COHERE.encode(prompt) == Encoded(
        request={
            "model": "command-a-03-2025",
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
            "max_tokens": 5,
        },
        changes=(
            Change(
                processor="formats.cohere_v2",
                rule="request-fields-left-out",
                action="removed",
                before={"temperature": 1},
            ),
        ),
    )
