"""The name of this format, and replayable's notes about its wire (see ``replayable.messages``).

The stored messages of Mastra are made of the same parts, so that ``formats.mastra`` shares these notes under its own name.
"""

from __future__ import annotations

from typing import Final

API: Final = "ai_sdk"

CORE: Final = "core"
"""The style of a model message: ``content`` is a string or a list."""
UI: Final = "ui"
"""The style of a UI message: it holds ``parts``."""
STORED: Final = "stored"
"""The style of a Mastra message: its ``content`` is an object that holds ``parts``."""

STYLE: Final = "$style"
"""On a message: its style, where the list alone does not tell it."""
OF: Final = "$of"
"""On a message: which message of the wire it is a piece of, where that became several."""
ASIDES: Final = "$asides"
"""On a message: the parts that no model reads (step marks, sources, data), each with its position."""
AT: Final = "$at"
"""On a part: its position among the parts of its wire message."""
ROLE: Final = "$role"
"""On a message: its role on the wire, where that is another one."""
CONTENT: Final = "$content"
"""On a message: ``string``, ``list``, ``null`` or ``absent`` where the role does not tell it."""
ABSENT: Final = "$absent"
"""On a message or part: the names of the fields that the wire lacked."""
TYPE: Final = "$type"
"""On a part: its type, where the model alone does not say it."""
FIELD: Final = "$field"
"""On a part: the field of its message in which it stood, where that was not the list of parts."""
ALSO: Final = "$also"
"""On a text: the message's ``content`` repeats it."""
LISTED: Final = "$listed"
"""On a call: its position in ``toolInvocations``, and what stood there, ``True`` for the same as in the part. On a message:
such pairs for what belongs to no part."""
SHAPE: Final = "$shape"
"""On a call: ``nested`` (``tool-invocation``), ``flat`` (``tool-<name>``) or ``dynamic`` (``dynamic-tool``)."""
STATE: Final = "$state"
"""On a call: its state on the wire, where call and result alone do not say it."""
KEYS: Final = "$keys"
"""On a file: the names of the fields for its content, media type and name."""
DATA_URL: Final = "$data_url"
"""On a file: the media type in its data URL."""
DETAIL: Final = "$detail"
"""On reasoning: its position among the ``details`` of its part."""
JOINED: Final = "$joined"
"""On reasoning: its part's ``reasoning`` repeats the text of all details."""
SIGNED: Final = "$signed"
"""On reasoning: the signature stood beside the text, not among the provider's own metadata."""
LEGACY: Final = "$legacy"
"""On a call or result: it had ``args`` or ``result`` where newer versions have ``input`` and ``output``."""
OUTPUT: Final = "$output"
"""On a result: the type of its output, where the value alone does not say it; ``bare`` for one without a type."""
