"""Collects the content of a conversation while a reader walks through its messages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from tests.recorded.content import Call, Conversation, Event, canonical, canonical_arguments, canonical_output


@dataclass(slots=True)
class _OpenCall:
    id: str | None
    call: Call


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool gave back; `id` is None where the API or the client sent none, `name` where it doesn't say the tool."""

    id: str | None
    texts: tuple[str, ...]
    name: str | None = None
    has_media: bool = False
    is_error: bool | None = None


@dataclass(slots=True)
class Recorder:
    """Takes texts, calls and results in order and pairs each result with a call of its run.

    A run is the assistant's turn (consecutive messages count as one) and what follows it up to the
    assistant's next turn. Ids are looked up within a run only, since clients use them again later.
    """

    _system: list[str] = field(default_factory=list)
    _media: list[str] = field(default_factory=list)
    _orphans: list[str] = field(default_factory=list)
    _other: list[str] = field(default_factory=list)
    _events: list[tuple[str, str] | _OpenCall] = field(default_factory=list)
    _server_calls: list[_OpenCall] = field(default_factory=list)
    _run: list[_OpenCall] = field(default_factory=list)
    _results: list[Result] = field(default_factory=list)
    _in_assistant_turn: bool = False

    def turn(self, *, assistant: bool) -> None:
        """Begin a message of the assistant or of anyone who answers it."""
        if assistant and not self._in_assistant_turn:
            self._end_run()
        self._in_assistant_turn = assistant

    def system(self, text: str) -> None:
        """Record a text of the system or developer."""
        self._system.append(text)

    def text(self, speaker: str, text: str) -> None:
        """Record a text of the speaker, "user" or "assistant"."""
        self._events.append((speaker, text))

    def media(self, key: str) -> None:
        """Record a medium shown outside of a tool's result."""
        self._media.append(key)

    def other(self, block: Any) -> None:
        """Record a block that has no place of its own."""
        self._other.append(canonical(block))

    def call(self, call_id: str | None, name: Any, arguments: Any) -> None:
        """Record a call that the client runs."""
        pending = _open(call_id, name, arguments)
        self._events.append(pending)
        self._run.append(pending)

    def result(self, result: Result) -> None:
        """Record a result; it is paired when its run ends."""
        self._results.append(result)

    def server_call(self, call_id: str | None, name: Any, arguments: Any) -> None:
        """Record a call that the provider runs itself."""
        self._server_calls.append(_open(call_id, name, arguments))

    def server_result(self, result: Result) -> None:
        """Record the result of a server call, which may stand in a later message than the call."""
        if not _answer(self._server_calls, result):
            self._orphans.append(_output(result))

    def finish(self) -> Conversation:
        """Pair what is still open and return the whole."""
        self._end_run()
        events: list[Event] = []
        calls: list[Call] = []
        for event in self._events:
            if isinstance(event, _OpenCall):
                calls.append(event.call)
                events.append(("call", event.call.name, event.call.input, event.call.output))
            else:
                events.append(event)
        texts = [event for event in self._events if isinstance(event, tuple)]
        return Conversation(
            system=tuple(self._system),
            user_texts=tuple(text for speaker, text in texts if speaker == "user"),
            assistant_texts=tuple(text for speaker, text in texts if speaker == "assistant"),
            calls=tuple(calls),
            server_calls=tuple(pending.call for pending in self._server_calls),
            media=tuple(self._media),
            orphans=tuple(self._orphans),
            other=tuple(self._other),
            events=tuple(events),
        )

    def _end_run(self) -> None:
        # By id first, then by the tool's name, so that a result without one can't take the place of another's call.
        left = [result for result in self._results if result.id is None or not _answer(self._run, result)]
        left = [result for result in left if result.name is None or not _answer_by_name(self._run, result)]
        for result in left:
            if result.id is not None or not _answer(self._run, result):
                self._orphans.append(_output(result))
        self._run, self._results = [], []


def _open(call_id: str | None, name: Any, arguments: Any) -> _OpenCall:
    written = name if isinstance(name, str) else canonical(name)
    return _OpenCall(call_id, Call(name=written, input=canonical_arguments(arguments)))


def _answer(calls: list[_OpenCall], result: Result) -> bool:
    """Give the result to the first open call of its id, or to the first open one if it has no id."""
    return _give(result, (pending for pending in calls if result.id is None or pending.id == result.id))


def _answer_by_name(calls: list[_OpenCall], result: Result) -> bool:
    """Give a result without an id to the first open call of its tool."""
    return result.id is None and _give(
        result, (pending for pending in calls if pending.call.name == result.name)
    )


def _give(result: Result, calls: Iterable[_OpenCall]) -> bool:
    for pending in calls:
        if pending.call.output is None:
            pending.call = replace(
                pending.call, output=_output(result), has_media=result.has_media, is_error=result.is_error
            )
            return True
    return False


def _output(result: Result) -> str:
    return canonical_output("\n".join(result.texts))
