"""Who serves a model of LiteLLM's, and which API it speaks to it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

import litellm
from litellm.llms.bedrock.common_utils import BedrockModelInfo
from litellm.main import responses_api_bridge_check
from litellm.router import Router
from litellm.types.utils import LlmProviders
from litellm.utils import ProviderConfigManager

from ..endpoints import model_at, provider_at
from ..model_ref import ModelRef

__all__ = ["model_ref", "router_model", "serving"]

# Those to whom LiteLLM can only be introduced by logging in: what stands before the slash says who it is.
_LOG_IN: Final = frozenset({"chatgpt", "github_copilot"})
# Its providers that stand for whoever speaks OpenAI's API at the base URL.
_ANYBODY: Final = frozenset({"aiohttp_openai", "custom_openai", "litellm_proxy", "openai", "openai_like"})
_OPENAI_URLS: Final = ("OPENAI_BASE_URL", "OPENAI_API_BASE")
# Its providers, and routes within them, that are not spoken to in the API that the name usually stands for.
_APIS: Final = {"ollama_chat": "ollama_chat"}
_BEDROCK_APIS: Final = {
    "chat_completions": "openai_chat",
    "claude_platform": "anthropic",
    "converse": "bedrock",
    "mantle": "openai_chat",
    "openai": "openai_chat",
}
_RESPONSES: Final = "responses/"
_PROVIDERS: Final = frozenset(provider.value for provider in LlmProviders)


def model_ref(model: Any, *, custom_llm_provider: Any = None, api_base: Any = None) -> ModelRef:
    """Return who serves a call of ``completion``, told by what tells LiteLLM.

    Args:
        model: The call's ``model``.
        custom_llm_provider: Its ``custom_llm_provider``.
        api_base: Its ``api_base`` or ``base_url``.
    """
    return serving(
        {"model": model, "custom_llm_provider": custom_llm_provider, "api_base": api_base}, "openai_chat"
    )


def serving(call: Mapping[str, Any], wire: str) -> ModelRef:
    """Return who serves a call of LiteLLM's, and the API that it speaks to them.

    Args:
        call: The call's arguments.
        wire: The format that they have. Who has that API is spoken to in it, others in that which they have.
    """
    model = call.get("model")
    if not isinstance(model, str):
        return ModelRef()
    provider, name, url = _resolved(
        model, call.get("custom_llm_provider"), call.get("api_base") or call.get("base_url")
    )
    known = _usual(provider, name, url)
    native = None if provider is None else _native(wire, provider, name, url, call)
    return known if native is None else ModelRef.of(known, api=native)


def router_model(router: Any, model: Any, wire: str) -> ModelRef | None:
    """Return the deployments behind a name that a ``Router`` knows, as one model and its fallbacks; None for no name of its.

    Any of them may get the request.

    Args:
        router: What a call is a method of, which may be anything.
        model: The name.
        wire: See ``serving``.
    """
    if hasattr(router, "registry"):
        find = router.registry().deployments
    elif isinstance(router, Router):
        find = router.get_model_list
    else:
        return None
    found = [deployment["litellm_params"] for deployment in find(model) or ()]
    if not found:
        return None
    return ModelRef.of([serving(deployment, wire) for deployment in found])


def _usual(provider: str | None, name: str, url: str | None) -> ModelRef:
    if provider is None:
        return model_at(url, name, api="openai_chat")
    if provider in _ANYBODY:
        return _at_url(provider, name, url)
    if provider == "anthropic" and url is not None:
        # Others speak its API, too.
        return model_at(url, name, api="anthropic", provider=provider_at(url) or provider)
    if provider == "bedrock":
        return _on_bedrock(name)
    known = ModelRef.of({"provider": provider, "model": name.removeprefix(_RESPONSES)})
    if provider in _APIS:
        return ModelRef.of(known, api=_APIS[provider])
    if known.provider == "vertex" and known.maker not in ("anthropic", "google", None):
        # Models of other makers have OpenAI's Chat API there.
        return ModelRef.of(known, api="openai_chat")
    return known


def _native(wire: str, provider: str, name: str, url: str | None, call: Mapping[str, Any]) -> str | None:
    """The API for which LiteLLM leaves a provider's usual one: the call's own, or the one that it has to take."""
    if wire == "openai_responses":
        return wire if ProviderConfigManager.get_provider_responses_api_config(provider, name) else None
    if wire == "anthropic":
        if provider not in _PROVIDERS:
            return None
        known = LlmProviders(provider)
        return wire if ProviderConfigManager.get_provider_anthropic_messages_config(name, known) else None
    # Some models have no Chat API, and some take no tools there.
    about, _ = responses_api_bridge_check(
        model=name,
        custom_llm_provider=provider,
        web_search_options=call.get("web_search_options"),
        tools=call.get("tools"),
        reasoning_effort=call.get("reasoning_effort"),
        api_base=url,
    )
    return "openai_responses" if about.get("mode") == "responses" else None


def _resolved(model: str, provider: Any, api_base: Any) -> tuple[str | None, str, str | None]:
    """The provider, its name of the model, and the URL if it isn't the provider's usual one."""
    url = api_base if isinstance(api_base, str) and api_base else litellm.api_base
    head, _, rest = model.partition("/")
    if provider in _LOG_IN or head in _LOG_IN:
        return (provider, model, url) if provider else (head, rest, url)
    try:
        name, found, _, _ = litellm.get_llm_provider(model, custom_llm_provider=provider, api_base=url)
    except Exception:
        # It says so itself when the call is made.
        return None, model, url
    return found, name, url


def _at_url(provider: str, name: str, url: str | None) -> ModelRef:
    if provider == "openai" and url is None:
        url = next((os.environ[key] for key in _OPENAI_URLS if os.environ.get(key)), None)
    name = name.removeprefix(_RESPONSES)
    if provider == "openai" and url is None:
        return ModelRef.of({"provider": provider, "model": name}, api="openai_chat")
    return model_at(url, name, api="openai_chat")


def _on_bedrock(name: str) -> ModelRef:
    route = str(BedrockModelInfo.get_bedrock_route(name))
    known = ModelRef.of({"provider": "bedrock", "model": name.removeprefix(f"{route}/")})
    if route == "invoke" and known.maker == "anthropic":
        return ModelRef.of(known, api="anthropic")
    api = _BEDROCK_APIS.get(route)
    return known.model_copy(update={"api": api})
