"""What only the openai package has."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import openai
import pytest

from replayable import ConfigurationError
from replayable.integrations.openai import _model_of, collect_changes, wrap
from tests.integrations.loopback import Reply, serving
from tests.integrations.sdks import Mode, OpenAIChat, OpenAIResponses

SDK = OpenAIChat()


def _ask(client: Any, how: str, messages: list[Any]) -> None:
    given = {"model": "gpt-5", "messages": messages}
    if how == "parse":
        client.chat.completions.parse(**given)
    elif how == "stream helper":
        with client.chat.completions.stream(**given) as stream:
            assert any(event.type == "content.delta" for event in stream)
    elif how == "raw response":
        assert client.chat.completions.with_raw_response.create(**given).parse().choices
    elif how == "streaming response":
        with client.chat.completions.with_streaming_response.create(**given) as response:
            assert response.read()
    elif how == "with_options":
        client.with_options(timeout=5).chat.completions.create(**given)
    elif how == "extra_body":
        client.chat.completions.create(**{**given, "messages": []}, extra_body={"messages": messages})
    else:
        url = {"post": "/chat/completions", "post without slash": "chat/completions"}
        client.post(url.get(how, f"{client.base_url}chat/completions?x=1"), body=given, cast_to=object)


@pytest.mark.parametrize(
    "how",
    [
        "parse",
        "stream helper",
        "raw response",
        "streaming response",
        "with_options",
        "extra_body",
        "post",
        "post without slash",
        "post to a whole URL",
    ],
)
def test_every_way_to_call_is_guarded(how: str) -> None:
    """They end in one method; the caller's body goes out repaired."""
    with (
        serving(lambda path, body: SDK.reply((path, body), "Norway.")) as server,
        collect_changes() as changes,
    ):
        _ask(SDK.wrap(server.url, "sync"), how, SDK.messages(orphan=True))
    ((_, body),) = server.requests
    assert [message["role"] for message in body["messages"]] == ["user", "user"]
    assert [change.action for change in changes] == ["removed"]


@pytest.mark.parametrize(
    "where",
    [f"responses/{what}{beta}" for what in ("compact", "input_tokens") for beta in ("", "?beta=true")]
    + ["decisions"],
)
def test_what_else_reads_a_history_is_guarded(where: str) -> None:
    """The Responses API compacts and counts the same items that it answers; decisions are taken on them."""
    sdk = OpenAIResponses()

    def answer(path: str, body: Any) -> Reply:
        counted = {"object": "response.input_tokens", "input_tokens": 5}
        return Reply(body=counted) if "input_tokens" in path else sdk.answer("Norway.")

    given: dict[str, Any] = {"model": "gpt-5", "input": sdk.messages(orphan=True)}
    with serving(answer) as server:
        client = sdk.wrap(server.url, "sync")
        responses = client.beta.responses if "beta" in where else client.responses
        if where == "decisions":
            client.decisions.create(questions=[{"type": "predicate", "question": "Is it cold?"}], **given)
        elif "compact" in where:
            responses.compact(**given)
        else:
            responses.input_tokens.count(**given)
    ((path, body),) = server.requests
    assert path == f"/v1/{where}"
    assert [item["role"] for item in body["input"]] == ["user", "user"]


@pytest.mark.parametrize("late", [False, True])
def test_of_a_raw_responses_stream_the_status_alone_counts(late: bool) -> None:
    """Its events are read by the caller: a rejection among them is the caller's, too."""
    case = SDK.rejected()

    def answer(path: str, body: Any) -> Reply:
        if case.mark not in json.dumps(body):
            return SDK.streamed("Norway.")
        return SDK.refused_stream(case.refusal) if late else SDK.refusal(case.refusal)

    with serving(answer) as server:
        completions = SDK.wrap(server.url, "sync").chat.completions.with_raw_response
        raw = completions.create(messages=case.messages, stream=True, **case.parameters)
        if late:
            with pytest.raises(openai.APIError, match=re.escape(case.refusal[:20])):
                list(raw.parse())
        else:
            assert "".join(SDK.text(event) for event in raw.parse()) == "Norway."
    assert len(server.requests) == (1 if late else 2)


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_helper_closes_the_stream_that_was_begun_anew(mode: Mode) -> None:
    """It keeps the response that it was made with; whoever leaves early leaves no connection open."""
    case = SDK.rejected()
    given = {"messages": case.messages, **case.parameters}

    def answer(path: str, body: Any) -> Reply:
        refused = case.mark in json.dumps(body)
        return SDK.refused_stream(case.refusal) if refused else SDK.streamed("Norway.")

    def leave_early(client: Any) -> None:
        with client.chat.completions.stream(**given) as stream:
            assert next(iter(stream)).type == "chunk"
            assert _is_busy(client)
        assert not _is_busy(client)

    async def leave_early_async(client: Any) -> None:
        async with client.chat.completions.stream(**given) as stream:
            assert (await anext(aiter(stream))).type == "chunk"
            assert _is_busy(client)
        assert not _is_busy(client)

    with serving(answer) as server:
        client = SDK.wrap(server.url, mode)
        if mode == "sync":
            leave_early(client)
        else:
            asyncio.run(leave_early_async(client))
    assert len(server.requests) == 2


def _is_busy(client: Any) -> bool:
    """Whether a connection waits for the rest of an answer."""
    connections = client._client._transport._pool.connections
    return any(not connection.is_idle() and not connection.is_closed() for connection in connections)


def test_a_client_of_ones_own_class() -> None:
    """Its ``__init__`` takes what it likes; its resources are asked for before and after."""

    class House(openai.OpenAI):
        def __init__(self, url: str) -> None:
            super().__init__(base_url=f"{url}/v1", api_key="none")
            self.address = url

    with serving(lambda path, body: SDK.reply((path, body), "Norway.")) as server:
        house = House(server.url)
        chat = house.chat
        wrapped = wrap(house)
        assert isinstance(wrapped, House)
        assert wrapped.address == server.url
        _ask(wrapped, "parse", SDK.messages(orphan=True))
    assert house.chat is chat
    assert [message["role"] for message in server.requests[0][1]["messages"]] == ["user", "user"]


def test_the_client_itself_stays_as_it_is() -> None:
    """The wrapped one is a copy of its class; other endpoints pass through."""
    with serving(lambda path, body: Reply(body={"data": [], "object": "list", "model": "m"})) as server:
        client = openai.OpenAI(base_url=server.url, api_key="none")
        wrapped = wrap(client)
        assert type(client) is openai.OpenAI
        assert isinstance(wrapped, openai.OpenAI)
        assert repr(type(wrapped)) == repr(openai.OpenAI)
        wrapped.embeddings.create(model="m", input="Oslo", encoding_format="float")
    assert json.dumps(server.requests[0][1]["input"]) == '"Oslo"'


def test_class_and_url_tell_who_serves() -> None:
    """Azure by its class, others by their URL."""
    azure = openai.AzureOpenAI(azure_endpoint="https://house.example.com", api_key="k", api_version="1")
    assert _model_of(azure, "house-gpt", "openai_chat").provider == "azure"
    groq = openai.OpenAI(base_url="https://api.groq.com/openai/v1", api_key="k")
    assert _model_of(groq, "openai/gpt-oss-120b", "openai_chat").provider == "groq"
    assert _model_of(groq, None, "openai_chat").model is None


def test_what_is_no_client_is_refused() -> None:
    """At once, by name."""
    with pytest.raises(ConfigurationError, match="int is no OpenAI client"):
        wrap(3)  # type: ignore[type-var]
