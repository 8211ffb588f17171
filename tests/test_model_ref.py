"""``ModelRef.of`` recognises what people really have, and never raises."""

from __future__ import annotations

import copy
import pickle
import threading
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

from replayable import ModelRef

Row = tuple[str | None, str | None, str | None, str | None]


def row(ref: ModelRef) -> Row:
    """Provider, API, maker and model."""
    return ref.provider, ref.api, ref.maker, ref.model


NAMES: dict[str, Row] = {
    "anthropic/claude-sonnet-4-5": ("anthropic", "anthropic", "anthropic", "claude-sonnet-4-5"),
    "anthropic:claude-sonnet-4-5": ("anthropic", "anthropic", "anthropic", "claude-sonnet-4-5"),
    "claude-sonnet-4-5": ("anthropic", "anthropic", "anthropic", "claude-sonnet-4-5"),
    "  Anthropic/claude-sonnet-4-5\n": ("anthropic", "anthropic", "anthropic", "claude-sonnet-4-5"),
    "gpt-5": ("openai", "openai_chat", "openai", "gpt-5"),
    "o3-mini": ("openai", "openai_chat", "openai", "o3-mini"),
    "ft:gpt-4o:org::x": ("openai", "openai_chat", "openai", "ft:gpt-4o:org::x"),
    "openai.responses/gpt-5": ("openai", "openai_responses", "openai", "gpt-5"),
    "openai-responses:gpt-5": ("openai", "openai_responses", "openai", "gpt-5"),
    "azure/my-deployment": ("azure", "openai_chat", None, "my-deployment"),
    "openrouter/anthropic/claude-sonnet-4.5": (
        "openrouter",
        "openai_chat",
        "anthropic",
        "anthropic/claude-sonnet-4.5",
    ),
    "bedrock/us.anthropic.claude-3": ("bedrock", "bedrock", "anthropic", "us.anthropic.claude-3"),
    "us.anthropic.claude-3": ("bedrock", "bedrock", "anthropic", "us.anthropic.claude-3"),
    "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-3": (
        "bedrock",
        "bedrock",
        "anthropic",
        "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-3",
    ),
    "vertex_ai/claude-sonnet-4": ("vertex", "anthropic", "anthropic", "claude-sonnet-4"),
    "vertex_ai/gemini-2.5-pro": ("vertex", "gemini", "google", "gemini-2.5-pro"),
    "google-gla:gemini-2.5-pro": ("google", "gemini", "google", "gemini-2.5-pro"),
    "models/gemini-2.5-pro": ("google", "gemini", "google", "gemini-2.5-pro"),
    "accounts/fireworks/models/qwen3-8b": (
        "fireworks",
        "openai_chat",
        "qwen",
        "accounts/fireworks/models/qwen3-8b",
    ),
    "groq/llama-3.3-70b": ("groq", "openai_chat", "meta", "llama-3.3-70b"),
    "x-ai/grok-4": ("xai", "openai_chat", "xai", "grok-4"),
    "llama-3.3-70b": (None, None, "meta", "llama-3.3-70b"),
    "qwen2.5:7b": (None, None, "qwen", "qwen2.5:7b"),
    "my-house/my-model": ("my-house", None, None, "my-model"),
    "my-model": (None, None, None, "my-model"),
    "/gpt-5": (None, None, "openai", "gpt-5"),
    "": (None, None, None, None),
    "\ud83d/\ud83d": ("\ud83d", None, None, "\ud83d"),
}


@pytest.mark.parametrize(("name", "expected"), NAMES.items(), ids=list(map(ascii, NAMES)))
def test_names(name: str, expected: Row) -> None:
    """A string tells the serving provider, the API, the maker and the model; what it does not tell is None."""
    ref = ModelRef.of(name)
    assert row(ref) == expected
    assert ref.raw == name
    assert ref.fallbacks == ()


