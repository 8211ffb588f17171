"""The name of this format, and replayable's notes about its wire (see ``replayable.messages``)."""

from __future__ import annotations

from typing import Final

API: Final = "ollama_chat"

CONTENT: Final = "$content"
"""On a message: ``absent`` or ``null`` where it had no text."""
THINKING: Final = "$thinking"
"""On reasoning: it stood in this API's ``thinking``, even if that was empty."""
NAMELESS: Final = "$nameless"
"""On a result's message: it did not name the tool."""
