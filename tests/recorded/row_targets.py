"""Whom a history may go to: for each provider row a model at least, the APIs and families of models that differ included."""

from __future__ import annotations

from replayable import ModelRef
from tests.recorded.wires import FORMATS

# Providers and models as the oracle knows them.
CHAT = (
    ("openai", "gpt-5"),
    ("openai", "o1-mini"),
    ("azure", "gpt-4o"),
    ("mistral", "mistral-large-latest"),
    ("mistral", "mistral-small-latest"),
    ("deepseek", "deepseek-v4-flash"),
    ("deepseek", "deepseek-chat"),
    ("deepseek", "deepseek-reasoner"),
    ("moonshot", "kimi-k2-thinking"),
    ("minimax", "MiniMax-M2"),
    ("zai", "glm-4.6"),
    ("dashscope", "qwen3-max"),
    ("groq", "llama-3.3-70b-versatile"),
    ("groq", "openai/gpt-oss-120b"),
    ("cerebras", "qwen-3-32b"),
    ("xai", "grok-4"),
    ("perplexity", "sonar"),
    ("fireworks", "kimi-k2"),
    ("together", "deepseek-ai/DeepSeek-V3.1"),
    ("openrouter", "openai/gpt-5"),
    ("openrouter", "google/gemini-3-pro-preview"),
    ("openrouter", "anthropic/claude-sonnet-4.5"),
    ("vercel_gateway", "anthropic/claude-sonnet-4.5"),
    ("copilot", "gpt-4o"),
    ("ollama", "qwen3:4b"),
    ("volcengine", "doubao-1.5"),
    ("huggingface", "zai-org/GLM-4.6:cerebras"),
    ("vllm", "Qwen/Qwen3.5-35B-A3B"),
    ("vllm", "google/gemma-2-2b-it"),
    ("vllm", "mistralai/Mistral-Nemo-Instruct-2407"),
    ("vllm", "mistralai/Devstral-2-123B"),
    ("vllm", "openai/gpt-oss-20b"),
    ("vllm", "meta-llama/Llama-3.3-70B-Instruct"),
    ("sglang", "google/gemma-3-4b-it"),
    ("llamacpp", "Qwen3-1.7B-Q4_K_M"),
    ("lmstudio", "meta/llama-2-7b-chat"),
)
BEDROCK = (
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "us.anthropic.claude-sonnet-5",
    "us.amazon.nova-pro-v1:0",
    "us.meta.llama3-3-70b-instruct-v1:0",
    "us.mistral.pixtral-large-2502-v1:0",
    "openai.gpt-oss-120b-1:0",
    "moonshot.kimi-k2-thinking",
    # An inference profile doesn't tell which model it is.
    "arn:aws:bedrock:us-east-1:111122223333:application-inference-profile/x",
)
TARGETS = [
    *((provider, model, "openai_chat") for provider, model in CHAT),
    *(("bedrock", model, "bedrock_converse") for model in BEDROCK),
    ("anthropic", "claude-sonnet-4-5", "anthropic_messages"),
    ("anthropic", "claude-opus-4-8", "anthropic_messages"),
    ("anthropic", "claude-sonnet-5", "anthropic_messages"),
    ("minimax", "MiniMax-M2", "anthropic_messages"),
    ("deepseek", "deepseek-v4-flash", "anthropic_messages"),
    ("google", "gemini-1.0-pro", "gemini"),
    ("google", "gemini-1.5-flash", "gemini"),
    ("google", "gemini-2.5-pro", "gemini"),
    ("google", "gemini-3-pro-preview", "gemini"),
    ("google", "gemini-3.6-flash", "gemini"),
    ("vertex", "gemini-2.5-pro", "gemini"),
    ("openai", "gpt-5", "openai_responses"),
    ("deepseek", "deepseek-v4-flash", "openai_responses"),
    ("llamacpp", "qwen3-4b", "openai_responses"),
    ("cohere", "command-a-03-2025", "cohere_v2"),
    ("ollama", "qwen3:4b", "ollama_chat"),
]


def target_model(provider: str, model: str, api: str) -> ModelRef:
    """A target as the rows recognise it."""
    return ModelRef.of(ModelRef.of({"provider": provider, "model": model}), api=FORMATS[api])
