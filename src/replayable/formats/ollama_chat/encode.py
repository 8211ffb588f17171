"""From a prompt to an Ollama chat request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from ..._node import wire_of
from ...media import file_stub, follows_text, media_kind, opaque_stub
from ...messages import (
    AssistantMessage,
    FilePart,
    Message,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
)
from ...prompt import Prompt
from ..arguments import ARGUMENTS, arguments_text, input_object, written_arguments
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
from ..wire import Encoded, Wire, options_of, target_model, text_of_json, with_extras
from .names import API, CONTENT, NAMELESS, THINKING

__all__ = ["encode"]


def encode(prompt: Prompt) -> Encoded:
    """Write a prompt as a request body of ``/api/chat``, or as a bare list of messages when it came from one.

    What nobody touched comes back as the very object that was decoded. From another API the messages and the declared
    function tools are converted; what this wire can't express (a tool choice, files that are no images in base64) is
    listed in ``changes``. Images of tool results follow the results in a user message.
    """
    losses = Losses(API, prompt.messages)
    wires = list_as_it_came(prompt, losses)
    if wires is None:
        messages = with_ids(prompt, losses)
        wires = _Messages(losses).encode(messages)
    if prompt.request is None:
        if prompt.api == API:
            return Encoded(request=renewed_list(prompt, wires), changes=tuple(losses.changes))
        losses.request({})
        return Encoded(request=wires, changes=tuple(losses.changes))
    if prompt.api != API:
        return _converted(prompt, wires, losses)
    fields = {"messages": wires}
    request = renewed_request(prompt, fields, losses, tools=lambda: written_tools(prompt, API))
    return Encoded(request=request, changes=tuple(losses.changes))


def _converted(prompt: Prompt, wires: list[Any], losses: Losses) -> Encoded:
    source = prompt.request or {}
    model = target_model(prompt)
    request: Wire = {"messages": wires} if model is None else {"model": model, "messages": wires}
    tools, foreign = written_tools(prompt, API)
    request.update(tools)
    choice = prompt.tool_choice
    if choice is not None and (
        choice.type != "auto" or choice.allowed is not None or choice.parallel is not None
    ):
        losses.value("tool-choice", choice)
    limit, left = take_output_limit(source)
    if limit is not None:
        request["options"] = {"num_predict": limit}
    losses.fields_of(tool for tool in prompt.tools or () if tool.type == "function")
    losses.request(left, kept={"model"}, foreign=foreign)
    return Encoded(request=request, changes=tuple(losses.changes))


class _Messages:
    """Writes messages one by one; images of tool results follow their run of results in a user message."""

    def __init__(self, losses: Losses) -> None:
        self._losses = losses
        self._wires: list[Any] = []
        self._images: list[str] = []
        # Ollama tells a result by the name of its tool.
        self._names: dict[str, str] = {}

    def encode(self, messages: Sequence[Message]) -> list[Any]:
        for message in messages:
            if message.role == "assistant":
                self._names.update(
                    (part.tool_call_id, part.tool_name)
                    for part in message.parts
                    if part.type == "tool_call" and part.tool_call_id
                )
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
            self._wires.append({"role": "user", "content": "", "images": self._images})
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
        wire: Wire = {"role": message.role, **self._said(message.parts, message, options)}
        if message.role == "assistant":
            wire.update(self._thinking(message))
            calls = [call for part in message.parts for call in self._calls(part, message)]
            if calls:
                wire["tool_calls"] = calls
            if message.parts and wire == {"role": "assistant", "content": ""} and not _has_text(message):
                # Nothing in it was for this wire, as `changes` says.
                return
        self._wires.append(with_extras(wire, options))

    def _said(self, parts: Iterable[Any], message: Message, options: Wire) -> Wire:
        """The text and the images of a message; several texts are lines of one."""
        texts: list[str] = []
        images: list[str] = []
        for part in parts:
            if part.type == "text":
                texts.append(part.text)
            elif part.type == "file" and _is_image(part):
                images.append(part.data)
                self._losses.filename(part)
            elif part.type in ("file", "opaque"):
                text = file_stub(part) if part.type == "file" else opaque_stub(part)
                self._losses.part("not-supported-here", message, part, TextPart(text))
                texts.append(text)
        wire: Wire = {"content": "\n".join(texts)}
        if len(texts) > 1 and message.role != "tool":
            self._losses.part("texts-joined", message, message, {"content": wire["content"]})
        if not texts and CONTENT in options:
            wire = {"content": None} if options[CONTENT] == "null" else {}
        return {**wire, "images": images} if images else wire

    def _thinking(self, message: AssistantMessage) -> Wire:
        texts: list[str] = []
        for part in message.parts:
            if part.type != "reasoning":
                continue
            if part.text or THINKING in options_of(part, API):
                self._losses.state_of(part)
                texts.append(part.text)
            else:
                self._losses.part("no-field-for-reasoning", message, part)
        return {"thinking": "\n\n".join(texts)} if texts else {}

    def _calls(self, part: Any, message: AssistantMessage) -> list[Wire]:
        if part.type in ("tool_call", "tool_result") and part.provider_executed:
            self._losses.part("provider-executed-tool", message, part)
        elif part.type == "tool_result":
            self._losses.part("result-in-an-answer", message, part)
        elif part.type == "tool_call":
            wire, piece = wire_of(part)
            return [wire if piece is not None and piece.api == API else self._call(part, message)]  # type: ignore[list-item]
        return []

    def _call(self, part: ToolCallPart, message: AssistantMessage) -> Wire:
        options = options_of(part, API)
        form = options.get(ARGUMENTS)
        if form == "text":
            arguments: Wire = {"arguments": arguments_text(part)}
        elif form is not None:
            arguments = written_arguments(part, options)
        else:
            # "cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments"
            arguments = {"arguments": input_object(part)}
            if arguments["arguments"] is not part.input:
                self._losses.part("input-is-no-object", message, part, arguments)
        return written_function_call(part, API, arguments)

    def _result(self, part: ToolResultPart, message: ToolMessage, options: Wire) -> None:
        if part.provider_executed:
            self._losses.part("provider-executed-tool", message, part)
            return
        part = model_facing(part)
        if part.is_error and not part.synthesized:
            self._losses.field("is_error")
        wire: Wire = {"role": "tool", **self._output(part, message, options)}
        if part.tool_call_id is not None:
            wire["tool_call_id"] = part.tool_call_id
        name = part.tool_name or self._names.get(part.tool_call_id or "")
        if name is not None and NAMELESS not in options:
            wire["tool_name"] = name
        self._wires.append(with_extras(wire, options))

    def _output(self, part: ToolResultPart, message: ToolMessage, options: Wire) -> Wire:
        if part.content is None:
            if part.output is None and CONTENT in options:
                return self._said((), message, options)
            text = "" if part.output is None else part.output
            return {"content": text if isinstance(text, str) else text_of_json(text, "output")}
        self._losses.fields_of(part.content)
        items: list[Any] = []
        for item in part.content:
            if item.type == "file" and _is_image(item) and API not in (item.provider_options or {}):
                self._images.append(item.data or "")
                note = TextPart(follows_text(item))
                self._losses.part("file-follows-tool-result", message, item, note)
                items.append(note)
            else:
                items.append(item)
        return self._said(items, message, options)


def _has_text(message: Message) -> bool:
    return any(part.type == "text" for part in message.parts)


def _is_image(part: FilePart) -> bool:
    return bool(part.data) and media_kind(part) == "image"
