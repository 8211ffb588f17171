"""Which format a request or a list of messages is."""

from __future__ import annotations

from typing import Any, Final

from ..errors import HistoryFormatError
from .wire import Wire, found, kind_of

__all__ = ["detect"]

# What only one of the formats has. A conversation that needs none of it reads the same in all of them.
_REQUEST_MARKS: Final = {
    "openai_chat": frozenset(
        {"functions", "function_call", "max_completion_tokens", "response_format", "reasoning_effort"}
    ),
    "anthropic": frozenset({"system", "anthropic_version", "stop_sequences", "thinking_budget"}),
    "mastra": frozenset(),
    "ai_sdk": frozenset({"prompt", "toolChoice", "maxOutputTokens", "stopSequences", "providerOptions"}),
}
_ROLE_MARKS: Final = {
    "openai_chat": frozenset({"tool", "developer", "function"}),
    "anthropic": frozenset[str](),
    "mastra": frozenset({"signal"}),
    "ai_sdk": frozenset[str](),
}
_MESSAGE_MARKS: Final = {
    "openai_chat": frozenset(
        {"tool_calls", "tool_call_id", "function_call", "reasoning_content", "reasoning_details", "refusal"}
    ),
    "anthropic": frozenset[str](),
    "mastra": frozenset({"threadId", "resourceId"}),
    "ai_sdk": frozenset({"providerOptions", "toolInvocations", "experimental_attachments"}),
}
_BLOCK_MARKS: Final = {
    "openai_chat": frozenset({"image_url", "input_audio", "refusal", "file", "document_url", "video_url"}),
    "anthropic": frozenset(
        {"tool_use", "tool_result", "image", "document", "redacted_thinking", "server_tool_use"}
    ),
    "mastra": frozenset[str](),
    "ai_sdk": frozenset({"tool-call", "tool-result", "redacted-reasoning", "tool-approval-request"}),
}
# What only the parts of the AI SDK have; they share some type names with others.
_AI_SDK_KEYS: Final = frozenset({"toolCallId", "mediaType", "mimeType", "providerOptions"})
# So many messages tell enough; a history of a million is not read twice.
_LOOKED_AT: Final = 2000


def detect(value: Any, *, prefer: str | None = None) -> str:
    """Return the name of the format that a request or a list of messages is in.

    Args:
        value: A whole request or a list of messages.
        prefer: The format to assume where it could be several (a plain conversation without tools reads the same in
            OpenAI Chat and in Anthropic's Messages); ``openai_chat`` unless given.

    Raises:
        HistoryFormatError: It is neither a request nor a list of messages.
    """
    request: Wire = value if isinstance(value, dict) else {}
    messages = request.get("messages", request.get("prompt")) if isinstance(value, dict) else value
    if not isinstance(messages, list):
        raise HistoryFormatError(
            path="messages" if "messages" in request else "",
            found=found(messages if "messages" in request else value),
            expected="a request (an object with a list of messages) or a list of messages",
        )
    scores = dict.fromkeys(_REQUEST_MARKS, 0)
    for name in scores:
        scores[name] += len(_REQUEST_MARKS[name] & request.keys())
    _count_tools(request.get("tools"), scores)
    for message in messages[:_LOOKED_AT]:
        if isinstance(message, dict):
            _count_message(message, scores)
    best = max(scores.values())
    candidates = [name for name, score in scores.items() if score == best]
    return prefer if prefer in candidates else candidates[0]


def _count_tools(tools: Any, scores: dict[str, int]) -> None:
    for tool in tools if isinstance(tools, list) else ():
        if isinstance(tool, dict):
            scores["openai_chat"] += "function" in tool
            scores["anthropic"] += "input_schema" in tool


def _count_message(message: Wire, scores: dict[str, int]) -> None:
    content = message.get("content")
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    kinds = {kind_of(block) for block in blocks}
    role = message.get("role")
    for name in scores:
        scores[name] += isinstance(role, str) and role in _ROLE_MARKS[name]
        scores[name] += len(_MESSAGE_MARKS[name] & message.keys())
        scores[name] += len(_BLOCK_MARKS[name] & kinds)
    # Both have `thinking` blocks: Mistral's holds a list of chunks, Anthropic's a string.
    for block in blocks:
        if block.get("type") == "thinking":
            scores["openai_chat" if isinstance(block.get("thinking"), list) else "anthropic"] += 1
    scores["ai_sdk"] += 2 * sum(1 for block in blocks if _AI_SDK_KEYS & block.keys())
    _count_parts(message, scores)


def _count_parts(message: Wire, scores: dict[str, int]) -> None:
    """Messages with ``parts``, each of which has a type: UI messages hold them, Mastra's in their ``content``."""
    content = message.get("content")
    if isinstance(content, dict) and (
        content.get("format") == 2 or {"parts", "toolInvocations"} & content.keys()
    ):
        # No other format has an object there, whatever else stands in the list.
        scores["mastra"] += _LOOKED_AT
    parts = message.get("parts")
    if isinstance(parts, list) and any(isinstance(part, dict) and "type" in part for part in parts):
        scores["ai_sdk"] += 3
