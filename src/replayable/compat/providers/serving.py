"""Who serves a model in the end: gateways resolve to what stands behind them."""

from __future__ import annotations

from collections.abc import Callable

from ...model_ref import ModelRef

__all__ = ["chat_model", "served_by"]


def served_by(model: ModelRef) -> str | None:
    """Return the provider whose rules a request meets.

    Hugging Face's router hands a request on as it is, and its models name the server (``zai-org/GLM-4.6:cerebras``);
    OpenRouter and others write their own requests, so that they count themselves.
    """
    if model.provider == "huggingface" and model.model is not None:
        _, colon, server = model.model.rpartition(":")
        if colon and server:
            return ModelRef.of({"provider": server}).provider
    return model.provider


def chat_model(*providers: str) -> Callable[[ModelRef], bool]:
    """Return the recognition of models that one of some providers serves over OpenAI's Chat API."""
    return lambda model: model.api in ("openai_chat", None) and served_by(model) in providers
