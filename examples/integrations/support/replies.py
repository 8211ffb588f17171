"""What the stand-ins reply, in the words and shapes of OpenAI and Anthropic: a status and a body."""

from typing import Any, TypeAlias

Reply: TypeAlias = tuple[int, Any]


def openai_says(text: str) -> Reply:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    return 200, {"id": "c1", "object": "chat.completion", "created": 1, "model": "gpt-5", "choices": [choice]}


def openai_refuses(text: str) -> Reply:
    return 400, {"error": {"message": text, "type": "invalid_request_error"}}


def openai_misses_results(body: Any) -> Reply | None:
    """Refuse calls that nobody answered."""
    asked = [call["id"] for message in body["messages"] for call in message.get("tool_calls") or []]
    answered = [message.get("tool_call_id") for message in body["messages"]]
    missing = [tool_call_id for tool_call_id in asked if tool_call_id not in answered]
    if not missing:
        return None
    return openai_refuses(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each"
        f" 'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(missing)}"
    )


def anthropic_says(text: str) -> Reply:
    return 200, {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def anthropic_refuses(text: str) -> Reply:
    return 400, {"type": "error", "error": {"type": "invalid_request_error", "message": text}}
