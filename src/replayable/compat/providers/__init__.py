"""The built-in provider rows, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from ..._node import replace
from ...model_ref import ModelRef
from ..provider import Dialect, Provider
from .anthropic import ANTHROPIC, ANTHROPIC_COMPATIBLE
from .azure import AZURE
from .bedrock import BEDROCK, BEDROCK_CLAUDE, BEDROCK_OTHERS
from .cerebras import CEREBRAS
from .cohere import COHERE
from .common import COMMON, COMMON_RULES
from .copilot import COPILOT
from .deepseek import DEEPSEEK
from .fireworks import FIREWORKS
from .gemini import GEMINI
from .groq import GROQ
from .local_servers import LOCAL_SERVERS
from .minimax import MINIMAX
from .mistral import MISTRAL
from .moonshot import MOONSHOT
from .ollama import OLLAMA, OLLAMA_CHAT
from .openai import OPENAI
from .openai_compatible import OPENAI_COMPATIBLE
from .openai_responses import OPENAI_RESPONSES
from .openrouter import OPENROUTER, OPENROUTER_TO_OPENAI
from .other_responses import OTHER_RESPONSES
from .perplexity import PERPLEXITY
from .qwen import QWEN
from .templates import TEMPLATES
from .volcengine import VOLCENGINE
from .xai import XAI
from .zhipu import ZHIPU

__all__ = [
    "COMMON",
    "COMMON_RULES",
    "PROVIDERS",
    "dialect_of",
    "providers_of",
    "takes_unanswered_turns",
    "takes_unpaired",
]

PROVIDERS: Final[tuple[Provider, ...]] = (
    ANTHROPIC,
    ANTHROPIC_COMPATIBLE,
    AZURE,
    OPENAI,
    OPENAI_RESPONSES,
    MISTRAL,
    DEEPSEEK,
    MOONSHOT,
    MINIMAX,
    ZHIPU,
    QWEN,
    GROQ,
    CEREBRAS,
    GEMINI,
    BEDROCK_CLAUDE,
    BEDROCK_OTHERS,
    BEDROCK,
    COHERE,
    XAI,
    PERPLEXITY,
    FIREWORKS,
    VOLCENGINE,
    *OPENAI_COMPATIBLE,
    OPENROUTER,
    OPENROUTER_TO_OPENAI,
    COPILOT,
    OLLAMA,
    OLLAMA_CHAT,
    *LOCAL_SERVERS,
    *TEMPLATES,
    *OTHER_RESPONSES,
)

_PLAIN: Final = Dialect()
_get_rows: Final[Callable[[ModelRef], tuple[tuple[Provider, ...], tuple[Provider, ...]]]] = ModelRef.__dict__[
    "_rows"
].__get__
_set_rows: Final = ModelRef.__dict__["_rows"].__set__


def providers_of(model: ModelRef | None, providers: tuple[Provider, ...] = PROVIDERS) -> tuple[Provider, ...]:
    """Return the rows of a model and of its fallbacks; empty when nobody knows it."""
    if model is None:
        return ()
    try:
        asked, rows = _get_rows(model)
    except AttributeError:
        asked, rows = None, ()
    if asked is not providers:
        candidates = tuple(model.candidates())
        rows = tuple(row for row in providers if any(row.recognise(candidate) for candidate in candidates))
        _set_rows(model, (providers, rows))
    return rows


def takes_unanswered_turns(model: ModelRef | None, providers: Sequence[Provider] = PROVIDERS) -> bool:
    """Tell whether a model, and each of its fallbacks, takes a turn whose calls have no results at all."""
    return _all_take(model, providers, lambda row: row.takes_unanswered_turns)


def takes_unpaired(model: ModelRef | None, providers: Sequence[Provider] = PROVIDERS) -> bool:
    """Tell whether a model, and each of its fallbacks, takes any call or result without its partner."""
    return _all_take(model, providers, lambda row: row.takes_unpaired)


def _all_take(
    model: ModelRef | None,
    providers: Sequence[Provider],
    takes: Callable[[Provider], Callable[[ModelRef], bool] | None],
) -> bool:
    return model is not None and all(
        any(
            row.recognise(candidate) and taken(candidate)
            for row in providers
            if (taken := takes(row)) is not None
        )
        for candidate in model.candidates()
    )


def dialect_of(model: ModelRef | None, providers: tuple[Provider, ...] = PROVIDERS) -> Dialect:
    """Return the wire dialect of the model itself (not of its fallbacks); the plain one when nobody knows it."""
    if model is not None and model.fallbacks:
        model = replace(model, fallbacks=())
    rows = providers_of(model, providers)
    return rows[0].dialect if rows else _PLAIN
