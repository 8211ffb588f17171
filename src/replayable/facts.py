"""What is known about a message, computed once and kept beside it.

A fact is a bit. One pass that ORs the facts of a history tells which rules can have anything to do at all, which is
why an unchanged history costs next to nothing. Facts depend on the part objects alone, never on the content of a
dict that a caller could still mutate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from operator import attrgetter, or_
from typing import Any, Final, NamedTuple, TypeVar

from ._node import Piece, unfinished
from .messages import Message, MessageBase, Part

__all__ = [
    "Known",
    "Survey",
    "build_message",
    "build_renamed",
    "facts_of",
    "facts_of_all",
    "ids_of",
    "known_of_all",
    "survey",
]

SYSTEM: Final = 1 << 0
USER: Final = 1 << 1
ASSISTANT: Final = 1 << 2
TOOL: Final = 1 << 3
ANY_ROLE: Final = SYSTEM | USER | ASSISTANT | TOOL

CALLS: Final = 1 << 4
"""Tool calls that the client has to answer."""
RESULTS: Final = 1 << 5
"""Tool results in a tool message."""
SERVER_TOOLS: Final = 1 << 6
"""Calls that the provider executed, or their results."""
REASONING: Final = 1 << 7
FILES: Final = 1 << 8
"""Files anywhere, inside tool results too."""
OPAQUE: Final = 1 << 9
"""Parts that only one API knows, inside tool results too."""
BLANK: Final = 1 << 10
"""A text of white space only (inside a client's tool result too), or a message without parts."""
ODD_IDS: Final = 1 << 11
"""A tool call id that is missing, empty, or has characters outside ``[a-zA-Z0-9_-]``."""
IRREGULAR: Final = 1 << 12
"""Pairing has to look closer: an id is missing or repeated within the message, a result stands in an assistant message, or
a tool message is empty."""
UNSETTLED: Final = 1 << 13
"""A call that is not complete."""
NOT_AN_OBJECT: Final = 1 << 14
"""A call whose input is not a JSON object."""
LONG_IDS: Final = 1 << 15
"""A tool call id of more than 40 characters."""
UNPAIRED: Final = 1 << 16
"""Of a history: its calls and results need a closer look. Without it every call is answered by its id, once, directly
behind its message, and every result has its call."""
WIRE_FIELDS: Final = 1 << 17
"""A message that has ``provider_options``: its wire says something beyond its parts."""
PART_FIELDS: Final = 1 << 18
"""A part, or one inside a tool result, that has ``provider_options``."""
ODD_NAMES: Final = 1 << 19
"""The name of a client's tool that is not ``[a-zA-Z_][a-zA-Z0-9_-]*`` of up to 64 characters, in a call or a result."""
BEHIND_CALLS: Final = 1 << 20
"""Text, a file or what only one API knows behind a client's call in one message."""
SILENT_RESULTS: Final = 1 << 21
"""A client's result that says nothing by itself: its content is empty, or it has none and no output but white space."""
SEVERAL: Final = 1 << 22
"""More than one part beside the client's calls and results in one message, or a tool result whose content is a list."""
IN_A_ROW: Final = 1 << 23
"""Of a history: a message of the user or of the assistant directly follows one of its own role, or a user's the results.
Where calls and results are ``UNPAIRED`` it may be told without being so."""

_MERGEABLE: Final = USER | ASSISTANT
_ROLES: Final = {"system": SYSTEM, "user": USER, "assistant": ASSISTANT, "tool": TOOL}
_OTHERS: Final = {"reasoning": REASONING, "file": FILES, "opaque": OPAQUE}
_plain_name: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}").fullmatch
_plain_id: Final = re.compile(r"[a-zA-Z0-9_-]+").fullmatch
_set_known = MessageBase.__dict__["_known"].__set__
_get_known = MessageBase.__dict__["_known"].__get__
# The quickest where all is known; where it is not, pydantic's slow `__getattr__` answers.
_quick_known = attrgetter("_known")

Ids = tuple[str | None, ...]
Known = tuple[int, Ids]
"""The facts of a message, and its ids: see ``ids_of``."""


class _Shared(dict[int, Known]):
    """One number, or pair, for all messages alike: it saves memory, and a walk finds it in the processor's cache."""

    def __missing__(self, facts: int) -> Known:
        return self.setdefault(facts, (facts, ()))


_without_ids: Final = _Shared()
MessageT = TypeVar("MessageT", bound=MessageBase)


