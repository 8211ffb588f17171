"""Anthropic messages as the API sees them: neighbours of one role merged into one turn."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.oracle.violation import MALFORMED, Violation
from tests.oracle.wire import as_mapping, as_text


@dataclass(frozen=True, slots=True)
class Block:
    """A content block and where it stands."""

    path: str
    data: Mapping[str, Any]

    @property
    def type(self) -> str:
        """The block's type; empty when it has none."""
        return as_text(self.data.get("type"))

    @property
    def id(self) -> str:
        """The id of a call."""
        return as_text(self.data.get("id"))

    @property
    def answers(self) -> str:
        """The id of the call that a result answers."""
        return as_text(self.data.get("tool_use_id"))

    @property
    def is_server_call(self) -> bool:
        """Whether the provider itself runs the call."""
        return self.type in ("server_tool_use", "mcp_tool_use")

    @property
    def is_server_result(self) -> bool:
        """Whether the block answers a call that the provider itself ran."""
        return self.type.endswith("_tool_result")

    @property
    def is_thinking(self) -> bool:
        """Whether the block holds reasoning, readable or not."""
        return self.type in ("thinking", "redacted_thinking")


@dataclass(frozen=True, slots=True)
class Turn:
    """Consecutive messages of one role."""

    role: str
    blocks: tuple[Block, ...]

    def of_type(self, kind: str) -> list[Block]:
        """The blocks of one type, in order."""
        return [block for block in self.blocks if block.type == kind]


def read_messages(request: Mapping[str, Any]) -> tuple[list[tuple[str, Mapping[str, Any]]], list[Violation]]:
    """Path and object of each readable message, and what could not be read."""
    messages = request.get("messages")
    if not isinstance(messages, list):
        return [], [Violation(MALFORMED, "messages", "messages must be a list")]
    if not messages:
        # Catalogued under OpenAI's wording; Anthropic says "messages: at least one message is required".
        reason = "at least one message is required"
        return [], [Violation("openai-messages-empty-array", "messages", reason)]
    found: list[tuple[str, Mapping[str, Any]]] = []
    faults: list[Violation] = []
    for index, item in enumerate(messages):
        path = f"messages[{index}]"
        message = as_mapping(item)
        if message is None or not isinstance(message.get("role"), str):
            faults.append(Violation(MALFORMED, path, "Input does not match the expected shape."))
        else:
            found.append((path, message))
    return found, faults


def read_blocks(path: str, content: object) -> tuple[list[Block], list[Violation]]:
    """The blocks of a `content` value, a string counting as one text block, and what could not be read."""
    if isinstance(content, str):
        return ([Block(path, {"type": "text", "text": content})] if content else []), []
    if not isinstance(content, list):
        return [], [Violation(MALFORMED, path, "content must be a string or a list of blocks")]
    blocks: list[Block] = []
    faults: list[Violation] = []
    for index, item in enumerate(content):
        here = f"{path}[{index}]"
        data = as_mapping(item)
        if data is None or not isinstance(data.get("type"), str):
            faults.append(Violation(MALFORMED, here, "a content block must be an object with a type"))
        else:
            blocks.append(Block(here, data))
    return blocks, faults


def merge_turns(messages: list[tuple[str, Mapping[str, Any]]]) -> list[Turn]:
    """The turns of a conversation. Results spread over several user messages are accepted, as one turn."""
    turns: list[Turn] = []
    for path, message in messages:
        role = as_text(message.get("role"))
        blocks, _ = read_blocks(f"{path}.content", message.get("content"))
        if turns and turns[-1].role == role:
            turns[-1] = Turn(role, (*turns[-1].blocks, *blocks))
        else:
            turns.append(Turn(role, tuple(blocks)))
    return turns


def open_loop(turns: list[Turn]) -> list[Turn]:
    """The assistant turns since the last user turn that isn't made of tool results; empty when it is last."""
    loop: list[Turn] = []
    for turn in turns:
        if turn.role == "assistant":
            loop.append(turn)
        elif turn.role == "user" and not turn.of_type("tool_result"):
            loop = []
    return loop
