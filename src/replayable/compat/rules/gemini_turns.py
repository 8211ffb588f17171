"""Rule makers for Gemini's contents: their roles, where calls and responses stand, and parts that hold nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from typing_extensions import Unpack

from ..._node import make
from ...edits import chained, map_messages, replace, same_items, with_parts
from ...facts import ASSISTANT, BLANK, CALLS, OPAQUE, REASONING, SYSTEM, TOOL, USER, WIRE_FIELDS, facts_of
from ...messages import (
    Message,
    Messages,
    Part,
    ReasoningPart,
    TextPart,
    ToolMessage,
    UserMessage,
)
from ...model_ref import ModelRef
from ...prompt import Prompt, with_messages
from ..rule import CompatRule
from .empties import without_empties
from .making import RuleFields, for_models, message_rule
from .placeholders import CONTINUE, OPENING
from .roles import merged
from .system_messages import later_as_user
from .wire_fields import options_of, with_options

__all__ = [
    "alternating_turns",
    "call_turn_order",
    "known_roles",
    "one_response_turn",
    "parts_with_data",
]

_API: Final = "gemini"
# Notes of the format (see ``formats.gemini.names``).
_ABSENT: Final = "$absent"
_STARTS: Final = "$starts"
_CONTINUES: Final = "$continues"


def known_roles(
    name: str, *, demands_role: Callable[[ModelRef], bool], **fields: Unpack[RuleFields]
) -> CompatRule:
    """Give contents of other APIs' roles (``assistant``, ``system``, ``tool``) the one that they have here.

    Args:
        name: The rule's name.
        demands_role: For which models the role may not be left out.
        fields: See ``RuleFields``.
    """
    demanded = for_models(demands_role)

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        messages = _with_known_roles(prompt.messages, fill=demanded(prompt))
        return None if messages is None else with_messages(prompt, messages)

    return CompatRule(
        name=name,
        summary=fields["summary"],
        apply_to_prompt=apply_to_prompt,
        fix=lambda messages, _error: _with_known_roles(messages, fill=True),
        needs=WIRE_FIELDS,
        evidence=fields["evidence"],
        examples=fields.get("examples", ()),
    )


def _with_known_roles(messages: Messages, *, fill: bool) -> Messages | None:
    def change(message: Message) -> Message:
        if message.role == "system" and message.placement == "top":
            # The system instruction's role is not looked at.
            return message
        options = options_of(message, _API)
        leaving = {"role"} if options.get("role", "function") not in ("function", None) else set()
        if fill and "role" in options and options["role"] is None:
            leaving = {"role"}
        if fill and "role" in options.get(_ABSENT, ()):
            leaving.add(_ABSENT)
        if not leaving:
            return message
        new: Message = with_options(
            message, _API, {key: value for key, value in options.items() if key not in leaving}
        )
        return new

    return map_messages(messages, change)


def call_turn_order(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Join calls with the model's turn directly before them, and put a user turn before calls that come first."""

    def change(messages: Messages) -> Messages | None:
        return chained(messages, _with_calls_joined, _with_user_before_calls)

    return message_rule(name, change, needs=CALLS, **fields)


def _with_calls_joined(messages: Messages) -> Messages | None:
    """The messages, with all of the model's that stand in a row before calls in one with them."""
    joining: set[int] = set()
    calls_follow = False
    for message in reversed(messages):
        calls_follow = message.role == "assistant" and (calls_follow or _calls(message))
        if calls_follow:
            joining.add(id(message))
    return merged(messages, ("assistant",), where=lambda message: id(message) in joining)


def _with_user_before_calls(messages: Messages) -> Messages | None:
    first = next((index for index, message in enumerate(messages) if message.role != "system"), None)
    if first is None or messages[first].role != "assistant" or not _calls(messages[first]):
        return None
    return (*messages[:first], make(UserMessage, parts=(TextPart(OPENING),)), *messages[first:])


def _calls(message: Message) -> bool:
    return bool(facts_of(message) & CALLS)


