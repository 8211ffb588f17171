"""Items of an OpenAI Responses request, read with care."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.oracle.violation import MALFORMED, Violation
from tests.oracle.wire import as_mapping, as_text

_STATE = ("conversation", "previous_response_id", "prompt")
# What the model writes. Everything else comes from the client, or is an answer to it.
_OUTPUT_TYPES = frozenset(
    {
        "apply_patch_call",
        "code_interpreter_call",
        "computer_call",
        "custom_tool_call",
        "file_search_call",
        "function_call",
        "image_generation_call",
        "local_shell_call",
        "mcp_approval_request",
        "mcp_call",
        "mcp_list_tools",
        "shell_call",
        "tool_search_call",
        "web_search_call",
    }
)


@dataclass(frozen=True, slots=True)
class Item:
    """One item of `input` and where it stands."""

    path: str
    data: Mapping[str, Any]

    @property
    def type(self) -> str:
        """The item's type; a message need not state it."""
        return as_text(self.data.get("type")) or ("message" if "role" in self.data else "")

    @property
    def role(self) -> str:
        """The role of a message."""
        return as_text(self.data.get("role"))

    @property
    def id(self) -> str:
        """The id that the server gave the item; empty when it has none."""
        return as_text(self.data.get("id"))

    @property
    def call_id(self) -> str:
        """The id that ties a call to its output."""
        return as_text(self.data.get("call_id"))

    @property
    def is_model_output(self) -> bool:
        """Whether the model wrote the item, reasoning aside."""
        return self.type in _OUTPUT_TYPES or (self.type == "message" and self.role == "assistant")


def read_items(request: Mapping[str, Any]) -> tuple[list[Item], list[Violation]]:
    """The readable items, and what could not be read. A string counts as a request without history."""
    given = request.get("input")
    if isinstance(given, str) and given:
        return [], []
    if not given and any(request.get(name) for name in _STATE):
        return [], []
    if not isinstance(given, list) or not given:
        reason = "One of 'input' or 'previous_response_id' or 'prompt' or 'conversation' must be provided."
        return [], [Violation(MALFORMED, "input", reason)]
    items: list[Item] = []
    faults: list[Violation] = []
    for index, value in enumerate(given):
        path, data = f"input[{index}]", as_mapping(value)
        item = Item(path, data or {})
        if data is None or not (item.type or item.id):
            faults.append(Violation(MALFORMED, path, "an item must be an object with a type or a role"))
        else:
            items.append(item)
    return items, faults


def has_server_state(request: Mapping[str, Any], items: list[Item]) -> bool:
    """Whether the server holds a part of the history, so that pairs may be completed there."""
    return any(request.get(name) for name in _STATE) or any(item.type == "item_reference" for item in items)
