"""Blocks of the content of LangChain's messages: its own, and those of the providers, which stand in its messages as they are."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from .._node import build, defaults, piece_of, wire_of
from ..formats.wire import options_of, text_part
from ..json_value import json_text, parse_json
from ..media import media_kind, media_type_named, split_data_url
from ..messages import FilePart, OpaquePart, Part, ReasoningPart, TextPart, ToolCallPart, ToolResultPart

__all__ = [
    "API",
    "BLOCK",
    "ORIGINAL",
    "Block",
    "Path",
    "answers_call",
    "call_fields",
    "call_id_of",
    "kind_of_block",
    "node",
    "original_of",
    "read_block",
    "text_in",
    "with_value",
    "written_block",
    "written_call_block",
]

API: Final = "langchain"
ORIGINAL: Final = "$original"
"""What a part or message was read from: of it stays what we don't know of when the part or message changes."""
BLOCK: Final = "$block"
"""On a call: the block that repeats it in the content."""

Block: TypeAlias = dict[str, Any]
Path: TypeAlias = tuple[str, ...]

_TEXTS: Final = frozenset({"text", "input_text", "output_text"})
# Kind of a reasoning block -> our field -> where it may stand.
_REASONING: Final[dict[str, dict[str, tuple[Path, ...]]]] = {
    "thinking": {"text": (("thinking",),), "signature": (("signature",),)},
    "redacted_thinking": {"encrypted": (("data",),)},
    "reasoning": {
        "text": (("reasoning",),),
        "signature": (("extras", "signature"), ("signature",)),
        "encrypted": (("encrypted_content",), ("extras", "encrypted_content")),
        "id": (("id",),),
    },
    "reasoning_content": {
        "text": (("reasoning_content", "text"),),
        "signature": (("reasoning_content", "signature"),),
    },
}
# Kind of a block that repeats a call -> its fields for the call's id and input.
_CALLS: Final = {
    "computer_call": ("call_id", "action"),
    "custom_tool_call": ("call_id", "input"),
    "function_call": ("call_id", "arguments"),
    "tool_call": ("id", "args"),
    "tool_use": ("id", "input"),
}
# Where LangChain's own block has the input as the model wrote it.
_RAW_INPUT: Final = ("extras", "arguments")
_CUSTOM_CALL: Final = "custom_tool_call"
# How LangChain's entry of such a call holds its input, which is a text.
_FREE_TEXT: Final = "__arg1"
# The same for calls that the provider's own server executes.
_SERVER_CALLS: Final = {
    "mcp_tool_use": ("id", "input"),
    "server_tool_call": ("id", "args"),
    "server_tool_use": ("id", "input"),
}


def node(cls: Any, original: Any, notes: Block | None = None, **fields: Any) -> Any:
    """Return a part that remembers what it was read from."""
    options = {API: {ORIGINAL: original, **(notes or {})}}
    return build(cls, defaults(cls) | fields | {"provider_options": options}, original, piece_of(API))


def original_of(part: Part) -> tuple[Any, bool]:
    """Return what a part was read from (None when by nobody), and whether it is untouched."""
    wire, piece = wire_of(part)
    if piece is not None and piece.api == API:
        return wire, True
    return options_of(part, API).get(ORIGINAL), False


def answers_call(block: Any) -> bool:
    """Tell whether a block is the result of a client's call, as Anthropic has them in messages of the user."""
    return isinstance(block, dict) and block.get("type") == "tool_result"


def call_id_of(block: Any) -> str | None:
    """Return the id of the client's call that a block repeats; None for any other block."""
    block = _bare(block)
    fields = _CALLS.get(kind_of_block(block))
    return None if fields is None else text_in(block, (fields[0],))


