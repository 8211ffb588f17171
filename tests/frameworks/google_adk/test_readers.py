"""Parts that ADK's own models convert before they send them, and those that they raise for instead."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final

import pytest
from google.adk.agents import LlmAgent
from google.adk.models import FallbackModel
from google.adk.models.anthropic_llm import AnthropicLlm
from google.adk.models.base_llm import BaseLlm
from google.adk.models.lite_llm import LiteLlm
from google.adk.models.llm_request import LlmRequest
from google.genai import types

from replayable.integrations import collect_changes, unguarded
from replayable.integrations.google_adk import HistoryCompat, wrap
from tests.frameworks.google_adk.test_agents import ask, said, text, texts
from tests.frameworks.google_adk.test_requests import PIXEL
from tests.frameworks.providers import ANTHROPIC, CEREBRAS
from tests.integrations.loopback import Loopback, serving


def inline(media_type: str, data: bytes = b"a,b") -> types.Part:
    """A file within the request."""
    return types.Part(inline_data=types.Blob(data=data, mime_type=media_type))


def stored(uri: str, media_type: str | None = None) -> types.Part:
    """A file elsewhere."""
    return types.Part(file_data=types.FileData(file_uri=uri, mime_type=media_type))


CODE: Final = (
    types.Part(executable_code=types.ExecutableCode(code="1+1", language=types.Language.PYTHON)),
    types.Part(code_execution_result=types.CodeExecutionResult(output="2", outcome=types.Outcome.OUTCOME_OK)),
)


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody asks for them here."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    monkeypatch.delenv("ANTHROPIC_BASE_URL", raising=False)


def claude(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> BaseLlm:
    """ADK's own class."""
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    return AnthropicLlm(model="claude-sonnet-5")


def litellm(name: str, server: Loopback) -> BaseLlm:
    """A model behind LiteLLM."""
    url = server.url if name.startswith("anthropic/") else f"{server.url}/v1"
    return LiteLlm(name, api_base=url, api_key="none", num_retries=0)


async def sent(model: BaseLlm, server: Loopback, *parts: types.Part, role: str = "user") -> str:
    """What reaches the provider of a content."""
    asked = types.Content(role="user", parts=[text("Hello.")])
    contents = [asked, types.Content(role=role, parts=[text("Look:"), *parts])]
    contents = contents[1:] if role == "user" else [*contents, asked]
    request = LlmRequest(model=model.model, contents=contents)
    async for _ in wrap(model, served_by=f"anthropic/{ANTHROPIC.model}").generate_content_async(request):
        pass
    messages = [message["content"] for message in server.requests[-1][1]["messages"]]
    return json.dumps(next(content for content in messages if "Look:" in json.dumps(content)))


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (inline("audio/wav"), "[audio/wav omitted: not supported here]"),
        (inline("text/csv"), "[text/csv]\\na,b"),
        (inline("application/zip"), "[application/zip omitted: not supported here]"),
        (stored("https://a.example/b.pdf"), "[application/pdf at https://a.example/b.pdf omitted: not supported here]"),
        (types.Part(), "[part omitted: not supported here]"),
    ],
    ids=["audio", "text", "archive", "url", "nothing"],
)  # fmt: skip
def test_what_claudes_class_raises_for_is_told_in_words(
    part: types.Part, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the conversation is at its end: the part comes again in every turn."""
    with serving(ANTHROPIC.judge) as server:
        model = claude(server, monkeypatch)
        with unguarded(), pytest.raises(NotImplementedError):
            asyncio.run(sent(model, server, part))
        with collect_changes() as changes:
            assert words in asyncio.run(sent(model, server, part))
    assert [(change.rule, change.part_index) for change in changes] == [("not-supported-here", 1)]


def test_an_image_whose_type_is_spelled_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Claude's class knows it only in small letters; it stays an image."""
    with serving(ANTHROPIC.judge) as server:
        body = asyncio.run(sent(claude(server, monkeypatch), server, inline("IMAGE/PNG", PIXEL)))
    assert '"media_type": "image/png"' in body


@pytest.mark.parametrize("role", ["user", "model"])
def test_code_and_its_output_go_to_claude_in_words_of_adk(role: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are no calls of Claude's, which would have to have ids: nothing is changed."""
    with serving(ANTHROPIC.judge) as server, collect_changes() as changes:
        body = asyncio.run(sent(claude(server, monkeypatch), server, *CODE, role=role))
    assert ("1+1" in body, "code_output" in body, changes) == (True, True, [])


@pytest.mark.parametrize(
    ("name", "part", "words"),
    [
        (
            "anthropic/claude-sonnet-5",
            stored("gs://a/b.png", "image/png"),
            "[image/png omitted: not supported here]",
        ),
        ("openai/gpt-4o", stored("gs://a/b.png", "image/png"), "[image/png omitted: not supported here]"),
        ("cerebras/qwen-3-32b", inline("application/zip"), "[application/zip omitted: not supported here]"),
    ],
)
def test_what_litellms_class_raises_for_is_told_in_words(name: str, part: types.Part, words: str) -> None:
    """A type that it has no place for, and URLs where it would have to load them."""
    provider = ANTHROPIC if name.startswith("anthropic/") else CEREBRAS
    with serving(provider.reply) as server:
        model = litellm(name, server)
        with unguarded(), pytest.raises(ValueError, match="support"):
            asyncio.run(sent(model, server, part))
        assert words in asyncio.run(sent(model, server, part))


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("openai/gpt-4o", stored("https://a.example/b.png", "image/png")),
        ("openai/gpt-4o", inline("text/csv")),
        ("cerebras/qwen-3-32b", inline("application/pdf")),
        ("cerebras/qwen-3-32b", stored("gs://a/b.png", "image/png")),
    ],
)
def test_what_litellms_class_takes_stays(name: str, part: types.Part) -> None:
    """Whatever the provider will say to it."""
    with serving(CEREBRAS.reply) as server, collect_changes() as changes:
        asyncio.run(sent(litellm(name, server), server, part))
    assert not changes


def test_in_an_agent_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a model's fallbacks, the one that takes least counts."""
    history = (said("user", text("Listen:"), inline("audio/wav")), said("model", text("Nice.")))
    with serving(ANTHROPIC.judge) as server:
        model = claude(server, monkeypatch)
        fallbacks: Any = FallbackModel(models=[litellm("anthropic/claude-sonnet-5", server), model])
        for one in (model, fallbacks):
            agent = LlmAgent(name="guide", model=one)
            assert texts(asyncio.run(ask(agent, history, plugins=(HistoryCompat(),)))) == [("Norway.", False)]
            assert "audio/wav omitted" in json.dumps(server.requests[-1][1])
