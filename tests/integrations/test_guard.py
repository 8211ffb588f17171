"""What all integrations share: configuration, what is told, what is left alone."""

from __future__ import annotations

import logging
import pickle
from typing import Any

import pytest

from replayable import (
    Change,
    CleanMessages,
    ConfigurationError,
    MissingExtraError,
    ModelRef,
    ProviderError,
    RuleMemory,
)
from replayable.formats import format_named
from replayable.integrations import collect_changes, unguarded
from replayable.integrations._extras import missing_extra
from replayable.integrations._guard import Guard, may_be_repaired

CHAT = format_named("openai_chat")
MODEL = ModelRef.of("openai/gpt-5")
SECRET = "the user's own words"
ORPHAN: Any = {
    "messages": [
        {"role": "user", "content": SECRET},
        {"role": "tool", "tool_call_id": "call_1", "content": SECRET},
    ]
}


def test_memory_belongs_to_the_default_processors() -> None:
    """One's own list says itself where its rules are remembered."""
    with pytest.raises(ConfigurationError, match="memory is for the default processors"):
        Guard([CleanMessages()], memory=RuleMemory())


def test_changes_are_told_to_all_who_listen_and_logged_without_content(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The callback, every collector around the call, and the log, which holds names and ids only."""
    told: list[tuple[Change, ...]] = []
    guard = Guard(on_change=told.append)
    with caplog.at_level(logging.INFO), collect_changes() as outer, collect_changes() as inner:
        call = guard.start(CHAT, ORPHAN, MODEL)
        assert call is not None
        assert call.request() == {"messages": ORPHAN["messages"][:1]}
    assert told == [tuple(outer)] == [tuple(inner)]
    assert "clean-messages" in caplog.text
    assert SECRET not in caplog.text


def test_what_on_change_raises_costs_no_call(caplog: pytest.LogCaptureFixture) -> None:
    """The request goes out repaired; the log says what was raised and where, without the error's own words."""

    def fail(changes: tuple[Change, ...]) -> None:
        raise KeyError(SECRET)

    with collect_changes() as changes:
        call = Guard(on_change=fail).start(CHAT, ORPHAN, MODEL)
        assert call is not None
        assert call.request() == {"messages": ORPHAN["messages"][:1]}
    assert [change.action for change in changes] == ["removed"]
    assert "on_change raised KeyError" in caplog.text
    assert f'File "{__file__}"' in caplog.text
    assert SECRET not in caplog.text


def test_an_interrupt_within_on_change_passes_through() -> None:
    """Who ends the program ends it."""

    def interrupt(changes: tuple[Change, ...]) -> None:
        raise KeyboardInterrupt

    call = Guard(on_change=interrupt).start(CHAT, ORPHAN, MODEL)
    assert call is not None
    with pytest.raises(KeyboardInterrupt):
        call.request()


def test_each_request_is_told_with_every_difference() -> None:
    """What a rejection repaired, too, where something had been changed before it."""
    thinking = {"type": "thinking", "thinking": "Cold.", "signature": "c2lnbmVk"}
    call = {"type": "tool_use", "id": "functions.search:0", "name": "search", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "functions.search:0", "content": "4 degrees"}
    request = {
        "messages": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": [thinking, call]},
            {"role": "user", "content": [result]},
        ]
    }
    told: list[tuple[Change, ...]] = []
    guarded = Guard(on_change=told.append).start(
        format_named("anthropic"), request, ModelRef.of("anthropic/claude-sonnet-5")
    )
    assert guarded is not None
    guarded.request()
    assert guarded.recover("messages.1.content.0: Invalid `signature` in `thinking` block")
    guarded.request()
    renamed = ["anthropic-tool-id-format"] * 2
    assert [[change.rule for change in changes] for changes in told] == [
        renamed,
        ["anthropic-strip-foreign-signed-reasoning", *renamed],
    ]


def test_a_request_that_cannot_be_read_goes_out_as_it_is(caplog: pytest.LogCaptureFixture) -> None:
    """The provider shall say what it thinks of it; the log says where reading failed."""
    assert Guard().start(CHAT, {"messages": [{"role": "user"}, 3]}, MODEL) is None
    assert "messages[1]" in caplog.text


def test_unguarded_holds_inside_its_block_only() -> None:
    """Nested blocks end one by one."""
    guard = Guard()
    with unguarded():
        with unguarded():
            pass
        assert guard.start(CHAT, ORPHAN, MODEL) is None
    assert guard.start(CHAT, ORPHAN, MODEL) is not None


@pytest.mark.parametrize(
    ("status", "expected"),
    [(None, True), (400, True), (404, True), (422, True), (500, True)]
    + [(status, False) for status in (408, 429, 502, 503, 529)],
)
def test_the_status_alone_decides_only_what_is_no_rejection(status: int | None, expected: bool) -> None:
    """Timeouts, rate limits and broken servers say nothing about the history."""
    assert may_be_repaired(ProviderError(status=status)) is expected


def test_a_missing_package_says_which_extra_to_install() -> None:
    """It is an ImportError too, and survives a pickle."""
    error = missing_extra(ModuleNotFoundError("No module named 'openai'", name="openai"), "openai")
    assert isinstance(error, MissingExtraError)
    assert isinstance(error, ImportError)
    assert "pip install 'replayable[openai]'" in str(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
