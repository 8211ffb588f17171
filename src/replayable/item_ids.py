"""Server-side item ids of OpenAI's Responses API, wherever a stored history keeps them.

An item id (``msg_…``, ``fc_…``, ``rs_…``) names something on OpenAI's server; a call's ``call_id`` is another thing. A
history keeps it in ``provider_options``: as ``id`` under ``openai_responses``, or as ``itemId`` in the ``openai`` part of a
framework's provider options or metadata.
"""

from __future__ import annotations

from typing import Any, Final

from .edits import replace
from .messages import Part

__all__ = ["has_item_id", "without_item_id"]

_KEYS: Final = frozenset({"itemId", "item_id"})
# Framework options nest a level or two; deeper is somebody's data.
_DEPTH: Final = 5


def has_item_id(part: Part) -> bool:
    """Tell whether a part names an item on OpenAI's server."""
    return without_item_id(part) is not part


def without_item_id(part: Part) -> Part:
    """Return the part without its item id, so that it is replayed by value; the same part when it has none."""
    options = part.provider_options
    if not options:
        return part
    cleared = {api: _cleared(value, 0, top=api == "openai_responses") for api, value in options.items()}
    return (
        part
        if all(cleared[api] is options[api] for api in options)
        else replace(part, provider_options=cleared)
    )


def _cleared(value: Any, depth: int, *, top: bool) -> Any:
    if not isinstance(value, dict) or depth >= _DEPTH:
        return value
    kept = {
        key: _cleared(item, depth + 1, top=False)
        for key, item in value.items()
        if key not in _KEYS and not (top and key == "id")
    }
    same = len(kept) == len(value) and all(kept[key] is value[key] for key in kept)
    return value if same else kept
