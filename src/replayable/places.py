"""Where the messages and parts of a prompt stand in the request that it was read from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from ._node import Node, wire_of
from .prompt import Prompt

__all__ = ["Places", "below"]

# What tells the steps of a path apart.
_SPECIAL: Final = frozenset('.[]"')


class Places:
    """Paths into a request, as in Python: ``messages[3].content[1]``."""

    def __init__(self, request: Any, prompt: Prompt) -> None:
        self._messages = prompt.messages
        self._paths = dict(_paths(request))

    def of(self, message_index: int | None, part_index: int | None) -> str:
        """Return the path of a part, or of the nearest thing around it that the request holds; empty for the whole."""
        if message_index is None:
            return ""
        message = self._messages[message_index]
        nodes = [message] if part_index is None else [message.parts[part_index], message]
        return next((path for node in nodes if (path := self._of(node)) is not None), "")

    def _of(self, node: Node) -> str | None:
        wire, _ = wire_of(node)
        # Decoded wire objects are borrowed, so that the very object is found. Values without an identity are not.
        return self._paths.get(id(wire)) if isinstance(wire, dict | list) else None


def below(path: str, key: str | int) -> str:
    """Return the path of what stands under an index or a key: ``a[1]``, ``a.b``, ``a["b.c"]``."""
    """Return the path of what stands under an index or a key: ``a[1]``, ``a.b``, ``a["b.c"]``."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    if not key or _SPECIAL & set(key):
        return f"{path}[{json.dumps(key)}]"
    return f"{path}.{key}" if path else key


def _paths(request: Any) -> Iterator[tuple[int, str]]:
    """The path of each object and list by its identity; the request must outlive what is made of it."""
    todo: list[tuple[Any, str]] = [(request, "")]
    while todo:
        value, path = todo.pop()
        yield id(value), path
        children = value.items() if isinstance(value, dict) else enumerate(value)
        todo.extend(
            (child, below(path, key)) for key, child in children if isinstance(child, dict | list) and child
        )
