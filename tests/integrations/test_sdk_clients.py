"""Wrapped SDK clients against a provider that looks at what it is sent: every scenario, SDK and way of calling."""

from __future__ import annotations

import asyncio
import copy
import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import pytest

from replayable import Change, CleanMessages, ProviderHistoryCompat, RuleMemory, ToolCallFilter, fix
from replayable.integrations import collect_changes, unguarded
from tests.integrations.loopback import Loopback, Reply, serving
from tests.integrations.scenarios import scenario
from tests.integrations.sdks import SDKS, Mode, Sdk
from tests.oracle import violations

STREAMS: Final = ("stream", "async stream")


def judge(sdk: Sdk) -> Callable[[str, Any], Reply]:
    """A provider that refuses what the oracle finds fault with."""

    def answer(path: str, body: Any) -> Reply:
        found = violations(body, api=sdk.api, provider=sdk.provider, model=sdk.model)
        return sdk.refusal(found[0].message) if found else sdk.reply((path, body), "Norway.")

    return answer


@scenario("a healthy history goes out as it is", SDKS)
def test_a_healthy_history_goes_out_as_it_is(adapter: Sdk, mode: Mode) -> None:
    """The body is the caller's own, nothing is reported, and the caller's objects stay as they are."""
    messages = adapter.messages()
    before = copy.deepcopy(messages)
    with serving(judge(adapter)) as server, collect_changes() as changes:
        assert adapter.ask(adapter.wrap(server.url, mode), mode, messages) == "Norway."
    assert [adapter.sent(body) for _, body in server.requests] == [before]
    assert (messages, changes) == (before, [])


@scenario("a call without a result is answered", SDKS)
def test_a_dangling_call(adapter: Sdk, mode: Mode) -> None:
    """A placeholder says that nothing is known of it."""
    _assert_pairs_are_repaired(adapter, mode, adapter.messages(dangling=True))


@scenario("a result without a call is left out", SDKS)
def test_an_orphan_result(adapter: Sdk, mode: Mode) -> None:
    """The rest of the conversation stays."""
    _assert_pairs_are_repaired(adapter, mode, adapter.messages(orphan=True))


def _assert_pairs_are_repaired(sdk: Sdk, mode: Mode, messages: list[Any]) -> None:
    """The history is refused as it is; repaired, it costs one request, and each change is told."""
    before = copy.deepcopy(messages)
    told: list[tuple[Change, ...]] = []
    with serving(judge(sdk)) as server:
        with unguarded():
            _assert_refused(sdk, mode, server, messages)
        assert sdk.ask(sdk.wrap(server.url, mode, on_change=told.append), mode, messages) == "Norway."
    assert len(server.requests) == 2
    assert [{change.processor for change in changes} for changes in told] == [{"clean-messages"}]
    assert messages == before


@scenario("another provider's tool call ids are renamed", SDKS)
def test_another_providers_history_is_made_this_ones(adapter: Sdk, mode: Mode) -> None:
    """Ids that the provider refuses are renamed in call and result alike."""
    with serving(judge(adapter)) as server, collect_changes() as changes:
        with unguarded():
            _assert_refused(adapter, mode, server, adapter.foreign())
        assert adapter.ask(adapter.wrap(server.url, mode), mode, adapter.foreign()) == "Norway."
    assert {change.rule for change in changes} == {adapter.id_rule}


