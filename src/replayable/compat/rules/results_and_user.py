"""Rule makers for what stands directly behind tool results, on wires where results are the user's."""

from __future__ import annotations

from typing import Any, Final

from typing_extensions import Unpack

from ..._node import wire_of
from ...edits import replace
from ...facts import IN_A_ROW, TOOL, WIRE_FIELDS
from ...messages import Message, Messages
from ..rule import CompatRule
from .making import RuleFields, message_rule
from .neighbours import follow
from .wire_fields import options_of, with_options

__all__ = ["results_in_one_message", "user_in_results", "user_joins_results"]

# How the formats note that a message goes into the wire message before it, or starts one although results stand there.
_CONTINUES: Final = "$continues"
_STARTS: Final = "$starts"


def user_joins_results(name: str, *, api: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Send the results of a turn, and a user message directly behind them, in one wire message.

    Args:
        name: The rule's name.
        api: Whose wire.
        fields: See ``RuleFields``.
    """
    # Results that stand apart on the wire say so in its fields.
    needs = IN_A_ROW | WIRE_FIELDS
    return message_rule(name, lambda messages: user_in_results(messages, api), needs=needs, **fields)


def user_in_results(messages: Messages, api: str) -> Messages | None:
    """Put results, and a user message directly behind them, into one message of an API's wire."""
    return _joined(messages, api, ("tool", "user"))


def results_in_one_message(name: str, *, api: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Send the results of a turn in one wire message.

    Args:
        name: The rule's name.
        api: Whose wire.
        fields: See ``RuleFields``.
    """
    return message_rule(name, lambda messages: _joined(messages, api, ("tool",)), needs=TOOL, **fields)


def _joined(messages: Messages, api: str, roles: tuple[str, ...]) -> Messages | None:
    """Put messages of some roles into the wire message of the results directly before them."""
    if not follow(messages, {("tool", role) for role in roles}):
        return None
    out: list[Message] = []
    changed = False
    for message in messages:
        if out and out[-1].role == "tool" and message.role in roles:
            options = _joining(message, api)
            if options != options_of(message, api) or not _stand_together(out[-1], message, api):
                changed = True
                # Both are written anew: wire objects of their own would stay apart.
                out[-1] = replace(out[-1])
                message = with_options(message, api, options)
        out.append(message)
    return tuple(out) if changed else None


def _joining(message: Message, api: str) -> dict[str, Any]:
    """The notes of a message that goes into the wire message before it."""
    options = options_of(message, api)
    if message.role == "user":
        return {**options, _CONTINUES: True}
    return {key: value for key, value in options.items() if key != _STARTS}


def _stand_together(first: Message, second: Message, api: str) -> bool:
    """Whether both come from one wire message, or from none."""
    wires = [
        None if piece is None or piece.api != api else wire for wire, piece in map(wire_of, (first, second))
    ]
    return wires[0] is wires[1]
