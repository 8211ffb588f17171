"""Good and broken requests for the endpoints of a llama.cpp server: OpenAI Chat, Anthropic Messages, OpenAI Responses."""

from __future__ import annotations

from typing import Any, Final

from tests.judges import histories

Requests = dict[str, dict[str, Any]]

_ASK: Final = {"role": "user", "content": "How warm is it in Oslo?"}
_ANSWER: Final = {"role": "assistant", "content": "Warm."}
_THANK: Final = {"role": "user", "content": "Thanks."}
_SYSTEM: Final = {"role": "system", "content": "Be short."}
_ID: Final = "callAAAA1"

_USE: Final = {"type": "tool_use", "id": _ID, "name": "weather", "input": {"city": "Oslo"}}
_RESULT: Final = {"type": "tool_result", "tool_use_id": _ID, "content": "12 degrees"}
_USING: Final = {"role": "assistant", "content": [_USE]}
_RESULTS: Final = {"role": "user", "content": [_RESULT]}
_TEXT: Final = {"type": "text", "text": "Thanks."}

_CALL: Final = {"type": "function_call", "call_id": _ID, "name": "weather", "arguments": '{"city": "Oslo"}'}
_OUTPUT: Final = {"type": "function_call_output", "call_id": _ID, "output": "12 degrees"}
_SAID: Final = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "Warm."}],
}
_REASONING: Final = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAABo"}
_SEARCH: Final = {"type": "web_search_call", "id": "ws_1", "status": "completed"}


def _messages(*messages: Any, **parameters: Any) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 1, "messages": list(messages), **parameters}


def _responses(*items: Any) -> dict[str, Any]:
    return {"model": "m", "input": list(items)}


ENDPOINTS: Final = {
    "/v1/chat/completions": "openai_chat",
    "/v1/messages": "anthropic",
    "/v1/responses": "openai_responses",
}
"""Each endpoint and the format that it speaks."""

GOOD: Final[dict[str, Requests]] = {
    "/v1/chat/completions": histories.requests(histories.GOOD),
    "/v1/messages": {
        "question": _messages(_ASK),
        "conversation": _messages(_ASK, _ANSWER, _THANK),
        "system": _messages(_ASK, _ANSWER, _THANK, system="Be short."),
        "tool": _messages(_ASK, _USING, _RESULTS),
    },
    "/v1/responses": {
        "question": _responses(_ASK),
        "conversation": _responses(_ASK, _SAID, _THANK),
        "system": _responses(_SYSTEM, _ASK, _SAID, _THANK),
        "tool": _responses(_ASK, _CALL, _OUTPUT),
    },
}

BROKEN: Final[dict[str, Requests]] = {
    "/v1/chat/completions": histories.requests(histories.BROKEN),
    "/v1/messages": {
        "two questions": _messages(_ASK, _THANK),
        "two answers": _messages(_ASK, _ANSWER, _ANSWER, _THANK),
        "answer first": _messages(_ANSWER, _ASK),
        "system late": _messages(_ASK, _ANSWER, _SYSTEM, _THANK),
        "question after result": _messages(_ASK, _USING, {"role": "user", "content": [_RESULT, _TEXT]}),
        "result alone": _messages(_ASK, _RESULTS),
        "no result": _messages(_ASK, _USING, _THANK),
        "result twice": _messages(_ASK, _USING, {"role": "user", "content": [_RESULT, _RESULT]}),
    },
    "/v1/responses": {
        "two questions": _responses(_ASK, _THANK),
        "two answers": _responses(_ASK, _SAID, _SAID, _THANK),
        "answer first": _responses(_SAID, _THANK),
        "answer without type": _responses(_ASK, _ANSWER, _THANK),
        "system late": _responses(_ASK, _SAID, _SYSTEM, _THANK),
        "question after result": _responses(_ASK, _CALL, _OUTPUT, _THANK),
        "result alone": _responses(_ASK, _OUTPUT),
        "no result": _responses(_ASK, _CALL, _THANK),
        "call last": _responses(_ASK, _CALL),
        "broken arguments": _responses(_ASK, {**_CALL, "arguments": '{"city": "Os'}, _OUTPUT),
        "encrypted reasoning": _responses(_ASK, _REASONING, _CALL, _OUTPUT),
        "item of another provider": _responses(_ASK, _SEARCH, _SAID, _THANK),
        "reference": _responses(_ASK, {"type": "item_reference", "id": "msg_1"}, _THANK),
    },
}
