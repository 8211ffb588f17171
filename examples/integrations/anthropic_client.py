"""A wrapped Anthropic client: thinking that another account signed is refused once, and never again."""

from typing import Any

from anthropic import Anthropic
from support.provider import serving

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


def provider(body: Any) -> tuple[int, Any]:
    """Refuse the signature, as Anthropic does."""
    requests.append(body)
    if "c2lnbmVkIGVsc2V3aGVyZQ==" in str(body):
        text = "messages.1.content.0: Invalid `signature` in `thinking` block"
        return 400, {"type": "error", "error": {"type": "invalid_request_error", "message": text}}
    return 200, {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [{"type": "text", "text": "In Norway too."}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


requests: list[Any] = []
memory = RuleMemory()
with serving(provider) as url:
    client = wrap(Anthropic(base_url=url, api_key="none"), memory=memory)
    for turn in (1, 2):
        answer = client.messages.create(model="claude-sonnet-5", max_tokens=100, messages=HISTORY)
        print(f"turn {turn}: {answer.content[0].to_dict()['text']} ({len(requests)} requests so far)")
print(f"remembered: {memory.to_dict()}")
