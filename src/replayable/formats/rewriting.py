"""Steps that the encoders share when a history goes to another API than the one it came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from ..changes import Action, Change
from ..messages import Message, Messages
from ..prompt import Prompt, ProviderTool
from ..tool_call_ids import readable_id, reissue_ids
from .wire import sent

__all__ = ["Losses", "fill_missing_ids"]


def fill_missing_ids(messages: Sequence[Message]) -> Sequence[Message]:
    """Give ids to calls and results that came from a wire without them; the same messages when all have one."""

    def new_id(old: str, occurrence: int) -> str:
        return old or readable_id(f"call {occurrence}")

    return reissue_ids(messages, new_id) or messages


class Losses:
    """Collects what an encoder could not express.

    Args:
        api: The format's name.
        messages: The messages of the prompt, to tell where something stood.
    """

    def __init__(self, api: str, messages: Messages) -> None:
        self.processor = f"formats.{api}"
        self.changes: list[Change] = []
        self._messages = messages
        self._index: dict[int, int] | None = None
        self._api = api
        self._fields: Counter[str] = Counter()

    def part(self, rule: str, message: Message, before: Any, after: Any = None) -> None:
        """Note that a part left, or became another one."""
        if self._index is None:
            self._index = {id(item): index for index, item in enumerate(self._messages)}
        part_index = next((index for index, part in enumerate(message.parts) if part is before), None)
        self.changes.append(
            Change(
                processor=self.processor,
                rule=rule,
                action="removed" if after is None else "changed",
                message_id=message.id,
                message_index=self._index.get(id(message)),
                part_index=part_index,
                before=before,
                after=after,
            )
        )

    def value(self, rule: str, before: Any, after: Any = None) -> None:
        """Note that something of the request around the messages left, changed, or was demanded."""
        action: Action = "removed" if after is None else "added" if before is None else "changed"
        self.changes.append(
            Change(processor=self.processor, rule=rule, action=action, before=before, after=after)
        )

    def fields_of(self, nodes: Iterable[Any]) -> None:
        """Count the fields that only other APIs know; they are listed once, by name."""
        for node in nodes:
            for api, options in (node.provider_options or {}).items():
                if api != self._api:
                    self._fields.update(f"{api}.{key}" for key in sent(options))

    def request(self, prompt: Prompt, kept: frozenset[str], foreign: Sequence[ProviderTool]) -> None:
        """Note what was left out of the request, the tools that only another API knows, and the counted fields."""
        left = {key: value for key, value in (prompt.request or {}).items() if key not in kept}
        if left:
            self.value("request-fields-left-out", left)
        for tool in foreign:
            self.value("provider-tool-left-out", tool)
        if self._fields:
            self.value("fields-left-out", dict(sorted(self._fields.items())))
