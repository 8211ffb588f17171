"""Histories that go over to another API and come back say what they said."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any, Final

from hypothesis import given

from replayable import HistoryFormatError, Prompt, clean_messages
from replayable.changes import Change
from replayable.formats import format_named
from replayable.messages import Messages
from tests.judges.converse_model import converse_errors
from tests.property.strategies import paired_histories
from tests.recorded.conversation import Conversation, read
from tests.recorded.explained import conversation_differences, unexplained
from tests.recorded.wires import FORMATS

# Format -> the name of its API in the recorded traffic, by which it is read.
_APIS: Final = {name: api for api, name in FORMATS.items()}


def _encoded(prompt: Prompt, name: str) -> tuple[dict[str, Any], tuple[Change, ...]]:
    encoded = format_named(name).encode(prompt)
    assert isinstance(encoded.request, dict)
    return encoded.request, encoded.changes


def _says(request: dict[str, Any], name: str) -> Conversation:
    return read(request, _APIS[name])


@given(paired_histories())
def test_there_and_back(history: Messages) -> None:
    """Between every two formats calls, results, texts and their order go and come back, or the difference is listed."""
    messages = tuple(clean_messages(history, missing_results="placeholder"))
    if any(
        part.type == "tool_call" and not isinstance(part.input, dict)
        for message in messages
        for part in message.parts
    ):
        # Each wire writes arguments that are no object in its own way: rules make objects of them beforehand.
        return
    for one, other in itertools.permutations(_APIS, 2):
        try:
            _goes_and_comes_back(messages, one, other)
        except HistoryFormatError as error:
            # A value that JSON has no words for has no place in a text, and a part that claims to be a wire's must look so.
            if not re.search(r"JSON|(?:block|part|item) \(an object", f"{error.expected} {error.found}"):
                raise


def _goes_and_comes_back(messages: Messages, one: str, other: str) -> None:
    here, _ = _encoded(Prompt(messages=messages, request={}), one)
    there, lost = _encoded(format_named(one).decode(here), other)
    back, lost_again = _encoded(format_named(other).decode(there), one)
    found = conversation_differences(_says(here, one), _says(there, other))
    assert unexplained(found, lost) == [], (one, other)
    found = conversation_differences(_says(here, one), _says(back, one))
    assert unexplained(found, (*lost, *lost_again)) == [], (one, other)


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
