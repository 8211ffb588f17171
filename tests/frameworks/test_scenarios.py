"""Agents of every framework against a provider that looks at what it is sent: every scenario, in every way of calling."""

from __future__ import annotations

import asyncio
import copy
import json
from typing import Any, Final

import pytest

from replayable import CleanMessages, ProviderHistoryCompat, RuleMemory, ToolCallFilter
from replayable.integrations import collect_changes, unguarded
from tests.frameworks.adapters import DANGLING, FRAMEWORKS, KIMI, ORPHAN, Framework, Mode, Setup
from tests.frameworks.providers import ANTHROPIC, CEREBRAS, Provider
from tests.integrations.loopback import Reply, serving
from tests.integrations.scenarios import FRAMEWORK_SCENARIOS, scenario

WHOLE: Final[tuple[str, ...]] = ("sync", "async")
STALE_ID: Final = "functions.search:0"
SIGNATURE: Final = "c2lnbmVkIGVsc2V3aGVyZQ=="
_CALL: Final = {
    "id": "toolu_1",
    "type": "function",
    "function": {"name": "search", "arguments": '{"q": "Oslo"}'},
}


def conversation(
    *, dangling: bool = False, orphan: bool = False, tool_call_id: str = "toolu_1", reasoning: bool = False
) -> list[dict[str, Any]]:
    """A conversation that ends in a question; with a call that has no result, or a result that has no call."""
    answer: dict[str, Any] = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{**_CALL, "id": tool_call_id}],
    }
    if reasoning:
        answer["reasoning"] = {"text": "Oslo, then.", "signature": SIGNATURE}
    result = {"role": "tool", "tool_call_id": tool_call_id, "content": "In Norway."}
    return [
        {"role": "user", "content": "Where is Oslo?"},
        *([] if orphan else [answer]),
        *([] if dangling else [result]),
        {"role": "assistant", "content": "In Norway."},
        {"role": "user", "content": "And so?"},
    ]


def setup_for(provider: Provider, url: str, **fields: Any) -> Setup:
    """An agent that talks to a provider."""
    return Setup(url=url, api=provider.api, model=f"{provider.name}/{provider.model}", **fields)


def _assert_repaired(
    adapter: Framework, mode: Mode, history: list[dict[str, Any]], made_by: str, *, title: str = ""
) -> set[str | None]:
    """The history is refused as it is; repaired, it costs one request. Returns the names of what changed it."""
    driver = adapter.driver()
    with serving(ANTHROPIC.judge) as server:
        setup = setup_for(ANTHROPIC, server.url)
        if title not in adapter.repairs:
            with unguarded(), pytest.raises(Exception, match=r"400|(?i:bad ?request)"):
                driver.run(mode, setup, copy.deepcopy(history), made_by=made_by)
            assert len(server.requests) == 1
            server.requests.clear()
        with collect_changes() as changes:
            assert driver.run(mode, setup, history, made_by=made_by) == "Norway."
    assert len(server.requests) == 1
    return {change.rule or change.processor for change in changes}


@scenario("a healthy history goes out as it is", FRAMEWORKS, listed=FRAMEWORK_SCENARIOS)
def test_a_healthy_history_goes_out_as_it_is(adapter: Framework, mode: Mode) -> None:
    """Nothing is reported, and the request is the one that the framework sends without us."""
    driver = adapter.driver()
    with serving(ANTHROPIC.judge) as server:
        with unguarded():
            driver.run(mode, setup_for(ANTHROPIC, server.url), conversation(), made_by="anthropic")
        with collect_changes() as changes:
            text = driver.run(mode, setup_for(ANTHROPIC, server.url), conversation(), made_by="anthropic")
    assert (text, changes) == ("Norway.", [])
    (_, plain), (_, guarded) = server.requests
    assert guarded["messages"] == plain["messages"]


@scenario(DANGLING, FRAMEWORKS, listed=FRAMEWORK_SCENARIOS)
def test_a_dangling_call(adapter: Framework, mode: Mode) -> None:
    """A placeholder says that nothing is known of it."""
    changed_by = _assert_repaired(adapter, mode, conversation(dangling=True), "anthropic", title=DANGLING)
    assert changed_by == (set() if DANGLING in adapter.repairs else {"clean-messages"})


@scenario(ORPHAN, FRAMEWORKS, listed=FRAMEWORK_SCENARIOS)
def test_an_orphan_result(adapter: Framework, mode: Mode) -> None:
    """The rest of the conversation stays."""
    changed_by = _assert_repaired(adapter, mode, conversation(orphan=True), "anthropic", title=ORPHAN)
    assert changed_by == (set() if ORPHAN in adapter.repairs else {"clean-messages"})


@scenario(KIMI, FRAMEWORKS, listed=FRAMEWORK_SCENARIOS)
def test_a_history_that_kimi_made_goes_to_anthropic(adapter: Framework, mode: Mode) -> None:
    """Its ids are renamed, in call and result alike."""
    history = conversation(tool_call_id=STALE_ID)
    assert _assert_repaired(adapter, mode, history, "moonshot", title=KIMI) == {"anthropic-tool-id-format"}


