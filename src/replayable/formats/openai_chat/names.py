"""The name of this format, and replayable's notes about its wire (see ``replayable.messages``)."""

from __future__ import annotations

from typing import Final

API: Final = "openai_chat"

CONTENT: Final = "$content"
"""On a message: ``absent``, ``null``, or ``list`` where the parts alone would not say that it was one."""
FIELD: Final = "$field"
"""On a reasoning or refusal part: the message's field in which it stood; ``thinking`` is a chunk of the content."""
LEGACY: Final = "$legacy"
"""On a call or tool: it stood in ``function_call`` or ``functions``."""
TYPE: Final = "$type"
"""On a part, call or tool: its type, where the model alone does not say it; ``$absent`` where the wire had none."""
FORM: Final = "$form"
"""On a file: ``string`` where the URL stood there without an object around it."""