def call_fields(block: Block) -> dict[str, Any]:
    """Return the fields of the call that a block holds."""
    block = _bare(block)
    kind = kind_of_block(block)
    id_key, input_key = (_CALLS | _SERVER_CALLS)[kind]
    given = block.get(input_key)
    if kind == _CUSTOM_CALL:
        given = {_FREE_TEXT: given}
    is_json, value = parse_json(given or "{}") if isinstance(given, str) else (True, given)
    return {
        "tool_call_id": text_in(block, (id_key,)),
        "tool_name": text_in(block, ("name",)) or kind.removesuffix("_call"),
        "input": value if is_json else given,
        "raw_input": None if is_json else given,
    }


def written_call_block(block: Block, part: ToolCallPart) -> Block:
    """Return a block that repeats a call with what the call has become."""
    bare, before = _bare(block), call_fields(block)
    kind = kind_of_block(bare)
    id_key, input_key = (_CALLS | _SERVER_CALLS)[kind]
    written = {**bare, id_key: part.tool_call_id}
    if before["tool_name"] != part.tool_name:
        written["name"] = part.tool_name
    if (before["input"], before["raw_input"]) != (part.input, part.raw_input):
        given = part.input
        if kind == _CUSTOM_CALL and isinstance(given, dict):
            given = given.get(_FREE_TEXT)
        elif isinstance(bare.get(input_key), str):
            given = json_text(given)
        written[input_key] = given
        written.pop("partial_json", None)
        if text_in(bare, _RAW_INPUT) is not None:
            written = with_value(written, _RAW_INPUT, None)
    return written if bare is block else {**block, "value": written}


def _bare(block: Any) -> Any:
    """What LangChain's own block around a provider's holds; any other block itself."""
    value = block.get("value") if kind_of_block(block) == "non_standard" else None
    return value if isinstance(value, dict) else block


def read_block(block: Any, api: str) -> Part:
    """Read a block that is no client's call.

    Args:
        block: An item of a message's content: a text or an object.
        api: Whose block it is when nobody here knows it.
    """
    kind = kind_of_block(block)
    part: Part
    if isinstance(block, str) or block == _new_text(block.get("text")):
        # Rules take a text with options for more than a text.
        text = block if isinstance(block, str) else block["text"]
        part = text_part(text, None, block, piece_of(API))
    elif kind in _TEXTS and isinstance(block.get("text"), str):
        part = node(TextPart, block, text=block["text"])
    elif kind in _REASONING:
        part = node(ReasoningPart, block, **_reasoning(block))
    elif kind in _SERVER_CALLS:
        part = node(ToolCallPart, block, provider_executed=True, **call_fields(block))
    elif kind.endswith("_tool_result") or kind == "server_tool_result":
        tool_call_id = text_in(block, ("tool_use_id",)) or text_in(block, ("tool_call_id",))
        part = node(ToolResultPart, block, provider_executed=True, tool_call_id=tool_call_id)
    elif (file := _file(block)) is not None:
        part = node(FilePart, block, **file)
    else:
        part = node(OpaquePart, block, api=api, value=_bare(block))
    return part


def written_block(part: Part) -> Any:
    """Write a part that is no client's call as a block."""
    original, same = original_of(part)
    if same:
        return original
    match part.type:
        case "text":
            return {**original, "text": part.text} if isinstance(original, dict) else _new_text(part.text)
        case "reasoning":
            return _written_reasoning(original, part)
        case "file":
            return _new_file(part)
        case "tool_call" if isinstance(original, dict):
            return written_call_block(original, part)
        case "opaque":
            return part.value if _bare(original) is original else {**original, "value": part.value}
        case _:
            return original


def _new_text(text: Any) -> Block:
    return {"type": "text", "text": text}


def kind_of_block(block: Any) -> str:
    """Return the ``type`` of a block; empty for a text and what has none."""
    kind = block.get("type") if isinstance(block, dict) else None
    return kind if isinstance(kind, str) else ""


def text_in(block: Any, path: Path) -> str | None:
    """Return a text inside of a block; None where there is none."""
    for key in path:
        block = block.get(key) if isinstance(block, dict) else None
    return block if isinstance(block, str) else None


