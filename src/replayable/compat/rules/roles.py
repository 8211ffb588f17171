"""Rule makers for whose turn it is: who comes first and last, and who may follow whom."""

from __future__ import annotations

from collections.abc import Callable

from typing_extensions import Unpack

from ..._node import make
from ...edits import chained, replace
from ...facts import ASSISTANT, IN_A_ROW, REASONING, SERVER_TOOLS, TOOL, facts_of
from ...messages import AssistantMessage, Message, Messages, Part, ProviderOptions, TextPart, UserMessage
from ...pairing import clean_messages
from ..rule import CompatRule
from .empties import is_empty_answer
from .making import RuleFields, message_rule
from .neighbours import follow
from .placeholders import BRIDGE, CONTINUE, OPENING

__all__ = [
    "assistant_between",
    "last_user",
    "leading_user",
    "merge_last",
    "merge_runs",
    "merged",
    "paired",
    "some_message",
    "some_user",
    "user_last",
    "with_leading_user",
    "with_some_message",
]


def merge_runs(name: str, *roles: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Make one message of several in a row of one role, for the roles ``user`` and ``assistant``, or one of them.

    The first one's id and fields count. Messages that carry calls are merged only where no results stand between.
    """
    return message_rule(name, lambda messages: merged(messages, roles), needs=IN_A_ROW, **fields)


def _always(_message: Message) -> bool:
    return True


def merged(
    messages: Messages, roles: tuple[str, ...], *, where: Callable[[Message], bool] = _always
) -> Messages | None:
    """Merge the runs of messages of one role.

    Args:
        messages: The history.
        roles: Of which roles.
        where: Which messages join the one before them.
    """
    if not follow(messages, {(role, role) for role in roles}):
        return None
    out: list[Message] = []
    for message in messages:
        last = out[-1] if out else None
        if last is not None and last.role == message.role and message.role in roles and where(message):
            out[-1] = _joined(last, message)
        else:
            out.append(message)
    return tuple(out) if len(out) < len(messages) else None


def _joined(one: Message, other: Message) -> Message:
    if one.parts and other.role == "assistant" and is_empty_answer(other):
        # A last answer may be empty where it stands alone; an empty text within another may not.
        return one
    options = _joined_options(one, other)
    if one.role != "assistant" or other.role != "assistant" or _maker_of(one) == _maker_of(other):
        return replace(one, parts=(*one.parts, *other.parts), provider_options=options)
    # Whose server ran the tools is told by the message, who thought also by the reasoning.
    maker = other if not one.parts or _tells_more_of_its_maker(other, one) else one
    parts = [
        _made_by(part, message) if message is not maker else part
        for message in (one, other)
        for part in message.parts
    ]
    return replace(
        one,
        parts=tuple(parts),
        provider_options=options,
        provider=maker.provider,
        api=maker.api,
        model=maker.model,
    )


def _maker_of(message: AssistantMessage) -> tuple[str | None, str | None]:
    return message.provider, message.api


def _tells_more_of_its_maker(other: Message, one: Message) -> bool:
    for fact in (SERVER_TOOLS, REASONING):
        if (facts_of(one) | facts_of(other)) & fact:
            return not facts_of(one) & fact
    return False


def _made_by(part: Part, message: AssistantMessage) -> Part:
    if part.type != "reasoning" or part.provider is not None or message.provider is None:
        return part
    return replace(part, provider=message.provider)


def _joined_options(one: Message, other: Message) -> ProviderOptions | None:
    """The fields of both, without notes on how the content stood on the wire: the parts tell that now."""
    both = (other.provider_options or {}, one.provider_options or {})
    joined: ProviderOptions = {}
    for options in both:
        for api, fields in options.items():
            kept = {key: value for key, value in fields.items() if key != "$content"}
            if kept:
                joined[api] = {**joined.get(api, {}), **kept}
    return joined or None


def leading_user(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Put a user message before an assistant's that comes first (after the system messages)."""
    return message_rule(name, with_leading_user, needs=ASSISTANT | TOOL, **fields)


def with_leading_user(messages: Messages) -> Messages | None:
    """Put a user message before an assistant's that comes first."""
    first = _first_turn(messages)
    if first == len(messages) or messages[first].role == "user":
        return None
    return (*messages[:first], make(UserMessage, parts=(TextPart(OPENING),)), *messages[first:])


def some_user(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Put a user message with text in front where no user message says anything (an empty history gets one, too)."""

    def change(messages: Messages) -> Messages | None:
        if any(message.role == "user" and _says_something(message) for message in messages):
            return None
        first = _first_turn(messages)
        return (*messages[:first], make(UserMessage, parts=(TextPart(OPENING),)), *messages[first:])

    return message_rule(name, change, **fields)


def some_message(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Put a user message into a history that has no message besides system messages."""
    return message_rule(name, with_some_message, **fields)


def with_some_message(messages: Messages) -> Messages | None:
    """Put a user message into a history that has no message besides system messages."""
    if any(message.role != "system" for message in messages):
        return None
    return (*messages, make(UserMessage, parts=(TextPart(OPENING),)))


def merge_last(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Make one message of several assistant messages at the end."""

    def change(messages: Messages) -> Messages | None:
        start = len(messages)
        while start and messages[start - 1].role == "assistant":
            start -= 1
        tail = merged(messages[start:], ("assistant",))
        return None if tail is None else (*messages[:start], *tail)

    return message_rule(name, change, needs=ASSISTANT, **fields)


def last_user(
    name: str, *, ends_well: Callable[[Message], bool] = lambda message: False, **fields: Unpack[RuleFields]
) -> CompatRule:
    """Put a user message after the last one, unless that is a user's, a tool's, or ends well otherwise: see ``user_last``."""
    return message_rule(name, lambda messages: user_last(messages, ends_well), **fields)


def user_last(
    messages: Messages, ends_well: Callable[[Message], bool] = lambda message: False
) -> Messages | None:
    """Put a user message after the last one, unless that is a user's, a tool's, or ends well otherwise.

    A last answer that says nothing (a stream that broke off) goes, alone where that is enough. Calls at the end are a matter of pairing: they
    wait for their results.
    """

    def _ends_well(message: Message) -> bool:
        return (
            message.role in ("user", "tool")
            or any(part.type == "tool_call" and not part.provider_executed for part in message.parts)
            or ends_well(message)
        )

    if not messages or _ends_well(messages[-1]):
        return None
    end = len(messages)
    while end and messages[end - 1].role == "assistant" and not _says_something(messages[end - 1]):
        end -= 1
    kept = messages[:end]
    return kept if kept and _ends_well(kept[-1]) else (*kept, make(UserMessage, parts=(TextPart(CONTINUE),)))


def assistant_between(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Put an assistant message between tool results and a user message directly behind them.

    After a rejection results first move behind their calls, where the request had them: only there a user message follows.
    """

    def change(messages: Messages) -> Messages | None:
        out: list[Message] = []
        for message in messages:
            if out and (out[-1].role, message.role) == ("tool", "user"):
                out.append(make(AssistantMessage, parts=(TextPart(BRIDGE),)))
            out.append(message)
        return tuple(out) if len(out) > len(messages) else None

    fields["repair"] = lambda messages: chained(messages, paired, change)
    return message_rule(name, change, needs=IN_A_ROW, **fields)


def paired(messages: Messages) -> Messages | None:
    """Give every call its result, save those that are still pending."""
    cleaned = clean_messages(messages, missing_results="placeholder", keep_pending=True)
    return None if cleaned is messages else tuple(cleaned)


def _first_turn(messages: Messages) -> int:
    """Where the first message stands that is no system message."""
    return next((index for index, message in enumerate(messages) if message.role != "system"), len(messages))


def _says_something(message: Message) -> bool:
    return any(part.type != "text" or part.text.strip() for part in message.parts)
