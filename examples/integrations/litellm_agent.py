"""An agent on LiteLLM takes over what Kimi began, after a crash in the middle of a call: Anthropic would refuse it."""

import json
import os
from typing import Any

from support.provider import serving

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


def provider(body: Any) -> tuple[int, Any]:
    """Refuse a call without its result, as Anthropic does."""
    if "tool_use" in json.dumps(body) and "tool_result" not in json.dumps(body):
        text = "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after"
        return 400, {"type": "error", "error": {"type": "invalid_request_error", "message": text}}
    return 200, {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [{"type": "text", "text": "I lost the answer; it is in Norway, I think."}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def tell(changes: tuple[Change, ...]) -> None:
    for change in changes:
        print(change)


completion = wrap(litellm.completion, on_change=tell)
with serving(provider) as url:
    answer = completion("anthropic/claude-sonnet-5", HISTORY, api_base=url, api_key="none", max_tokens=100)
    print(answer.choices[0].message.content)