@scenario("Anthropic's thinking goes to a server like Cerebras", SDKS)
def test_thinking_goes_to_a_server_like_cerebras(adapter: Sdk, mode: Mode) -> None:
    """Reasoning that it did not make leaves, in the fields where gateways keep it; the answers stay."""
    model = "cerebras/qwen-3-32b"
    messages = adapter.messages()
    thought = {"type": "thinking", "thinking": "Oslo, then.", "signature": "c2ln"}
    messages[1].update(reasoning_content="Oslo, then.", thinking_blocks=[thought])

    def answer(path: str, body: Any) -> Reply:
        found = violations(body, api=adapter.api, provider="cerebras", model=model)
        return adapter.refusal(found[0].message) if found else adapter.reply((path, body), "Norway.")

    with serving(answer) as server, collect_changes() as changes:
        with unguarded(), pytest.raises(Exception, check=adapter.is_refusal):  # noqa: B017 - `check` is not blind
            adapter.ask(adapter.wrap(server.url, mode), mode, messages, model=model)
        assert adapter.ask(adapter.wrap(server.url, mode), mode, messages, model=model) == "Norway."
    assert "cerebras-strip-reasoning-content" in {change.rule for change in changes}
    _, body = server.requests[-1]
    assert "Oslo, then." not in json.dumps(body)
    assert [message.get("content") for message in body["messages"]] == [
        message.get("content") for message in messages
    ]


@scenario("a rejection that only the provider can know is repaired, retried once, remembered", SDKS)
def test_a_rejection_is_repaired_once_and_remembered(adapter: Sdk, mode: Mode) -> None:
    """The first call costs one more request, the next one none."""
    case = adapter.rejected()
    memory = RuleMemory()
    with serving(lambda path, body: _refusing(adapter, case.mark, case.refusal, path, body)) as server:
        client = adapter.wrap(server.url, mode, memory=memory)
        for expected in (2, 3):
            assert adapter.ask(client, mode, copy.deepcopy(case.messages), **case.parameters) == "Norway."
            assert len(server.requests) == expected
    assert memory.to_dict()


@scenario("a stream that begins with a rejection is begun anew", SDKS, modes=STREAMS)
def test_a_stream_that_begins_with_a_rejection_is_begun_anew(adapter: Sdk, mode: Mode) -> None:
    """The server said 200 and refused in the first event: nothing has been handed out yet."""
    case = adapter.rejected()

    def answer(path: str, body: Any) -> Reply:
        refused = adapter.refused_stream(case.refusal)
        return refused if case.mark in json.dumps(body) else adapter.reply((path, body), "Norway.")

    with serving(answer) as server:
        assert (
            adapter.ask(adapter.wrap(server.url, mode), mode, case.messages, **case.parameters) == "Norway."
        )
    assert len(server.requests) == 2


@scenario("calls in flight are cured by what the first rejection taught", SDKS)
def test_calls_in_flight_are_cured_by_what_the_first_rejection_taught(adapter: Sdk, mode: Mode) -> None:
    """All are refused once, the later ones when the first one is repaired already; what was learned is kept."""
    case = adapter.rejected()
    memory = RuleMemory()
    count = 3
    in_flight, learned = threading.Barrier(count, timeout=20), threading.Event()

    def answer(path: str, body: Any) -> Reply:
        if case.mark not in json.dumps(body):
            learned.set()
            return adapter.reply((path, body), "Norway.")
        if in_flight.wait() > 0:
            assert learned.wait(20)
        return adapter.refusal(case.refusal)

    async def main(client: Any) -> list[str]:
        calls = (adapter.aask(client, mode, case.messages, **case.parameters) for _ in range(count))
        return await asyncio.gather(*calls)

    with serving(answer) as server:
        client = adapter.wrap(server.url, mode, memory=memory)
        if mode.startswith("async"):
            answers = asyncio.run(main(client))
        else:
            with ThreadPoolExecutor(max_workers=count) as threads:
                answers = list(
                    threads.map(
                        lambda _: adapter.ask(client, mode, case.messages, **case.parameters), range(count)
                    )
                )
        assert answers == ["Norway."] * count
        assert len(server.requests) == 2 * count
        assert memory.to_dict()


