"""The name of this format, and replayable's notes about its wire (see ``replayable.messages``)."""

from __future__ import annotations

from typing import Final

API: Final = "openai_chat"

BLOCKS: Final = "thinking_blocks"
"""LiteLLM's field for thinking that somebody signed: blocks as Anthropic's API has them."""
CONTENT: Final = "$content"
"""On a message: ``absent``, ``null``, or ``list`` where the parts alone would not say that it was one."""
FIELD: Final = "$field"
"""On a reasoning or refusal part: the message's field in which it stood; ``thinking`` is a chunk of the content."""
LEGACY: Final = "$legacy"
"""On a call or tool: it stood in ``function_call`` or ``functions``."""
SERVER: Final = "$server"
"""On a call: it stood among the client's, though the provider has answered it."""
TYPE: Final = "$type"
"""On a part or call: its type, where the model alone does not say it; ``$absent`` where the wire had none. On a file
also ``audio``: it stood in that field of an answer, and ``file_id``: its id stood beside the type ``file``."""
UNTYPED: Final = "$untyped"
"""On a file: its part had no type."""
FORM: Final = "$form"
"""On a file: ``string`` where the URL or content stood there without an object around it."""
