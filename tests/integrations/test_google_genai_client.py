"""What only google-genai has."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

import pytest
from google import genai
from google.genai import types

from replayable.integrations import collect_changes
from replayable.integrations.google_genai import wrap
from tests.integrations.loopback import Reply, serving
from tests.integrations.sdks import GoogleGenai

SDK = GoogleGenai()
ORPHAN: Final = [types.Content.model_validate(content) for content in SDK.messages(orphan=True)]
BROKEN: Final = ORPHAN[:3]
"""Ends with an answer, as a chat's history does."""


def _answer(path: str, body: Any) -> Reply:
    return Reply(body={"totalTokens": 3}) if "count" in path else SDK.reply((path, body), "Norway.")


def _client(url: str) -> genai.Client:
    return genai.Client(api_key="none", http_options={"base_url": url})


def _search(q: str) -> str:
    """Search."""
    return q


def _chat(client: genai.Client) -> Any:
    return client.chats.create(model=SDK.model, history=[*BROKEN])


def _stream_of_chat(client: genai.Client) -> None:
    assert "".join(chunk.text or "" for chunk in _chat(client).send_message_stream("And so?")) == "Norway."


def _async_chat(client: genai.Client) -> None:
    async def main() -> None:
        chat = client.aio.chats.create(model=SDK.model, history=[*BROKEN])
        assert (await chat.send_message("And so?")).text == "Norway."
        await client.aio.aclose()

    asyncio.run(main())


WAYS: Final[dict[str, Callable[[genai.Client], Any]]] = {
    "objects": lambda client: client.models.generate_content(model=SDK.model, contents=[*ORPHAN]),
    "config": lambda client: client.models.generate_content(
        model=SDK.model,
        contents=[*ORPHAN],
        config={"system_instruction": "Be brief.", "tools": [_search]},
    ),
    "tokens": lambda client: client.models.count_tokens(model=SDK.model, contents=[*ORPHAN]),
    "chat": lambda client: _chat(client).send_message("And so?"),
    "chat, streamed": _stream_of_chat,
    "chat, async": _async_chat,
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_every_way_to_call_is_guarded(way: Callable[[genai.Client], Any]) -> None:
    """They end in the methods of one client, where the body goes out repaired."""
    with serving(_answer) as server, collect_changes() as changes, _client(server.url) as client:
        way(wrap(client))
    ((_, body),) = server.requests
    assert [content["role"] for content in body["contents"]] == ["user", "model", "user"]
    assert {change.processor for change in changes} == {"clean-messages"}


def test_a_chats_own_history_stays_its_own() -> None:
    """What is repaired is what is sent; the SDK goes on with what it was given, and with what came back."""
    with serving(_answer) as server, collect_changes(), _client(server.url) as client:
        chat = _chat(wrap(client))
        for _ in range(2):
            chat.send_message("And so?")
    asked = types.UserContent("And so?")
    answered = types.Content(role="model", parts=[types.Part(text="Norway.")])
    assert chat.get_history() == [*BROKEN, asked, answered, asked, answered]


def test_the_calls_within_the_sdks_own_loop_are_guarded() -> None:
    """It calls the functions and sends their results on; its record of that holds what it sent itself."""
    call = {"functionCall": {"name": "weather", "args": {"city": "Oslo"}}, "thoughtSignature": "c2ln"}
    asked = {"candidates": [{"content": {"role": "model", "parts": [call]}, "index": 0}]}

    def weather(city: str) -> str:
        return f"4 degrees in {city}"

    def answer(path: str, body: Any) -> Reply:
        return SDK.answer("Cold.") if "4 degrees in Oslo" in str(body) else Reply(body=asked)

    with serving(answer) as server, _client(server.url) as client:
        response = wrap(client).models.generate_content(
            model=SDK.model, contents=[*ORPHAN], config={"tools": [weather]}
        )
    assert response.text == "Cold."
    assert [len(body["contents"]) for _, body in server.requests] == [3, 5]
    assert (response.automatic_function_calling_history or [])[: len(ORPHAN)] == ORPHAN


def test_results_of_what_is_cached_stay() -> None:
    """Their calls stand in the cached content, before what is sent."""
    result = types.Part.from_function_response(name="search", response={"result": "In Norway."})
    with serving(_answer) as server, collect_changes() as changes, _client(server.url) as client:
        wrap(client).models.generate_content(
            model=SDK.model, contents=result, config={"cached_content": "cachedContents/1"}
        )
    assert "functionResponse" in server.requests[0][1]["contents"][0]["parts"][0]
    assert not changes


def test_clients_of_ones_own_classes_can_be_wrapped() -> None:
    """They keep their methods and attributes, whatever they are made with."""

    class House(genai.Client):
        def __init__(self, street: str, url: str) -> None:
            super().__init__(api_key="none", http_options={"base_url": url})
            self.street = street

        def ask(self) -> str | None:
            return self.models.generate_content(model=SDK.model, contents=[*ORPHAN]).text

    with serving(_answer) as server, collect_changes() as changes:
        house = wrap(House("Elm", server.url))
        assert (house.street, house.ask()) == ("Elm", "Norway.")
    assert changes


def test_what_is_no_conversation_passes_through() -> None:
    """By position or by name, as the SDK's own helpers call it."""
    with serving(lambda path, body: Reply(body={"done": True})) as server, _client(server.url) as client:
        api = wrap(client)._api_client
        assert (
            api.request(http_method="post", path="things:do", request_dict={"a": 1}).body == '{"done": true}'
        )
        assert api.request("post", "things:do", {"a": 2}, None).body == '{"done": true}'
    assert [body for _, body in server.requests] == [{"a": 1}, {"a": 2}]
