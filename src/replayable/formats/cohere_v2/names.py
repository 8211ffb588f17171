"""The name of this format, and replayable's notes about its wire (see ``replayable.messages``)."""

from __future__ import annotations

from typing import Final

API: Final = "cohere_v2"

CONTENT: Final = "$content"
"""On a message: ``absent``, ``null``, or ``list`` where the parts alone would not say that it was one."""
FIELD: Final = "$field"
"""On a text: ``tool_plan``, the message's field in which it stood; on reasoning: ``thinking``, a block of the content."""
TYPE: Final = "$type"
"""On a text: ``document``; on a file: ``image_url``."""
DATA: Final = "$data"
"""On a document: ``text`` where its data were no object."""
FORM: Final = "$form"
"""On a file: ``string`` where the URL stood there without an object around it."""
