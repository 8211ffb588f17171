"""The message models are pleasant to write, refuse typos, and survive storage."""

from __future__ import annotations

import copy
import json
import pickle
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import ValidationError

from replayable import (
    AssistantMessage,
    FilePart,
    OpaquePart,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
    messages_from_json,
    messages_to_json,
    validate_messages,
)
from replayable.formats import openai_chat
from replayable.messages import Messages

EVERYTHING: Messages = (
    SystemMessage("Be brief.", placement="top"),
    UserMessage(
        ["What is this?", FilePart(media_type="image/png", data=b"A", filename="a.png")],
        id="m1",
        created_at=datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC),
        metadata={"thread": [1, None, True, {"x": 1.5}]},
        provider_options={"anthropic": {"cache_control": {"type": "ephemeral"}}},
    ),
    AssistantMessage(
        [
            ReasoningPart(text="Hm.", signature="s", encrypted="e", id="rs_1", provider="openai"),
            "A cat?",
            ToolCallPart(tool_call_id="a", tool_name="look", input={"at": "\ud83d"}, raw_input='{"at": "?"}'),
            ToolCallPart(tool_call_id="b", tool_name="look", state="partial", raw_input='{"a'),
            ToolCallPart(tool_call_id="s", tool_name="web", provider_executed=True),
            ToolResultPart(tool_call_id="s", output=[], provider_executed=True),
            OpaquePart(api="anthropic", value=None),
        ],
        provider="openai",
        api="openai_chat",
        model="gpt-5",
        status="aborted",
    ),
    ToolMessage(
        [
            ToolResultPart(
                tool_call_id="a", output=[TextPart("A cat."), FilePart(url="https://example.org/cat.png")]
            ),
            ToolResultPart(tool_call_id="b", output={"ok": False}, is_error=False, model_output="no"),
            ToolResultPart(tool_name="look", content=(), synthesized=True),
        ]
    ),
    UserMessage(),
)


def test_positional_text() -> None:
    """A message or a text part takes its text as the one positional argument."""
    assert UserMessage("Hi") == UserMessage(parts=(TextPart(text="Hi"),))
    assert UserMessage("Hi").parts == (TextPart("Hi"),)


def test_strings_among_parts() -> None:
    """Strings among the parts are texts."""
    assert UserMessage(["Hi", FilePart(url="u")]).parts == (TextPart("Hi"), FilePart(url="u"))


def test_plain_dicts_among_parts() -> None:
    """Parts and whole messages may be plain dicts."""
    plain: Any = {"type": "tool_call", "tool_call_id": "a", "tool_name": "t", "input": {"x": 1}}
    part = ToolCallPart(tool_call_id="a", tool_name="t", input={"x": 1})
    assert AssistantMessage(parts=[plain]).parts == (part,)
    assert validate_messages([{"role": "assistant", "parts": [plain, "Hi"]}]) == (
        AssistantMessage(parts=[part, "Hi"]),
    )


def test_bytes_become_base64() -> None:
    """A file's bytes are encoded; text is taken for base64."""
    assert FilePart(data=b"\x00\xff").data == "AP8="
    assert FilePart(data="AP8=") == FilePart(data=b"\x00\xff")


def test_parts_given_as_output() -> None:
    """A list of parts given as ``output`` becomes the content; other lists are JSON."""
    parts = (TextPart("a"), FilePart(url="u"))
    assert ToolResultPart(output=list(parts)) == ToolResultPart(output=parts) == ToolResultPart(content=parts)
    assert ToolResultPart(output=[]).output == []
    assert ToolResultPart(output=["a"]).output == ["a"]


@pytest.mark.parametrize("output", ["text", {"x": 1}, [TextPart("a")]])
def test_output_and_content_together_are_refused(output: Any) -> None:
    """An answer is either ``output`` or ``content``; none is silently thrown away."""
    with pytest.raises(ValidationError, match="give either output or content, not both"):
        ToolResultPart(output=output, content=(TextPart("b"),))


