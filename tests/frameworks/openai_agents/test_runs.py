"""Whole runs over HTTP: what the SDK puts between an agent and its model stays as it is, and doesn't multiply our retry."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, Final

import pytest
from agents import (
    Agent,
    ModelRetrySettings,
    ModelSettings,
    RunConfig,
    Runner,
    SQLiteSession,
    handoff,
    retry_policies,
)
from agents.extensions import handoff_filters
from agents.memory import OpenAIResponsesCompactionSession
from agents.models.interface import Model
from agents.models.openai_chatcompletions import OpenAIChatCompletionsModel
from agents.models.openai_responses import OpenAIResponsesModel
from openai import AsyncOpenAI, BadRequestError

from replayable.integrations import collect_changes, unguarded
from replayable.integrations.openai_agents import wrap
from tests.integrations.loopback import Loopback, Reply, serving
from tests.integrations.sdks import OpenAIChat, OpenAIResponses, Sdk
from tests.oracle import violations

_RESPONSES: Final = OpenAIResponses()
_CHAT: Final = OpenAIChat()


def _judge(sdk: Sdk) -> Callable[[str, Any], Reply]:
    def answer(path: str, body: Any) -> Reply:
        found = violations(body, api=sdk.api, provider="openai", model=body["model"])
        return sdk.refusal(found[0].message) if found else sdk.reply((path, body), "Norway.")

    return answer


def _client(server: Loopback) -> AsyncOpenAI:
    return AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)


def _responses(server: Loopback) -> Model:
    return wrap(OpenAIResponsesModel("gpt-5", _client(server)), served_by="openai/gpt-5")


def _run(agent: Agent[Any], items: Any, **options: Any) -> str:
    return str(asyncio.run(Runner.run(agent, items, **options)).final_output)


def test_an_answer_without_content_over_chat() -> None:
    """The SDK sends it with a content that is null, which OpenAI refuses."""
    empty = {"type": "message", "role": "assistant", "id": "msg_1", "status": "completed", "content": []}
    history = [{"role": "user", "content": "Hello"}, empty, {"role": "user", "content": "Are you there?"}]
    with serving(_judge(_CHAT)) as server, collect_changes() as changes:
        agent = Agent[Any](
            "Guide",
            model=wrap(OpenAIChatCompletionsModel("gpt-4o", _client(server)), served_by="openai/gpt-4o"),
        )
        with unguarded(), pytest.raises(BadRequestError, match="null"):
            _run(agent, history)
        assert _run(agent, history) == "Norway."
    assert {change.rule for change in changes} == {"openai-content-present"}


def test_the_sdks_own_retries_do_not_multiply_ours() -> None:
    """A policy for 400s sees none that we repaired."""
    rejected = _RESPONSES.rejected()

    def answer(path: str, body: Any) -> Reply:
        refused = rejected.mark in json.dumps(body)
        return _RESPONSES.refusal(rejected.refusal) if refused else _judge(_RESPONSES)(path, body)

    retry = ModelRetrySettings(max_retries=2, policy=retry_policies.http_status([400, 503]))
    with serving(answer) as server:
        agent = Agent[Any](
            "Guide", model=_responses(server), model_settings=ModelSettings(store=False, retry=retry)
        )
        assert _run(agent, list(rejected.messages)) == "Norway."
    assert len(server.requests) == 2


def test_a_conversation_that_openai_compacts() -> None:
    """What stands for the earlier turns is sent as it came."""
    sealed = "gAAAAAB" + "p" * 149
    usage = {
        "input_tokens": 1,
        "output_tokens": 1,
        "total_tokens": 2,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    item = {"type": "compaction", "id": "cmp_1", "encrypted_content": sealed}
    compacted = {
        "id": "c",
        "object": "response.compaction",
        "created_at": 1,
        "output": [item],
        "usage": usage,
    }

    def answer(path: str, body: Any) -> Reply:
        return Reply(body=compacted) if path.endswith("/compact") else _judge(_RESPONSES)(path, body)

    async def main(server: Loopback) -> list[str]:
        session = OpenAIResponsesCompactionSession(
            "one",
            SQLiteSession("two"),
            client=_client(server),
            model="gpt-5",
            should_trigger_compaction=lambda context: True,
        )
        agent = Agent[Any]("Guide", model=_responses(server))
        runs = [await Runner.run(agent, question, session=session) for question in ("Where?", "And so?")]
        return [str(run.final_output) for run in runs]

    with serving(answer) as server, collect_changes() as changes:
        assert asyncio.run(main(server)) == ["Norway."] * 2
    sent = [body["input"] for path, body in server.requests if not path.endswith("/compact")]
    assert (sent[1][0]["encrypted_content"], changes) == (sealed, [])


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("filtered", [False, True])
def test_a_handoff(filtered: bool, nested: bool) -> None:
    """Whatever the SDK makes of the history for the next agent, it is taken."""
    call = {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "call_1",
        "name": "transfer_to_other",
        "arguments": "{}",
        "status": "completed",
    }

    def answer(path: str, body: Any) -> Reply:
        if len(server.requests) == 1:
            return Reply(body={**_RESPONSES.answer("").body, "output": [call]})
        return _judge(_RESPONSES)(path, body)

    with serving(answer) as server, collect_changes() as changes:
        model = _responses(server)
        input_filter = handoff_filters.remove_all_tools if filtered else None
        other = Agent[Any]("other", model=model)
        first = Agent[Any]("first", model=model, handoffs=[handoff(other, input_filter=input_filter)])
        assert _run(first, "Where?", run_config=RunConfig(nest_handoff_history=nested)) == "Norway."
    assert (len(server.requests), changes) == (2, [])
