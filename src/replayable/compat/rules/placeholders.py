"""The few words that stand where a provider wants a message and the history has none. Neutral: they ask for nothing new."""

from __future__ import annotations

from typing import Final

__all__ = ["BRIDGE", "CALLING", "CONTINUE", "DOCUMENT", "EMPTY", "NO_OUTPUT", "OPENING"]

EMPTY: Final = "(empty message)"
"""A turn that said nothing, where dropping it would change whose turn it is."""
NO_OUTPUT: Final = "(no output)"
"""A tool that returned nothing."""
OPENING: Final = "(The conversation continues here.)"
"""A user turn before an assistant's, where the user has to come first."""
CONTINUE: Final = "Continue."
"""A user turn at the end, where the assistant may not come last."""
BRIDGE: Final = "(No answer.)"
"""An assistant turn between two that may not follow each other."""
CALLING: Final = "(Calling tools.)"
"""An answer's text beside its calls, where it may not lack one."""
DOCUMENT: Final = "(See the attached document.)"
"""A user's text beside a document, where it may not lack one."""
