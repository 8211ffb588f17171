"""Copy-on-write primitives: None for unchanged, identity for the untouched."""

from __future__ import annotations

from replayable import AssistantMessage, Message, ReasoningPart, TextPart, UserMessage
from replayable._node import build, piece_of, wire_of
from replayable.edits import chained, drop_parts, map_messages, map_parts, replace, with_parts
from replayable.facts import REASONING, facts_of
from replayable.messages import Part

HELLO = UserMessage("Hello", id="m")
THOUGHT = AssistantMessage(parts=[ReasoningPart(text="Hm."), "Hi"], model="x")
ONLY_THOUGHT = AssistantMessage(parts=[ReasoningPart(text="Hm.")])
HISTORY: tuple[Message, ...] = (HELLO, THOUGHT, ONLY_THOUGHT)


def test_map_messages() -> None:
    """The same object stays, another one takes its place, None drops it; nothing changed is None."""
    assert map_messages(HISTORY, lambda message: message) is None
    assert map_messages((), lambda message: None) is None
    bye = UserMessage("Bye")
    out = map_messages(HISTORY, lambda message: {"m": bye, None: message}[message.id])
    assert out == (bye, THOUGHT, ONLY_THOUGHT)
    assert map_messages(HISTORY, lambda message: message if message.id else None) == (HELLO,)


def test_map_parts() -> None:
    """Only messages with one of the facts are looked at; one that is left without parts goes."""
    seen: list[Part] = []

    def change(message: Message, part: Part) -> Part | None:
        seen.append(part)
        return None if part.type == "reasoning" else part

    out = map_parts(HISTORY, change, needs=REASONING)
    assert out == (HELLO, AssistantMessage("Hi", model="x"))
    assert out[0] is HELLO
    assert seen == [*THOUGHT.parts, *ONLY_THOUGHT.parts]
    assert map_parts(HISTORY, lambda message, part: part, needs=REASONING) is None


def test_drop_parts() -> None:
    """Unwanted parts go, and the messages that this empties; a message that was empty before stays."""
    empty = AssistantMessage()
    out = drop_parts((*HISTORY, empty), lambda message, part: part.type == "reasoning", needs=-1)
    assert out == (HELLO, AssistantMessage("Hi", model="x"), empty)
    assert drop_parts(HISTORY, lambda message, part: False, needs=-1) is None


def test_an_edited_message_forgets_wire_and_facts() -> None:
    """A copy with other parts is a message that nobody has read from a wire, with facts of its own."""
    read = build(AssistantMessage, dict(THOUGHT.__dict__), {"role": "assistant"}, piece_of("anthropic"))
    assert facts_of(read) & REASONING
    for edited in (with_parts(read, [TextPart("Hi")]), replace(read, parts=(TextPart("Hi"),))):
        assert edited == AssistantMessage("Hi", model="x")
        assert wire_of(edited) == (None, None)
        assert not facts_of(edited) & REASONING
    assert wire_of(read) == ({"role": "assistant"}, piece_of("anthropic"))


def test_chained() -> None:
    """Changes are made one after the other; an empty outcome is one."""
    assert chained(HISTORY, lambda given: None) is None
    assert (
        chained(HISTORY, lambda given: given[1:], lambda given: None, lambda given: given[:1]) == HISTORY[1:2]
    )
    assert chained(HISTORY, lambda given: (), lambda given: None) == ()
