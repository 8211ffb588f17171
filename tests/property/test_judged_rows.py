"""What the pipeline makes of any history, put to the oracle: it has nothing against it, whoever reads it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replayable import (
    AssistantMessage,
    FilePart,
    HistoryFormatError,
    Message,
    OpaquePart,
    Pipeline,
    Prompt,
    ReasoningPart,
    SystemMessage,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from replayable.formats import format_named
from replayable.messages import Messages
from tests.oracle import violations
from tests.recorded.row_targets import TARGETS, target_model
from tests.recorded.wires import FORMATS

from .strategies import CALLS_AND_TEXT, SERVER_ANSWERED, SIGNED_BY_CLAUDE, histories, rows_of_ingredients

PIPELINE: Final = Pipeline.default()
CALL: Final = ToolCallPart(tool_call_id="b", tool_name="search", input={})
RESULT: Final = ToolResultPart(tool_call_id="b", tool_name="search", output="In Norway.")
ASKED_SERVER: Final = ToolCallPart(tool_call_id="srv_1", tool_name="w", input={}, provider_executed=True)
HELLO: Final = UserMessage("Hello")
ANSWERED: Final = ToolMessage(parts=[RESULT])
AGAIN: Final = UserMessage("Are you there?")


def _against(history: Messages, targets: Sequence[tuple[str, str, str]] = TARGETS) -> list[str]:
    found: list[str] = []
    for target in targets:
        provider, name, api = target
        prompt = PIPELINE.prepare(Prompt(messages=history, request={}), model=target_model(*target)).prompt
        try:
            request = format_named(FORMATS[api]).encode(prompt).request
        except HistoryFormatError:
            # A value that JSON has no words for.
            continue
        reasons = violations(request, api=api, provider=provider, model=name)
        found += [f"{provider}/{name}: {reason}" for reason in reasons]
    return found


@pytest.mark.parametrize(
    "history",
    [
        (HELLO, AssistantMessage()),
        (HELLO, AssistantMessage(), AGAIN),
        (HELLO, AssistantMessage(parts=[ReasoningPart(text="Hm.")]), AGAIN),
        (HELLO, AssistantMessage(parts=[ReasoningPart(text="Hm.")]), AssistantMessage("Hi"), AGAIN),
        (SystemMessage("", placement="list"), HELLO, AssistantMessage()),
        (HELLO, AssistantMessage(), AssistantMessage(parts=[ASKED_SERVER]), AGAIN),
        (HELLO, AssistantMessage("Hi"), ToolMessage(), AssistantMessage(parts=[CALL]), AGAIN),
        (HELLO, AssistantMessage("Hi"), ToolMessage(), AssistantMessage("Yes?"), AGAIN),
        (
            HELLO,
            AssistantMessage(parts=[CALL]),
            ToolMessage(parts=[RESULT, OpaquePart(api="mastra", value={"type": "x"})]),
            AGAIN,
        ),
        (HELLO, AssistantMessage("Hi"), UserMessage(), AssistantMessage(parts=[FilePart(media_type="x/y")])),
        (
            HELLO,
            AssistantMessage("Hi"),
            ToolMessage(parts=[OpaquePart(api="mastra", value=None)]),
            UserMessage(),
        ),
        (ToolMessage(parts=[OpaquePart(api="mastra", value=None)]), UserMessage()),
        (HELLO, SIGNED_BY_CLAUDE, CALLS_AND_TEXT, AGAIN),
        (HELLO, AssistantMessage("Hi "), SERVER_ANSWERED, AssistantMessage("")),
        (HELLO, AssistantMessage(parts=[ReasoningPart(text="Hm.", encrypted="opaque")])),
        (
            HELLO,
            AssistantMessage(parts=[CALL, OpaquePart(api="mastra", value={"type": "x"})]),
            ANSWERED,
            AGAIN,
        ),
    ],
)
def test_what_was_found_once(history: Messages) -> None:
    """Empty answers, bare reasoning, empty tool messages, parts of others among results, words behind results."""
    assert _against(history) == []


@settings(max_examples=600)
@given(rows_of_ingredients(), st.lists(st.sampled_from(TARGETS), min_size=8, max_size=8, unique=True))
def test_the_oracle_has_nothing_against_plain_messages_in_a_row(
    history: Messages, targets: list[tuple[str, str, str]]
) -> None:
    """However many calls, empty answers and results stand in a row, whoever made them."""
    if any(message.role == "user" for message in history):
        assert _against(history, targets) == []


@given(histories())
def test_the_oracle_has_nothing_against_it(history: Messages) -> None:
    """Whatever the models can express, short of what its author wrote for the very API that reads it."""
    if any(message.role == "user" for message in history):
        written_for = {api for message in history for api in _apis_of(message)}
        assert (
            _against(history, [target for target in TARGETS if FORMATS[target[2]] not in written_for]) == []
        )


def _apis_of(message: Message) -> Iterator[str]:
    """The APIs for which a message holds something in their own words."""
    for part in message.parts:
        for item in (part, *((part.content or ()) if part.type == "tool_result" else ())):
            yield from item.provider_options or ()
            if item.type == "opaque":
                yield item.api
    yield from message.provider_options or ()
