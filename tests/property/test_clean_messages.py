"""``clean_messages`` on any history."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from replayable import AssistantMessage, Message, ToolMessage, ToolResultPart, clean_messages
from replayable.messages import Messages, Part, messages_from_json, messages_to_json

from .checker import client_call_parts, client_result_parts, violations
from .strategies import broken_histories, continuations, histories, paired_histories

Mode = Literal["drop", "placeholder"]
modes = st.sampled_from(("drop", "placeholder"))


class TestPaired:
    """Every client tool call is answered by exactly one result in the tool message(s) directly after its message."""

    @given(broken_histories(), modes)
    def test_output_is_paired(self, history: Messages, mode: Mode) -> None:
        """Whatever goes in, what comes out is paired by the definition."""
        assert violations(clean_messages(history, missing_results=mode)) == []

    @given(paired_histories(), modes, st.booleans(), st.booleans())
    def test_paired_history_is_the_same_object(
        self, history: Messages, mode: Mode, open_ended: bool, keep_pending: bool
    ) -> None:
        """A history that is paired by the definition comes back as the very same object, in every mode."""
        assert violations(history) == []
        cleaned = clean_messages(
            history, missing_results=mode, open_ended=open_ended, keep_pending=keep_pending
        )
        assert cleaned is history

    @given(broken_histories(), modes)
    def test_same_object_means_paired(self, history: Messages, mode: Mode) -> None:
        """The same object comes back only if it is paired: a list as well as a tuple."""
        given_list = list(history)
        cleaned = clean_messages(given_list, missing_results=mode)
        assert (cleaned is given_list) == (violations(history) == [])


class TestPure:
    """Idempotent, deterministic, and nothing is ever modified."""

    @given(histories(), modes, st.booleans(), st.booleans())
    def test_idempotent(self, history: Messages, mode: Mode, open_ended: bool, keep_pending: bool) -> None:
        """The second time nothing changes."""
        once = clean_messages(history, missing_results=mode, open_ended=open_ended, keep_pending=keep_pending)
        twice = clean_messages(once, missing_results=mode, open_ended=open_ended, keep_pending=keep_pending)
        assert twice is once

    @given(broken_histories(), modes, st.booleans())
    def test_input_is_never_modified(self, history: Messages, mode: Mode, open_ended: bool) -> None:
        """The list and the messages that went in are what they were."""
        given_list = list(history)
        before = messages_to_json(history)
        clean_messages(given_list, missing_results=mode, open_ended=open_ended)
        assert messages_to_json(history) == before
        assert all(new is old for new, old in zip(given_list, history, strict=True))

    @given(broken_histories(), modes)
    def test_deterministic(self, history: Messages, mode: Mode) -> None:
        """Equal histories of other objects give equal results."""
        expected = messages_to_json(clean_messages(history, missing_results=mode))
        for other in (copy.deepcopy(history), messages_from_json(messages_to_json(history))):
            assert messages_to_json(clean_messages(other, missing_results=mode)) == expected

    @given(histories(), continuations(), modes)
    def test_prefix_stable(self, history: Messages, new: Messages, mode: Mode) -> None:
        """As long as new messages refer to no earlier call, what was sent before is sent again."""
        before = tuple(clean_messages(history, missing_results=mode))
        after = tuple(clean_messages((*history, *new), missing_results=mode))
        assert messages_to_json(after[: len(before)]) == messages_to_json(before)


class TestNothingIsLost:
    """Everything but unpaired calls and results stays, in order."""

    @given(broken_histories(), modes)
    def test_all_that_was_said_stays_in_order(self, history: Messages, mode: Mode) -> None:
        """Texts, files and parts that nobody knows are the same objects in the same order."""
        cleaned = clean_messages(history, missing_results=mode)
        assert [id(part) for part in _said(cleaned)] == [id(part) for part in _said(history)]

    @given(broken_histories(), modes)
    def test_other_messages_keep_their_identity(self, history: Messages, mode: Mode) -> None:
        """User and system messages are the same objects in the same order."""
        cleaned = clean_messages(history, missing_results=mode)
        kept = [message for message in cleaned if message.role in ("user", "system")]
        given_ones = [message for message in history if message.role in ("user", "system")]
        assert [id(message) for message in kept] == [id(message) for message in given_ones]

    @given(broken_histories())
    def test_a_single_call_gets_one_of_its_results(self, history: Messages) -> None:
        """The only call of an id is answered by a result of this id, wherever that stood: a real one if there is one.

        Unless there are results without ids: one of those may have stood in the call's place.
        """
        if not all(result.tool_call_id for message in history for result in client_result_parts(message)):
            return
        calls = [call.tool_call_id for message in history for call in client_call_parts(message)]
        server = {
            part.tool_call_id for message in history for part in message.parts if part.type == "tool_call"
        } - set(calls)
        cleaned = clean_messages(history)
        kept = [result for message in cleaned for result in client_result_parts(message)]
        for tool_call_id in set(calls):
            results = [
                result
                for message in history
                for result in client_result_parts(message)
                if result.tool_call_id == tool_call_id
            ]
            if not tool_call_id or calls.count(tool_call_id) > 1 or tool_call_id in server or not results:
                continue
            chosen = [result for result in kept if result.tool_call_id == tool_call_id]
            assert len(chosen) == 1
            assert any(chosen[0] is result for result in results)
            assert _rank(chosen[0]) == min(map(_rank, results))

    @given(broken_histories())
    def test_placeholders_keep_every_call(self, history: Messages) -> None:
        """With placeholders only the repetitions of a call within a turn leave."""
        for before, after in zip(
            [message for message in history if message.role == "assistant"],
            [
                message
                for message in clean_messages(
                    _without_results_in_answers(history), missing_results="placeholder"
                )
                if message.role == "assistant"
            ],
            strict=True,
        ):
            repeated = len(client_call_parts(before)) - len(client_call_parts(after))
            with_id = [call.tool_call_id for call in client_call_parts(before) if call.tool_call_id]
            assert 0 <= repeated <= len(with_id) - len(set(with_id))

    @given(broken_histories())
    def test_drop_adds_nothing(self, history: Messages) -> None:
        """Dropping makes up no result: all that is left was there, at most under another id."""
        cleaned = clean_messages(history)
        assert len([part for message in cleaned for part in client_result_parts(message)]) <= len(
            [part for message in history for part in client_result_parts(message)]
        )
        given_ids = {id(message) for message in history}
        for message in cleaned:
            assert message.parts or id(message) in given_ids

    @given(broken_histories())
    def test_open_ended_keeps_what_has_no_partner(self, history: Messages) -> None:
        """Where the provider holds part of the history, an id stays as long as no other part here has it."""
        ids = [tool_call_id for tool_call_id in _ids(history) if tool_call_id]
        kept = _ids(clean_messages(history, open_ended=True))
        for tool_call_id in ids:
            if ids.count(tool_call_id) == 1:
                assert kept.count(tool_call_id) == 1


class TestFloor:
    """A simple algorithm that many agents carry: what it does right is done the same way here."""

    @given(histories())
    def test_agrees_wherever_the_simple_algorithm_is_right(self, history: Messages) -> None:
        """Where its output is paired, and nothing was ambiguous or out of place, the outcome is equal."""
        if not _is_plain(history):
            return
        expected = simple_algorithm(history)
        assert violations(expected) == []
        assert tuple(clean_messages(history)) == expected


def simple_algorithm(history: Messages) -> Messages:
    """Keep calls that have a result, and results whose call came before; drop assistant messages without content."""
    answered = {result.tool_call_id for message in history for result in client_result_parts(message)}
    called: set[str | None] = set()
    kept: list[Message] = []
    for message in history:
        if isinstance(message, AssistantMessage):
            parts = tuple(
                part
                for part in message.parts
                if part.type != "tool_call" or part.provider_executed or part.tool_call_id in answered
            )
            called.update(call.tool_call_id for call in client_call_parts(message))
            if parts or not message.parts:
                kept.append(_with(message, parts))
        elif isinstance(message, ToolMessage):
            parts = tuple(
                part for part in message.parts if part.type != "tool_result" or part.tool_call_id in called
            )
            if parts or not message.parts:
                kept.append(_with(message, parts))
        else:
            kept.append(message)
    return tuple(kept)


def _is_plain(history: Messages) -> bool:
    """Whether the simple algorithm can be right, and says all that there is to say.

    - It knows ids only: calls and results without one are out of its reach.
    - It never moves: where its output is not paired, a result was elsewhere, which is moved here.
    - Server-executed tools, results inside assistant messages and reasoning without state are no subject of its.
    """
    calls = [call.tool_call_id for message in history for call in client_call_parts(message)]
    results = [result.tool_call_id for message in history for result in client_result_parts(message)]
    return (
        all((*calls, *results))
        and len(set(calls)) == len(calls)
        and len(set(results)) == len(results)
        and not any(
            part.type == "reasoning"
            or (part.type in ("tool_call", "tool_result") and part.provider_executed)
            or (message.role == "assistant" and part.type == "tool_result")
            for message in history
            for part in message.parts
        )
        and violations(simple_algorithm(history)) == []
    )


def _with(message: Message, parts: tuple[Part, ...]) -> Message:
    if len(parts) == len(message.parts):
        return message
    return message.model_copy(update={"parts": parts})


def _said(messages: Sequence[Message]) -> list[Part]:
    return [part for message in messages for part in message.parts if part.type in ("text", "file", "opaque")]


def _ids(messages: Sequence[Message]) -> list[str | None]:
    return [
        tool_call_id
        for message in messages
        for tool_call_id in (
            *(call.tool_call_id for call in client_call_parts(message)),
            *(result.tool_call_id for result in client_result_parts(message)),
        )
    ]


def _rank(result: ToolResultPart) -> int:
    return 2 if result.synthesized else 1 if result.is_error else 0


def _without_results_in_answers(history: Messages) -> Messages:
    """Without what could leave an assistant message empty although no call left it."""
    return tuple(
        _with(
            message,
            tuple(
                part for part in message.parts if message.role != "assistant" or part.type != "tool_result"
            ),
        )
        for message in history
    )
