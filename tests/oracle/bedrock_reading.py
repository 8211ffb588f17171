"""Messages and blocks of a Bedrock Converse request, read with care."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.oracle.violation import MALFORMED, Violation
from tests.oracle.wire import as_mapping, as_text, objects


@dataclass(frozen=True, slots=True)
class Block:
    """A content block, which has exactly one field, and where it stands."""

    path: str
    kind: str
    value: Any

    @property
    def data(self) -> Mapping[str, Any]:
        """The block's object; empty when it is something else."""
        return as_mapping(self.value) or {}

    @property
    def id(self) -> str:
        """The id that ties a result to its call."""
        return as_text(self.data.get("toolUseId"))

    @property
    def is_server_side(self) -> bool:
        """Whether the provider ran the call: Nova's own tools, call and result in one assistant message."""
        return bool(self.data.get("type"))


@dataclass(frozen=True, slots=True)
class Message:
    """One message and where it stands."""

    path: str
    role: str
    blocks: tuple[Block, ...]

    def of_kind(self, kind: str) -> list[Block]:
        """The client's blocks of one kind, in order."""
        return [block for block in self.blocks if block.kind == kind and not block.is_server_side]


def read_messages(request: Mapping[str, Any]) -> tuple[list[Message], list[Violation]]:
    """The readable messages, and what could not be read."""
    given = request.get("messages")
    if given == []:
        reason = "A conversation must start with a user message."
        return [], [Violation("bedrock-start-user", "messages", reason)]
    found = objects("messages", given)
    if not isinstance(given, list) or len(found) != len(given):
        return [], [Violation(MALFORMED, "messages", "messages must be a list of objects")]
    messages: list[Message] = []
    faults: list[Violation] = []
    for path, data in found:
        if data.get("role") not in ("user", "assistant"):
            reason = "Member must satisfy enum value set: [user, assistant]"
            faults.append(Violation(MALFORMED, f"{path}.role", reason))
            continue
        content = data.get("content")
        blocks = [
            Block(where, *next(iter(block.items())))
            for where, block in objects(f"{path}.content", content)
            if len(block) == 1
        ]
        if not isinstance(content, list) or len(blocks) != len(content):
            reason = "content must be a list of blocks, each with one field"
            faults.append(Violation(MALFORMED, f"{path}.content", reason))
        else:
            messages.append(Message(path, data["role"], tuple(blocks)))
    return messages, faults
