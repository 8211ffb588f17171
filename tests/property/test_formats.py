"""From one wire to another and back: nothing that all of them can say is lost on the way."""

from __future__ import annotations

import itertools
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replayable import (
    AssistantMessage,
    Prompt,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from replayable.formats import format_named
from replayable.messages import Message
from tests.recorded.conversation import differences, read

# The API as the recorded traffic names it -> the format.
_FORMATS: Final = {
    "openai_chat": "openai_chat",
    "openai_responses": "openai_responses",
    "anthropic_messages": "anthropic",
}

_texts: Final = st.text(min_size=1, max_size=12).filter(lambda text: text.strip() != "")
_values: Final = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | _texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_texts, inner, max_size=2),
    max_leaves=4,
)
_inputs: Final = st.dictionaries(_texts, _values, max_size=2)
_outputs: Final = st.one_of(
    _texts, st.just(""), st.lists(_texts.map(TextPart), min_size=1, max_size=2), _inputs
)


@st.composite
def _turns(draw: st.DrawFn) -> list[Message]:
    """What the user said, an answer with calls, all their results in any order, and another answer."""
    ids = draw(st.lists(st.sampled_from(["a", "b", "call_1", "toolu-2"]), unique=True, max_size=3))
    calls = [
        ToolCallPart(tool_call_id=i, tool_name=draw(st.sampled_from("fg")), input=draw(_inputs)) for i in ids
    ]
    results = [ToolResultPart(tool_call_id=i, output=draw(_outputs)) for i in draw(st.permutations(ids))]
    messages: list[Message] = [UserMessage(draw(st.lists(_texts, min_size=1, max_size=2)))]
    if calls:
        messages.append(AssistantMessage([*draw(st.lists(_texts, max_size=2)), *calls]))
        size = draw(st.integers(1, len(results)))
        messages += [ToolMessage(parts=part) for part in (results[:size], results[size:]) if part]
    messages.append(AssistantMessage(draw(st.lists(_texts, min_size=1, max_size=2))))
    return messages


@st.composite
def _conversations(draw: st.DrawFn) -> Prompt:
    system = [SystemMessage(text) for text in draw(st.lists(_texts, max_size=2))]
    turns = itertools.chain.from_iterable(draw(st.lists(_turns(), min_size=1, max_size=3)))
    return Prompt(messages=(*system, *turns), request={"model": "m"})


@pytest.mark.parametrize(("one", "other"), tuple(itertools.permutations(_FORMATS, 2)))
@given(prompt=_conversations())
def test_there_and_back(one: str, other: str, prompt: Prompt) -> None:
    """Texts, calls, inputs, results and their order are the same on each wire, and again at home."""
    first, second = format_named(_FORMATS[one]), format_named(_FORMATS[other])
    home: Any = first.encode(prompt).request
    there: Any = second.encode(first.decode(home)).request
    back: Any = first.encode(second.decode(there)).request

    assert differences(read(home, one), read(there, other)) == []
    assert differences(read(home, one), read(back, one)) == []
    assert first.decode(back).messages
