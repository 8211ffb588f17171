"""An agent of OpenAI's SDK takes up a session that broke in the middle of a tool call, and heals it."""

import asyncio
from typing import Any

from agents import Agent, RunConfig, Runner, SQLiteSession
from agents.items import TResponseInputItem
from agents.models.openai_provider import OpenAIProvider
from support.provider import serving
from support.replies import Reply, openai_refuses, openai_says

from replayable import Change
from replayable.integrations.openai_agents import HistoryCompat, session_input

# The result of the call was never stored: the process died. The first result is of a call that was cut off.
BROKEN: list[TResponseInputItem] = [
    {"type": "function_call_output", "call_id": "call_0", "output": "In Sweden."},
    {"role": "user", "content": "Where is Oslo?"},
    {"type": "function_call", "call_id": "call_1", "name": "search", "arguments": '{"q": "Oslo"}'},
]


def provider(body: Any) -> Reply:
    """Refuse calls without results and results without calls, as OpenAI does."""
    asked = {call["id"] for message in body["messages"] for call in message.get("tool_calls") or []}
    told = {message["tool_call_id"] for message in body["messages"] if message["role"] == "tool"}
    if asked != told:
        return openai_refuses(
            "Messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
        )
    return openai_says("Yes. I don't know what became of the search.")


def tell(changes: tuple[Change, ...]) -> None:
    for change in changes:
        print(change)


async def main(url: str) -> None:
    session = SQLiteSession("1")
    await session.add_items(BROKEN)
    openai = OpenAIProvider(api_key="none", base_url=url, use_responses=False)
    config = RunConfig(
        model_provider=HistoryCompat(provider=openai, on_change=tell),
        session_input_callback=session_input(on_change=tell),
        tracing_disabled=True,
    )
    result = await Runner.run(
        Agent("Guide", model="gpt-5"), "Are you still there?", session=session, run_config=config
    )
    print(result.final_output)
    print([item.get("type", item.get("role")) for item in await session.get_items()])


with serving(provider) as url:
    asyncio.run(main(url))
