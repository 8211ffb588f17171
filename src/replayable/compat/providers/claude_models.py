"""What differs between Claude models, by version; the same wherever they are served."""

from __future__ import annotations

import re
from typing import Final

from ...model_ref import ModelRef

__all__ = ["claude_version", "is_legacy", "refuses_prefill", "takes_system_in_list", "thinks_by_default"]

# "claude-sonnet-4-5-20250929", "claude-3-5-haiku-latest", "us.anthropic.claude-opus-4-8", "anthropic.claude-v2:1".
_VERSION: Final = re.compile(r"claude-(?:[a-z]+-|v)?(\d)(?:[-.](\d{1,2})(?!\d))?")


def claude_version(model: ModelRef) -> tuple[int, int] | None:
    """Return the major and minor version; None for another model, and for a name that holds none."""
    match = _VERSION.search(model.model or "")
    return (int(match[1]), int(match[2] or 0)) if match else None


def _at_least(model: ModelRef, lowest: tuple[int, int]) -> bool:
    version = claude_version(model)
    return version is not None and version >= lowest


def is_legacy(model: ModelRef) -> bool:
    """Tell whether roles must alternate and begin with the user's: before Claude 3."""
    version = claude_version(model)
    return version is not None and version < (3, 0)


def refuses_prefill(model: ModelRef) -> bool:
    """Tell whether "the conversation must end with a user message": Claude 4.6 and later."""
    return _at_least(model, (4, 6))


def takes_system_in_list(model: ModelRef) -> bool:
    """Tell whether a system message may stand among the others.

    Opus 4.8, Sonnet 5 and Fable 5 were seen to take it, at Anthropic and on Bedrock; older models, and Vertex and Azure,
    not.
    """
    return model.provider in ("anthropic", "bedrock") and _at_least(model, (4, 8))


def thinks_by_default(model: ModelRef) -> bool:
    """Tell whether a request that says nothing about thinking still thinks: Claude 5 and later."""
    return _at_least(model, (5, 0))