@scenario("an unrelated 400 reaches the caller after one request", SDKS)
def test_an_unrelated_rejection_reaches_the_caller(adapter: Sdk, mode: Mode) -> None:
    """One request, and the SDK's own exception with the provider's words."""
    with (
        serving(lambda path, body: adapter.refusal("temperature: must be at most 1")) as server,
        pytest.raises(Exception, match="temperature", check=adapter.is_refusal),
    ):
        adapter.ask(adapter.wrap(server.url, mode, retries=2), mode, adapter.messages())
    assert len(server.requests) == 1


@scenario("tools are filtered after two steps of a running loop", SDKS)
def test_tools_are_filtered_in_a_running_loop(adapter: Sdk, mode: Mode) -> None:
    """The caller's history grows by a call and its result; the model sees no more than the two before."""
    processors = [ToolCallFilter(filter_after_tool_steps=2), CleanMessages(), ProviderHistoryCompat()]
    question, call, result, *_ = adapter.messages()
    history = [question]
    with serving(judge(adapter)) as server:
        client = adapter.wrap(server.url, mode, processors=processors)
        for step in range(5):
            assert adapter.ask(client, mode, history) == "Norway."
            text = json.dumps([call, result])
            history += json.loads(text.replace('_1"', f'_{step}"').replace("In Norway.", f"Found {step}."))
    seen = [[n for n in range(4) if f"Found {n}." in json.dumps(body)] for _, body in server.requests]
    assert seen == [[], [0], [0, 1], [1, 2], [2, 3]]


@scenario("a stored history is healed", SDKS, modes=("sync",))
def test_a_stored_history_is_healed(adapter: Sdk, mode: Mode) -> None:
    """What was refused is repaired where it is stored, once; then it needs no guard."""
    with serving(judge(adapter)) as server, unguarded():
        _assert_refused(adapter, mode, server, adapter.messages(dangling=True))
        ((_, refused),) = server.requests
        healed = fix(refused, model=f"{adapter.provider}/{adapter.model}").request
        assert adapter.ask(adapter.wrap(server.url, mode), mode, adapter.sent(healed)) == "Norway."
    assert len(server.requests) == 2


@scenario("the SDK's own retries do not multiply ours", SDKS)
def test_retries_do_not_multiply(adapter: Sdk, mode: Mode) -> None:
    """A rejection that stays costs two requests, however many retries the SDK is allowed."""
    case = adapter.rejected()
    with (
        serving(lambda path, body: adapter.refusal(case.refusal)) as server,
        pytest.raises(Exception, check=adapter.is_refusal),  # noqa: B017 - `check` is not blind
    ):
        adapter.ask(adapter.wrap(server.url, mode, retries=2), mode, case.messages, **case.parameters)
    assert len(server.requests) == 2


@scenario("a client that is wrapped twice is guarded once", SDKS)
def test_a_client_wrapped_twice_is_guarded_once(adapter: Sdk, mode: Mode) -> None:
    """A rejection that stays costs two requests; what was said last holds, and the first wrapped client stays as it is."""
    case = adapter.rejected()
    first: list[Any] = []
    last: list[Any] = []
    with serving(lambda path, body: adapter.refusal(case.refusal)) as server:
        once = adapter.integration.wrap(adapter.plain(server.url, mode), on_change=first.append)
        twice = adapter.integration.wrap(once, on_change=last.append)
        for client, told in ((twice, last), (once, first)):
            server.requests.clear()
            with pytest.raises(Exception, check=adapter.is_refusal):  # noqa: B017 - `check` is not blind
                adapter.ask(adapter.called(client, mode), mode, case.messages, **case.parameters)
            assert len(server.requests) == 2
            assert len(told) == 1
    assert len(first) == len(last) == 1


@scenario("a stream that broke after its first event is not sent again", SDKS, modes=STREAMS)
def test_a_stream_that_broke_later_is_not_sent_again(adapter: Sdk, mode: Mode) -> None:
    """What was handed out stays handed out: the SDK's error reaches the caller after one request."""
    with (
        serving(lambda path, body: adapter.streamed("Norway.", cut=True)) as server,
        pytest.raises(Exception, match=r"(?i)connection|incomplete|peer|not completed"),
    ):
        adapter.ask(adapter.wrap(server.url, mode), mode, adapter.messages())
    assert len(server.requests) == 1


