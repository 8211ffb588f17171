"""From a prompt to an OpenAI Chat request."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from ..._node import wire_of
from ...compat.provider import Dialect
from ...compat.providers import dialect_of
from ...messages import (
    AssistantMessage,
    FilePart,
    Message,
    OpaquePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
)
from ...prompt import Prompt, ProviderTool
from ..arguments import written_arguments
from ..media import data_url, file_stub, opaque_stub
from ..rewriting import Losses, fill_missing_ids, renewed_list, renewed_request, take_output_limit
from ..wire import Encoded, Wire, options_of, sent, text_of_json, wire_model, with_extras
from .decode import thinking_text
from .names import API, CONTENT, FIELD, FORM, LEGACY, TYPE
from .tools import encode_tool_choice, encode_tools

__all__ = ["encode"]

_AUDIO_FORMATS: Final = {"audio/mpeg": "mp3", "audio/mp3": "mp3", "audio/wav": "wav", "audio/x-wav": "wav"}
_NOTHING: Final[Wire] = {}
_COMMON: Final = frozenset({"role", "content"})


def encode(prompt: Prompt) -> Encoded:
    """Write a prompt as a request body, or as a bare list of messages when it came from one.

    What nobody touched comes back as the very object that was decoded. From another API the messages, the declared
    function tools and the tool choice are converted; what this wire can't express is listed in ``changes``.
    """
    losses = Losses(API, prompt.messages)
    messages = prompt.messages if prompt.api == API else fill_missing_ids(prompt.messages)
    wires = _Messages(dialect_of(prompt.model), losses).encode(messages)
    if prompt.api != API:
        return _converted(prompt, wires, losses)
    if prompt.request is None:
        return Encoded(request=renewed_list(prompt, wires), changes=tuple(losses.changes))
    request = renewed_request(prompt, {"messages": wires}, losses, tools=lambda: _about_tools(prompt, losses))
    return Encoded(request=request, changes=tuple(losses.changes))


def _about_tools(prompt: Prompt, losses: Losses) -> tuple[Wire, list[ProviderTool]]:
    tools, foreign = encode_tools(prompt)
    has_tools = bool(tools.get("tools") or tools.get("functions"))
    choice = encode_tool_choice(prompt.tool_choice, has_tools=has_tools)
    if prompt.tool_choice is not None and prompt.tool_choice.type in ("required", "tool") and not choice:
        losses.value("tool-choice", prompt.tool_choice, choice)
    return tools | choice, foreign


def _converted(prompt: Prompt, wires: list[Any], losses: Losses) -> Encoded:
    if prompt.request is None:
        losses.request({})
        return Encoded(request=wires, changes=tuple(losses.changes))
    model = wire_model(prompt) or prompt.request.get("model")
    request: Wire = {"messages": wires} if model is None else {"model": model, "messages": wires}
    about_tools, foreign = _about_tools(prompt, losses)
    request.update(about_tools)
    limit, left = take_output_limit(prompt.request)
    if limit is not None:
        # The newer name is the one that reasoning models of OpenAI demand.
        openai = prompt.model is not None and prompt.model.provider in ("openai", "azure")
        request["max_completion_tokens" if openai else "max_tokens"] = limit
    losses.fields_of(tool for tool in prompt.tools or () if tool.type == "function")
    losses.request(left, kept={"model"}, foreign=foreign)
    return Encoded(request=request, changes=tuple(losses.changes))


class _Messages:
    """Writes messages one by one; files of tool results follow their run of results in a user message."""

    def __init__(self, dialect: Dialect, losses: Losses) -> None:
        self._dialect = dialect
        self._losses = losses
        self._wires: list[Any] = []
        # Files that this wire's tool results can't hold, to be sent after the run.
        self._files: list[tuple[FilePart, Message]] = []
        self._answer: AssistantMessage | None = None

    def encode(self, messages: Any) -> list[Any]:
        for message in messages:
            if message.role == "assistant":
                self._answer = message
            if self._files and message.role != "tool":
                self._send_files()
            wire, piece = wire_of(message)
            if piece is not None and piece.api == API:
                self._wires.append(wire)
            else:
                self._losses.blaming(message, partial(self._fresh, message))
        self._send_files()
        return self._wires

    def _send_files(self) -> None:
        if self._files:
            content = [self._file(part, message) for part, message in self._files]
            self._wires.append({"role": "user", "content": content})
            self._files = []

    def _fresh(self, message: Message) -> None:
        self._losses.fields_of((message, *message.parts))
        options = options_of(message, API)
        if message.role == "assistant":
            wire = self._assistant(message)
            if not message.parts or _says_something(wire) or any(sent(options).values()):
                self._wires.append(with_extras(wire, options))
            # Else nothing in it was for this wire, as `changes` says: an empty answer would be refused.
        elif message.role == "tool":
            for part in message.parts:
                self._result(part, message, options)
        else:
            wire = {"role": message.role, **self._content(message, options), **sent(options)}
            self._wires.append(wire)

    # --- content --------------------------------------------------------------------------------------------

    def _content(self, message: Message, options: Wire) -> Wire:
        """The ``content`` field of a message, in the form that it had; absent where it was absent."""
        parts = [wire for part in message.parts for wire in self._content_part(part, message)]
        form = options.get(CONTENT)
        if not parts:
            if form == "absent":
                return {}
            if form == "list":
                return {"content": []}
            return {"content": None if form == "null" or message.role == "assistant" else ""}
        if (
            len(parts) == 1
            and form != "list"
            and parts[0].keys() == {"type", "text"}
            and parts[0]["type"] == "text"
        ):
            return {"content": parts[0]["text"]}
        return {"content": parts}

    def _content_part(self, part: Any, message: Message) -> list[Wire]:
        own = _own_wire(part)
        if own is not None and part.type in ("text", "file", "opaque"):
            return [own]
        match part.type:
            case "text":
                return [with_extras({"type": "text", "text": part.text}, options_of(part, API))]
            case "file":
                return [self._file(part, message)]
            case "opaque" if FIELD not in options_of(part, API):
                return [part.value if part.api == API else self._stub(part, message)]
            case "reasoning" if options_of(part, API).get(FIELD) == "thinking":
                return [own if own is not None else _thinking_chunk(part)]
            case _:
                return []

    def _stub(self, part: FilePart | OpaquePart, message: Message) -> Wire:
        text = file_stub(part) if part.type == "file" else opaque_stub(part)
        self._losses.part("not-supported-here", message, part, TextPart(text))
        return {"type": "text", "text": text}

    def _file(self, part: FilePart, message: Message) -> Wire:
        options = options_of(part, API)
        if TYPE in options:
            return _file_as_it_was(part, options)
        if message.role in ("user", "tool"):
            media_type = part.media_type or ""
            if media_type.startswith("image/") and (part.url or part.data):
                return {"type": "image_url", "image_url": {"url": part.url or data_url(part, "image/png")}}
            if media_type in _AUDIO_FORMATS and part.data is not None:
                audio = {"data": part.data, "format": _AUDIO_FORMATS[media_type]}
                return {"type": "input_audio", "input_audio": audio}
            if part.data is not None:
                file = {"file_data": data_url(part, "application/pdf"), "filename": part.filename or "file"}
                return {"type": "file", "file": file}
        return self._stub(part, message)

    # --- assistant --------------------------------------------------------------------------------------------

    def _assistant(self, message: AssistantMessage) -> Wire:
        wire: Wire = {"role": "assistant", **self._content(message, options_of(message, API))}
        wire.update(self._reasoning(message))
        calls: list[Any] = []
        for part in message.parts:
            options = options_of(part, API)
            if (part.type == "tool_call" or part.type == "tool_result") and part.provider_executed:
                self._losses.part("provider-executed-tool", message, part)
            elif part.type == "tool_result":
                self._losses.part("result-in-an-answer", message, part)
            elif part.type == "tool_call" and LEGACY in options:
                wire["function_call"] = _function(part)
            elif part.type == "tool_call":
                own = _own_wire(part)
                calls.append(own if own is not None else _call(part))
            elif part.type == "opaque" and options.get(FIELD) == "refusal":
                wire["refusal"] = part.value.get("refusal") if isinstance(part.value, dict) else part.value
        return {**wire, "tool_calls": calls} if calls else wire

    def _reasoning(self, message: AssistantMessage) -> Wire:
        """Reasoning in the field in which it stood on this API, else in the dialect's own; else it is left out."""
        fields: Wire = {}
        for part in message.parts:
            if part.type != "reasoning":
                continue
            field = options_of(part, API).get(FIELD) or self._dialect.reasoning_field
            if field == "thinking":
                continue
            if field == "reasoning_details":
                own = _own_wire(part)
                fields.setdefault(field, []).append(own if own is not None else _detail(part))
            elif field is not None and part.text:
                fields[field] = f"{fields[field]}\n\n{part.text}" if field in fields else part.text
            elif field is not None and API in (part.provider_options or {}):
                fields[field] = part.text
            else:
                self._losses.part("no-field-for-reasoning", message, part)
        return fields

    # --- tool results -------------------------------------------------------------------------------------------

    def _result(self, part: Any, message: ToolMessage, options: Wire) -> None:
        if part.type == "opaque":
            if part.api == API:
                self._wires.append(part.value)
            else:
                self._losses.part("not-supported-here", message, part)
            return
        if part.provider_executed:
            self._losses.part("provider-executed-tool", message, part)
            return
        if part.is_error and not part.synthesized:
            self._losses.field("is_error")
        legacy = part.tool_call_id is None and self._answers_legacy_call()
        wire: Wire = {"role": "function" if legacy else options.get("role", "tool")}
        if part.tool_call_id is not None:
            wire["tool_call_id"] = part.tool_call_id
        if part.tool_name is not None and (legacy or "name" in options):
            wire["name"] = part.tool_name
        form = options.get(CONTENT)
        if form != "absent" or part.output is not None or part.content is not None:
            wire["content"] = self._output(part, message, form)
        self._wires.append(with_extras(wire, options))

    def _answers_legacy_call(self) -> bool:
        """Whether the answer before was in the older form, whose results have the role ``function``."""
        answer = self._answer
        return answer is not None and any(
            part.type == "tool_call" and LEGACY in options_of(part, API) for part in answer.parts
        )

    def _output(self, part: ToolResultPart, message: ToolMessage, form: Any) -> Any:
        if part.content is None:
            if part.output is None:
                return None if form == "null" else ""
            return part.output if isinstance(part.output, str) else text_of_json(part.output, "output")
        if form == "list":
            # From this API: a list it was, a list it stays.
            return [wire for item in part.content for wire in self._content_part(item, message)]
        texts: list[str] = []
        for item in part.content:
            self._losses.fields_of((item,))
            if item.type == "text":
                texts.append(item.text)
            elif item.type == "file":
                self._files.append((item, message))
                texts.append(f"[{item.media_type or 'file'}: see the next user message]")
                self._losses.part("file-follows-tool-result", message, item, TextPart(texts[-1]))
            else:
                stub = TextPart(opaque_stub(item))
                self._losses.part("not-supported-here", message, item, stub)
                texts.append(stub.text)
        return "\n".join(texts)


