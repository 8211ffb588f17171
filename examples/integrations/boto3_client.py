"""A wrapped Bedrock client: a tool call that was cut off from its result is answered before Claude sees it."""

from typing import Any

import boto3  # pyright: ignore[reportMissingTypeStubs]
from support.provider import serving

from replayable.integrations.boto3 import collect_changes, wrap

HISTORY: list[Any] = [
    {"role": "user", "content": [{"text": "Where is Oslo?"}]},
    {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t1", "name": "search", "input": {}}}]},
    {"role": "user", "content": [{"text": "Are you there?"}]},
]
TOOLS: Any = {"tools": [{"toolSpec": {"name": "search", "inputSchema": {"json": {"type": "object"}}}}]}


def provider(body: Any) -> tuple[int, Any]:
    """Refuse the unanswered call, as Bedrock does."""
    if "toolResult" not in str(body):
        text = "Expected toolResult blocks at messages.2.content for the following Ids: t1"
        return 400, {"__type": "ValidationException", "message": text}
    message = {"role": "assistant", "content": [{"text": "In Norway."}]}
    usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
    return 200, {"output": {"message": message}, "stopReason": "end_turn", "usage": usage}


with serving(provider) as url, collect_changes() as changes:
    session = boto3.Session("none", "none", region_name="us-east-1")
    client = wrap(session.client("bedrock-runtime", endpoint_url=url))
    answer = client.converse(modelId="us.anthropic.claude-sonnet-5", messages=HISTORY, toolConfig=TOOLS)
    print(answer["output"]["message"]["content"][0]["text"])
for change in changes:
    print(change)
