"""What differs between Claude models, by version."""

import re

# claude-sonnet-4-5-20250929, claude-3-5-haiku-latest, us.anthropic.claude-opus-4-8, claude-haiku-4-5@2025...
_VERSION = re.compile(r"claude-(?:[a-z]+-)?(\d)(?:[-.](\d{1,2})(?!\d))?")

_PREFILL_ENDS = (4, 6)
_INLINE_SYSTEM_BEGINS = (4, 8)
_THINKS_BY_DEFAULT = (5, 0)


def version(model: str | None) -> tuple[int, int] | None:
    """Major and minor version of a Claude model name; `None` when the name holds none."""
    match = _VERSION.search(model or "")
    return (int(match[1]), int(match[2] or 0)) if match else None


def _at_least(model: str | None, lowest: tuple[int, int]) -> bool:
    found = version(model)
    return found is not None and found >= lowest


def refuses_prefill(model: str | None) -> bool:
    """Whether the conversation "must end with a user message" (Claude 4.6 and later)."""
    return _at_least(model, _PREFILL_ENDS)


def takes_inline_system(model: str | None) -> bool:
    """Whether role "system" may stand inside messages (recorded for Opus 4.8, Sonnet 5 and Fable 5)."""
    return _at_least(model, _INLINE_SYSTEM_BEGINS)


def thinks_by_default(model: str | None) -> bool:
    """Whether a request without `thinking` still thinks."""
    return _at_least(model, _THINKS_BY_DEFAULT)
