"""The last resort: everything that is ever asked of a history, at once, for a provider that does not say what was wrong."""

from __future__ import annotations

from typing import Final

from ...edits import chained
from ...messages import Messages
from ...provider_error import ProviderError
from ..rule import CompatRule, Evidence, Example
from .arguments import as_objects
from .empties import without_empties
from .making import ChangeMessages
from .reasoning_fields import without_reasoning
from .roles import merged, paired, with_leading_user, with_some_message
from .system_messages import later_as_user
from .tool_call_ids import reissued_repeats

__all__ = ["full_cleanup"]


# Pairing first, since ids and roles rely on it; what removes parts before what drops empty messages; merging last.
_STEPS: Final[tuple[ChangeMessages, ...]] = (
    paired,
    reissued_repeats,
    as_objects,
    without_reasoning,
    without_empties,
    later_as_user,
    with_leading_user,
    with_some_message,
    lambda messages: merged(messages, ("user", "assistant")),
)


def full_cleanup(
    name: str, *, summary: str, evidence: tuple[Evidence, ...], examples: tuple[Example, ...] = ()
) -> CompatRule:
    """Pair calls, make ids unique and arguments objects, drop reasoning and empties, put a user first, merge runs."""

    def fix(messages: Messages, _error: ProviderError) -> Messages | None:
        return chained(messages, *_STEPS)

    return CompatRule(
        name=name, summary=summary, fix=fix, last_resort=True, evidence=evidence, examples=examples
    )
