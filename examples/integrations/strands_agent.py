"""An agent of Strands takes up a session that broke in the middle of a tool call, and heals it."""

from typing import Any

from strands import Agent
from strands.models.openai import OpenAIModel
from strands.types.content import Messages
from support.provider import serving

from replayable import Change
from replayable.integrations.strands import HistoryCompat

# The result of the call was never stored: the process died.
STORED: Messages = [
    {"role": "user", "content": [{"text": "Where is Oslo?"}]},
    {
        "role": "assistant",
        "content": [{"toolUse": {"toolUseId": "call_1", "name": "search", "input": {"q": "Oslo"}}}],
    },
    {"role": "user", "content": [{"text": "Are you still there?"}]},
]


def provider(body: Any) -> tuple[int, Any]:
    """Refuse calls that nobody answered, as OpenAI does."""
    asked = {call["id"] for message in body["messages"] for call in message.get("tool_calls") or []}
    missing = asked - {message.get("tool_call_id") for message in body["messages"]}
    if missing:
        text = (
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each"
            f" 'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(missing)}"
        )
        return 400, {"error": {"message": text, "type": "invalid_request_error"}}
    message = {"role": "assistant", "content": "Yes. I don't know what became of the search."}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return 200, {"id": "c1", "object": "chat.completion", "created": 1, "model": "gpt-5", "choices": [choice]}


def tell(changes: tuple[Change, ...]) -> None:
    for change in changes:
        print(change)


with serving(provider) as url:
    model = OpenAIModel(client_args={"base_url": url, "api_key": "none"}, model_id="gpt-5", stream=False)
    compat = HistoryCompat(persist=True, on_change=tell)
    agent = Agent(model, messages=STORED, plugins=[compat], callback_handler=None)
    print(agent("Hello?"))
    print([(message["role"], *message["content"][0]) for message in agent.messages])
