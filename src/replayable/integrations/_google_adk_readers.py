"""How ADK's own models read a part that they have to convert: what they tell in words, and what they raise for."""

from __future__ import annotations

from typing import Final, NamedTuple

from .._node import build, fields_of, wire_of
from ..facts import build_message
from ..formats.rewriting import Losses
from ..media import file_stub, media_type_of, opaque_stub
from ..messages import FilePart, Message, Part, TextPart
from ..prompt import Prompt, with_messages

__all__ = ["CLAUDE", "LITELLM", "Reader", "as_read", "told_in_words"]

CLAUDE: Final = "AnthropicLlm"
LITELLM: Final = "LiteLlm"
# What Claude's class has words for or leaves out, whoever said it.
_KNOWN: Final = frozenset({"codeExecutionResult", "executableCode", "thoughtSignature"})
# What LiteLlm takes inline, by type or kind.
_TYPES: Final = frozenset(
    {
        "application/json",
        "application/msword",
        "application/pdf",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/x-sh",
    }
)
_KINDS: Final = frozenset({"audio", "image", "text", "video"})
# For these it looks for files by their ids, and takes URLs of what is seen alone.
_WITH_FILE_IDS: Final = frozenset({"azure", "openai"})
_FILE_IDS: Final = ("file-", "assistant-")


class Reader(NamedTuple):
    """A class of ADK's that converts Gemini's parts: ``CLAUDE`` or ``LITELLM``, and the provider in its model's name."""

    kind: str
    provider: str = ""


def as_read(part: Part, reader: Reader | None) -> Part:
    """Return a part as its reader takes it: code and its output go to Claude in ADK's own words.

    Args:
        part: The part, as Gemini's API means it.
        reader: Who converts it; None for one who needn't.
    """
    wire, piece = wire_of(part)
    if reader is None or reader.kind != CLAUDE or not isinstance(wire, dict):
        return part
    code, result = wire.get("executableCode"), wire.get("codeExecutionResult")
    if code:
        said = f"Code:```python\n{code.get('code', '')}\n```"
    elif result:
        said = f"Execution Result:```code_output\n{result.get('output', '')}\n```"
    else:
        return part
    return build(TextPart, fields_of(TextPart(said)), wire, piece)


def told_in_words(prompt: Prompt, reader: Reader, losses: Losses) -> Prompt:
    """Return a prompt in which a text stands for each part that its reader would raise for; the same when there is none.

    Args:
        prompt: The prompt.
        reader: Who converts it.
        losses: Told of each such part.
    """
    messages = [_told(message, reader, losses) for message in prompt.messages]
    same = all(one is other for one, other in zip(messages, prompt.messages, strict=True))
    return prompt if same else with_messages(prompt, messages)


def _told(message: Message, reader: Reader, losses: Losses) -> Message:
    parts: list[Part] = []
    for part in message.parts:
        new = _taken(part, reader)
        if new is not part:
            losses.part("not-supported-here", message, part, new)
        parts.append(new)
    if all(one is other for one, other in zip(parts, message.parts, strict=True)):
        return message
    return build_message(type(message), {**fields_of(message), "parts": tuple(parts)})


def _taken(part: Part, reader: Reader) -> Part:
    if part.type == "opaque":
        is_known = reader.kind != CLAUDE or (
            isinstance(part.value, dict) and not _KNOWN.isdisjoint(part.value)
        )
        return part if is_known else TextPart(opaque_stub(part))
    if part.type != "file":
        return part
    kind = media_type_of(part) or ""
    suits = (
        _suits_claude(part, kind) if reader.kind == CLAUDE else _suits_litellm(part, kind, reader.provider)
    )
    if not suits:
        return TextPart(file_stub(part))
    # Claude's class knows types by their usual spelling alone.
    is_known = reader.kind != CLAUDE or (part.media_type or "").startswith(kind)
    return part if is_known else build(FilePart, {**fields_of(part), "media_type": kind})


def _suits_claude(file: FilePart, kind: str) -> bool:
    return file.data is not None and (kind.startswith("image/") or kind == "application/pdf")


def _suits_litellm(file: FilePart, kind: str, provider: str) -> bool:
    if file.data is not None:
        return not kind or kind.partition("/")[0] in _KINDS or kind in _TYPES
    url = file.url or ""
    if provider == "anthropic":
        return False
    if provider not in _WITH_FILE_IDS or url.startswith(_FILE_IDS):
        return True
    return url.startswith(("http://", "https://")) and kind.startswith(("image/", "video/"))
