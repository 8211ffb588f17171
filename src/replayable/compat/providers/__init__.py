"""The built-in provider rows, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..._node import replace
from ...model_ref import ModelRef
from ...prompt import Prompt, with_model
from ..provider import Dialect, Provider
from .anthropic import ANTHROPIC, ANTHROPIC_COMPATIBLE
from .azure import AZURE
from .bedrock import BEDROCK, BEDROCK_CLAUDE, BEDROCK_OTHERS
from .cerebras import CEREBRAS
from .claude_gateways import CLAUDE_GATEWAYS
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
    "bound_to",
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
    # Behind the gateways' own rows, which say how the wire is written.
    CLAUDE_GATEWAYS,
)

_PLAIN: Final = Dialect()
_get_rows: Final[Callable[[ModelRef], tuple[tuple[Provider, ...], tuple[Provider, ...]]]] = ModelRef.__dict__[
    "_rows"
].__get__
_set_rows: Final = ModelRef.__dict__["_rows"].__set__
_get_bound: Final[Callable[[ModelRef], tuple[Provider, ...]]] = ModelRef.__dict__["_bound"].__get__
_set_bound: Final = ModelRef.__dict__["_bound"].__set__


def bound_to(prompt: Prompt, providers: tuple[Provider, ...]) -> Prompt:
    """Return the prompt with its model as one of these rows' models; itself where it is that.

    Encoders and processors that hold no rows are then told what these say of it. A copy of the model forgets it.
    """
    if prompt.model is None or _rows_of(prompt.model) is providers:
        return prompt
    model = replace(prompt.model)
    if providers is not PROVIDERS:
        _set_bound(model, providers)
    return with_model(prompt, model)


def _rows_of(model: ModelRef) -> tuple[Provider, ...]:
    try:
        return _get_bound(model)
    except AttributeError:
        return PROVIDERS


def providers_of(
    model: ModelRef | None, providers: tuple[Provider, ...] | None = None
) -> tuple[Provider, ...]:
    """Return the rows of a model and of its fallbacks; empty when nobody knows it.

    Args:
        model: The model.
        providers: The rows to choose from; those that the model is bound to unless given, else the built-in ones.
    """
    if model is None:
        return ()
    if providers is None:
        providers = _rows_of(model)
    try:
        asked, rows = _get_rows(model)
    except AttributeError:
        asked, rows = None, ()
    if asked is not providers:
        candidates = tuple(model.candidates())
        rows = tuple(row for row in providers if any(row.recognise(candidate) for candidate in candidates))
        _set_rows(model, (providers, rows))
    return rows


def takes_unanswered_turns(model: ModelRef | None) -> bool:
    """Tell whether a model, and each of its fallbacks, takes a turn whose calls have no results at all."""
    return _all_take(model, lambda row: row.takes_unanswered_turns)


def takes_unpaired(model: ModelRef | None) -> bool:
    """Tell whether a model, and each of its fallbacks, takes any call or result without its partner."""
    return _all_take(model, lambda row: row.takes_unpaired)


def _all_take(model: ModelRef | None, takes: Callable[[Provider], Callable[[ModelRef], bool] | None]) -> bool:
    return model is not None and all(
        any(
            row.recognise(candidate) and taken(candidate)
            for row in _rows_of(model)
            if (taken := takes(row)) is not None
        )
        for candidate in model.candidates()
    )


def dialect_of(model: ModelRef | None) -> Dialect:
    """Return the wire dialect of the model itself (not of its fallbacks); the plain one when nobody knows it."""
    if model is None:
        return _PLAIN
    alone = replace(model, fallbacks=()) if model.fallbacks else model
    rows = providers_of(alone, _rows_of(model))
    return rows[0].dialect if rows else _PLAIN
