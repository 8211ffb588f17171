"""An agent on LiteLLM takes over what Kimi began, after a crash in the middle of a call: Anthropic would refuse it."""

import json
import os
from typing import Any

from support.provider import serving
from support.replies import Reply, anthropic_refuses, anthropic_says

from replayable import Change

# Else LiteLLM fetches its table of models from the network.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm

from replayable.integrations.litellm import wrap

CALL = {"id": "functions.search:0", "type": "function", "function": {"name": "search", "arguments": "{}"}}
HISTORY = [
    {"role": "user", "content": "Where is Oslo?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "user", "content": "So?"},
]


def provider(body: Any) -> Reply:
    """Refuse a call without its result, as Anthropic does."""
    if "tool_use" in json.dumps(body) and "tool_result" not in json.dumps(body):
        return anthropic_refuses(
            "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after"
        )
    return anthropic_says("I lost the answer; it is in Norway, I think.")


def tell(changes: tuple[Change, ...]) -> None:
    for change in changes:
        print(change)


completion = wrap(litellm.completion, on_change=tell)
with serving(provider) as url:
    answer = completion("anthropic/claude-sonnet-5", HISTORY, api_base=url, api_key="none", max_tokens=100)
    print(answer.choices[0].message.content)
