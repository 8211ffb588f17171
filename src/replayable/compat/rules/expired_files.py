"""Rule maker for files that the provider no longer has."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from typing_extensions import Unpack

from ...edits import map_parts, replace
from ...facts import FILES
from ...media import file_stub
from ...messages import FilePart, Message, Messages, Part, TextPart
from ...provider_error import ProviderError
from ..rule import CompatRule
from .making import RuleFields

__all__ = ["expired_files_as_text"]


def expired_files_as_text(name: str, *, refused: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """After a rejection, leave texts in the place of uploaded files that are gone: the one named, and all before it.

    What was uploaded later may still be there; where the named one is not found, all uploaded files go.

    Args:
        name: The rule's name.
        refused: A pattern with one group: the file that a rejection names.
        fields: See ``RuleFields``.
    """
    names_file = re.compile(refused)

    def fix(messages: Messages, error: ProviderError) -> Messages | None:
        match = error.matches(names_file)
        named = match[1] if match is not None else ""
        last = max(
            (index for index, file_id in _uploads(messages) if _is_named(file_id, named)), default=None
        )
        place = -1

        def stubbed(part: Any) -> Any:
            nonlocal place
            if part.type != "file" or not _is_upload(part):
                return part
            place += 1
            return part if last is not None and place > last else TextPart(file_stub(part))

        return _map_files(messages, stubbed)

    return CompatRule(
        name=name,
        summary=fields["summary"],
        fix=fix,
        needs=FILES,
        evidence=fields["evidence"],
        examples=fields.get("examples", ()),
    )


def _is_named(file_id: str, name: str) -> bool:
    """Whether a file's id, or the last segment of its URI, is a name."""
    return bool(name) and file_id.rpartition("/")[2] == name.rpartition("/")[2]


def _is_upload(part: FilePart) -> bool:
    # With its bytes at hand a file needs no upload.
    return part.file_id is not None and part.data is None


def _uploads(messages: Messages) -> list[tuple[int, str]]:
    """The uploaded files in order, each with its number."""
    found: list[str] = []

    def note(part: Any) -> Any:
        if part.type == "file" and _is_upload(part):
            found.append(part.file_id)
        return part

    _map_files(messages, note)
    return list(enumerate(found))


def _map_files(messages: Messages, change: Callable[[Any], Any]) -> Messages | None:
    def in_part(_message: Message, part: Part) -> Part:
        if part.type == "tool_result":
            content = tuple(map(change, part.content or ()))
            same = all(new is old for new, old in zip(content, part.content or (), strict=True))
            return part if same else replace(part, content=content)
        new: Part = change(part)
        return new

    return map_parts(messages, in_part, needs=FILES)
