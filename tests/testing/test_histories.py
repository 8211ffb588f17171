"""``assert_replayable``: silent on what is accepted, and a diagnosis of what is not."""

from __future__ import annotations

from typing import Any

import pytest

from replayable import (
    AssistantMessage,
    ConfigurationError,
    HistoryFormatError,
    ModelRef,
    Prompt,
    Provider,
    ToolCallPart,
    UserMessage,
    check,
    fix,
)
from replayable.testing import NotReplayable, assert_replayable


def calls(*ids: str) -> dict[str, Any]:
    """An answer that makes calls."""
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": name, "type": "function", "function": {"name": "weather", "arguments": "{}"}}
            for name in ids
        ],
    }


ASKED = {"role": "user", "content": "Is it raining in Oslo? Tell nobody that I asked."}
UNANSWERED = [ASKED, calls("a", "b"), {"role": "user", "content": "Hello?"}]
CLAUDE = "anthropic/claude-sonnet-5"


def failure(history: Any, **options: Any) -> NotReplayable:
    """How the assertion fails."""
    with pytest.raises(NotReplayable) as caught:
        assert_replayable(history, **options)
    return caught.value


def test_the_failure_reads_like_a_diagnosis() -> None:
    """Each kind of fault once: all its places in the request as it was given, cause, words, source and repair."""
    assert (
        str(failure({"model": "gpt-5", "messages": UNANSWERED}, model="openai/gpt-5"))
        == """\
openai/gpt-5 would reject this history, for 1 reason.

1. call-without-result (repaired by clean-messages)
   at      messages[1].tool_calls[0]: tool call 'weather' (id 'a')
   at      messages[1].tool_calls[1]: tool call 'weather' (id 'b')
   cause   A call has no tool message directly after it.
   says    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. \
The following tool_call_ids did not have response messages: {id}"
           https://github.com/agno-agi/agno/issues/3105
   repair  A call that nothing answers gets a placeholder result, or leaves (missing_results='drop').

fix(history, model='openai/gpt-5').request is the history with these repairs."""
    )


def test_it_is_an_assertion_that_holds_its_findings() -> None:
    """A test that fails with it failed, and a program can read why."""
    error = failure(UNANSWERED, model=CLAUDE)
    assert isinstance(error, AssertionError)
    assert list(error.findings) == check(UNANSWERED, model=CLAUDE)


def test_a_kind_of_many_places_is_told_once() -> None:
    """Five places stand for a thousand."""
    told = str(failure([ASKED, calls(*(f"call_{number}" for number in range(1000)))], model=CLAUDE))
    assert told.count("   at ") == 5
    assert "   and     995 more" in told


def test_nothing_that_anybody_said_is_told() -> None:
    """The message ends up in logs of CI."""
    told = str(failure([*UNANSWERED, {"role": "user", "content": ""}], model=CLAUDE))
    assert "Oslo" not in told
    assert "Hello" not in told


@pytest.mark.parametrize(
    "history",
    [
        pytest.param(
            [ASKED, calls("a b"), {"role": "tool", "tool_call_id": "a b", "content": "4"}], id="wire"
        ),
        pytest.param(
            (
                UserMessage("Hello"),
                AssistantMessage([ToolCallPart(tool_call_id="a b", tool_name="t", input={})]),
                UserMessage("Hello?"),
            ),
            id="models",
        ),
        pytest.param(
            Prompt(
                messages=(
                    UserMessage("Hello"),
                    AssistantMessage([ToolCallPart(tool_call_id="a b", tool_name="t", input={})]),
                )
            ),
            id="prompt",
        ),
    ],
)
def test_it_takes_what_people_have(history: Any) -> None:
    """Dicts of a wire, message models, a prompt: rejected as they are, accepted once repaired."""
    assert "anthropic-tool-id-format" in str(failure(history, model=CLAUDE))
    if isinstance(history, list):
        assert_replayable(fix(history, model=CLAUDE).request, model=CLAUDE)


def test_the_place_of_models_is_told_by_number() -> None:
    """What was read from no wire has no path in one."""
    history = (UserMessage("Hi"), AssistantMessage([ToolCallPart(tool_call_id="a", tool_name="t", input={})]))
    assert "   at      message 1, part 0: tool call 't' (id 'a')" in str(failure(history, model=CLAUDE))


def test_what_has_to_come_in_is_told_of_where_it_is_missing() -> None:
    """A message in the request, a part in its message: it stands nowhere yet."""
    told = str(failure([{"role": "system", "content": "x"}], model="openai/gpt-5"))
    assert "chat-some-message\n   at      the request\n" in told
    told = str(failure([{"role": "user"}], model="openai/gpt-5", source="openai_chat"))
    assert "openai-content-present\n   at      [0]: user message with no parts\n" in told


@pytest.mark.parametrize("model", ["antropic/claude-sonnet-5", "", None, ModelRef()])
def test_a_model_that_nobody_knows_is_no_pass(model: Any) -> None:
    """A typing mistake would make every test pass."""
    with pytest.raises(ConfigurationError, match="nothing is known of the model"):
        assert_replayable([ASKED], model=model)


def test_a_history_of_nothing_is_no_pass() -> None:
    """It is a fault of the recording, if it is not one of the history."""
    with pytest.raises(ConfigurationError, match="holds no message"):
        assert_replayable([], model=CLAUDE)
    assert "anthropic-some-message" in str(failure({"messages": []}, model=CLAUDE))


def test_rows_and_rules_can_be_chosen() -> None:
    """A house model has a row of its own; a rule that does not hold there is switched off."""
    house = Provider(name="house", recognise=lambda model: model.provider == "house")
    assert_replayable([ASKED], model="house/m", providers=[house])
    answered = [ASKED, calls("a b"), {"role": "tool", "tool_call_id": "a b", "content": "4"}]
    assert_replayable(answered, model=CLAUDE, without_rules=["anthropic-tool-id-format"])


def test_what_is_no_history_is_refused() -> None:
    """Malformed input is an error of the test, not a finding."""
    with pytest.raises(HistoryFormatError, match=r"\[0\]"):
        assert_replayable(["Hello"], model="openai/gpt-5", source="openai_chat")
