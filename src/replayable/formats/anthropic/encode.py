"""From a prompt to an Anthropic Messages request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ..._node import wire_of
from ...compat.rules.reasoning import is_unsigned_of_another
from ...media import file_stub, opaque_stub
from ...messages import (
    FilePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from ...prompt import Prompt, ProviderTool
from ..arguments import input_object
from ..model_facing import model_facing
from ..rewriting import (
    Losses,
    list_as_it_came,
    renewed_list,
    renewed_request,
    split_system,
    take_output_limit,
    with_ids,
)
from ..user_turns import write_turns
from ..wire import Encoded, Wire, options_of, target_model, text_of_json, with_extras
from .decode import SYSTEM
from .names import ABSENT, API, CONTENT, TYPE
from .tools import encode_tool_choice, encode_tools

__all__ = ["DEFAULT_MAX_TOKENS", "encode"]

DEFAULT_MAX_TOKENS: Final = 4096
"""Anthropic demands ``max_tokens``; what a converted request gets when it names no output limit."""

# https://docs.claude.com/en/docs/build-with-claude/vision and .../pdf-support
_IMAGES: Final = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
# https://docs.claude.com/en/api/messages: a document's title has 1 to 500 characters; an image has none.
_LONGEST_TITLE: Final = 500


def encode(prompt: Prompt) -> Encoded:
    """Write a prompt as a request body, or as a bare list of messages when it came from one.

    What nobody touched comes back as the very object that was decoded. From another API the messages, the declared
    function tools and the tool choice are converted; what this wire can't express is listed in ``changes``.
    """
    losses = Losses(API, prompt.messages)
    messages = with_ids(prompt, losses)
    system, listed = split_system(messages, as_placed=prompt.api == API)
    system_wire = _system_wire(system, losses)
    wires = list_as_it_came(prompt, losses) or write_turns(
        listed, losses, api=API, blocks=lambda message: _blocks(message.parts, message, losses), turn=_turn
    )
    if prompt.request is None:
        if system_wire is not None:
            losses.value("system-stands-beside-the-list", {"system": None}, {"system": system_wire})
        losses.request({})
        return Encoded(request=renewed_list(prompt, wires), changes=tuple(losses.changes), system=system_wire)
    if prompt.api != API:
        return _converted(prompt, system_wire, wires, losses)

    fields = {"messages": wires, "system": system_wire}
    request = renewed_request(prompt, fields, losses, tools=lambda: _about_tools(prompt, losses))
    return Encoded(request=request, changes=tuple(losses.changes))


def _about_tools(prompt: Prompt, losses: Losses) -> tuple[Wire, list[ProviderTool]]:
    tools, foreign = encode_tools(prompt, losses)
    choice, complete = encode_tool_choice(prompt.tool_choice, has_tools=bool(tools.get("tools")))
    if not complete:
        losses.value("tool-choice", prompt.tool_choice, choice)
    return tools | choice, foreign


def _converted(prompt: Prompt, system: Any, wires: list[Any], losses: Losses) -> Encoded:
    source = prompt.request or {}
    request: Wire = {}
    model = target_model(prompt)
    if model is not None:
        request["model"] = model
    limit, left = take_output_limit(source)
    if limit is None:
        limit = DEFAULT_MAX_TOKENS
        losses.value("max-tokens-demanded", None, {"max_tokens": limit})
    request["max_tokens"] = limit
    if system is not None:
        request["system"] = system
    request["messages"] = wires
    about_tools, foreign = _about_tools(prompt, losses)
    request.update(about_tools)
    losses.fields_of(tool for tool in prompt.tools or () if tool.type == "function")
    losses.request(left, kept={"model"}, foreign=foreign)
    return Encoded(request=request, changes=tuple(losses.changes))


# --- system -----------------------------------------------------------------------------------------------------


def _system_wire(system: list[SystemMessage], losses: Losses) -> Any:
    if not system:
        return None
    if len(system) == 1:
        wire, piece = wire_of(system[0])
        if piece is SYSTEM:
            return wire
    losses.fields_of(node for message in system for node in (message, *message.parts))
    form = options_of(system[0], API).get(CONTENT) if len(system) == 1 else None
    blocks = [block for message in system for block in _blocks(message.parts, message, losses)]
    return _compact(blocks, form)


def _compact(blocks: list[Any], form: Any) -> Any:
    """A single plain text goes back as a string, unless it stood in a list."""
    only = blocks[0] if len(blocks) == 1 else None
    if form != "list" and isinstance(only, dict) and only.keys() == {"type", "text"}:
        return only["text"]
    return blocks


# --- messages -----------------------------------------------------------------------------------------------------


def _turn(message: Message, blocks: list[Any]) -> Wire:
    options = options_of(message, API)
    form = options.get(CONTENT)
    wire: Wire = {"role": "user" if message.role == "tool" else message.role}
    if blocks or form not in ("absent", "null"):
        wire["content"] = blocks if message.role == "tool" else _compact(blocks, form)
    elif form == "null":
        wire["content"] = None
    return with_extras(wire, options)


# --- blocks -------------------------------------------------------------------------------------------------------


def _blocks(parts: Sequence[Part], message: Message, losses: Losses) -> list[Any]:
    blocks: list[Any] = []
    for part in parts:
        wire, piece = wire_of(part)
        if piece is not None and piece.api == API:
            blocks.append(wire)
            continue
        block = _block(part, message, losses)
        if block is not None:
            blocks.append(block)
    return blocks


def _block(part: Part, message: Message, losses: Losses) -> Wire | None:
    match part.type:
        case "text":
            return with_extras({"type": "text", "text": part.text}, options_of(part, API))
        case "reasoning":
            return _thinking(part, message, losses)
        case "file":
            return _file(part, message, losses)
        case "tool_call":
            return _call(part, message, losses)
        case "tool_result":
            return _result(part, message, losses)
        case "opaque" if message.role == "tool" and part.api != API:
            # Beside results there is no place for a text.
            losses.part("not-supported-here", message, part)
            return None
        case "opaque":
            return part.value if part.api == API else _stub(part, message, losses)


def _stub(part: FilePart | OpaquePart, message: Message, losses: Losses) -> Wire:
    text = file_stub(part) if part.type == "file" else opaque_stub(part)
    losses.part("not-supported-here", message, part, TextPart(text))
    return {"type": "text", "text": text}


def _thinking(part: ReasoningPart, message: Message, losses: Losses) -> Wire | None:
    options = options_of(part, API)
    if part.encrypted is not None and part.signature is None and not part.text:
        losses.state_of(part, "encrypted")
        return with_extras({"type": "redacted_thinking", "data": part.encrypted}, options)
    if is_unsigned_of_another(part, API):
        # No rule has asked for it: Anthropic takes none that it did not sign.
        losses.part("unsigned-reasoning", message, part)
        return None
    signature = losses.signature_of(part)
    wire: Wire = {"type": "thinking"}
    if part.text or "thinking" not in options.get(ABSENT, ()):
        wire["thinking"] = part.text
    if signature is not None:
        wire["signature"] = signature
    return with_extras(wire, options)


def _file(part: FilePart, message: Message, losses: Losses) -> Wire:
    options = options_of(part, API)
    media_type = part.media_type or ""
    is_image = options.get(TYPE, "image" if media_type.startswith("image/") else "document") == "image"
    source: Wire
    if part.data is not None and (API in (part.provider_options or {}) or _takes(media_type)):
        source = {"type": "base64", "media_type": media_type, "data": part.data}
    elif part.url is not None and (is_image or media_type in ("", "application/pdf")):
        source = {"type": "url", "url": part.url}
    elif part.file_id is not None and API in (part.provider_options or {}):
        source = {"type": "file", "file_id": part.file_id}
    else:
        return _stub(part, message, losses)
    wire = {"type": "image" if is_image else "document", "source": {**options.get("source", {}), **source}}
    if part.filename and len(part.filename) <= _LONGEST_TITLE and not is_image and "title" not in options:
        wire["title"] = part.filename
    else:
        losses.filename(part)
    return with_extras(wire, options)


def _takes(media_type: str) -> bool:
    return media_type in _IMAGES or media_type == "application/pdf"


def _call(part: ToolCallPart, message: Message, losses: Losses) -> Wire | None:
    options = options_of(part, API)
    if part.provider_executed and TYPE not in options:
        losses.part("provider-executed-tool", message, part)
        return None
    absent = options.get(ABSENT, ())
    wire: Wire = {"type": options.get(TYPE, "tool_use")}
    if part.tool_call_id is not None or "id" not in absent:
        wire["id"] = part.tool_call_id
    wire["name"] = part.tool_name
    if API in (part.provider_options or {}) or isinstance(part.input, dict):
        if part.input is not None or "input" not in absent:
            wire["input"] = part.input
    else:
        # "tool_use.input: Input should be a valid dictionary"
        wire["input"] = input_object(part)
        losses.part("input-is-no-object", message, part, {"input": wire["input"]})
    return with_extras(wire, options)


def _result(part: ToolResultPart, message: Message, losses: Losses) -> Wire | None:
    options = options_of(part, API)
    absent = options.get(ABSENT, ())
    if part.provider_executed:
        if TYPE not in options:
            losses.part("provider-executed-tool", message, part)
            return None
        wire: Wire = {"type": options[TYPE]}
        if part.tool_call_id is not None or "tool_use_id" not in absent:
            wire["tool_use_id"] = part.tool_call_id
        if part.output is not None or "content" not in absent:
            wire["content"] = part.output
        return with_extras(wire, options)
    wire = {"type": "tool_result"}
    if part.tool_call_id is not None or "tool_use_id" not in absent:
        wire["tool_use_id"] = part.tool_call_id
    part = model_facing(part)
    content = _output(part, message, losses)
    form = options.get(CONTENT)
    if content is not None:
        wire["content"] = content
    elif form != "absent":
        wire["content"] = None if form == "null" else ""
    if part.is_error is not None:
        wire["is_error"] = part.is_error
    return with_extras(wire, options)


def _output(part: ToolResultPart, message: Message, losses: Losses) -> Any:
    if part.content is None:
        if part.output is None or isinstance(part.output, str):
            return part.output
        return text_of_json(part.output, "output")
    losses.fields_of(part.content)
    return _blocks(part.content, message, losses)
