"""Providers of the OpenAI Chat API whose only differences so far are those of their wire."""

from __future__ import annotations

from typing import Final

from ..provider import Dialect, Provider

__all__ = ["OPENAI_COMPATIBLE"]

_DIALECTS: Final[dict[str, Dialect]] = {
    # https://api-docs.deepseek.com/guides/thinking_mode; an image is refused: "unknown variant `image_url`, expected
    # `text`" (https://github.com/rikkahub/rikkahub/issues/1433).
    "deepseek": Dialect(reasoning_fields=("reasoning_content",), media=frozenset(), media_in_results=False),
    # https://docs.fireworks.ai/guides/reasoning
    "fireworks": Dialect(reasoning_fields=("reasoning_content",)),
    # https://console.groq.com/docs/reasoning, https://console.groq.com/docs/vision
    "groq": Dialect(reasoning_fields=("reasoning",), media=frozenset({"image_url"}), media_in_results=False),
    # https://github.com/ggml-org/llama.cpp/tree/master/tools/server
    "llamacpp": Dialect(reasoning_fields=("reasoning_content",)),
    # https://docs.mistral.ai/capabilities/reasoning, .../vision, .../document_ai, .../audio; images and documents in tool
    # results are accepted in recorded traffic.
    "mistral": Dialect(
        reasoning_fields=("thinking",),
        media=frozenset({"image_url", "document_url", "input_audio", "file_id"}),
        media_in_results=True,
        bare_audio=True,
    ),
    # https://platform.minimax.io/docs/guides/text-m2-function-call
    "minimax": Dialect(reasoning_fields=("reasoning_details", "reasoning_content")),
    # https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model
    "moonshot": Dialect(reasoning_fields=("reasoning_content",)),
    # https://docs.ollama.com/api/openai-compatibility
    "ollama": Dialect(reasoning_fields=("reasoning",)),
    # https://openrouter.ai/docs/use-cases/reasoning-tokens, https://openrouter.ai/docs/features/multimodal/overview
    "openrouter": Dialect(
        reasoning_fields=("reasoning_details", "reasoning", "reasoning_content"),
        media=frozenset({"image_url", "input_audio", "video_url", "file"}),
    ),
    # https://www.alibabacloud.com/help/en/model-studio/deep-thinking
    "qwen": Dialect(reasoning_fields=("reasoning_content",)),
    # https://docs.sglang.ai/advanced_features/separate_reasoning.html
    "sglang": Dialect(reasoning_fields=("reasoning_content",)),
    # https://vercel.com/docs/ai-gateway/openai-compat
    "vercel_gateway": Dialect(reasoning_fields=("reasoning_details", "reasoning")),
    # https://docs.vllm.ai/en/latest/features/reasoning_outputs.html
    "vllm": Dialect(
        reasoning_fields=("reasoning", "reasoning_content"),
        media=frozenset({"image_url", "input_audio", "audio_url", "video_url"}),
    ),
    # https://docs.x.ai/docs/guides/reasoning, https://docs.x.ai/docs/guides/image-understanding
    "xai": Dialect(reasoning_fields=("reasoning_content",), media=frozenset({"image_url"})),
    # https://docs.z.ai/guides/capabilities/thinking-mode
    "zhipu": Dialect(reasoning_fields=("reasoning_content",)),
}


def _row(name: str, dialect: Dialect) -> Provider:
    return Provider(
        name=name,
        recognise=lambda model: model.provider == name,
        dialect=dialect,
    )


OPENAI_COMPATIBLE: Final = tuple(_row(name, dialect) for name, dialect in _DIALECTS.items())
