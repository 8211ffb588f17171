"""Tuples where lists belong: the SDKs' types say ``Iterable``, and their clients send both alike."""

from __future__ import annotations

import json
from typing import Any

import pytest

from replayable import HistoryFormatError
from replayable.formats import FORMATS, detect
from tests.recorded.wires import FORMATS as RECORDED
from tests.recorded.wires import accepted

_SAMPLES: dict[str, Any] = {
    RECORDED[row.api]: row.request for row in accepted() if row.request.keys() & {"tools", "toolConfig"}
}


def _as_tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_tuples(item) for key, item in value.items()}
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value


@pytest.mark.parametrize("name", _SAMPLES)
def test_they_read_as_lists_do(name: str) -> None:
    """The same object comes back from its own format; another one gets what it would get of lists."""
    given, tuples = _SAMPLES[name], _as_tuples(_SAMPLES[name])
    known = FORMATS[name]
    prompt = known.decode(tuples)

    assert detect(tuples) == detect(given)
    assert known.encode(prompt).request is tuples
    for other in FORMATS.values():
        if other is not known:
            of_lists, of_tuples = other.encode(known.decode(given)), other.encode(prompt)
            assert json.dumps(of_tuples.request, default=repr) == json.dumps(of_lists.request, default=repr)
            assert [str(change) for change in of_tuples.changes] == [
                str(change) for change in of_lists.changes
            ]


def test_a_bare_tuple_of_messages() -> None:
    """A history that is a tuple comes back as it is, and is written as a list once something in it has changed."""
    wires: Any = ({"role": "user", "content": ({"type": "text", "text": "Hi"},)},)
    known = FORMATS["anthropic"]
    prompt = known.decode(wires)

    assert known.encode(prompt).request is wires
    copies = tuple(message.model_copy() for message in prompt.messages)
    assert known.encode(prompt.model_copy(update={"messages": copies})).request == [
        {"role": "user", "content": [{"type": "text", "text": "Hi"}]}
    ]


def test_what_can_be_walked_once_is_refused() -> None:
    """An iterator would be empty when the request is sent."""
    with pytest.raises(
        HistoryFormatError, match=r"^\[0\]\.content: expected a string or a list of blocks, found map"
    ):
        FORMATS["anthropic"].decode([{"role": "user", "content": map(dict, ())}])
