"""Rule makers for what a message's content may be: present, not blank, one text, no files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from typing_extensions import Unpack

from ...edits import map_messages, map_parts, replace, same_items, with_parts
from ...facts import (
    BLANK,
    CALLS,
    FILES,
    OPAQUE,
    PART_FIELDS,
    REASONING,
    SEVERAL,
    SILENT_RESULTS,
    WIRE_FIELDS,
    facts_of,
)
from ...media import file_stub, opaque_stub
from ...messages import ContentPart, FilePart, Message, OpaquePart, Part, TextPart, ToolResultPart
from ..rule import CompatRule
from .making import RuleFields, message_rule
from .placeholders import CALLING, EMPTY, NO_OUTPUT
from .wire_fields import options_of, with_options

__all__ = [
    "blank_messages",
    "content_as_text",
    "content_present",
    "files_as_text",
    "results_not_blank",
    "text_beside_calls",
]

_CONTENT = "$content"
# What stands as a list on the wire: else there is one text at most, which has no fields of its own.
_LISTED: Final = SEVERAL | FILES | OPAQUE | PART_FIELDS


def content_present(
    name: str,
    *roles: str,
    api: str,
    forms: tuple[str, ...] = ("null", "absent"),
    beside_calls: bool = False,
    knows_refusals: bool = False,
    **fields: Unpack[RuleFields],
) -> CompatRule:
    """Give an empty text to messages whose ``content`` is null or absent on the wire; a refusal beside it is text.

    Args:
        name: The rule's name.
        roles: The messages' roles.
        api: On whose wire.
        forms: Which of ``null`` and ``absent`` the provider refuses.
        beside_calls: Whether answers with calls need the field, too; there null will do.
        knows_refusals: Whether the field ``refusal`` stands for content, as at OpenAI.
        fields: See ``RuleFields``.
    """

    def change(message: Message) -> Message:
        options = options_of(message, api)
        if message.role not in roles or options.get(_CONTENT) not in forms:
            return message
        parts = message.parts if knows_refusals else tuple(map(_spoken, message.parts))
        if any(_stands_for_content(part) for part in parts) or options.get("audio"):
            if not beside_calls:
                return message
        elif message.role != "tool" and not any(part.type == "text" for part in parts):
            parts = (*parts, TextPart(""))
        return _with_content(message, parts, api)

    return message_rule(name, lambda messages: map_messages(messages, change), needs=WIRE_FIELDS, **fields)


def _spoken(part: Part) -> Part:
    """A refusal in OpenAI's field as the text that it is; every other part as it came."""
    if part.type == "opaque" and options_of(part, "openai_chat").get("$field") == "refusal":
        return TextPart(opaque_stub(part))
    return part


def _stands_for_content(part: Part) -> bool:
    # A refusal, or a call.
    return part.type in ("tool_call", "opaque")


def _with_content(message: Message, parts: Iterable[Part], api: str) -> Message:
    """A message with other parts, and no note of the form that its content had on one API's wire."""
    options = options_of(message, api)
    kept = {key: value for key, value in options.items() if key != _CONTENT}
    bare: Message = message if len(kept) == len(options) else with_options(message, api, kept)
    return with_parts(bare, tuple(parts))


# Blank texts may be all that a result's content holds.
_SAYS_NOTHING: Final = BLANK | SILENT_RESULTS


def results_not_blank(
    name: str, *, of: Callable[[ToolResultPart], bool] = lambda part: True, **fields: Unpack[RuleFields]
) -> CompatRule:
    """Say of a tool's result that it is empty, where it is.

    Args:
        name: The rule's name.
        of: Of which results.
        fields: See ``RuleFields``.
    """

    def change(message: Message, part: Part) -> Part:
        if message.role != "tool" or part.type != "tool_result":
            return part
        if not of(part) or part.provider_executed or not _is_blank(part):
            return part
        return replace(part, output=NO_OUTPUT, content=None)

    return message_rule(
        name, lambda messages: map_parts(messages, change, needs=_SAYS_NOTHING), needs=_SAYS_NOTHING, **fields
    )


def _is_blank(part: ToolResultPart) -> bool:
    if part.content is not None:
        return all(item.type == "text" and not item.text.strip() for item in part.content)
    return part.output is None or (isinstance(part.output, str) and not part.output.strip())


def blank_messages(
    name: str,
    *roles: str,
    blank: Callable[[str], bool] = lambda text: not text.strip(),
    **fields: Unpack[RuleFields],
) -> CompatRule:
    """Drop messages that say nothing at all: no calls, no files, blank text, or only reasoning. A user's stays as a
    placeholder; of an answer that is nothing but a refusal, which the provider has no field for, the text stays.

    Args:
        name: The rule's name.
        roles: The messages' roles.
        blank: Which texts count as nothing.
        fields: See ``RuleFields``.
    """

    def change(message: Message) -> Message | None:
        if message.role not in roles or not facts_of(message) & (BLANK | REASONING | OPAQUE):
            return message
        rest = [part for part in message.parts if _spoken(part) is part]
        if any(part.type not in ("text", "reasoning") or _speaks(part) for part in rest):
            return message
        if len(rest) < len(message.parts):
            return _with_content(message, map(_spoken, message.parts), "openai_chat")
        return _with_content(message, [TextPart(EMPTY)], "openai_chat") if message.role == "user" else None

    def _speaks(part: Part) -> bool:
        if part.type == "reasoning":
            # Mistral's stands among the content.
            return options_of(part, "openai_chat").get("$field") == "thinking"
        return part.type == "text" and not blank(part.text)

    return message_rule(
        name, lambda messages: map_messages(messages, change), needs=BLANK | REASONING | OPAQUE, **fields
    )


