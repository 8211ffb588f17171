"""LangChain's blocks as the items of OpenAI's Responses API that they are: its rules know items by their ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from langchain_core import messages as lc

from .._node import fields_of
from ..formats.openai_responses.names import CONTINUES, SAID, TYPE
from ..formats.openai_responses.reasoning import read_reasoning, write_reasoning
from ..formats.wire import options_of
from ..json_value import json_text
from ..messages import OpaquePart, Part, ReasoningPart, ToolCallPart
from ._langchain_blocks import (
    API,
    Block,
    Path,
    kind_of_block,
    node,
    original_of,
    read_block,
    text_in,
    with_value,
    written_block,
)

__all__ = [
    "RESPONSES",
    "in_todays_form",
    "is_lost",
    "item_blocks",
    "mark_call",
    "read_item",
    "written_call_item",
    "written_item",
]

RESPONSES: Final = "openai_responses"

_ITEM: Final = "$item"
"""On a part: it was read as an item, or as a part of one."""
_SAID_FIELDS: Final[dict[str, Path]] = {"id": ("id",), "phase": ("phase",)}
# Kind of a block -> field of its item -> where it stands in the block.
_FIELDS: Final[dict[str, dict[str, Path]]] = {
    "computer_call": {"id": ("id",)},
    "custom_tool_call": {"id": ("id",)},
    "function_call": {"id": ("id",)},
    "output_text": _SAID_FIELDS,
    "refusal": _SAID_FIELDS,
    "server_tool_call": {"id": ("id",)},
    "server_tool_result": {"id": ("tool_call_id",)},
    "text": _SAID_FIELDS,
    "tool_call": {"id": ("extras", "item_id")},
}
# Kinds of blocks that LangChain can send only under their items' ids.
_BY_ID: Final = frozenset({"server_tool_call", "server_tool_result"})
# Kinds of blocks whose items' types their calls alone would not tell.
_TYPED: Final = frozenset({"computer_call", "custom_tool_call"})
# How ids begin that LangChain made up: it never sends them.
_MADE_UP: Final = "lc_"


# --- reading ----------------------------------------------------------------------------------------------------------


def item_blocks(content: Sequence[Any]) -> Iterator[list[Any]]:
    """Yield the blocks of an answer one by one, but those together that LangChain makes of one item of reasoning."""
    for _, group in groupby(enumerate(content), lambda entry: _summarised(entry[1]) or entry[0]):
        yield [block for _, block in group]


def _summarised(block: Any) -> str | None:
    """The id of the item of reasoning of whose summary a block is a part."""
    is_part = kind_of_block(block) == "reasoning" and "reasoning" in block and "summary" not in block
    return text_in(block, ("id",)) if is_part else None


def read_item(blocks: Sequence[Any], before: Part | None, api: str) -> Part:
    """Read an item that is no client's call, or what is said in one.

    Args:
        blocks: See ``item_blocks``.
        before: The part before it in the same answer.
        api: Whose block it is when nobody here knows it.
    """
    block = blocks[0]
    kind = kind_of_block(block)
    if kind == "reasoning":
        return _reasoning(blocks)
    if kind == "refusal":
        part: Part = node(
            OpaquePart, block, api=RESPONSES, value={"type": kind, "refusal": block.get("refusal")}
        )
        _mark(part, {**_fields(block), SAID: True}, before)
        return part
    part = read_block(block, api)
    _mark(part, _fields(block), before)
    return part


def mark_call(part: ToolCallPart, block: Any) -> None:
    """Tell which item a new part is that a block repeats."""
    _mark(part, _fields(block), None)


def _mark(part: Part, fields: dict[str, Any], before: Part | None) -> None:
    if not fields or part.provider_options is None:
        return
    if before is not None and "id" in fields and options_of(before, RESPONSES).get("id") == fields["id"]:
        fields[CONTINUES] = True
    part.provider_options[RESPONSES] = fields
    part.provider_options[API][_ITEM] = True


def _fields(block: Any) -> dict[str, Any]:
    found = {key: text_in(block, path) for key, path in _FIELDS.get(kind_of_block(block), {}).items()}
    fields = {
        key: text
        for key, text in found.items()
        if text is not None and not (key == "id" and text.startswith(_MADE_UP))
    }
    kind = kind_of_block(block)
    if kind in _TYPED:
        fields[TYPE] = kind
    elif kind == "server_tool_call":
        name = text_in(block, ("name",))
        fields[TYPE] = "mcp_call" if name == "remote_mcp" else f"{name}_call"
    return fields


def _reasoning(blocks: Sequence[Block]) -> ReasoningPart:
    item: Block = {}
    for block in blocks:
        extras = block.get("extras")
        item |= {key: value for key, value in block.items() if key not in ("extras", "index", "reasoning")}
        item |= extras if isinstance(extras, dict) else {}
    texts = [text for block in blocks if (text := text_in(block, ("reasoning",)))]
    item.setdefault("summary", [{"type": "summary_text", "text": text} for text in texts])
    fields = fields_of(read_reasoning(item))
    part: ReasoningPart = node(ReasoningPart, list(blocks), {_ITEM: True}, **fields)
    if part.provider_options is not None:
        part.provider_options.update(fields["provider_options"] or {})
    return part


# --- writing ----------------------------------------------------------------------------------------------------------


def written_item(part: Part) -> list[Any]:
    """Write a part that is no client's call as blocks."""
    original, same = original_of(part)
    if same:
        return original if isinstance(original, list) else [original]
    if not _is_item(part):
        return [written_block(part)]
    if part.type == "reasoning":
        return [write_reasoning(part)]
    block = {**original, **part.value} if part.type == "opaque" else written_block(part)
    # Under its id the server would take its own copy of a text.
    as_it_was = part.type != "text" or part.text == original["text"]
    return [_with_fields(block, part, as_it_was=as_it_was)]