def _own_wire(part: Any) -> Any:
    """The wire object that a part was read from, if that was this API's."""
    wire, piece = wire_of(part)
    return wire if piece is not None and piece.api == API else None


def _says_something(wire: Wire) -> bool:
    return not wire.keys() <= _COMMON or wire.get("content") not in (None, [])


def _file_as_it_was(part: FilePart, options: Wire) -> Wire:
    kind = options[TYPE]
    holder: Any
    if kind == "input_audio":
        holder = {"data": part.data}
    elif kind == "file":
        data = data_url(part, "") if part.data is not None and part.media_type else part.data
        fields = {"file_data": data, "file_id": part.file_id, "filename": part.filename}
        holder = {key: value for key, value in fields.items() if value is not None}
    else:
        url = part.url if part.url is not None else data_url(part, "application/octet-stream")
        holder = url if options.get(FORM) == "string" else {"url": url}
    if isinstance(holder, dict):
        holder = {**options.get(kind, _NOTHING), **holder}
    return with_extras({"type": kind, kind: holder}, options)


def _thinking_chunk(part: ReasoningPart) -> Wire:
    options = options_of(part, API)
    wire: Wire = {"type": "thinking"}
    # The chunks as they stood there count as long as they still say the text.
    if thinking_text(options.get("thinking")) != part.text:
        wire["thinking"] = [{"type": "text", "text": part.text}]
    return with_extras(wire, options)


