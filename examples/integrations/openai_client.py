"""A wrapped OpenAI client: a history that was cut in the middle of a tool call goes through."""

from typing import Any

from openai import OpenAI
from support.provider import serving
from support.replies import Reply, openai_misses_results, openai_says

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


def provider(body: Any) -> Reply:
    return openai_misses_results(body) or openai_says("In Oslo it snows; I don't know about Bergen.")


with serving(provider) as url:
    client = wrap(OpenAI(base_url=url, api_key="none"))
    with collect_changes() as changes:
        answer = client.chat.completions.create(model="gpt-5", messages=HISTORY)
    print(answer.choices[0].message.content)
    for change in changes:
        print(change)
