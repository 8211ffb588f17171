"""Accepted requests come back as the very objects that went in; the default pipeline leaves them alone."""

from __future__ import annotations

import json
import pickle
from typing import Final

from replayable import HistoryFormatError, Pipeline, messages_from_json, messages_to_json
from replayable.formats import detect, format_named
from tests.recorded.rows import SEALS_BLANKED, rows
from tests.recorded.wires import FORMATS, accepted, own_model, turns_of

_UNASKED: Final = "a result that no call asked for: Ollama lets it pass"
# Row id -> why it is an exception.
EXCEPTIONS: Final[dict[str, str]] = {
    **dict.fromkeys(SEALS_BLANKED, "the recorder blanked what OpenAI had encrypted"),
    "llm-70d46064d6ef65": _UNASKED,
    "llm-5fd9844e478485": _UNASKED,
    "llm-5fd3d29c112ff5": _UNASKED,
    "llm-577c7c7c27144c": _UNASKED,
    "llm-4d8252a891ff5c": _UNASKED,
}

_NO_LIST: Final = "messages: expected a list of messages, found "
_NO_MESSAGE: Final = (
    "messages[0]: expected a message (an object with role and content), found string 'Invalid content'"
)
# Row id -> what the error says: those refused requests that nobody could read.
MALFORMED: Final[dict[str, str]] = {
    "dd-trace-py-071095111884e8": _NO_MESSAGE,
    "dd-trace-py-fc1d42e98b76b2": _NO_MESSAGE,
    "huggingface.js-65de386d725849": f"{_NO_LIST}nothing",
    "huggingface.js-8f4695dc69c7cf": f"{_NO_LIST}nothing",
    "huggingface.js-1a8d19ebd52688": f"{_NO_LIST}nothing",
    "huggingface_hub-ff182b13c40c31": f"{_NO_LIST}string \"please output 'Observation'\"",
    "huggingface_hub-b3270bf07d9832": f"{_NO_LIST}string \"please output 'Observation'\"",
    "ruby-openai-e038823bb8d5a5": f"{_NO_LIST}nothing",
    "langchain-cohere-a65710c651e5d2": "messages[1].tool_calls[0].function: expected an object, found nothing",
}


def test_decode_and_encode_give_back_the_very_request() -> None:
    """The same object, the same text, the same message objects; nothing of the input was changed."""
    tried = 0
    for row in accepted():
        tried += 1
        text = json.dumps(row.request)
        wires = list(turns_of(row.request))
        known = format_named(FORMATS[row.api])
        encoded = known.encode(known.decode(row.request))
        assert encoded.request is row.request, row.id
        assert encoded.changes == (), row.id
        assert json.dumps(row.request) == text, row.id
        assert all(one is other for one, other in zip(wires, turns_of(row.request), strict=True)), row.id
    print(f"{tried} requests came back as they were")
    assert tried


def test_the_default_pipeline_leaves_accepted_requests_alone() -> None:
    """For its own provider and model, an accepted request goes on as the same text."""
    tried = 0
    for row in accepted():
        tried += 1
        known = format_named(FORMATS[row.api])
        prepared = Pipeline.default().prepare(known.decode(row.request), model=own_model(row))
        if row.id in EXCEPTIONS:
            continue
        assert prepared.changes == (), row.id
        assert json.dumps(known.encode(prepared.prompt).request) == json.dumps(row.request), row.id
    print(f"{tried} requests went through the default pipeline unchanged, exceptions: {EXCEPTIONS}")
    assert tried


def test_by_value_through_json_and_pickle() -> None:
    """The remembered wire is only a cache: copies through JSON or pickle encode to an equal request."""
    for row in accepted():
        known = format_named(FORMATS[row.api])
        prompt = known.decode(row.request)
        expected = json.dumps(row.request, sort_keys=True)
        stored = messages_from_json(messages_to_json(prompt.messages))
        for copy in (prompt.model_copy(update={"messages": stored}), pickle.loads(pickle.dumps(prompt))):
            assert json.dumps(known.encode(copy).request, sort_keys=True) == expected, row.id


def test_a_touched_message_leaves_the_others_as_they_were() -> None:
    """Replacing the last message by a copy gives every other wire object back, and an equal one for the copy."""
    for row in accepted():
        known = format_named(FORMATS[row.api])
        prompt = known.decode(row.request)
        touched = (*prompt.messages[:-1], prompt.messages[-1].model_copy())
        request = known.encode(prompt.model_copy(update={"messages": touched})).request
        assert all(
            one is other for one, other in zip(turns_of(request)[:-1], turns_of(row.request), strict=False)
        )
        assert json.dumps(turns_of(request), sort_keys=True) == json.dumps(
            turns_of(row.request), sort_keys=True
        )


def test_detection_agrees_wherever_the_request_tells() -> None:
    """With its own format preferred, each request is recognised: only plain conversations can be both."""
    for row in accepted():
        assert detect(row.request, prefer=FORMATS[row.api]) == FORMATS[row.api], row.id


def test_refused_requests_raise_nothing_but_a_format_error() -> None:
    """Whatever was sent, decoding gives a prompt or a `HistoryFormatError`; it names what is malformed, and nothing else is."""
    tried, refused = 0, {}
    for kind in ("rejected", "unrelated_errors"):
        for row in rows(kind, *FORMATS):
            tried += 1
            try:
                format_named(FORMATS[row.api]).decode(row.request)
            except HistoryFormatError as error:
                refused[row.id] = str(error)
    print(f"{tried} refused requests were read, {len(refused)} are malformed: {refused}")
    assert tried
    assert refused == MALFORMED