def one_response_turn(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Put the responses to the calls of one turn into one content, where each had a content of its own."""

    def change(message: Message) -> Message:
        options = options_of(message, _API)
        if not isinstance(message, ToolMessage) or _STARTS not in options:
            return message
        new: Message = with_options(
            message, _API, {key: value for key, value in options.items() if key != _STARTS}
        )
        return new

    return message_rule(name, lambda messages: map_messages(messages, change), needs=WIRE_FIELDS, **fields)


def alternating_turns(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Make one content of several in a row of one role, and end with the user's; what the user says goes with the
    responses before it."""

    def change(messages: Messages) -> Messages | None:
        # A later system message is sent in a turn of the user's.
        return chained(
            messages, later_as_user, lambda given: merged(given, ("user", "assistant")), _alternating
        )

    return message_rule(name, change, needs=USER | ASSISTANT | SYSTEM, **fields)


def _alternating(messages: Messages) -> Messages | None:
    out: list[Message] = []
    for message in messages:
        options = options_of(message, _API)
        follows_results = bool(out) and bool(facts_of(out[-1]) & TOOL)
        if message.role == "user" and follows_results and _CONTINUES not in options:
            message = with_options(message, _API, {**options, _CONTINUES: True})
            # The turn that it joins is written anew, not sent as it came.
            out[-1] = replace(out[-1])
        out.append(message)
    if out and out[-1].role == "assistant" and not _calls(out[-1]):
        out.append(make(UserMessage, parts=(TextPart(CONTINUE),)))
    return None if same_items(out, messages) else tuple(out)


# --- parts that hold nothing --------------------------------------------------------------------------------------


def parts_with_data(
    name: str,
    *,
    takes_empty_text: Callable[[ModelRef], bool],
    takes_lone_signature: Callable[[ModelRef], bool],
    **fields: Unpack[RuleFields],
) -> CompatRule:
    """Drop parts that hold nothing, and contents without parts; a user's stays as a placeholder where it must.

    Args:
        name: The rule's name.
        takes_empty_text: Which models take a text of no length.
        takes_lone_signature: Which models take a part that is a thought signature alone.
        fields: See ``RuleFields``.
    """

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        # With fallbacks, what any of them refuses goes.
        models = tuple(prompt.model.candidates()) if prompt.model is not None else ()
        messages = _with_data(
            prompt.messages,
            empty_text=all(map(takes_empty_text, models)),
            lone_signature=all(map(takes_lone_signature, models)),
        )
        return None if messages is None else with_messages(prompt, messages)

    return CompatRule(
        name=name,
        summary=fields["summary"],
        apply_to_prompt=apply_to_prompt,
        fix=lambda messages, _error: _with_data(messages, empty_text=False, lone_signature=False),
        needs=BLANK | REASONING | OPAQUE,
        evidence=fields["evidence"],
        examples=fields.get("examples", ()),
    )


def _with_data(messages: Messages, *, empty_text: bool, lone_signature: bool) -> Messages | None:
    def change_part(part: Part) -> Part | None:
        if part.type == "text":
            return part if part.text or empty_text else None
        if part.type == "opaque":
            return None if part.api == _API and part.value == {} else part
        if part.type == "reasoning" and not part.text and not _holds_file(part):
            return _thought_with_data(part, empty_text, lone_signature)
        return part

    def change(message: Message) -> Message:
        if not facts_of(message) & (BLANK | REASONING | OPAQUE):
            return message
        parts = [change_part(part) for part in message.parts]
        return with_parts(message, tuple(part for part in parts if part is not None))

    return chained(
        messages,
        lambda given: map_messages(given, change),
        # Texts of white space are fine: only what has no part left at all goes.
        lambda given: without_empties(given, keep_last_answer=False, is_blank=lambda text: False),
    )


def _holds_file(part: ReasoningPart) -> bool:
    return not {"inlineData", "fileData"}.isdisjoint(options_of(part, _API))


def _thought_with_data(part: ReasoningPart, empty_text: bool, lone_signature: bool) -> ReasoningPart | None:
    """A thought without text: as it is where the API takes it, else in the form that it takes."""
    options = options_of(part, _API)
    absent = options.get(_ABSENT, ())
    has_text = "text" not in absent
    if (has_text and empty_text) or (not has_text and part.signature is not None and lone_signature):
        return part
    if part.signature is None or not (empty_text or lone_signature):
        return None
    others = [field for field in absent if field != "text"]
    if has_text:
        others.append("text")
    noted = {**{key: value for key, value in options.items() if key != _ABSENT}}
    changed: ReasoningPart = with_options(part, _API, {**noted, _ABSENT: others} if others else noted)
    return changed
