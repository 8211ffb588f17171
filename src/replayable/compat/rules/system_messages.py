"""Rule makers for system messages that a provider takes only once, nowhere, or under another role."""

from __future__ import annotations

from typing import Final, TypeVar

from typing_extensions import Unpack

from ..._node import make
from ...edits import map_messages, replace, same_items, with_parts
from ...facts import SYSTEM, WIRE_FIELDS
from ...messages import Message, MessageBase, Messages, Part, SystemMessage, TextPart, UserMessage
from ..rule import CompatRule
from .making import RuleFields, message_rule
from .wire_fields import with_options

__all__ = [
    "changes_tools",
    "developer_as_system",
    "later_as_user",
    "later_system_to_user",
    "one_leading_system",
    "system_as_user",
    "system_into_user",
    "told_by_user",
    "with_one_leading_system",
]

MessageT = TypeVar("MessageT", bound=MessageBase)


def one_leading_system(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Join several system messages at the start into one."""
    return message_rule(name, with_one_leading_system, needs=SYSTEM, **fields)


def with_one_leading_system(messages: Messages) -> Messages | None:
    """Join several system messages at the start into one."""
    count = _leading(messages)
    if count < 2:
        return None
    parts = tuple(part for message in messages[:count] for part in message.parts)
    if all(part.type == "text" and not part.provider_options for part in parts):
        texts = [part.text for part in parts if part.type == "text" and part.text.strip()]
        parts = (TextPart("\n\n".join(texts)),)
    return (replace(messages[0], parts=parts), *messages[count:])


def later_system_to_user(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Turn a system message that stands among the others into a user message between ``<system>`` tags, in place."""
    return message_rule(name, later_as_user, needs=SYSTEM, **fields)


def later_as_user(messages: Messages) -> Messages | None:
    """Turn the system messages that stand among the others into user messages; what says nothing leaves."""
    leading = _leading(messages)
    out: list[Message] = list(messages[:leading])
    for message in messages[leading:]:
        if message.role != "system":
            out.append(message)
        elif (told := told_by_user(message)) is not None:
            out.append(told)
    return None if same_items(out, messages) else tuple(out)


def _leading(messages: Messages) -> int:
    return next((index for index, message in enumerate(messages) if message.role != "system"), len(messages))


# Anthropic's way, and Converse's: the tools differ from here on. Only a system message may hold these.
_TOOL_CHANGES: Final = frozenset({"tool_addition", "tool_removal", "toolAddition", "toolRemoval"})


def told_by_user(message: SystemMessage) -> UserMessage | None:
    """Return a system message as a user's; None where it says nothing, which would look like something between tags."""
    parts: list[Part] = [part for part in message.parts if not changes_tools(part)]
    if all(part.type == "text" and not part.text.strip() for part in parts):
        return None
    return system_as_user(with_parts(message, parts))


def changes_tools(part: Part) -> bool:
    """Whether a part says that a tool can be called from here on, or no longer."""
    if part.type != "opaque" or not isinstance(part.value, dict):
        return False
    kind = part.value.get("type")
    return (isinstance(kind, str) and kind in _TOOL_CHANGES) or not _TOOL_CHANGES.isdisjoint(part.value)


def system_as_user(message: SystemMessage) -> UserMessage:
    """Return a system message as a user's, its texts between ``<system>`` tags."""
    parts: list[Part] = [
        replace(part, text=f"<system>\n{part.text}\n</system>") if part.type == "text" else part
        for part in message.parts
    ]
    user = make(
        UserMessage,
        parts=tuple(parts),
        id=message.id,
        created_at=message.created_at,
        metadata=message.metadata,
        provider_options=message.provider_options,
    )
    return _without_role(user)


def _without_role(message: MessageT) -> MessageT:
    """Forget that a message was a ``developer``'s on its wire."""
    for api, options in (message.provider_options or {}).items():
        if "role" in options:
            kept = {key: value for key, value in options.items() if key != "role"}
            message = with_options(message, api, kept)
    return message


def system_into_user(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Put all system texts at the front of the next user message, where the model has no system role."""

    def change(messages: Messages) -> Messages | None:
        if not any(message.role == "system" for message in messages):
            return None
        out: list[Message] = []
        waiting: list[Part] = []
        for message in messages:
            if message.role == "system":
                waiting.extend(_texts(message))
            elif message.role == "user" and waiting:
                out.append(replace(message, parts=(*waiting, *message.parts)))
                waiting = []
            else:
                out.append(message)
        if waiting:
            out.append(make(UserMessage, parts=tuple(waiting)))
        return tuple(out)

    return message_rule(name, change, needs=SYSTEM, **fields)


def _texts(message: SystemMessage) -> list[Part]:
    return [part for part in message.parts if part.type != "text" or part.text.strip()]


def developer_as_system(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Say ``system`` where a message says ``developer`` on its wire."""

    def change(message: Message) -> Message:
        return _without_role(message) if message.role == "system" else message

    return message_rule(name, lambda messages: map_messages(messages, change), needs=WIRE_FIELDS, **fields)
