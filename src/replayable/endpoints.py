"""Who serves at a base URL: SDK clients and frameworks are pointed at providers by URL more often than by name."""

from __future__ import annotations

from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from .model_ref import ModelRef

__all__ = ["model_at", "provider_at", "served_model"]

# Host, or the end of one -> provider. Hosts are those of the providers' own API documentation.
_HOSTS: Final[dict[str, str]] = {
    "aiplatform.googleapis.com": "vertex",
    "ai-gateway.vercel.sh": "vercel_gateway",
    "aliyuncs.com": "qwen",
    "api.anthropic.com": "anthropic",
    "api.cerebras.ai": "cerebras",
    "api.cohere.ai": "cohere",
    "api.cohere.com": "cohere",
    "api.deepseek.com": "deepseek",
    "api.fireworks.ai": "fireworks",
    "api.groq.com": "groq",
    "api.mistral.ai": "mistral",
    "api.openai.com": "openai",
    "api.perplexity.ai": "perplexity",
    "api.together.ai": "together",
    "api.together.xyz": "together",
    "api.x.ai": "xai",
    "bigmodel.cn": "zhipu",
    "codestral.mistral.ai": "mistral",
    "cognitiveservices.azure.com": "azure",
    "generativelanguage.googleapis.com": "google",
    "githubcopilot.com": "copilot",
    "kimi.com": "moonshot",
    "minimax.chat": "minimax",
    "minimax.io": "minimax",
    "minimaxi.com": "minimax",
    "models.ai.azure.com": "azure",
    "moonshot.ai": "moonshot",
    "moonshot.cn": "moonshot",
    "ollama.com": "ollama",
    "openai.azure.com": "azure",
    "openrouter.ai": "openrouter",
    "router.huggingface.co": "huggingface",
    "services.ai.azure.com": "azure",
    "z.ai": "zhipu",
}
# The ports on which local servers listen unless told otherwise.
_LOCAL_PORTS: Final = {11434: "ollama", 1234: "lmstudio"}
_LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1", "0.0.0.0", "host.docker.internal"})
# Longer than any URL that a client is given; what comes from a config file is cut before it is read.
_MAX_URL: Final = 2048


def provider_at(base_url: object) -> str | None:
    """Return who serves at a base URL, by replayable's name; None when nobody is known to.

    Args:
        base_url: The URL as a string or as any URL object whose ``str`` it is.
    """
    return _provider_at(str(base_url)[:_MAX_URL])


@lru_cache(maxsize=256)
def _provider_at(url: str) -> str | None:
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").lower().rstrip("."), parts.port
    except ValueError:
        return None
    if host in _LOCAL:
        return _LOCAL_PORTS.get(port or 0)
    if host.endswith((".amazonaws.com", ".api.aws")) and host.startswith("bedrock"):
        return "bedrock"
    # `europe-west1-aiplatform.googleapis.com` is one label, not a subdomain.
    if host.endswith("-aiplatform.googleapis.com"):
        return "vertex"
    while host:
        if host in _HOSTS:
            return _HOSTS[host]
        host = host.partition(".")[2]
    return None


def model_at(base_url: object, model: str | None, *, api: str, provider: str | None = None) -> ModelRef:
    """Return the model that a request to a base URL is for.

    Args:
        base_url: Where the request goes.
        model: The request's own ``model``.
        api: The format name of the API spoken there.
        provider: Who serves there, when the client's class tells it; else the URL does. Behind an unknown URL the
            model's name alone counts: gateways and proxies mostly name models ``provider/model``.
    """
    return served_model(provider or provider_at(base_url), model, api)


@lru_cache(maxsize=256, typed=True)
def served_model(provider: str | None, model: str | None, api: str) -> ModelRef:
    """Return the model that a provider serves under a name: call after call the same object, which knows its rules.

    Args:
        provider: Who serves it; None where the name alone tells.
        model: The name in the request.
        api: The format name of the API spoken.
    """
    if provider is None:
        return ModelRef.of(model, api=api)
    # An unknown or missing model is still served by somebody whose rules apply.
    return ModelRef.of({"provider": provider, "model": model}, api=api)
