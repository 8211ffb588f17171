"""What differs between Claude models, by version."""

import re

# claude-sonnet-4-5-20250929, claude-3-5-haiku-latest, us.anthropic.claude-opus-4-8, claude-haiku-4-5@2025...
_VERSION = re.compile(r"claude-(?:[a-z]+-|v)?(\d)(?:[-.](\d{1,2})(?!\d))?")

_FREE_ROLES_BEGIN = (3, 0)
_PREFILL_ENDS = (4, 6)
_LONG_CONTEXT_BEGINS = (4, 6)
_INLINE_SYSTEM_BEGINS = (4, 8)
_THINKS_BY_DEFAULT = (5, 0)


def version(model: str | None) -> tuple[int, int] | None:
    """Major and minor version of a Claude model name; `None` when the name holds none."""
    match = _VERSION.search(model or "")
    return (int(match[1]), int(match[2] or 0)) if match else None


def _at_least(model: str | None, lowest: tuple[int, int]) -> bool:
    found = version(model)
    return found is not None and found >= lowest


def is_legacy(model: str | None) -> bool:
    """Whether roles must alternate and begin with the user's (before Claude 3)."""
    found = version(model)
    return found is not None and found < _FREE_ROLES_BEGIN


def max_pdf_pages(model: str | None) -> int:
    """How many pages all documents of a request may have together: more where the context is longer."""
    return 600 if model is None or _at_least(model, _LONG_CONTEXT_BEGINS) else 100


def refuses_prefill(model: str | None) -> bool:
    """Whether the conversation "must end with a user message" (Claude 4.6 and later)."""
    return _at_least(model, _PREFILL_ENDS)


def takes_inline_system(model: str | None) -> bool:
    """Whether role "system" may stand inside messages (recorded for Opus 4.8, Sonnet 5 and Fable 5)."""
    return _at_least(model, _INLINE_SYSTEM_BEGINS)


def thinks_by_default(model: str | None) -> bool:
    """Whether a request without `thinking` still thinks."""
    return _at_least(model, _THINKS_BY_DEFAULT)
