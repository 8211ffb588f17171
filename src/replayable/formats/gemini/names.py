"""The name of this format, and replayable's notes about its wire (see ``replayable.messages``)."""

from __future__ import annotations

from typing import Final

API: Final = "gemini"

SNAKE: Final = "$snake"
"""On anything: the camelCase names of the fields that stood there in snake_case, in it and in the object it holds."""
FORM: Final = "$form"
"""On a message: what stood in place of a content with a list of parts: ``absent``, ``null`` or ``object`` in place of the
list; ``bare``, ``text`` or ``list`` (parts without a content, a string, a list of either) in place of the content. On a
tool: ``object`` where it stood in no list. On a part: ``text`` where it was a bare string."""
CONTENTS: Final = "$contents"
"""On the first message: ``one`` where the contents were no list."""
STARTS: Final = "$starts"
"""On a tool: it started an object of tools of its own although a function stood before it."""
BESIDE: Final = "$beside"
"""On a tool: what follows it stood in the same object of tools."""
NULLS: Final = "$nulls"
"""On a tool: the names of the fields that were null beside the functions of its object of tools."""
SCHEMA: Final = "$schema"
"""On a tool: the schema of its parameters as it stood there, in Gemini's own form."""
ABSENT: Final = "$absent"
"""On a message or part: the names of the fields that the wire lacked."""
TYPE: Final = "$type"
"""On a call or result of Google's own: the field that held it."""
BARE: Final = "$bare"
"""On a result: its output was no object, as the API demands one, and stood there as it was."""
WRAPPED: Final = "$wrapped"
"""On a result: its output stood under ``output``, or was null under ``error``."""
URL_SAFE: Final = "$url_safe"
"""On a file: its bytes stood there in the URL-safe alphabet of base64, as Google's SDKs write it."""
BYTES: Final = "$bytes"
"""On a part: the names of the fields that held bytes in place of base64 text."""
JSON: Final = "$json"
"""On a text of a result with media: the output was no text but this JSON."""