@scenario("a timeout passes through", SDKS)
def test_a_timeout_passes_through(adapter: Sdk, mode: Mode) -> None:
    """It says nothing about the history."""
    slow = Reply(body=adapter.answer("Norway.").body, delay=2.5)
    with serving(lambda path, body: slow) as server, pytest.raises(Exception, check=_is_timeout):  # noqa: B017 - the SDKs have no base in common
        adapter.ask(adapter.wrap(server.url, mode, timeout=1.2), mode, adapter.messages())
    assert len(server.requests) == 1


@scenario("a cancellation passes through", SDKS, modes=("async",))
def test_a_cancellation_passes_through(adapter: Sdk, mode: Mode) -> None:
    """A task that is cancelled while it waits ends as cancelled."""

    async def main(url: str) -> None:
        task = asyncio.create_task(adapter.aask(adapter.wrap(url, "async"), "async", adapter.messages()))
        await asyncio.sleep(0.15)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    slow = Reply(body=adapter.answer("Norway.").body, delay=0.6)
    with serving(lambda path, body: slow) as server:
        asyncio.run(main(server.url))
    assert len(server.requests) == 1


@scenario("200 calls at once share a client", SDKS, modes=("sync", "async"))
def test_two_hundred_calls_at_once_share_a_client(adapter: Sdk, mode: Mode) -> None:
    """Each gets its own answer, and its own history repaired: calls of as many tasks, or of threads."""
    histories = [adapter.messages(dangling=index % 2 == 0, orphan=index % 3 == 0) for index in range(200)]

    async def main(client: Any) -> list[str]:
        return await asyncio.gather(*(adapter.aask(client, mode, history) for history in histories))

    with serving(judge(adapter)) as server:
        client = adapter.wrap(server.url, mode)
        if mode == "async":
            answers = asyncio.run(main(client))
        else:
            with ThreadPoolExecutor(max_workers=32) as threads:
                answers = list(threads.map(lambda history: adapter.ask(client, mode, history), histories))
    assert answers == ["Norway."] * 200
    assert len(server.requests) == 200


@pytest.mark.parametrize("sdk", SDKS, ids=lambda sdk: sdk.name)
def test_tuples_stand_for_lists(sdk: Sdk) -> None:
    """The SDKs take them, at any depth: what is healthy arrives as from the plain client, what is not is repaired."""
    healthy, orphan = _tuples(sdk.messages()), _tuples(sdk.messages(orphan=True))
    with serving(judge(sdk)) as server, collect_changes() as changes:
        plain = sdk.plain(server.url, "sync")
        for client in (plain, sdk.integration.wrap(plain)):
            assert sdk.ask(sdk.called(client, "sync"), "sync", healthy) == "Norway."
        assert not changes
        assert sdk.ask(sdk.wrap(server.url, "sync"), "sync", orphan) == "Norway."
    first, second, _ = server.requests
    assert first == second
    assert {change.processor for change in changes} >= {"clean-messages"}


def _tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _tuples(item) for key, item in value.items()}
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _is_timeout(error: Exception) -> bool:
    return "timeout" in type(error).__name__.lower()


def _refusing(sdk: Sdk, mark: str, refusal: str, path: str, body: Any) -> Reply:
    return sdk.refusal(refusal) if mark in json.dumps(body) else sdk.reply((path, body), "Norway.")


def _assert_refused(sdk: Sdk, mode: Mode, server: Loopback, messages: list[Any]) -> None:
    """The history is really refused when nobody guards it, so that the test can't pass by itself."""
    with pytest.raises(Exception, check=sdk.is_refusal):  # noqa: B017 - `check` is not blind
        sdk.ask(sdk.wrap(server.url, mode), mode, copy.deepcopy(messages))
