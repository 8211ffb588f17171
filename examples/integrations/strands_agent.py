"""An agent of Strands takes up a session that broke in the middle of a tool call, and heals it."""

from typing import Any

from strands import Agent
from strands.models.openai import OpenAIModel
from strands.types.content import Messages
from support.provider import serving
from support.replies import Reply, openai_misses_results, openai_says

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


def provider(body: Any) -> Reply:
    return openai_misses_results(body) or openai_says("Yes. I don't know what became of the search.")


def tell(changes: tuple[Change, ...]) -> None:
    for change in changes:
        print(change)


with serving(provider) as url:
    model = OpenAIModel(client_args={"base_url": url, "api_key": "none"}, model_id="gpt-5", stream=False)
    compat = HistoryCompat(persist=True, on_change=tell)
    agent = Agent(model, messages=STORED, plugins=[compat], callback_handler=None)
    print(agent("Hello?"))
    for message in agent.messages:
        print(message["role"], [kind for block in message["content"] for kind in block])