def facts_of(message: MessageBase) -> int:
    """Return the facts of a message as a bit set."""
    return _known_of(message)[0]


def ids_of(message: Message) -> Ids:
    """Return the ids of the client's calls in an assistant message, or of the client's results in a tool message."""
    return _known_of(message)[1]


def _known_of(message: MessageBase) -> Known:
    try:
        known: Known = _get_known(message)
    except AttributeError:
        known = _tell(message)
    return known


def _tell(message: MessageBase) -> Known:
    known = _told(message.__dict__)
    _set_known(message, known)
    return known


def known_of_all(messages: Sequence[Message]) -> list[Known]:
    """Return the facts and the ids of each message: quicker than to ask for one after the other."""
    try:
        return list(map(_quick_known, messages))
    except AttributeError:
        return list(map(_known_of, messages))


def facts_of_all(messages: Sequence[Message]) -> int:
    """Return the facts that occur anywhere in a history, and whether it is ``UNPAIRED``."""
    try:
        return _walk(map(_quick_known, messages))
    except AttributeError:
        # Asking is slow where the answer is no. So where it is no at both ends and in the middle, nobody is asked.
        are_new = not any(map(_is_known, (messages[0], messages[len(messages) // 2], messages[-1])))
        return _walk(map(_tell if are_new else _known_of, messages))


def _is_known(message: MessageBase) -> bool:
    try:
        _get_known(message)
    except AttributeError:
        return False
    return True


class Survey(NamedTuple):
    """What is known of a history: its facts, and how many messages at its start are paired among themselves."""

    facts: int = 0
    paired: int = 0


_NOTHING_KNOWN: Final = Survey()


def survey(messages: Sequence[Message], known: Survey = _NOTHING_KNOWN) -> Survey:
    """Look at a history, only at what is new in it.

    Args:
        messages: The history.
        known: The survey of the history before these very messages were put behind it.
    """
    rest = messages[known.paired :]
    facts = facts_of_all(rest)
    if rest and known.paired and facts_of(rest[0]) & _joinable(facts_of(messages[known.paired - 1])):
        facts |= IN_A_ROW
    paired = len(rest)
    if facts & UNPAIRED:
        # The last calls may get their results yet: what stands before them is known all the same.
        calls = (index for index in range(len(rest) - 1, -1, -1) if facts_of(rest[index]) & CALLS)
        last_turn = next(calls, 0)
        paired = 0 if facts_of_all(rest[:last_turn]) & UNPAIRED else last_turn
    return Survey(known.facts & ~UNPAIRED | facts, known.paired + paired)


def _walk(history: Iterator[Known]) -> int:
    # On a long history that nobody changes this is most of the work.
    anywhere = 0
    joinable = 0
    calls: Ids = ()
    answers: list[str | None] = []
    for facts, ids in history:
        anywhere |= facts
        if facts & TOOL:
            answers += ids
            joinable = USER
        else:
            if facts & joinable:
                anywhere |= IN_A_ROW
            joinable = facts & _MERGEABLE
            if calls or answers:
                # In the usual order, mostly; a call of a function would take longer than this does.
                if tuple(answers) != calls and not _are_answered(calls, answers):
                    return reduce(or_, (facts for facts, _ in history), anywhere | UNPAIRED | IN_A_ROW)
                answers = []
            calls = ids
    return anywhere if _are_answered(calls, answers) and not anywhere & IRREGULAR else anywhere | UNPAIRED


def _joinable(facts: int) -> int:
    """The role of which a message behind one with these facts makes two in a row."""
    return USER if facts & TOOL else facts & _MERGEABLE


def _are_answered(calls: Ids, answers: list[str | None]) -> bool:
    """Whether each call has one answer; both have ids of their own, which are not repeated among the calls."""
    return len(calls) == len(answers) and set(calls) == set(answers)


def build_message(
    cls: type[MessageT],
    fields: dict[str, Any],
    wire: object = None,
    piece: Piece | None = None,
    known: Known | None = None,
) -> MessageT:
    """Do what ``build`` does, for a message: its facts are quickest to tell while its parts are still at hand."""
    # As `build` does, but not by it, which is quick for parts as long as it seldom meets messages.
    message = unfinished(cls)()
    message.__dict__ = fields
    if piece is not None:
        message._wire = wire
        message._piece = piece
    message._known = known or _told(fields)
    message.__class__ = cls
    finished: MessageT = message
    return finished


def build_renamed(cls: type[MessageT], fields: dict[str, Any], facts: int, ids: Ids) -> MessageT:
    """Do what ``build_message`` does, for a message that differs from an old one in nothing but its ids (see ``ids_of``).

    Args:
        cls: The class of both.
        fields: The fields of the new one, owned by it from now on.
        facts: The facts of the old one.
        ids: The ids of the new one.
    """
    if facts & (IRREGULAR | SERVER_TOOLS):
        # Other ids than these have a say in the facts.
        return build_message(cls, fields)
    facts &= ~(ODD_IDS | LONG_IDS)
    for tool_call_id in ids:
        facts |= _id_facts(tool_call_id)
    return build_message(cls, fields, known=_with_ids(facts, ids))


def _told(about: Mapping[str, Any]) -> Known:
    """Tell what there is to know of a message that has these fields."""
    # A quarter of what decoding costs, and most of a first look at messages made by hand: so this asks no other function
    # about what is usual, and reads fields from the dict, since attributes of pydantic's models are slow.
    role = about["role"]
    facts = _ROLES[role]
    if about["provider_options"] is not None:
        facts |= WIRE_FIELDS
    parts = about["parts"]
    if not parts:
        facts |= BLANK | IRREGULAR if role == "tool" else BLANK
    ids: list[str | None] = []
    for part in parts:
        fields = part.__dict__
        kind = fields["type"]
        if fields["provider_options"] is not None:
            facts |= PART_FIELDS
        if kind == "text":
            text = fields["text"]
            if not text or text.isspace():
                facts |= BLANK
            if ids:
                facts |= BEHIND_CALLS
            continue
        if kind == "tool_call":
            by_client = CALLS
            if not isinstance(fields["input"], dict):
                facts |= NOT_AN_OBJECT
            if fields["state"] != "complete":
                facts |= UNSETTLED
        elif kind == "tool_result":
            by_client = RESULTS if role == "tool" else IRREGULAR
            content, output = fields["content"], fields["output"]
            if content is not None:
                facts |= SEVERAL | _content_facts(content, by_server=fields["provider_executed"])
            elif output is None or (isinstance(output, str) and (not output or output.isspace())):
                facts |= 0 if fields["provider_executed"] else SILENT_RESULTS
        else:
            facts |= _OTHERS[kind]
            if ids and kind != "reasoning" and role == "assistant":
                facts |= BEHIND_CALLS
            continue
        tool_call_id = fields["tool_call_id"]
        if not (
            tool_call_id
            and len(tool_call_id) <= 40
            and tool_call_id.isascii()
            and tool_call_id.isidentifier()
        ):
            facts |= _id_facts(tool_call_id)
        if fields["provider_executed"]:
            facts |= SERVER_TOOLS
            continue
        facts |= by_client
        if by_client != IRREGULAR:
            ids.append(tool_call_id)
        if fields["tool_name"] is not None:
            facts |= _name_facts(fields["tool_name"])
    if len(parts) > len(ids) + 1:
        facts |= SEVERAL
    return _with_ids(facts, tuple(ids)) if ids else _without_ids[facts]


def _with_ids(facts: int, ids: Ids) -> Known:
    if len(ids) > 1 and len(set(ids)) < len(ids):
        facts |= IRREGULAR
    known = _without_ids[facts]
    return (known[0], ids) if ids else known


def _id_facts(tool_call_id: str | None) -> int:
    if not tool_call_id:
        return ODD_IDS | IRREGULAR
    is_name = tool_call_id.isascii() and tool_call_id.isidentifier()
    facts = 0 if is_name or _plain_id(tool_call_id) else ODD_IDS
    return facts | LONG_IDS if len(tool_call_id) > 40 else facts


@lru_cache(maxsize=1024)
def _name_facts(tool_name: str) -> int:
    return 0 if _plain_name(tool_name) else ODD_NAMES


def _content_facts(content: Sequence[Part], *, by_server: bool) -> int:
    facts = 0 if content or by_server else SILENT_RESULTS
    for item in content:
        if item.provider_options is not None:
            facts |= PART_FIELDS
        if item.type == "file":
            facts |= FILES
        elif item.type == "opaque":
            facts |= OPAQUE
        elif item.type == "text" and not by_server and (not item.text or item.text.isspace()):
            facts |= BLANK
    return facts
