"""The name of this format, and replayable's notes about its wire (see ``replayable.messages``)."""

from __future__ import annotations

from typing import Final

API: Final = "anthropic"

CONTENT: Final = "$content"
"""On a message or result: ``absent``, ``null``, or ``list`` where a single text stood in a list."""
TYPE: Final = "$type"
"""On a part: the block's type, where the part alone does not say it."""
ABSENT: Final = "$absent"
"""On a part: the names of the fields that the wire lacked."""
