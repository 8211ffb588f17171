"""A wrapped Anthropic client: thinking that another account signed is refused once, and never again."""

from typing import Any

from anthropic import Anthropic
from support.provider import serving
from support.replies import Reply, anthropic_refuses, anthropic_says

from replayable import RuleMemory
from replayable.integrations.anthropic import wrap

HISTORY: list[Any] = [
    {"role": "user", "content": "Where is Oslo?"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "An easy one.", "signature": "c2lnbmVkIGVsc2V3aGVyZQ=="},
            {"type": "text", "text": "In Norway."},
        ],
    },
    {"role": "user", "content": "And Bergen?"},
]


def provider(body: Any) -> Reply:
    """Refuse the signature, as Anthropic does."""
    requests.append(body)
    if "c2lnbmVkIGVsc2V3aGVyZQ==" in str(body):
        return anthropic_refuses("messages.1.content.0: Invalid `signature` in `thinking` block")
    return anthropic_says("In Norway too.")


requests: list[Any] = []
memory = RuleMemory()
with serving(provider) as url:
    client = wrap(Anthropic(base_url=url, api_key="none"), memory=memory)
    for turn in (1, 2):
        answer = client.messages.create(model="claude-sonnet-5", max_tokens=100, messages=HISTORY)
        print(f"turn {turn}: {answer.content[0].to_dict()['text']} ({len(requests)} requests so far)")
print(f"remembered: {memory.to_dict()}")
