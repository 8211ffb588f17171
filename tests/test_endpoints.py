"""Who serves at a base URL."""

from __future__ import annotations

import pytest

from replayable.endpoints import model_at, provider_at


@pytest.mark.parametrize(
    ("url", "provider"),
    [
        ("https://api.openai.com/v1", "openai"),
        ("https://eu.api.openai.com/v1/", "openai"),
        ("https://house.openai.azure.com/openai", "azure"),
        ("https://api.anthropic.com", "anthropic"),
        ("https://api.groq.com/openai/v1", "groq"),
        ("https://openrouter.ai/api/v1", "openrouter"),
        ("https://API.DeepSeek.com./anthropic", "deepseek"),
        ("https://api.z.ai/api/paas/v4", "zhipu"),
        ("https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "qwen"),
        ("https://europe-west1-aiplatform.googleapis.com/v1", "vertex"),
        ("https://aiplatform.googleapis.com/v1", "vertex"),
        ("https://bedrock-runtime.us-east-1.amazonaws.com", "bedrock"),
        ("https://s3.us-east-1.amazonaws.com", None),
        ("http://localhost:11434/v1", "ollama"),
        ("http://[::1]:1234/v1", "lmstudio"),
        ("http://localhost:8000/v1", None),
        ("https://gateway.example.com/v1", None),
        ("https://notopenrouter.ai", None),
        ("http://[broken", None),
        ("http://host:99999999/", None),
        ("", None),
        (None, None),
    ],
)
def test_the_host_tells_who_serves(url: object, provider: str | None) -> None:
    """Whole labels count; what is no URL names nobody."""
    assert provider_at(url) == provider


def test_the_url_stands_over_the_name_and_the_name_over_nothing() -> None:
    """A gateway is the provider of whatever it names; behind an unknown URL the name alone tells."""
    routed = model_at("https://openrouter.ai/api/v1", "anthropic/claude-sonnet-5", api="openai_chat")
    assert (routed.provider, routed.maker, routed.api) == ("openrouter", "anthropic", "openai_chat")
    proxied = model_at("http://localhost:4000", "anthropic/claude-sonnet-5", api="openai_chat")
    assert (proxied.provider, proxied.api) == ("anthropic", "openai_chat")
    nameless = model_at("https://api.mistral.ai/v1", None, api="openai_chat")
    assert (nameless.provider, nameless.model) == ("mistral", None)
    assert model_at("https://house.example.com", "m", api="openai_chat", provider="azure").provider == "azure"
