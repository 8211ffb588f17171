"""What a provider refuses for a reason that the request does not show."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["INVALID_SIGNATURE", "SIGNED_ELSEWHERE"]

SIGNED_ELSEWHERE: Final[list[Any]] = [
    {"role": "user", "content": "Hi"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "a greeting", "signature": "c2ln"},
            {"type": "text", "text": "Hello"},
        ],
    },
    {"role": "user", "content": "Bye"},
]
"""Thinking that another account signed, as Anthropic's API takes it."""
INVALID_SIGNATURE: Final = "messages.1.content.0: Invalid `signature` in `thinking` block"
"""What Anthropic says of it."""