def is_lost(part: Part) -> bool:
    """Tell whether LangChain could not send a part any more: its item has lost its id."""
    block, same = original_of(part)
    return (
        not same
        and kind_of_block(block) in _BY_ID
        and _is_item(part)
        and "id" not in options_of(part, RESPONSES)
    )


def _is_item(part: Part) -> bool:
    return options_of(part, API).get(_ITEM) is True


def written_call_item(block: Any, part: ToolCallPart) -> Any:
    """Return a block that repeats a call as the item that the call now is."""
    return _with_fields(block, part) if _is_item(part) else block


def _with_fields(block: Block, part: Part, *, as_it_was: bool = True) -> Block:
    options = options_of(part, RESPONSES)
    for key, path in _FIELDS[kind_of_block(block)].items():
        value = options.get(key) if as_it_was or key != "id" else None
        if value != text_in(block, path):
            block = with_value(block, path, value)
    return block


# --- what LangChain 0.3 stored ----------------------------------------------------------------------------------------

_OLD_CALL_IDS: Final = "__openai_function_call_ids__"
_OLD: Final = ("reasoning", "refusal", "tool_outputs", _OLD_CALL_IDS)
# In this order langchain-openai sends them, and then all others.
_ORDER: Final = (
    "reasoning",
    "code_interpreter_call",
    "mcp_call",
    "image_generation_call",
    "text",
    "refusal",
    "function_call",
    "computer_call",
    "mcp_list_tools",
    "mcp_approval_request",
)


def in_todays_form(message: lc.AIMessage) -> lc.AIMessage:
    """Return an answer of LangChain 0.3 with its items in the content; any other answer as it is."""
    kwargs, content = message.additional_kwargs, message.content
    is_item = str(message.id).startswith("msg_")
    is_old = any(key in kwargs for key in _OLD) or (
        is_item and str(message.response_metadata.get("id")).startswith("resp_")
    )
    if not is_old or isinstance(content, str) or not all(isinstance(block, dict) for block in content):
        return message
    blocks: list[Any] = [
        {**block, "id": message.id}
        if is_item and isinstance(block, dict) and block.get("type") == "text"
        else block
        for block in content
    ]
    reasoning = kwargs.get("reasoning")
    if isinstance(reasoning, dict):
        blocks.append({"type": "reasoning", **reasoning})
    if kwargs.get("refusal"):
        blocks.append({"type": "refusal", "refusal": kwargs["refusal"]})
    ids = kwargs.get(_OLD_CALL_IDS) or {}
    for call in message.tool_calls:
        item = {"name": call["name"], "arguments": json_text(call["args"]), "call_id": call["id"]}
        known = {"id": ids[call["id"]]} if call["id"] in ids else {}
        blocks.append({"type": "function_call", **item, **known})
    blocks += kwargs.get("tool_outputs") or []
    places = {kind: place for place, kind in enumerate(_ORDER)}
    blocks.sort(key=lambda block: places.get(kind_of_block(block), len(places)))
    return message.model_copy(
        update={
            "content": blocks,
            "additional_kwargs": {key: value for key, value in kwargs.items() if key not in _OLD},
            # By it langchain-openai knows what 0.3 stored.
            "response_metadata": {
                key: value for key, value in message.response_metadata.items() if key != "id"
            },
        }
    )
