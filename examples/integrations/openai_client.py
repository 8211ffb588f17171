"""A wrapped OpenAI client: a history that was cut in the middle of a tool call goes through."""

from typing import Any

from openai import OpenAI
from support.provider import serving

from replayable.integrations.openai import collect_changes, wrap

# The result of call_2 was never stored: the process died.
HISTORY: list[Any] = [
    {"role": "user", "content": "Compare the weather in Oslo and Bergen."},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "call_1",
                "type": "function",
                "function": {"name": "weather", "arguments": '{"city": "Oslo"}'},
            },
            {
                "id": "call_2",
                "type": "function",
                "function": {"name": "weather", "arguments": '{"city": "Bergen"}'},
            },
        ],
    },
    {"role": "tool", "tool_call_id": "call_1", "content": "Snow."},
    {"role": "user", "content": "Are you still there?"},
]


def provider(body: Any) -> tuple[int, Any]:
    """Refuse calls that nobody answered, as OpenAI does."""
    asked = [call["id"] for message in body["messages"] for call in message.get("tool_calls") or []]
    answered = [message.get("tool_call_id") for message in body["messages"]]
    if missing := [tool_call_id for tool_call_id in asked if tool_call_id not in answered]:
        text = (
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each"
            f" 'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(missing)}"
        )
        return 400, {"error": {"message": text, "type": "invalid_request_error"}}
    message = {"role": "assistant", "content": "In Oslo it snows; I don't know about Bergen."}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return 200, {"id": "c1", "object": "chat.completion", "created": 1, "model": "gpt-5", "choices": [choice]}


with serving(provider) as url:
    client = wrap(OpenAI(base_url=url, api_key="none"))
    with collect_changes() as changes:
        answer = client.chat.completions.create(model="gpt-5", messages=HISTORY)
    print(answer.choices[0].message.content)
    for change in changes:
        print(change)
