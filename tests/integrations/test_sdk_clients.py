"""Wrapped SDK clients against a provider that looks at what it is sent: every scenario, SDK and way of calling."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from replayable import Change, RuleMemory
from replayable.integrations import collect_changes, unguarded
from tests.integrations.loopback import Loopback, Reply, serving
from tests.integrations.sdks import MODES, SDKS, Mode, Sdk
from tests.oracle import violations

C = TypeVar("C", bound=Callable[..., None])


def each_way(test: C) -> C:
    """Run a test for every SDK and way of calling."""
    pytest.mark.parametrize("mode", MODES)(test)
    pytest.mark.parametrize("sdk", SDKS, ids=lambda sdk: sdk.name)(test)
    return test


def judge(sdk: Sdk) -> Callable[[str, Any], Reply]:
    """A provider that refuses what the oracle finds fault with."""

    def answer(path: str, body: Any) -> Reply:
        found = violations(body, api=sdk.api, provider=sdk.provider, model=sdk.model)
        return sdk.refusal(found[0].message) if found else sdk.reply((path, body), "Norway.")

    return answer


@each_way
def test_a_healthy_history_goes_out_as_it_is(sdk: Sdk, mode: Mode) -> None:
    """The body is the caller's own, nothing is reported, and the caller's objects stay as they are."""
    messages = sdk.messages()
    before = copy.deepcopy(messages)
    with serving(judge(sdk)) as server, collect_changes() as changes:
        assert sdk.ask(sdk.wrap(server.url, mode), mode, messages) == "Norway."
    assert [body["messages"] for _, body in server.requests] == [before]
    assert (messages, changes) == (before, [])


@each_way
@pytest.mark.parametrize("fault", ["dangling", "orphan"])
def test_broken_pairs_never_reach_the_provider(sdk: Sdk, mode: Mode, fault: str) -> None:
    """A call without a result is answered, a result without a call leaves; one request, and each change is told."""
    messages = sdk.messages(**{fault: True})
    before = copy.deepcopy(messages)
    told: list[tuple[Change, ...]] = []
    with serving(judge(sdk)) as server:
        with unguarded():
            _assert_refused(sdk, mode, server, messages)
        assert sdk.ask(sdk.wrap(server.url, mode, on_change=told.append), mode, messages) == "Norway."
    assert len(server.requests) == 2
    assert [{change.processor for change in changes} for changes in told] == [{"clean-messages"}]
    assert messages == before


@each_way
def test_another_providers_history_is_made_this_ones(sdk: Sdk, mode: Mode) -> None:
    """Ids that the provider refuses are renamed in call and result alike."""
    with serving(judge(sdk)) as server, collect_changes() as changes:
        with unguarded():
            _assert_refused(sdk, mode, server, sdk.foreign())
        assert sdk.ask(sdk.wrap(server.url, mode), mode, sdk.foreign()) == "Norway."
    assert {change.rule for change in changes} == {sdk.id_rule}


@each_way
def test_a_rejection_is_repaired_once_and_remembered(sdk: Sdk, mode: Mode) -> None:
    """The first call costs one more request, the next one none."""
    case = sdk.rejected()
    memory = RuleMemory()
    with serving(lambda path, body: _refusing(sdk, case.mark, case.refusal, path, body)) as server:
        client = sdk.wrap(server.url, mode, memory=memory)
        for expected in (2, 3):
            assert sdk.ask(client, mode, copy.deepcopy(case.messages), **case.parameters) == "Norway."
            assert len(server.requests) == expected
    assert memory.to_dict()


@each_way
def test_a_stream_that_begins_with_a_rejection_is_begun_anew(sdk: Sdk, mode: Mode) -> None:
    """The server said 200 and refused in the first event: nothing has been handed out yet."""
    case = sdk.rejected()

    def answer(path: str, body: Any) -> Reply:
        refused = sdk.refused_stream(case.refusal)
        assert refused is not None
        return refused if case.mark in json.dumps(body) else sdk.reply((path, body), "Norway.")

    if "stream" not in mode:
        # A plain call has no first event: such an answer is no answer, in whatever way the SDK says so.
        return
    with serving(answer) as server:
        assert sdk.ask(sdk.wrap(server.url, mode), mode, case.messages, **case.parameters) == "Norway."
    assert len(server.requests) == 2


@each_way
def test_an_unrelated_rejection_reaches_the_caller(sdk: Sdk, mode: Mode) -> None:
    """One request, and the SDK's own exception with the provider's words."""
    with (
        serving(lambda path, body: sdk.refusal("temperature: must be at most 1")) as server,
        pytest.raises(Exception, match="temperature") as raised,
    ):
        sdk.ask(sdk.wrap(server.url, mode, retries=2), mode, sdk.messages())
    assert len(server.requests) == 1
    assert type(raised.value).__name__ == "BadRequestError"


@each_way
def test_retries_do_not_multiply(sdk: Sdk, mode: Mode) -> None:
    """A rejection that stays costs two requests, however many retries the SDK is allowed."""
    case = sdk.rejected()
    with (
        serving(lambda path, body: sdk.refusal(case.refusal)) as server,
        pytest.raises(Exception, match="400"),
    ):
        sdk.ask(sdk.wrap(server.url, mode, retries=2), mode, case.messages, **case.parameters)
    assert len(server.requests) == 2


@each_way
def test_a_stream_that_broke_later_is_not_sent_again(sdk: Sdk, mode: Mode) -> None:
    """What was handed out stays handed out: the SDK's error reaches the caller after one request."""
    if "stream" not in mode:
        return
    with (
        serving(lambda path, body: sdk.streamed("Norway.", cut=True)) as server,
        pytest.raises(Exception, match=r"(?i)connection|incomplete|peer"),
    ):
        sdk.ask(sdk.wrap(server.url, mode), mode, sdk.messages())
    assert len(server.requests) == 1


