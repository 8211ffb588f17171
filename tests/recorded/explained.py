"""Which differences of two conversations the listed changes account for."""

from __future__ import annotations

from typing import Any, Final

from replayable.changes import Change
from tests.recorded.conversation import Conversation, differences
from tests.recorded.differences import Difference

# Which changes may explain a difference of a kind.
_STUBS: Final = {"not-supported-here"}
_FILES: Final = _STUBS | {"file-follows-tool-result"}
_JOINED: Final = {"texts-joined"}
_SYSTEM: Final = {"anthropic-system-position", "bedrock-system-position", "system-stands-in-a-user-turn"}
_SERVER_TOOLS: Final = {"provider-executed-tool", "strip-foreign-provider-executed-tools"}
_EXPLAINED_BY: Final[dict[str, set[str]]] = {
    "system": _STUBS | _JOINED | _SYSTEM | {"system-stands-beside-the-list"},
    "user_text": _FILES
    | _JOINED
    | _SYSTEM
    | {"anthropic-drop-empty", "bedrock-drop-empty", "bedrock-drop-blank"},
    "assistant_text": _STUBS | _JOINED,
    "call": {"clean-messages"},
    "call_name": set(),
    "call_input": {"input-is-no-object"},
    "call_output": _FILES | {"clean-messages"},
    "call_media": _FILES,
    "call_error": {"fields-left-out"},
    "media": _FILES,
    "other": _STUBS,
    "orphan": {"clean-messages"},
    "server_call": _STUBS | _SERVER_TOOLS,
}
_TEXT_KINDS: Final = frozenset({"system", "user_text", "assistant_text"})
_FILE_KINDS: Final = frozenset({"media", "call_media", "call_output"})


def conversation_differences(before: Conversation, after: Conversation) -> list[Difference]:
    """The differences of two conversations, blanks apart, which providers refuse."""
    return differences(before, after, blank_as_absent=True)


def unexplained(found: list[Difference], changes: tuple[Change, ...]) -> list[Difference]:
    """The differences that no listed change accounts for.

    A change accounts for those of its kind: by its name where a format wrote it, else by what it took away or put there.
    """
    names = {change.rule or change.processor for change in changes}
    explained = {kind for kind, rules in _EXPLAINED_BY.items() if names & rules}
    for change in changes:
        before, after = _Held(change.before), _Held(change.after)
        if len(before.files) > len(after.files):
            explained |= _FILE_KINDS
        if len(before.opaques) > len(after.opaques):
            explained |= {"other", *_FILE_KINDS}
        if before.inputs and after.inputs and before.inputs != after.inputs:
            explained.add("call_input")
        if before.names and after.names and before.names != after.names:
            explained.add("call_name")
    texts = {
        text for change in changes for side in (change.before, change.after) for text in _Held(side).texts
    }
    return [
        one
        for one in found
        if one.kind not in explained
        and not (one.kind in _TEXT_KINDS and {one.before, one.after} - {None} <= texts)
    ]


class _Held:
    """What a message or part holds."""

    def __init__(self, value: Any) -> None:
        self.texts: list[str] = []
        self.files: list[Any] = []
        self.opaques: list[Any] = []
        self.inputs: list[str] = []
        self.names: list[str] = []
        for part in getattr(value, "parts", (value,)):
            self._add(part)

    def _add(self, part: Any) -> None:
        match getattr(part, "type", None):
            case "text":
                self.texts.append(part.text)
            case "file":
                self.files.append(part)
            case "opaque":
                self.opaques.append(part)
                # What it says, a refusal for example.
                said = part.value.values() if isinstance(part.value, dict) else (part.value,)
                self.texts.extend(value for value in said if isinstance(value, str))
            case "tool_call":
                self.inputs.append(repr((part.input, part.raw_input)))
                self.names.append(part.tool_name)
            case "tool_result":
                for item in part.content or ():
                    self._add(item)
