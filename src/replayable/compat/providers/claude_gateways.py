"""Claude behind OpenAI's APIs: a gateway rewrites the request for Anthropic's, whose rules hold for what it can't know."""

from __future__ import annotations

from typing import Final

from ...model_ref import ModelRef
from ..provider import Provider
from .anthropic_turns import LAST_USER
from .claude_tools import TOOL_NAMES

__all__ = ["CLAUDE_GATEWAYS"]


def _recognise(model: ModelRef) -> bool:
    return model.maker == "anthropic" and model.api in ("openai_chat", "openai_responses")


CLAUDE_GATEWAYS: Final = Provider(
    name="claude-gateways", recognise=_recognise, rules=(TOOL_NAMES,), structure=(LAST_USER,)
)
