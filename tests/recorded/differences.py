"""Tells what one conversation says that another doesn't."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import zip_longest

from tests.recorded.content import Call, Conversation, Event, canonical


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where two conversations differ.

    Attributes:
        kind: "system", "user_text", "assistant_text", "call" (lost or added), "call_name", "call_input",
            "call_output", "call_media", "call_error", the same for "server_call", "media", "orphan",
            "other", or "order" (the same content in another sequence).
        index: Position in the sequence before, starting at 0; where something was added, the position
            before which it was put in.
        before: None if it was added.
        after: None if it was lost.
    """

    kind: str
    index: int
    before: str | None
    after: str | None


def differences(
    before: Conversation, after: Conversation, *, blank_as_absent: bool = False
) -> list[Difference]:
    """Compare what two conversations say.

    Args:
        before: The content before a change.
        after: The content after it.
        blank_as_absent: Take a blank text for none at all, a blank result for an empty one and blank
            arguments, and null, for `{}`, because a provider may refuse them.

    Returns:
        The differences, kind by kind; empty when both say the same, however they group it into messages.
    """
    if blank_as_absent:
        before, after = _without_blanks(before), _without_blanks(after)
    found = [
        *_of_texts("system", before.system, after.system),
        *_of_texts("user_text", before.user_texts, after.user_texts),
        *_of_texts("assistant_text", before.assistant_texts, after.assistant_texts),
        *_of_calls("call", before.calls, after.calls),
        *_of_calls("server_call", before.server_calls, after.server_calls),
        *_of_texts("media", before.media, after.media),
        *_of_texts("orphan", before.orphans, after.orphans),
        *_of_texts("other", before.other, after.other),
    ]
    # A lost or changed piece disturbs the sequence too and would be told twice.
    return found or list(_of_order(before.events, after.events))


def _of_texts(kind: str, before: Sequence[str], after: Sequence[str]) -> Iterator[Difference]:
    for index, old, new in _aligned(before, after):
        if old is None or new is None or before[old] != after[new]:
            yield Difference(kind, index, _at(before, old), _at(after, new))


def _of_calls(kind: str, before: Sequence[Call], after: Sequence[Call]) -> Iterator[Difference]:
    keys = [[(call.name, call.input) for call in calls] for calls in (before, after)]
    for index, old, new in _aligned(*keys):
        if old is None or new is None:
            yield Difference(kind, index, _written(before, old), _written(after, new))
        else:
            yield from _of_call(kind, index, before[old], after[new])


def _of_call(kind: str, index: int, before: Call, after: Call) -> Iterator[Difference]:
    if before.name != after.name:
        yield Difference(f"{kind}_name", index, before.name, after.name)
    if before.input != after.input:
        yield Difference(f"{kind}_input", index, before.input, after.input)
    if before.output != after.output:
        yield Difference(f"{kind}_output", index, before.output, after.output)
    if before.has_media != after.has_media:
        yield Difference(f"{kind}_media", index, str(before.has_media), str(after.has_media))
    # Only one of the APIs can mark an error.
    if None not in (before.is_error, after.is_error) and before.is_error != after.is_error:
        yield Difference(f"{kind}_error", index, str(before.is_error), str(after.is_error))


def _of_order(before: Sequence[Event], after: Sequence[Event]) -> Iterator[Difference]:
    for index, (old, new) in enumerate(zip(before, after, strict=True)):
        if old != new:
            yield Difference("order", index, canonical(old), canonical(new))
            return


def _aligned(
    before: Sequence[object], after: Sequence[object]
) -> Iterator[tuple[int, int | None, int | None]]:
    """Pair up positions of two sequences, so that one lost entry doesn't make all later ones differ."""
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for _, start, end, new_start, new_end in matcher.get_opcodes():
        for old, new in zip_longest(range(start, end), range(new_start, new_end)):
            yield (end if old is None else old), old, new


def _at(texts: Sequence[str], index: int | None) -> str | None:
    return None if index is None else texts[index]


def _written(calls: Sequence[Call], index: int | None) -> str | None:
    if index is None:
        return None
    call = calls[index]
    return canonical([call.name, call.input, call.output])


def _without_blanks(conversation: Conversation) -> Conversation:
    calls = tuple(_without_blank_fields(call) for call in conversation.calls)
    remaining = iter(calls)
    events: list[Event] = []
    for event in conversation.events:
        if len(event) == 4:
            call = next(remaining)
            events.append(("call", call.name, call.input, call.output))
        elif event[1].strip():
            events.append(event)
    return replace(
        conversation,
        system=_not_blank(conversation.system),
        user_texts=_not_blank(conversation.user_texts),
        assistant_texts=_not_blank(conversation.assistant_texts),
        calls=calls,
        events=tuple(events),
    )


def _without_blank_fields(call: Call) -> Call:
    output = call.output
    # Blank is still a result; only None is none.
    if output is not None and not output.strip():
        output = ""
    return replace(call, input="{}" if call.input.strip() in ("", "null") else call.input, output=output)


def _not_blank(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(text for text in texts if text.strip())