# --- reasoning --------------------------------------------------------------------------------------------------------


def _reasoning(block: Block) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, paths in _REASONING[kind_of_block(block)].items():
        found = next((text for path in paths if (text := text_in(block, path)) is not None), None)
        if found is not None:
            fields[name] = found
    summary = block.get("summary")
    if "text" not in fields and isinstance(summary, list):
        fields["text"] = "\n\n".join(text for item in summary if (text := text_in(item, ("text",))))
    return fields


def _written_reasoning(original: Any, part: ReasoningPart) -> Block:
    if not isinstance(original, dict):
        return {"type": "thinking", "thinking": part.text, "signature": part.signature}
    written = dict(original)
    before = _reasoning(original)
    for name, paths in _REASONING[kind_of_block(original)].items():
        value = getattr(part, name)
        if value == (before.get(name) or ("" if name == "text" else None)):
            continue
        path = next((path for path in paths if text_in(original, path) is not None), paths[0])
        written = with_value(written, path, value)
    return written


def with_value(block: Block, path: Path, value: Any) -> Block:
    """Return a copy with a value somewhere inside; without the field where that is None."""
    key, *rest = path
    if rest:
        inner = block.get(key)
        return {**block, key: with_value(inner if isinstance(inner, dict) else {}, tuple(rest), value)}
    return {name: item for name, item in {**block, key: value}.items() if name != key or value is not None}


# --- files ------------------------------------------------------------------------------------------------------------


def _file(block: Any) -> dict[str, Any] | None:
    """The fields of a file, in any of the shapes in which LangChain's messages hold one; None for any other block."""
    kind = kind_of_block(block)
    source = block.get("source") if isinstance(block, dict) else None
    inner = block.get(kind) if isinstance(block, dict) else None
    media_type = text_in(block, ("mime_type",)) or text_in(source, ("media_type",))
    fields = {"media_type": media_type or _MEDIA.get(kind), "filename": text_in(block, ("filename",))}
    if kind not in _MEDIA or text_in(source, ("type",)) == "text":
        return None
    if kind == "input_audio":
        sound = text_in(inner, ("data",))
        named = media_type_named(text_in(inner, ("format",)) or "", "audio")
        return None if sound is None else {**fields, "data": sound, "media_type": named}
    for holder in (block, source, inner):
        for key in ("base64", "data", "file_data", "url", "image_url", "file_url", "file_id"):
            value = text_in(holder, (key,))
            if value is not None:
                return fields | _content(key, value)
    if isinstance(inner, str):
        return fields | _content("url", inner)
    if text_in(block, ("source_type",)) == "id" and text_in(block, ("id",)) is not None:
        return {**fields, "file_id": block["id"]}
    return None


# Kind of a block -> what is known of its media type.
_MEDIA: Final = {
    "audio": "audio/*",
    "document": None,
    "file": None,
    "image": "image/*",
    "image_url": "image/*",
    "input_audio": "audio/*",
    "input_file": None,
    "input_image": "image/*",
    "video": "video/*",
}


def _content(key: str, value: str) -> dict[str, Any]:
    if key == "file_id":
        return {"file_id": value}
    split = split_data_url(value) if value.startswith("data:") else None
    if split is not None:
        return {"media_type": split[0], "data": split[1]}
    return {"data" if key in ("base64", "data", "file_data") else "url": value}


def _new_file(part: FilePart) -> Block:
    """A file as LangChain's own block, which its classes for all providers take."""
    kind = media_kind(part)
    block: Block = {"type": "file" if kind == "document" else kind}
    if part.data is not None:
        block["base64"] = part.data
    elif part.url is not None:
        block["url"] = part.url
    else:
        block["file_id"] = part.file_id
    if part.media_type is not None:
        block["mime_type"] = part.media_type
    if part.filename is not None:
        block["filename"] = part.filename
    return block
