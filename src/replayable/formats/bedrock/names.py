"""The name of this format, and replayable's notes about its wire (see ``replayable.messages``)."""

from __future__ import annotations

from typing import Final

API: Final = "bedrock"

TYPE: Final = "$type"
"""On a text: ``citationsContent``, ``guardContent`` or ``json``; on a file, call or result: the block's kind or type."""
CONTENT: Final = "$content"
"""On a result: ``json`` where a text or null stood in a block of JSON, ``list`` where the list was empty, ``null`` or
``absent``."""
BYTES: Final = "$bytes"
"""On a part: whether its data stood there as Python bytes, as boto3 takes them, or in base64."""
BASE64: Final = "$base64"
"""On redacted reasoning: its data is no text, so that it is kept in base64."""
ABSENT: Final = "$absent"
"""On a part: the names of the fields that the wire lacked."""
CACHE_POINT: Final = "cachePoint"
"""On a part: the cache point behind it, which is a block of its own on the wire."""
