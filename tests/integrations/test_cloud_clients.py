"""The clients for other people's clouds: they put the model into the path and sign, and their histories are repaired too."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import anthropic
import openai
import pytest
from google import genai
from google.oauth2.credentials import Credentials

from replayable.integrations import anthropic as anthropic_integration
from replayable.integrations import collect_changes
from replayable.integrations import google_genai as google_genai_integration
from replayable.integrations import openai as openai_integration
from tests.integrations.loopback import Reply, event_stream, serving
from tests.integrations.sdks import (
    AnthropicMessages,
    GoogleGenai,
    Kept,
    Mode,
    OpenAIChat,
    OpenAIResponses,
    Sdk,
)

_AWS: Final[dict[str, Any]] = {"aws_region": "us-east-1", "aws_access_key": "none", "aws_secret_key": "none"}
_GOOGLE: Final[dict[str, Any]] = {"region": "us-east5", "project_id": "house", "access_token": "none"}


class _AnthropicBedrock(AnthropicMessages):
    model = "us.anthropic.claude-sonnet-4-6"

    def is_stream(self, request: tuple[str, Any]) -> bool:
        return request[0].endswith("/invoke-with-response-stream")

    def streamed(self, text: str, *, cut: bool = False) -> Reply:
        lines = super().streamed(text).body.decode().splitlines()
        events = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
        return event_stream([("chunk", {"bytes": base64.b64encode(one.encode()).decode()}) for one in events])


def _bedrock(url: str) -> Any:
    return anthropic_integration.wrap(anthropic.AnthropicBedrock(base_url=url, max_retries=0, **_AWS))


def _vertex(url: str) -> Any:
    return anthropic_integration.wrap(anthropic.AnthropicVertex(base_url=url, max_retries=0, **_GOOGLE))


def _foundry(url: str) -> Any:
    client = anthropic.AnthropicFoundry(base_url=url, api_key="none", max_retries=0)
    return anthropic_integration.wrap(client)


def _azure(url: str) -> Any:
    client = openai.AzureOpenAI(azure_endpoint=url, api_key="none", api_version="2025-04-01", max_retries=0)
    return openai_integration.wrap(client)


def _vertex_gemini(url: str) -> Any:
    client = genai.Client(
        vertexai=True,
        project="house",
        location="us-east5",
        credentials=Credentials("none"),  # type: ignore[no-untyped-call]
        http_options={"base_url": url},
    )
    wrapped = google_genai_integration.wrap(client)
    return Kept(wrapped, wrapped)


class _Client(NamedTuple):
    """A client of a cloud: how it is called, how it is made, where it sends to, and how many tries a first rejection costs."""

    sdk: Sdk
    wrapped: Callable[[str], Any]
    path: str
    tries: int = 2


_CLIENTS: Final = {
    "AnthropicBedrock": _Client(
        _AnthropicBedrock(), _bedrock, "/model/us.anthropic.claude-sonnet-4-6/invoke"
    ),
    "AnthropicVertex": _Client(AnthropicMessages(), _vertex, "/models/claude-sonnet-5:"),
    "AnthropicFoundry": _Client(AnthropicMessages(), _foundry, "/v1/messages"),
    # Its class tells that it is OpenAI's limit of an id that counts, before any rejection.
    "AzureOpenAI": _Client(OpenAIChat(), _azure, "/openai/deployments/", tries=1),
    "AzureOpenAI Responses": _Client(OpenAIResponses(), _azure, "/openai/responses"),
    "google-genai on Vertex": _Client(GoogleGenai(), _vertex_gemini, "/publishers/google/models/"),
}
each_client = pytest.mark.parametrize("client", _CLIENTS.values(), ids=_CLIENTS)


@each_client
@pytest.mark.parametrize("mode", ["sync", "stream"])
def test_a_broken_history_is_repaired(client: _Client, mode: Mode) -> None:
    """Before it is sent, in either way of calling."""
    sdk, broken = client.sdk, client.sdk.messages(dangling=True)
    with (
        serving(lambda path, body: sdk.reply((path, body), "Norway.")) as server,
        collect_changes() as changes,
    ):
        assert sdk.ask(client.wrapped(server.url), mode, broken) == "Norway."
    ((path, body),) = server.requests
    assert client.path in path
    assert "clean-messages" in {change.processor for change in changes}
    assert len(sdk.sent(body)) == len(broken) + 1


@each_client
def test_a_rejection_is_repaired_once_and_remembered(client: _Client) -> None:
    """What the provider refuses is sent repaired, and the next time at once."""
    sdk, case = client.sdk, client.sdk.rejected()

    def answer(path: str, body: Any) -> Reply:
        refused = case.mark in json.dumps(body)
        return sdk.refusal(case.refusal) if refused else sdk.reply((path, body), "Norway.")

    with serving(answer) as server:
        wrapped = client.wrapped(server.url)
        for _ in range(2):
            assert sdk.ask(wrapped, "sync", case.messages, **case.parameters) == "Norway."
    assert len(server.requests) == client.tries + 1
