"""Rejections of every provider that no change of the history's structure cures."""

from __future__ import annotations

from typing import Final

from .evidence import Evidence, KnownRejection

__all__ = ["CONTEXT_LENGTH", "KNOWN_REJECTIONS", "MALFORMED"]


def _too_long(entry: str, text: str, pattern: str, link: str, *, status: int = 400) -> Evidence:
    return Evidence(
        entry=entry,
        text=text,
        pattern=pattern,
        cause="The prompt is longer than the model's context window.",
        link=link,
        status=status,
    )


CONTEXT_LENGTH: Final = KnownRejection(
    name="context-length",
    reason="The history is well formed but too long: what to leave out is the caller's decision.",
    remedy="Leave out or summarise old turns, calls together with their results (ToolCallFilter drops old tool steps), drop"
    " files, or ask for fewer output tokens.",
    evidence=(
        _too_long(
            "ctx-anthropic-max-tokens",
            "input length and `max_tokens` exceed context limit: {n} + {m} > {max}, decrease input length or `max_tokens` and"
            " try again",
            r"input length and `max_tokens` exceed context limit",
            "https://docs.claude.com/en/docs/build-with-claude/context-windows",
        ),
        _too_long(
            "ctx-anthropic",
            "prompt is too long: {n} tokens > {max} maximum",
            r"prompt is too long(?:: \d+ tokens > \d+ maximum|$)",
            "https://docs.claude.com/en/docs/build-with-claude/context-windows",
        ),
        _too_long(
            "ctx-openai",
            "This model's maximum context length is {max} tokens. However, your messages resulted in {n} tokens.",
            r"maximum context length is \d+ tokens|context_length_exceeded|exceeds the context window",
            "https://platform.openai.com/docs/guides/error-codes",
        ),
        _too_long(
            "ctx-bedrock",
            "Input is too long for requested model.",
            r"[Ii]nput is too long for requested model",
            "https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html",
        ),
        _too_long(
            "ctx-gemini",
            "The input token count ({n}) exceeds the maximum number of tokens allowed ({max}).",
            r"input token count.{0,40}exceeds the maximum number of tokens allowed",
            "https://ai.google.dev/gemini-api/docs/troubleshooting",
        ),
        _too_long(
            "ctx-xai",
            "This model's maximum prompt length is {max} but the request contains {n} tokens.",
            r"maximum prompt length is \d+ but the request contains \d+",
            "https://docs.x.ai/docs/key-information/debugging",
        ),
        _too_long(
            "ctx-groq",
            "Please reduce the length of the messages or completion.",
            r"reduce the length of the messages",
            "https://console.groq.com/docs/errors",
        ),
        _too_long(
            "ctx-kimi",
            "Invalid request: Your request exceeded model token limit: {max} (requested: {n})",
            r"exceeded model token limit",
            "https://platform.moonshot.ai/docs/api/chat",
        ),
        _too_long(
            "ctx-qwen",
            "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, {max}]",
            r"Range of input length should be \[1, ?\d+\]",
            "https://www.alibabacloud.com/help/en/model-studio/error-code",
        ),
        _too_long(
            "ctx-llamacpp",
            "request ({n} tokens) exceeds the available context size ({max} tokens), try increasing it",
            r"exceeds the available context size|exceed_context_size_error",
            "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
        ),
        _too_long(
            "ctx-minimax",
            "invalid params, context window exceeds limit (2013)",
            r"context window exceeds limit",
            "https://platform.minimax.io/docs/api-reference/errorcode",
        ),
        _too_long(
            "ctx-zai-ollama",
            "Prompt exceeds max length | prompt too long; exceeded max context length by {n} tokens",
            r"[Pp]rompt exceeds max length|exceed(?:ed|s) (?:max |the )?context length|model_context_window_exceeded",
            "https://docs.z.ai/api-reference/api-code",
        ),
    ),
)

MALFORMED: Final = KnownRejection(
    name="not-the-wire",
    reason="The request was not in the shape of the API: reading it raises HistoryFormatError, which names the place.",
    remedy="Build the request by the API's documentation; `replayable check` says what stands where it should not.",
    evidence=(
        Evidence(
            text="Unknown parameter: 'messages[{i}].content[{j}].file.data'.",
            pattern=r"Unknown parameter: 'messages\[\d+\]\.content\[\d+\]\.[\w.]+'",
            cause="A content part has a field that the API does not know.",
            status=400,
            link="https://platform.openai.com/docs/api-reference/chat/create",
        ),
        Evidence(
            text="messages.{i}: Input does not match the expected shape.",
            pattern=r"messages\.\d+: Input does not match the expected shape",
            cause="A message is no object with a role and content.",
            status=400,
            link="https://docs.claude.com/en/api/messages",
        ),
        Evidence(
            text="Missing parameter 'name': messages with role 'function' must have a 'name'.",
            pattern=r"messages with role 'function' must have a 'name'",
            cause="A result in the older form does not name its function.",
            status=400,
            link="https://platform.openai.com/docs/api-reference/chat/create",
        ),
        Evidence(
            text="Failed to deserialize the JSON body into the target type: missing field `messages`",
            pattern=r"target type: (?:missing field `messages`|messages: invalid type)",
            cause="The body has no list of messages.",
            status=422,
            link="https://huggingface.co/docs/text-generation-inference/messages_api",
        ),
        Evidence(
            entry="vllm-mistral-tool-calls-iterable",
            text="Validating messages' `tool_calls` raised an error. Please ensure `tool_calls` are iterable of tool calls.",
            pattern=r"Validating messages' `tool_calls` raised an error",
            cause="A message's `tool_calls` is no list.",
            status=400,
            link="https://github.com/vllm-project/vllm/blob/main/vllm/transformers_utils/tokenizers/mistral.py",
        ),
    ),
)

KNOWN_REJECTIONS: Final[tuple[KnownRejection, ...]] = (CONTEXT_LENGTH, MALFORMED)
"""What may come from any provider; a provider's own stand in its row."""
