"""Which model reads the history next: ``ModelRef.of`` accepts what people really have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from pydantic import Field
from typing_extensions import override

from ._node import Node
from .json_value import Text

__all__ = ["ModelRef"]

# Serving provider -> (the API it speaks by default, other spellings). Spellings are those of LiteLLM, the AI SDK,
# pydantic-ai, LangChain and OpenRouter.
_PROVIDERS: Final[dict[str, tuple[str | None, tuple[str, ...]]]] = {
    "anthropic": ("anthropic", ()),
    "azure": (
        "openai_chat",
        ("azure_openai", "azure-openai", "azure_ai", "azure-ai", "azure-cognitive-services"),
    ),
    "bedrock": ("bedrock", ("amazon-bedrock", "amazon_bedrock", "bedrock_converse", "aws-bedrock")),
    "cerebras": ("openai_chat", ()),
    "cohere": ("cohere_v2", ("cohere_chat",)),
    "copilot": ("openai_chat", ("github_copilot", "github-copilot", "githubcopilot")),
    "deepseek": ("openai_chat", ("deepseek-ai",)),
    "fireworks": ("openai_chat", ("fireworks_ai", "fireworks-ai")),
    "google": (
        "gemini",
        ("gemini", "google-gla", "google-genai", "google_genai", "googleai", "google-ai-studio", "models"),
    ),
    "groq": ("openai_chat", ()),
    "huggingface": ("openai_chat", ("hf", "hugging-face")),
    "llamacpp": ("openai_chat", ("llama.cpp", "llama-cpp", "llama_cpp")),
    "lmstudio": ("openai_chat", ("lm_studio", "lm-studio")),
    "minimax": ("openai_chat", ("minimaxai",)),
    "mistral": ("openai_chat", ("mistralai",)),
    "moonshot": ("openai_chat", ("moonshotai", "moonshot-ai", "kimi")),
    "ollama": ("openai_chat", ("ollama_chat",)),
    "openai": ("openai_chat", ("openai-chat", "oai", "text-completion-openai")),
    "openrouter": ("openai_chat", ("open_router", "open-router")),
    "perplexity": ("openai_chat", ("perplexity-ai",)),
    "qwen": ("openai_chat", ("dashscope", "alibaba", "alibaba-cloud", "bailian")),
    "sglang": ("openai_chat", ()),
    "together": ("openai_chat", ("together_ai", "togetherai", "together-ai")),
    "vercel_gateway": ("openai_chat", ("vercel", "vercel_ai_gateway", "vercel-ai-gateway")),
    "vertex": (
        "gemini",
        ("vertex_ai", "vertexai", "vertex-ai", "google-vertex", "google_vertexai", "vertex_ai_beta"),
    ),
    "vllm": ("openai_chat", ("hosted_vllm",)),
    "volcengine": ("openai_chat", ("ark", "volcengine-ark", "doubao", "byteplus")),
    "xai": ("openai_chat", ("x-ai", "x.ai", "grok")),
    "zhipu": ("openai_chat", ("zai", "z-ai", "z.ai", "zhipuai", "bigmodel", "zai-org")),
}
_NAMES: Final = {alias: name for name, (_, aliases) in _PROVIDERS.items() for alias in (name, *aliases)}

# Who takes requests of a format besides the usual one; each is seen doing so in recorded traffic.
_ALSO_SPEAK: Final = {
    "openai_responses": frozenset({"openai", "azure", "copilot", "deepseek", "openrouter", "xai"}),
    "ollama_chat": frozenset({"ollama"}),
}

# "openai.responses", "openai-responses:": a suffix that names the API.
_API_SUFFIXES: Final = {
    "chat": "openai_chat",
    "completion": "openai_chat",
    "responses": "openai_responses",
    "messages": "anthropic",
    "generative-ai": "gemini",
    "converse": "bedrock",
}

# The start of a model's name -> who made it, and whether a bare name means the maker's own API (open-weight models
# are served by everybody).
_MAKERS: Final[tuple[tuple[str, str, bool], ...]] = (
    ("claude", "anthropic", True),
    ("gpt-oss", "openai", False),
    ("gpt|chatgpt|o1|o3|o4|codex|text-davinci|ft:gpt|ft:o", "openai", True),
    ("gemini|learnlm", "google", True),
    ("gemma", "google", False),
    (
        "mistral|mixtral|codestral|magistral|ministral|devstral|pixtral|open-mistral|open-mixtral",
        "mistral",
        True,
    ),
    ("deepseek", "deepseek", True),
    ("kimi|moonshot", "moonshot", True),
    ("glm|chatglm", "zhipu", True),
    ("qwen|qwq|qvq", "qwen", True),
    ("llama|meta-llama", "meta", False),
    ("grok", "xai", True),
    ("command|c4ai", "cohere", True),
    ("nova|titan", "amazon", False),
    ("minimax|abab", "minimax", True),
    ("sonar", "perplexity", True),
    ("phi", "microsoft", False),
    ("jamba", "ai21", False),
)
_MAKER: Final = re.compile(
    r"(?:^|[/.:])(?:"
    + "|".join(f"(?P<m{index}>{names})" for index, (names, _, _) in enumerate(_MAKERS))
    + r")(?![a-z])",
)
_BEDROCK_ARN: Final = re.compile(r"arn:aws[a-z-]*:(?:bedrock|sagemaker):")
_BEDROCK_ID: Final = re.compile(
    r"(?:[a-z]{2,6}(?:-gov)?\.)?(?:anthropic|amazon|meta|mistral|cohere|ai21|deepseek|openai|qwen|minimax|moonshot|zai)\.[a-z]"
)
# Longer than any model's name; what comes from a config file or a request is cut before any pattern runs.
_MAX_NAME: Final = 512

# Where SDKs and frameworks keep these on their model objects (and in dicts).
_PROVIDER_ATTRIBUTES: Final = (
    "provider",
    "provider_name",
    "provider_id",
    "providerId",
    "system",
    "custom_llm_provider",
)
_MODEL_ATTRIBUTES: Final = (
    "model_id",
    "modelId",
    "model_name",
    "model",
    "deployment_name",
    "azure_deployment",
)


class ModelRef(Node):
    """The model that reads the history next.

    The three differ behind gateways: OpenRouter *serves* a Claude model that Anthropic *made*, and *speaks* the OpenAI
    Chat API.

    Args:
        provider: Who serves the model, by replayable's name for it (``anthropic``, ``openai``, ``azure`` …).
        api: The wire API it speaks, by format name (``anthropic``, ``openai_chat`` …).
        maker: Who made the model.
        model: The model's id as the serving provider's wire names it.
        raw: What the caller gave.
        fallbacks: Further models that may read the same prompt; rules for any of them apply.
    """

    # Which provider rows it is bound to, and which of them recognise it (see `compat.providers`), and which of their rules
    # may change a prompt for it (see `compat.processor`): each asked once.
    __slots__ = ("_bound", "_rows", "_rules")

    provider: Text | None = None
    api: Text | None = None
    maker: Text | None = None
    model: Text | None = None
    raw: Any = Field(default=None, exclude=True, repr=False)
    fallbacks: tuple[ModelRef, ...] = ()

    @classmethod
    def of(cls, model: Any, *, api: str | None = None) -> ModelRef:
        """Recognise a model; what is unknown stays None, nothing raises.

        Args:
            model: A string (``"anthropic/claude-…"``, ``"anthropic:claude-…"``, ``"openrouter/anthropic/claude-…"``, a
                bare ``"gpt-…"``, a Bedrock id or ARN), an SDK's or framework's model object or a dict with
                ``provider`` / ``model_id``-like attributes, a list of fallbacks, a ``ModelRef``, or None.
            api: The format name of the API spoken, when the caller knows better.
        """
        if isinstance(model, ModelRef):
            ref = model
        elif isinstance(model, str):
            # A member of somebody's enum is a string, too, but another one.
            is_usual = type(model) is str and len(model) <= _MAX_NAME
            ref = _from_short_text(model) if is_usual else _from_text(model)
        elif isinstance(model, list | tuple):
            refs = [cls.of(item) for item in model]
            ref = (
                refs[0].model_copy(update={"fallbacks": (*refs[0].fallbacks, *refs[1:]), "raw": model})
                if refs
                else cls()
            )
        elif model is None:
            ref = cls()
        else:
            ref = _from_object(model)
        return ref if api is None or api == ref.api else ref.model_copy(update={"api": api})

    # What the caller gave may be anything, a client with locks included: it takes no part in comparing, is shared by
    # copies, and stays behind when the rest is pickled.

    @override
    def __eq__(self, other: object) -> bool:
        return isinstance(other, ModelRef) and self._identity() == other._identity()

    @override
    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[object, ...]:
        return self.provider, self.api, self.maker, self.model, self.fallbacks

    @override
    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> ModelRef:
        return self

    @override
    def __getstate__(self) -> dict[Any, Any]:
        state = super().__getstate__()
        return {**state, "__dict__": {**state["__dict__"], "raw": None}}

    def speaks(self, api: str) -> bool:
        """Whether the serving provider takes requests of this format, be it its usual one or not."""
        return api == self.api or self.provider in _ALSO_SPEAK.get(api, ())

    def candidates(self) -> Iterator[ModelRef]:
        """Yield the model itself, then its fallbacks."""
        yield self
        for fallback in self.fallbacks:
            yield from fallback.candidates()


def _from_text(text: str) -> ModelRef:
    given, text = text, text.strip()[:_MAX_NAME]
    lower = text.lower()
    if _BEDROCK_ARN.match(lower):
        return _ref("bedrock", None, text, given)
    if lower.startswith("accounts/"):
        # Fireworks' own names, whole: "accounts/fireworks/models/…".
        return _ref("fireworks", None, text, given)
    head, _, rest = text.partition("/")
    if not rest:
        if _BEDROCK_ID.match(lower):
            return _ref("bedrock", None, text, given)
        head, _, rest = text.partition(":")
        if not rest or _known(head)[0] is None:
            return _bare(text, given)
    provider, api = _known(head)
    return _ref(provider or head.strip().lower() or None, api, rest, given)


# The same few names are given call after call.
_from_short_text = lru_cache(maxsize=256)(_from_text)


def _bare(text: str, given: Any) -> ModelRef:
    """A name without a provider: a closed model is served by its maker; an open one (or a tag, ``qwen:7b``) by anybody."""
    maker, own_api = _maker(text)
    served_by_maker = own_api and (":" not in text or text.lower().startswith("ft:"))
    return _ref(maker if served_by_maker else None, None, text or None, given)


def _known(name: str) -> tuple[str | None, str | None]:
    """Return the provider that a spelling means, and the API that its suffix names."""
    name = name.strip().lower()
    if name in _NAMES:
        return _NAMES[name], None
    for separator in (".", "-"):
        head, _, suffix = name.partition(separator)
        if head in _NAMES and suffix in _API_SUFFIXES:
            return _NAMES[head], _API_SUFFIXES[suffix]
    if name == "google.vertex":
        return "vertex", None
    return None, None


def _maker(model: str) -> tuple[str | None, bool]:
    match = _MAKER.search(model[:_MAX_NAME].lower())
    if match is None or match.lastgroup is None:
        return None, False
    _, maker, own_api = _MAKERS[int(match.lastgroup[1:])]
    return maker, own_api


def _ref(provider: str | None, api: str | None, model: str | None, raw: Any) -> ModelRef:
    maker = _maker(model)[0] if model else None
    if api is None and provider in _PROVIDERS:
        api = _PROVIDERS[provider][0]
        if maker == "anthropic" and provider in ("vertex", "azure"):
            # Claude on Vertex and on Azure is spoken to in Anthropic's own Messages API.
            api = "anthropic"
    return ModelRef(provider=provider, api=api, maker=maker, model=model, raw=raw)


def _from_object(value: Any) -> ModelRef:
    provider_name = _attribute(value, _PROVIDER_ATTRIBUTES)
    model = _attribute(value, _MODEL_ATTRIBUTES)
    if provider_name is None:
        return _from_text(model).model_copy(update={"raw": value}) if model else ModelRef(raw=value)
    provider, api = _known(provider_name)
    return _ref(provider or provider_name.strip().lower() or None, api, model, value)


def _attribute(value: Any, names: tuple[str, ...]) -> str | None:
    for name in names:
        try:
            found = value.get(name) if isinstance(value, dict) else getattr(value, name, None)
        except Exception:
            # A foreign object's property may raise anything; then it says nothing.
            continue
        if isinstance(found, str) and found:
            return found[:_MAX_NAME]
    return None