class _Raising:
    """An object none of whose attributes can be read."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


class _RaisingDict(dict[str, Any]):
    def get(self, key: str, default: Any = None) -> Any:
        raise RuntimeError(key)


class _Provider:
    """An object that knows its provider, but not its model."""

    provider = "anthropic"

    @property
    def model_id(self) -> str:
        raise ValueError("not yet")


OBJECTS: dict[str, tuple[Any, Row]] = {
    "nothing": (None, (None, None, None, None)),
    "AI SDK's": (
        SimpleNamespace(provider="anthropic.messages", modelId="claude-sonnet-4-5"),
        ("anthropic", "anthropic", "anthropic", "claude-sonnet-4-5"),
    ),
    "pydantic-ai's": (
        SimpleNamespace(system="openai", model_name="gpt-5"),
        ("openai", "openai_chat", "openai", "gpt-5"),
    ),
    "LangChain's, without a provider": (
        SimpleNamespace(model="models/gemini-2.5-pro"),
        ("google", "gemini", "google", "gemini-2.5-pro"),
    ),
    "a dict": (
        {"provider": "Cerebras", "model": "qwen-3"},
        ("cerebras", "openai_chat", "qwen", "qwen-3"),
    ),
    "a dict of other things": ({"provider": 1, "model": ["x"]}, (None, None, None, None)),
    "a mock": (MagicMock(), (None, None, None, None)),
    "attributes that raise": (_Raising(), (None, None, None, None)),
    "a dict that raises": (_RaisingDict(provider="x"), (None, None, None, None)),
    "a model that raises": (_Provider(), ("anthropic", "anthropic", None, None)),
    "a number": (5, (None, None, None, None)),
    "bytes": (b"gpt-5", (None, None, None, None)),
    "a class": (ModelRef, (None, None, None, None)),
    "an empty list": ([], (None, None, None, None)),
    "blank names": ({"provider": "  ", "model": ""}, (None, None, None, None)),
}


@pytest.mark.parametrize(("given", "expected"), OBJECTS.values(), ids=OBJECTS)
def test_objects(given: Any, expected: Row) -> None:
    """Objects and dicts are asked for what they usually have; nothing raises."""
    assert row(ModelRef.of(given)) == expected


def test_a_ref_is_itself() -> None:
    """What is a ``ModelRef`` already comes back as it is, or with the API that the caller knows better."""
    ref = ModelRef.of("openrouter/anthropic/claude-sonnet-4.5")
    assert ModelRef.of(ref) is ref
    assert ModelRef.of(ref, api="openai_chat") is ref
    assert row(ModelRef.of(ref, api="anthropic")) == (
        "openrouter",
        "anthropic",
        "anthropic",
        "anthropic/claude-sonnet-4.5",
    )


def test_fallbacks() -> None:
    """A list is a model and its fallbacks; lists inside lists lose none."""
    names = ["openai/gpt-5", "groq/a", "xai/grok-4", "cerebras/b"]
    nested = [[names[0], names[1]], [names[2], names[3]]]
    for given in (names, tuple(names), nested):
        ref = ModelRef.of(given)
        assert [f"{model.provider}/{model.model}" for model in ref.candidates()] == names
        assert ref.raw is given


def test_long_names_are_cut() -> None:
    """What comes out of a configuration is cut before any pattern sees it."""
    ref = ModelRef.of("gpt-" + "9" * 100_000)
    assert ref.provider == "openai"
    assert len(ref.model or "") == 512


class _Unequal:
    """Compares as arrays do: to something that has no truth value."""

    provider = "openai"
    model = "gpt-5"
    lock = threading.Lock()

    def __eq__(self, other: object) -> bool:
        raise ValueError("the truth value of an array is ambiguous")

    __hash__ = None  # type: ignore[assignment]  # as arrays do

    def __reduce__(self) -> str:
        raise TypeError("cannot pickle")


def test_what_the_caller_gave_is_carried_only() -> None:
    """Refs are equal when they mean the same, whatever they came from; a client with locks hinders no copy or pickle."""
    client = _Unequal()
    ref = ModelRef.of(client)
    assert ref.raw is client
    assert ref == ModelRef.of("openai/gpt-5")
    assert hash(ref) == hash(ModelRef.of("openai/gpt-5"))
    assert ref != ModelRef.of("openai/gpt-4")
    assert ref != "openai/gpt-5"
    assert copy.deepcopy(ref).raw is client
    back = pickle.loads(pickle.dumps(ref))
    assert back == ref
    assert back.raw is None
