"""Histories that go over to another API and come back say what they said."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from hypothesis import given

from replayable import HistoryFormatError, Prompt, clean_messages
from replayable.changes import Change
from replayable.formats import format_named
from replayable.messages import Messages
from tests.judges.converse_model import converse_errors
from tests.property.strategies import paired_histories
from tests.recorded.conversation import Conversation, differences, read
from tests.recorded.explained import unexplained

# Format -> the name of its API in the recorded traffic, by which it is read.
_APIS: Final = {
    "openai_chat": "openai_chat",
    "openai_responses": "openai_responses",
    "anthropic": "anthropic_messages",
    "bedrock": "bedrock_converse",
    "cohere_v2": "cohere_v2",
}
_PAIRS: Final = [
    (one, other)
    for one in _APIS
    for other in _APIS
    if one != other and {one, other} & {"bedrock", "cohere_v2", "openai_responses"}
]


def _encoded(prompt: Prompt, name: str) -> tuple[dict[str, Any], tuple[Change, ...]]:
    encoded = format_named(name).encode(prompt)
    assert isinstance(encoded.request, dict)
    return encoded.request, encoded.changes


def _says(request: dict[str, Any], name: str) -> Conversation:
    return read(request, _APIS[name])


@pytest.mark.parametrize(("one", "other"), _PAIRS)
@given(history=paired_histories())
def test_there_and_back(one: str, other: str, history: Messages) -> None:
    """Calls, results, texts and their order come back from the other API, or the difference is listed."""
    messages = tuple(clean_messages(history, missing_results="placeholder"))
    if any(
        part.type == "tool_call" and not isinstance(part.input, dict)
        for message in messages
        for part in message.parts
    ):
        # Each wire writes arguments that are no object in its own way: rules make objects of them beforehand.
        return
    try:
        here, _ = _encoded(Prompt(messages=messages, request={}), one)
        there, lost = _encoded(format_named(one).decode(here), other)
        back, lost_again = _encoded(format_named(other).decode(there), one)
    except HistoryFormatError as error:
        # A value that JSON has no words for has no place in a text, and a part that claims to be a wire's must look so.
        if "JSON" not in f"{error.expected} {error.found}" and "block (an object" not in error.expected:
            raise
        return
    found = differences(_says(here, one), _says(there, other), blank_as_absent=True)
    assert unexplained(found, lost) == []
    found = differences(_says(here, one), _says(back, one), blank_as_absent=True)
    assert unexplained(found, (*lost, *lost_again)) == []


@given(paired_histories())
def test_converse_takes_whatever_it_gets(history: Messages) -> None:
    """What is written for Converse is valid by the service's own model."""
    messages = tuple(clean_messages(history, missing_results="placeholder"))
    try:
        request, _ = _encoded(Prompt(messages=messages, request={}), "bedrock")
    except HistoryFormatError:
        return
    faults = converse_errors({"modelId": "m", **request})
    assert faults == [], json.dumps(request, default=str)
