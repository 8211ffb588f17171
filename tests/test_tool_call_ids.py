"""New ids for tool calls: deterministic, injective, the same for a call and its result."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replayable import (
    AssistantMessage,
    Message,
    ModelRef,
    Prompt,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from replayable.compat.rules.tool_call_ids import tool_call_id_format
from replayable.facts import facts_of, facts_of_all, ids_of
from replayable.messages import Messages
from replayable.tool_call_ids import digest, readable_id, reissue_ids
from tests.property.strategies import histories

FORMAT = tool_call_id_format("test-ids", pattern=r"[a-zA-Z0-9_-]+", summary="", evidence=())


def turn(*ids: str | None, results: tuple[str | None, ...] | None = None) -> tuple[Message, ...]:
    """Calls with these ids, and their results."""
    return (
        AssistantMessage(parts=[ToolCallPart(tool_call_id=name, tool_name="t") for name in ids]),
        ToolMessage(
            parts=[ToolResultPart(tool_call_id=name) for name in (ids if results is None else results)]
        ),
    )


def ids(messages: tuple[Message, ...]) -> list[list[str | None]]:
    """The ids, message by message."""
    return [
        [part.tool_call_id for part in message.parts if part.type in ("tool_call", "tool_result")]
        for message in messages
    ]


def reformatted(history: tuple[Message, ...]) -> tuple[Message, ...]:
    """What the rule makes of a history."""
    apply = FORMAT.apply_to_prompt
    assert apply is not None
    prompt = Prompt(messages=history, model=ModelRef())
    return (apply(prompt) or prompt).messages


def test_ids_that_plain_replacement_would_mix_up() -> None:
    """Ids that differ only in characters that are refused stay apart, and apart from what they might become."""
    out = ids(reformatted(turn("a.b", "a:b", "a_b", "a b")))
    assert (
        out[0] == out[1] == ["a_b_2e7d0b0e2e", "a_b_0ad8e8c1bf", "a_b", "a_b_c8687a08aa"]
        or len(set(out[0])) == 4
    )
    assert out[0][2] == "a_b"


def test_a_call_without_an_id_and_one_named_like_its_seed() -> None:
    """A missing id is filled in with an id of its own, even beside a call that is named ``call 0``."""
    out = ids(reformatted((*turn(None), *turn("call 0"))))
    assert out[0] == out[1]
    assert out[2] == out[3]
    assert out[0] != out[2]


def test_a_made_id_that_is_taken() -> None:
    """An id that stands in the history already is not given to another call."""
    made = readable_id("a.b")
    out = ids(reformatted((*turn("a.b"), *turn(made))))
    assert out[2] == out[3] == [made]
    assert out[0] == out[1] != [made]


def test_missing_ids_are_filled_in_by_position() -> None:
    """Calls without ids get one each; a result without an id takes its call's."""
    out = ids(reformatted((*turn(None, "", "c", results=("c", None, None)), *turn(None))))
    assert [len(row) for row in out] == [3, 3, 1, 1]
    assert out[1] == [out[0][2], out[0][0], out[0][1]]
    assert out[2] == out[3]
    assert len({out[0][0], out[0][1], out[0][2], out[2][0]}) == 4


def test_missing_ids_stay_missing_where_they_may() -> None:
    """A rule that fills nothing in leaves None None and the empty id empty, whatever else it changes."""
    long = "x" * 80
    history = (*turn(None, ""), *turn(long, "b", results=(None, "b")), *turn("c", results=(None,)))
    out = reissue_ids(history, lambda old, _: old[:40], fill_missing=False)
    assert out is not None
    assert ids(out) == [[None, ""], [None, ""], [long[:40], "b"], [None, "b"], ["c"], [None]]


def test_the_answer_to_a_call_of_the_provider_keeps_its_id() -> None:
    """A call that the provider executed keeps its id, and so does the client's answer to it."""
    history = (
        AssistantMessage(parts=[ToolCallPart(tool_call_id="srv:1", tool_name="t", provider_executed=True)]),
        ToolMessage(parts=[ToolResultPart(tool_call_id="srv:1")]),
        *turn("a:1"),
    )
    out = ids(reformatted(history))
    assert out[:2] == [["srv:1"], ["srv:1"]]
    assert out[2] == out[3] != ["a:1"]


def test_a_stray_result_follows_its_call() -> None:
    """A result in another place takes the new id of its call; one that has neither id nor call is left alone."""
    call, result = turn("a:1")
    out = ids(reformatted((call, UserMessage("Hi"), result, ToolMessage(parts=[ToolResultPart()]))))
    assert out[0] == out[2] != ["a:1"]
    assert out[3] == [None]


def test_nothing_to_do_is_none() -> None:
    """Valid ids stay, and nothing is what changed."""
    history = (*turn("a", "b-1", "C_2"), *turn("a"))
    assert FORMAT.apply_to_prompt is not None
    assert FORMAT.apply_to_prompt(Prompt(messages=history)) is None
    assert reissue_ids(history, lambda old, _: old) is None


def test_readable_ids_are_what_they_were() -> None:
    """Ids made once are made so for ever: prompt caches and stored histories depend on it."""
    assert readable_id("functions.search:0") == "functions_search_0_85c5207c10"
    assert readable_id("\ud83d") == "call_" + digest("\ud83d", 10)
    assert readable_id("x" * 100, max_length=40) == "x" * 29 + "_" + digest("x" * 100, 10)


@pytest.mark.parametrize("max_length", [40, 64])
@given(st.lists(st.text(st.characters(), max_size=80), min_size=2, max_size=2, unique=True))
def test_readable_ids(max_length: int, seeds: list[str]) -> None:
    """Any text becomes a valid id of bounded length, and no two texts the same one."""
    first, second = (readable_id(seed, max_length=max_length) for seed in seeds)
    assert re.fullmatch(r"[a-zA-Z0-9_-]+", first)
    assert len(first) <= max_length
    assert first != second


@given(
    histories(),
    st.sampled_from((str.upper, lambda old: old[:1], lambda old: old + "é", lambda old: "x" * 50)),
)
def test_renamed_messages_know_their_facts(history: Messages, rename: Callable[[str], str]) -> None:
    """What is remembered of a message that got other ids is what its parts say."""
    facts_of_all(history)
    for message in reissue_ids(history, lambda old, _: rename(old)) or ():
        copied = message.model_copy()
        assert (facts_of(message), ids_of(message)) == (facts_of(copied), ids_of(copied))
