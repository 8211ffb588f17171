"""Rule makers for documents, as Bedrock's Converse takes them: named, and with a text beside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, Final

from typing_extensions import Unpack

from ...edits import map_messages, replace, with_parts
from ...facts import FILES, facts_of
from ...media import media_kind
from ...messages import FilePart, Message, Messages, Part, TextPart
from ..rule import CompatRule
from .making import RuleFields, message_rule
from .placeholders import DOCUMENT
from .wire_fields import options_of

__all__ = ["DocumentNames", "document_names", "text_beside_documents"]

_LONGEST_NAME: Final = 200
_EXTENSION: Final = re.compile(r"\.[A-Za-z0-9]{1,8}$")
# "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and
# square brackets. The name can't contain more than one consecutive whitespace character." Underscores are taken, too.
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_()\[\]-]+")
_NAME: Final = re.compile(r"(?:\s?[A-Za-z0-9_()\[\]-]){1,200}\s?")


class DocumentNames:
    """Makes names of documents: of the characters that Bedrock takes, and each one once in a request.

    "Messages can't contain duplicate document names. Rename the document and retry your request."

    Args:
        taken: Names that are taken already; looked at when the first name is asked for.
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._given = taken

    @cached_property
    def _taken(self) -> set[str]:
        return set(self._given)

    def take(self, name: str | None) -> str:
        """Return the name itself where it will do and is not taken yet, else a new one like it."""
        if name is None or len(name) > _LONGEST_NAME or name in self._taken or not _NAME.fullmatch(name):
            return self.new(name)
        self._taken.add(name)
        return name

    def new(self, filename: str | None) -> str:
        """Return a name that is not taken yet, like the file's own."""
        stem = _NOT_IN_NAMES.sub(" ", _EXTENSION.sub("", (filename or "")[-2 * _LONGEST_NAME :])).strip()
        stem = stem[:_LONGEST_NAME].strip() or "document"
        name, number = stem, 1
        while name in self._taken:
            number += 1
            name = f"{stem[: _LONGEST_NAME - len(str(number)) - 1]} {number}"
        self._taken.add(name)
        return name


def document_names(name: str, *, api: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Rename the documents of a wire whose name it does not take, or that has the name of another one before it.

    Args:
        name: The rule's name.
        api: Whose wire. Files that came over another one get their names when they are written.
        fields: See ``RuleFields``.
    """

    def change(messages: Messages) -> Messages | None:
        names = DocumentNames()

        def named(part: Any) -> Any:
            if part.type != "file" or options_of(part, api).get("$type") != "document":
                return part
            given = names.take(part.filename)
            return part if given == part.filename else replace(part, filename=given)

        return map_messages(messages, lambda message: _with_files(message, named))

    return message_rule(name, change, needs=FILES, **fields)


def _with_files(message: Message, change: Callable[[Any], Any]) -> Message:
    if not facts_of(message) & FILES:
        return message
    parts = [_with_content(part, change) for part in message.parts]
    return with_parts(message, parts)


def _with_content(part: Part, change: Callable[[Any], Any]) -> Part:
    if part.type != "tool_result" or not part.content:
        changed: Part = change(part)
        return changed
    content = tuple(map(change, part.content))
    same = all(new is old for new, old in zip(content, part.content, strict=True))
    return part if same else replace(part, content=content)


def text_beside_documents(name: str, *, api: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Put a text behind the documents of a user's turn that holds none.

    Args:
        name: The rule's name.
        api: Whose wire: what goes into one message of it is one turn.
        fields: See ``RuleFields``.
    """

    def change(messages: Messages) -> Messages | None:
        out: list[Message] = []
        changed = False
        for turn in _turns(messages, api):
            if not any(part.type == "text" for message in turn for part in message.parts):
                for index, message in enumerate(turn):
                    if message.role == "user" and any(map(_is_document, message.parts)):
                        turn[index] = with_parts(message, (*message.parts, TextPart(DOCUMENT)))
                        changed = True
                        break
            out.extend(turn)
        return tuple(out) if changed else None

    return message_rule(name, change, needs=FILES, **fields)


def _turns(messages: Messages, api: str) -> Iterator[list[Message]]:
    """The messages, those together that go into one message of the wire."""
    turn: list[Message] = []
    for message in messages:
        if turn and "$continues" not in options_of(message, api):
            yield turn
            turn = []
        turn.append(message)
    if turn:
        yield turn


def _is_document(part: Part) -> bool:
    return isinstance(part, FilePart) and media_kind(part) == "document"