@scenario("Anthropic's thinking goes to a server like Cerebras", FRAMEWORKS, listed=FRAMEWORK_SCENARIOS)
def test_thinking_goes_to_a_server_like_cerebras(adapter: Framework, mode: Mode) -> None:
    """Reasoning that it did not make leaves; the answers stay."""
    driver = adapter.driver()
    with serving(CEREBRAS.judge) as server, collect_changes() as changes:
        history = conversation(reasoning=True)
        assert driver.run(mode, setup_for(CEREBRAS, server.url), history, made_by="anthropic") == "Norway."
    assert "cerebras-strip-reasoning-content" in {change.rule for change in changes}
    assert "Oslo, then." not in json.dumps(server.requests[-1][1])
    assert "In Norway." in json.dumps(server.requests[-1][1])


@scenario(
    "a rejection that only the provider can know is repaired, retried once, remembered",
    FRAMEWORKS,
    listed=FRAMEWORK_SCENARIOS,
)
def test_a_rejection_is_repaired_once_and_remembered(adapter: Framework, mode: Mode) -> None:
    """The first call costs one more request, the next one none."""
    driver = adapter.driver()
    memory = RuleMemory()
    refusal = "messages.1.content.0: Invalid `signature` in `thinking` block"
    with serving(ANTHROPIC.refusing(SIGNATURE, refusal)) as server:
        for expected in (2, 3):
            setup = setup_for(ANTHROPIC, server.url, memory=memory)
            text = driver.run(mode, setup, conversation(reasoning=True), made_by="anthropic")
            assert (text, len(server.requests)) == ("Norway.", expected)
    assert memory.to_dict()


@scenario("an unrelated 400 reaches the caller after one request", FRAMEWORKS, listed=FRAMEWORK_SCENARIOS)
def test_an_unrelated_rejection_reaches_the_caller(adapter: Framework, mode: Mode) -> None:
    """One request, and the framework's own exception with the provider's words."""
    driver = adapter.driver()
    with (
        serving(lambda path, body: ANTHROPIC.sdk.refusal("temperature: must be at most 1")) as server,
        pytest.raises(Exception, match="temperature"),
    ):
        driver.run(mode, setup_for(ANTHROPIC, server.url, retries=2), conversation(), made_by="anthropic")
    assert len(server.requests) == 1


@scenario(
    "tools are filtered after two steps of a running loop",
    FRAMEWORKS,
    modes=WHOLE,
    listed=FRAMEWORK_SCENARIOS,
)
def test_tools_are_filtered_in_a_running_loop(adapter: Framework, mode: Mode) -> None:
    """The model calls a tool four times; each time it sees no more than the two calls before."""
    driver = adapter.driver()

    def answer(path: str, body: Any) -> Reply:
        step = len(server.requests)
        return ANTHROPIC.calling(path, body, step) if step <= 4 else ANTHROPIC.reply(path, body)

    processors = [ToolCallFilter(filter_after_tool_steps=2), CleanMessages(), ProviderHistoryCompat()]
    with serving(answer) as server:
        setup = setup_for(ANTHROPIC, server.url, processors=processors, tool=True)
        question = [{"role": "user", "content": "Search until you find it."}]
        assert driver.run(mode, setup, question, made_by="anthropic") == "Norway."
    seen = [[n for n in range(1, 5) if f"toolu_{n}" in json.dumps(body)] for _, body in server.requests]
    assert seen == [[], [1], [1, 2], [2, 3], [3, 4]]


@scenario("a stored history is healed", FRAMEWORKS, modes=("sync",), listed=FRAMEWORK_SCENARIOS)
def test_a_stored_history_is_healed(adapter: Framework, mode: Mode) -> None:
    """What the adapter leaves to be stored is whole: the call has its answer, the stray result is gone."""
    stored = [
        *conversation(dangling=True)[:-1],
        {"role": "tool", "tool_call_id": "toolu_9", "content": "Hm."},
    ]
    healed = adapter.driver().heal(stored, made_by="anthropic")
    assert [message["role"] for message in healed] == ["user", "assistant", "tool", "assistant"]
    assert healed[2]["tool_call_id"] == "toolu_1"
    assert [healed[0], healed[3]] == [stored[0], stored[2]]


@scenario(
    "50 runs at once share one list of processors", FRAMEWORKS, modes=("async",), listed=FRAMEWORK_SCENARIOS
)
def test_fifty_runs_at_once_share_processors(adapter: Framework, mode: Mode) -> None:
    """Each gets its own answer, and its own history repaired."""
    driver = adapter.driver()
    processors = (CleanMessages(missing_results="placeholder"), ProviderHistoryCompat(memory=RuleMemory()))

    async def main(url: str) -> list[str]:
        setup = setup_for(ANTHROPIC, url, processors=processors)
        histories = [conversation(dangling=index % 2 == 0, orphan=index % 3 == 0) for index in range(50)]
        return await asyncio.gather(*(driver.arun(setup, one, made_by="anthropic") for one in histories))

    with serving(ANTHROPIC.judge) as server:
        assert asyncio.run(main(server.url)) == ["Norway."] * 50
    assert len(server.requests) == 50