def _detail(part: ReasoningPart) -> Wire:
    options = options_of(part, API)
    kind = "reasoning.encrypted" if part.encrypted and not part.text else "reasoning.text"
    # One from this API has its type, or had none, among the options.
    wire: Wire = {} if FIELD in options else {"type": kind}
    if part.text or (FIELD in options and "$text" not in options):
        wire["summary" if options.get("type") == "reasoning.summary" else "text"] = part.text
    if part.encrypted is not None:
        wire["data"] = part.encrypted
    if part.signature is not None:
        wire["signature"] = part.signature
    if part.id is not None:
        wire["id"] = part.id
    return with_extras(wire, options)


def _call(part: ToolCallPart) -> Wire:
    options = options_of(part, API)
    kind = options.get(TYPE, "function")
    wire: Wire = {} if part.tool_call_id is None else {"id": part.tool_call_id}
    if kind != "$absent":
        wire["type"] = kind
    more = options.get("custom")
    if kind == "custom" and isinstance(more, dict):
        wire["custom"] = {**more, "name": part.tool_name, "input": part.input}
    else:
        wire["function"] = _function(part)
    return with_extras(wire, options)


def _function(part: ToolCallPart) -> Wire:
    options = options_of(part, API)
    wire: Wire = {"name": part.tool_name, **written_arguments(part, options)}
    return {**options.get("function", _NOTHING), **wire}