@pytest.mark.parametrize(
    "build",
    [
        lambda: UserMessage("Hi", metdata={}),  # type: ignore[call-arg]  # the typo under test
        lambda: ToolCallPart(tool_name="t", tool_call="a"),  # type: ignore[call-arg]  # the typo under test
        lambda: ReasoningPart(thinking="x"),  # type: ignore[call-arg]  # the typo under test
        lambda: validate_messages([{"role": "user", "content": "Hi"}]),
        lambda: validate_messages([{"role": "usr", "parts": []}]),
        lambda: validate_messages([{"parts": []}]),
        lambda: UserMessage(parts=[ToolCallPart(tool_name="t")]),  # type: ignore[list-item]  # no user part
        lambda: ToolMessage(parts=["Hi"]),  # type: ignore[list-item]  # no tool part
        lambda: AssistantMessage("Hi", status="done"),  # type: ignore[arg-type]  # no status
        lambda: ToolCallPart(tool_name=None),  # type: ignore[arg-type]  # the name is required
        lambda: ToolCallPart(tool_name="t", input={"x": {1, 2}}),
        lambda: ToolCallPart(tool_name="t", input={1: "x"}),
        lambda: UserMessage("Hi", metadata={"x": [(1, 2)]}),
    ],
)
def test_mistakes_are_refused(build: Any) -> None:
    """A typo, a part in the wrong message, and what is no JSON fail at construction."""
    with pytest.raises(ValidationError):
        build()


@pytest.mark.parametrize("kind", [UserMessage, TextPart])
def test_text_given_twice_is_refused(kind: Any) -> None:
    """Positional and by name at once is a mistake, as in any call; neither wins silently."""
    with pytest.raises(TypeError, match="multiple values"):
        kind("a", **{"parts" if kind is UserMessage else "text": "b"})


@pytest.mark.parametrize("given", [None, 5, "Hi", b"Hi", {"role": "user"}, UserMessage("Hi"), [["Hi"]]])
def test_what_is_no_list_of_messages_is_refused(given: Any) -> None:
    """``validate_messages`` names the mistake, whatever it was handed."""
    with pytest.raises(ValidationError):
        validate_messages(given)


def test_validating_keeps_identity() -> None:
    """Models stay the same objects, among plain dicts too."""
    hello = UserMessage("Hello")
    assert validate_messages([hello])[0] is hello
    assert validate_messages(iter([hello, {"role": "user", "parts": "Bye"}]))[0] is hello


def test_json_round_trip() -> None:
    """Every field survives, lone surrogates and required fields that are None included."""
    text = messages_to_json(EVERYTHING)
    assert text.isascii()
    assert messages_from_json(text) == EVERYTHING
    assert messages_from_json(text.encode()) == EVERYTHING
    assert messages_from_json(messages_to_json(EVERYTHING, indent=2)) == EVERYTHING


def test_json_leaves_defaults_out() -> None:
    """The text says what was said, nothing else."""
    assert json.loads(messages_to_json([UserMessage("Hi")])) == [
        {"role": "user", "parts": [{"type": "text", "text": "Hi"}]}
    ]


def test_an_opaque_part_without_a_value_survives_json() -> None:
    """A required field is written although it is None: without it the text could not be read back."""
    history = (UserMessage([OpaquePart(api="gemini", value=None)]),)
    assert messages_from_json(messages_to_json(history)) == history


@pytest.mark.parametrize("text", ["", "{", "{}", '"Hi"', "null", '[{"role": "x"}]', "[" * 100_000])
def test_what_is_no_stored_history_is_a_value_error(text: str) -> None:
    """Text that is no JSON, nests too deep or holds something else raises ``ValueError``."""
    with pytest.raises(ValueError, match=r"."):
        messages_from_json(text)


@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_are_equal(clone: Any) -> None:
    """Copies and pickles are equal to their originals."""
    assert clone(EVERYTHING) == EVERYTHING
    assert tuple(map(clone, EVERYTHING)) == EVERYTHING


def test_repr_hides_defaults() -> None:
    """A repr shows what was set."""
    assert repr(UserMessage("Hi", id="m")) == "UserMessage(id='m', parts=(TextPart(text='Hi'),))"
    assert repr(ToolCallPart(tool_name="t", input={})) == "ToolCallPart(tool_name='t', input={})"
    assert repr(UserMessage()) == "UserMessage()"


@pytest.mark.parametrize(
    "message",
    [UserMessage("Hi"), openai_chat.decode([{"role": "user", "content": "Hi"}]).messages[0]],
    ids=["made by hand", "read from a wire"],
)
def test_models_are_frozen(message: Any) -> None:
    """No field can be set or deleted, nor a new one invented."""
    assert type(message) is UserMessage
    assert type(message.parts[0]) is TextPart
    for name in ("parts", "id", "role", "anything"):
        with pytest.raises(ValidationError):
            setattr(message, name, "x")
        with pytest.raises(ValidationError):
            delattr(message, name)
    with pytest.raises(ValidationError):
        message.parts[0].text = "x"
