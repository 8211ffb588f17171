"""The name of this format, and replayable's notes about its wire (see ``replayable.messages``).

The options of a part of an answer are the fields of its *item*: its ``id`` (``msg_…``, ``fc_…``), its ``status``, its
``phase``. What a text inside of a message item has beyond its text stands among them under ``content``.
"""

from __future__ import annotations

from typing import Final

API: Final = "openai_responses"

TYPE: Final = "$type"
"""On a message or part: its type, where it has one that the model alone does not say."""
CONTENT: Final = "$content"
"""On a message or a text of an answer: ``list`` where the parts alone would not say that it stood in one; on a message or
a result that had no content: ``absent`` or ``null``."""
CONTINUES: Final = "$continues"
"""On a part of an answer: it stood in the same message item as the part before it."""
SAID: Final = "$said"
"""On an unknown part of an answer: it stood in a message item, and was no item itself."""
INPUT: Final = "$input"
"""On a message: its text was the whole ``input``."""
ABSENT: Final = "$absent"
"""On a part: the names of the fields that the wire lacked."""
BY_ITEM: Final = "$by_item"
"""On a result: its ``id`` is that of the call's item, and it has no ``call_id``."""
RESULT: Final = "$result"
"""On a result that stood in its call's item: the field in which it stood."""