@each_way
def test_a_timeout_passes_through(sdk: Sdk, mode: Mode) -> None:
    """It says nothing about the history."""
    slow = Reply(body=sdk.answer("Norway.").body, delay=0.6)
    with serving(lambda path, body: slow) as server, pytest.raises(Exception, match=r"(?i)timed? ?out"):
        sdk.ask(sdk.wrap(server.url, mode, timeout=0.15), mode, sdk.messages())
    assert len(server.requests) == 1


@pytest.mark.parametrize("sdk", SDKS, ids=lambda sdk: sdk.name)
def test_a_cancellation_passes_through(sdk: Sdk) -> None:
    """A task that is cancelled while it waits ends as cancelled."""

    async def main(url: str) -> None:
        task = asyncio.create_task(sdk.aask(sdk.wrap(url, "async"), "async", sdk.messages()))
        await asyncio.sleep(0.15)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    slow = Reply(body=sdk.answer("Norway.").body, delay=0.6)
    with serving(lambda path, body: slow) as server:
        asyncio.run(main(server.url))
    assert len(server.requests) == 1


@pytest.mark.parametrize("sdk", SDKS, ids=lambda sdk: sdk.name)
def test_two_hundred_calls_at_once_share_a_client(sdk: Sdk) -> None:
    """Each gets its own answer, and its own history repaired."""

    async def main(url: str) -> list[str]:
        client = sdk.wrap(url, "async")
        histories = [sdk.messages(dangling=index % 2 == 0, orphan=index % 3 == 0) for index in range(200)]
        return await asyncio.gather(*(sdk.aask(client, "async", history) for history in histories))

    with serving(judge(sdk)) as server:
        assert asyncio.run(main(server.url)) == ["Norway."] * 200
    assert len(server.requests) == 200


def _refusing(sdk: Sdk, mark: str, refusal: str, path: str, body: Any) -> Reply:
    return sdk.refusal(refusal) if mark in json.dumps(body) else sdk.reply((path, body), "Norway.")


def _assert_refused(sdk: Sdk, mode: Mode, server: Loopback, messages: list[Any]) -> None:
    """The history is really refused when nobody guards it, so that the test can't pass by itself."""
    with pytest.raises(Exception, match="400"):
        sdk.ask(sdk.wrap(server.url, mode), mode, copy.deepcopy(messages))
