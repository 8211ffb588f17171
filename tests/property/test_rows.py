"""Whole rows: what goes through one, and then through another, suits the other."""

from __future__ import annotations

from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from replayable import ModelRef, Pipeline, check
from replayable.messages import Messages, messages_to_json

from .checker import violations
from .strategies import histories

MODELS: Final = tuple(
    ModelRef.of(ModelRef.of(model), api="openai_chat")
    for model in (
        "openai/gpt-5",
        "openai/o1-mini",
        "mistral/mistral-large-latest",
        "deepseek/deepseek-v4-flash",
        "deepseek/deepseek-reasoner",
        "moonshot/kimi-k2-thinking",
        "minimax/MiniMax-M2",
        "zhipu/glm-4.6",
        "qwen/qwen3-max",
        "groq/llama-3.3-70b-versatile",
        "groq/openai/gpt-oss-120b",
        "cerebras/qwen-3-32b",
        "xai/grok-4",
        "perplexity/sonar",
        "fireworks/kimi-k2",
        "openrouter/google/gemini-3-pro-preview",
        "ollama/qwen3:4b",
        "vllm/Qwen/Qwen3.5-35B-A3B",
        "vllm/google/gemma-2-2b-it",
        "vllm/mistralai/Mistral-Nemo-Instruct-2407",
        "vllm/mistralai/Devstral-2-123B",
        "llamacpp/Qwen3-1.7B-Q4_K_M",
    )
)
DEFAULT: Final = Pipeline.default()


@given(histories(), st.sampled_from(MODELS), st.sampled_from(MODELS))
def test_one_row_after_another(history: Messages, first: ModelRef, second: ModelRef) -> None:
    """The second model's provider has nothing against it, calls are paired, and a second time nothing changes."""
    there = DEFAULT.prepare(history, model=first).prompt.messages
    onward = DEFAULT.prepare(there, model=second).prompt
    assert [str(finding) for finding in check(onward, model=second)] == []
    assert violations(onward.messages) == []
    again = DEFAULT.prepare(onward.messages, model=second)
    assert again.changes == ()
    assert messages_to_json(again.prompt.messages) == messages_to_json(onward.messages)
