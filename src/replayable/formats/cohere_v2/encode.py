"""From a prompt to a Cohere chat request."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ..._node import wire_of
from ...json_value import parse_json
from ...media import (
    MODEL_IMAGES,
    data_url,
    file_stub,
    follows_text,
    located,
    media_kind,
    media_type_of,
    opaque_stub,
)
from ...messages import (
    AssistantMessage,
    FilePart,
    Message,
    OpaquePart,
    ReasoningPart,
    TextPart,
    ToolMessage,
    ToolResultPart,
)
from ...prompt import Prompt, ProviderTool
from ..arguments import is_free_text, written_arguments
from ..function_calls import written_function_call
from ..function_tools import written_tools
from ..model_facing import model_facing
from ..rewriting import (
    Losses,
    list_as_it_came,
    renewed_list,
    renewed_request,
    take_output_limit,
    with_ids,
)
from ..wire import Encoded, Wire, options_of, sent, target_model, text_of_json, with_extras
from .names import API, CONTENT, DATA, FIELD, FORM, TYPE
from .tools import encode_tool_choice

__all__ = ["encode"]


def encode(prompt: Prompt) -> Encoded:
    """Write a prompt as a request body of ``/v2/chat``, or as a bare list of messages when it came from one.

    What nobody touched comes back as the very object that was decoded. From another API the messages, the declared
    function tools and the tool choice are converted; what this wire can't express is listed in ``changes``. Text of an
    answer with calls becomes its ``tool_plan``. Images of tool results follow the results in a user message.
    """
    losses = Losses(API, prompt.messages)
    wires = list_as_it_came(prompt, losses)
    if wires is None:
        messages = with_ids(prompt, losses)
        wires = _Messages(losses, thinking=bool(prompt.thinking)).encode(messages)
    if prompt.request is None:
        if prompt.api == API:
            return Encoded(request=renewed_list(prompt, wires), changes=tuple(losses.changes))
        losses.request({})
        return Encoded(request=wires, changes=tuple(losses.changes))
    if prompt.api != API:
        return _converted(prompt, wires, losses)
    request = renewed_request(prompt, {"messages": wires}, losses, tools=lambda: _about_tools(prompt, losses))
    return Encoded(request=request, changes=tuple(losses.changes))


def _about_tools(prompt: Prompt, losses: Losses) -> tuple[Wire, list[ProviderTool]]:
    tools, foreign = written_tools(prompt, API)
    choice, complete = encode_tool_choice(prompt.tool_choice, has_tools=bool(tools.get("tools")))
    if not complete:
        losses.value("tool-choice", prompt.tool_choice, choice)
    return tools | choice, foreign


def _converted(prompt: Prompt, wires: list[Any], losses: Losses) -> Encoded:
    source = prompt.request or {}
    model = target_model(prompt)
    request: Wire = {"messages": wires} if model is None else {"model": model, "messages": wires}
    about_tools, foreign = _about_tools(prompt, losses)
    request.update(about_tools)
    limit, left = take_output_limit(source)
    if limit is not None:
        request["max_tokens"] = limit
    losses.fields_of(tool for tool in prompt.tools or () if tool.type == "function")
    losses.request(left, kept={"model"}, foreign=foreign)
    return Encoded(request=request, changes=tuple(losses.changes))


class _Messages:
    """Writes messages one by one; images of tool results follow their run of results in a user message.

    Args:
        losses: Where it is noted what the wire can't express.
        thinking: Whether the request switches reasoning on; only then other providers' reasoning is sent, too.
    """

    def __init__(self, losses: Losses, *, thinking: bool) -> None:
        self._losses = losses
        self._thinks = thinking
        self._wires: list[Any] = []
        self._images: list[Wire] = []

    def encode(self, messages: Sequence[Message]) -> list[Any]:
        for message in messages:
            if message.role != "tool":
                self._send_images()
            wire, piece = wire_of(message)
            if piece is not None and piece.api == API:
                self._wires.append(wire)
            else:
                self._losses.blaming(message, partial(self._fresh, message))
        self._send_images()
        return self._wires

    def _send_images(self) -> None:
        if self._images:
            self._wires.append({"role": "user", "content": self._images})
            self._images = []

    def _fresh(self, message: Message) -> None:
        self._losses.fields_of((message, *message.parts))
        options = options_of(message, API)
        if message.role == "tool":
            for part in message.parts:
                if part.type == "tool_result":
                    self._result(part, message, options)
                else:
                    self._losses.part("not-supported-here", message, part)
            return
        if message.role == "assistant":
            wire = self._assistant(message, options)
            if message.parts and wire.keys() == {"role"} and not any(sent(options).values()):
                # Nothing in it was for this wire, as `changes` says.
                return
        else:
            blocks = [self._block(part, message) for part in message.parts]
            wire = {"role": message.role, **_content(blocks, options.get(CONTENT))}
        self._wires.append(with_extras(wire, options))

    # --- assistant ----------------------------------------------------------------------------------------------

    def _assistant(self, message: AssistantMessage, options: Wire) -> Wire:
        calls = [call for part in message.parts for call in self._calls(part, message)]
        plan: list[str] = []
        blocks: list[Wire] = []
        for part in message.parts:
            if part.type == "reasoning":
                blocks.extend(self._thinking(part, message))
            elif part.type == "text" and calls and (message.api != API or FIELD in options_of(part, API)):
                # "text content is not allowed when tool_calls are provided. … use 'tool_plan'"
                plan.append(part.text)
            elif part.type in ("text", "file", "opaque"):
                block = self._block(part, message)
                if calls and message.api != API and _is_text(block):
                    plan.append(block["text"])
                else:
                    blocks.append(block)
        wire: Wire = {"role": "assistant"}
        form = options.get(CONTENT)
        if blocks or form is not None or (not calls and not message.parts):
            wire |= _content(blocks, form)
        if plan:
            wire["tool_plan"] = "\n\n".join(plan)
            if len(plan) > 1:
                self._losses.part("texts-joined", message, message, {"tool_plan": wire["tool_plan"]})
        return {**wire, "tool_calls": calls} if calls else wire

    def _thinking(self, part: ReasoningPart, message: AssistantMessage) -> list[Wire]:
        own, piece = wire_of(part)
        if piece is not None and piece.api == API and isinstance(own, dict):
            return [own]
        options = options_of(part, API)
        if FIELD in options or (part.text and self._thinks):
            self._losses.state_of(part)
            return [with_extras({"type": "thinking", "thinking": part.text}, options)]
        self._losses.part("no-field-for-reasoning", message, part)
        return []

    def _calls(self, part: Any, message: AssistantMessage) -> list[Any]:
        if part.type in ("tool_call", "tool_result") and part.provider_executed:
            self._losses.part("provider-executed-tool", message, part)
        elif part.type == "tool_result":
            self._losses.part("result-in-an-answer", message, part)
        elif part.type == "tool_call":
            wire, piece = wire_of(part)
            if piece is not None and piece.api == API:
                return [wire]
            call = written_function_call(part, API, written_arguments(part, options_of(part, API)))
            if is_free_text(part, API):
                self._losses.part(
                    "input-is-no-object", message, part, {"arguments": call["function"]["arguments"]}
                )
            return [call]
        return []

    # --- content --------------------------------------------------------------------------------------------------

    def _block(self, part: Any, message: Message) -> Any:
        own, piece = wire_of(part)
        if piece is not None and piece.api == API:
            return own
        if part.type == "text":
            return _text(part)
        if part.type == "file":
            image = _image(part) if message.role == "user" or TYPE in options_of(part, API) else None
            if image is None:
                return self._stub(part, message)
            self._losses.filename(part)
            return image
        return part.value if part.api == API else self._stub(part, message)

    def _stub(self, part: FilePart | OpaquePart, message: Message) -> Wire:
        text = file_stub(part) if part.type == "file" else opaque_stub(part)
        self._losses.part("not-supported-here", message, part, TextPart(text))
        return {"type": "text", "text": text}

    # --- tool results ---------------------------------------------------------------------------------------------

    def _result(self, part: ToolResultPart, message: ToolMessage, options: Wire) -> None:
        if part.provider_executed:
            self._losses.part("provider-executed-tool", message, part)
            return
        part = model_facing(part)
        if part.is_error and not part.synthesized:
            self._losses.field("is_error")
        wire: Wire = {"role": "tool"}
        if part.tool_call_id is not None:
            wire["tool_call_id"] = part.tool_call_id
        self._wires.append(with_extras({**wire, **self._output(part, message, options)}, options))

    def _output(self, part: ToolResultPart, message: ToolMessage, options: Wire) -> Wire:
        if part.content is not None:
            self._losses.fields_of(part.content)
            blocks = [self._result_block(item, message) for item in part.content]
            return _content(blocks, options.get(CONTENT)) if blocks else {"content": []}
        if part.output is None and CONTENT in options:
            return _content([], options[CONTENT])
        output = "" if part.output is None else part.output
        return {"content": output if isinstance(output, str) else text_of_json(output, "output")}

    def _result_block(self, part: Any, message: ToolMessage) -> Any:
        image = _image(part) if part.type == "file" and TYPE not in options_of(part, API) else None
        if image is None:
            return self._block(part, message)
        self._images.append(image)
        note = TextPart(follows_text(part))
        self._losses.part("file-follows-tool-result", message, part, note)
        return _text(note)


def _content(blocks: list[Any], form: Any) -> Wire:
    """The ``content`` field of a message, in the form that it had; absent where it was absent."""
    if not blocks and form in ("absent", "null"):
        return {} if form == "absent" else {"content": None}
    if form != "list" and not blocks:
        return {"content": ""}
    if form != "list" and len(blocks) == 1 and _is_text(blocks[0]):
        return {"content": blocks[0]["text"]}
    return {"content": blocks}


def _is_text(block: Any) -> bool:
    return isinstance(block, dict) and block.keys() == {"type", "text"}


def _text(part: TextPart) -> Wire:
    options = options_of(part, API)
    if options.get(TYPE) != "document":
        return with_extras({"type": "text", "text": part.text}, options)
    is_json, data = parse_json(part.text)
    if options.get(DATA) == "text" or not is_json or not isinstance(data, dict):
        data = part.text
    document = {**options.get("document", {}), "data": data}
    return with_extras({"type": "document", "document": document}, options)


def _image(part: FilePart) -> Wire | None:
    """The block of an image; None for what Cohere's models don't see."""
    options = options_of(part, API)
    url = located(part)
    if TYPE in options:
        url = part.url if part.url is not None else data_url(part, "image/*")
    elif (
        url is None
        or media_kind(part) != "image"
        or (part.data is not None and media_type_of(part) not in MODEL_IMAGES)
    ):
        return None
    holder: Any = url if options.get(FORM) == "string" else {**options.get("image_url", {}), "url": url}
    return with_extras({"type": "image_url", "image_url": holder}, options)
