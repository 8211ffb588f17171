"""Rule maker for a user message behind tool results, on wires where both are the user's."""

from __future__ import annotations

from typing import Final

from typing_extensions import Unpack

from ...edits import replace
from ...facts import TOOL
from ...messages import Message, Messages
from ..rule import CompatRule
from .making import RuleFields, message_rule
from .wire_fields import options_of, with_options

__all__ = ["user_joins_results"]

# How the formats note that a message goes into the wire message before it.
_CONTINUES: Final = "$continues"


def user_joins_results(name: str, *, api: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Send a user message that stands directly behind results in one wire message with them.

    Args:
        name: The rule's name.
        api: Whose wire.
        fields: See ``RuleFields``.
    """

    def change(messages: Messages) -> Messages | None:
        out: list[Message] = []
        changed = False
        for message in messages:
            if message.role == "user" and out and out[-1].role == "tool":
                options = options_of(message, api)
                if _CONTINUES not in options:
                    changed = True
                    # Both are written anew: wire objects of their own would stay apart.
                    out[-1] = replace(out[-1])
                    message = with_options(message, api, {**options, _CONTINUES: True})
            out.append(message)
        return tuple(out) if changed else None

    return message_rule(name, change, needs=TOOL, **fields)