def text_beside_calls(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Give answers that hold nothing but calls a text beside them."""

    def change(message: Message) -> Message:
        if not facts_of(message) & CALLS or any(_has_text(part) for part in message.parts):
            return message
        return with_parts(message, (TextPart(CALLING), *message.parts))

    return message_rule(name, lambda messages: map_messages(messages, change), needs=CALLS, **fields)


def _has_text(part: Part) -> bool:
    return part.type == "text" and bool(part.text.strip())


def content_as_text(
    name: str,
    *roles: str,
    api: str,
    of: Callable[[Message], bool] = lambda message: True,
    keeps: Callable[[FilePart], bool] = lambda part: False,
    **fields: Unpack[RuleFields],
) -> CompatRule:
    """Join the texts of messages whose content would stand as a list; files leave a text that names them.

    Args:
        name: The rule's name.
        roles: The messages' roles.
        api: On whose wire.
        of: Which messages.
        keeps: Which files stay, since the wire holds them beside the text.
        fields: See ``RuleFields``.
    """

    def change(message: Message) -> Message:
        facts = facts_of(message)
        if not facts & (_LISTED | WIRE_FIELDS) or message.role not in roles or not of(message):
            return message
        if not facts & _LISTED:
            parts: Sequence[Part] = message.parts
        elif message.role == "tool":
            parts = [_flat_result(part, keeps) for part in message.parts]
        else:
            parts = _flat(message.parts, keeps)
        if options_of(message, api).get(_CONTENT) == "list":
            return _with_content(message, parts, api)
        return with_parts(message, parts)

    needs = _LISTED | WIRE_FIELDS
    return message_rule(name, lambda messages: map_messages(messages, change), needs=needs, **fields)


def _flat_result(part: Part, keeps: Callable[[FilePart], bool]) -> Part:
    if part.type != "tool_result" or part.content is None or part.provider_executed:
        return part
    kept = tuple(item for item in part.content if item.type == "file" and keeps(item))
    texts = [item for item in part.content if item.type != "file" or not keeps(item)]
    if not kept:
        return replace(part, output="\n".join(map(_text, texts)), content=None)
    if len(texts) <= 1 and all(item.type == "text" for item in texts):
        return part
    return replace(part, content=(TextPart("\n".join(map(_text, texts))), *kept))


def _flat(parts: tuple[Part, ...], keeps: Callable[[FilePart], bool]) -> list[Part]:
    """The parts with all that is content in one text, where the first of it stood."""
    content = [part for part in parts if _is_content(part) and not (part.type == "file" and keeps(part))]
    if not content or (len(content) == 1 and content[0].type == "text" and not content[0].provider_options):
        return list(parts)
    text = TextPart("\n".join(_text(part) for part in content))
    first = next(index for index, part in enumerate(parts) if part is content[0])
    joined = {id(part) for part in content}
    return [*parts[:first], text, *(part for part in parts[first:] if id(part) not in joined)]


def _is_content(part: Part) -> bool:
    # A refusal has a field of its own.
    return part.type in ("text", "file") or (
        part.type == "opaque" and "$field" not in options_of(part, part.api)
    )


def _text(part: Part | ContentPart) -> str:
    if part.type == "text":
        return part.text
    return file_stub(part) if part.type == "file" else opaque_stub(part) if part.type == "opaque" else ""


def files_as_text(
    name: str,
    *,
    refused: Callable[[FilePart | OpaquePart, Message], bool],
    **fields: Unpack[RuleFields],
) -> CompatRule:
    """Leave a text that names the file where a provider or model takes no such file, in tool results too."""

    def stub(part: Part, message: Message) -> Part:
        if (part.type == "file" or part.type == "opaque") and _is_content(part) and refused(part, message):
            return TextPart(file_stub(part) if part.type == "file" else opaque_stub(part))
        return part

    def change(message: Message, part: Part) -> Part:
        if part.type != "tool_result":
            # Beside results there is no place for a text.
            return part if message.role == "tool" else stub(part, message)
        content = tuple(stub(item, message) for item in part.content or ())
        if same_items(content, part.content or ()):
            return part
        return replace(part, content=content)

    return message_rule(
        name,
        lambda messages: map_parts(messages, change, needs=FILES | OPAQUE),
        needs=FILES | OPAQUE,
        **fields,
    )
