"""From a prompt to an OpenAI Chat request."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from ..._node import wire_of
from ...compat.provider import SAID_PARTS, Dialect
from ...compat.providers import dialect_of
from ...facts import FILES, OPAQUE, REASONING, facts_of
from ...media import file_stub, follows_text, opaque_stub
from ...messages import (
    AssistantMessage,
    FilePart,
    Message,
    OpaquePart,
    Part,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
)
from ...prompt import Prompt, ProviderTool, facts_of_prompt
from ..arguments import is_free_text, written_arguments
from ..model_facing import model_facing
from ..rewriting import (
    Losses,
    fill_missing_ids,
    list_as_it_came,
    renewed_list,
    renewed_request,
    take_output_limit,
    with_ids,
)
from ..wire import Encoded, Wire, options_of, sent, target_model, text_of_json, with_extras
from .files import file_as_it_was, files_of, new_file, takes_file
from .names import API, BLOCKS, CONTENT, FIELD, LEGACY, SERVER, TYPE
from .reasoning import MIRRORS, field_for, reasoning_detail, stood_in, thinking_block, thinking_chunk
from .tools import encode_tool_choice, encode_tools

__all__ = ["encode"]

_NOTHING: Final[Wire] = {}
_COMMON: Final = frozenset({"role", "content"})
# Types of parts in which a file has its name.
_NAMED: Final = ("file", "document_url")
# Fields that hold reasoning in a list of entries -> how one is written.
_LISTED: Final = {BLOCKS: thinking_block, "reasoning_details": reasoning_detail}
# What these entries hold beside a text.
_STATE: Final = {BLOCKS: ("signature", "encrypted"), "reasoning_details": ("id", "signature", "encrypted")}


def encode(prompt: Prompt) -> Encoded:
    """Write a prompt as a request body, or as a bare list of messages when it came from one.

    What nobody touched comes back as the very object that was decoded. From another API the messages, the declared
    function tools and the tool choice are converted; what this wire can't express is listed in ``changes``.
    """
    losses = Losses(API, prompt.messages)
    dialect = dialect_of(prompt.model)
    # Reasoning, files, calls and refusals may have to stand elsewhere for another provider: these are looked at one by one.
    differs = dialect.function_calls_only or facts_of_prompt(prompt) & (REASONING | FILES | OPAQUE)
    wires = list_as_it_came(prompt, losses)
    if wires is None or (differs and prompt.model is not None):
        messages = with_ids(prompt, losses)
        if dialect.function_calls_only and _has_older_calls(prompt):
            # The older form of calls has no ids; where it is refused, they are needed.
            messages = fill_missing_ids(messages, losses)
        wires = _Messages(dialect, losses, by_hand=prompt.api is None).encode(messages)
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
    model = target_model(prompt)
    request: Wire = {"messages": wires} if model is None else {"model": model, "messages": wires}
    about_tools, foreign = _about_tools(prompt, losses)
    request.update(about_tools)
    limit, left = take_output_limit(prompt.request)
    if limit is not None:
        request[dialect_of(prompt.model).output_limit] = limit
    losses.fields_of(tool for tool in prompt.tools or () if tool.type == "function")
    losses.request(left, kept={"model"}, foreign=foreign)
    return Encoded(request=request, changes=tuple(losses.changes))


class _Messages:
    """Writes messages one by one; files of tool results follow their run of results in a user message."""

    def __init__(self, dialect: Dialect, losses: Losses, *, by_hand: bool) -> None:
        self._dialect = dialect
        # Whether no API made the history: then a file's id is meant for this one.
        self._by_hand = by_hand
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
            if piece is not None and piece.api == API and self._in_dialect(message):
                self._wires.append(wire)
            else:
                self._losses.blaming(message, partial(self._fresh, message))
        self._send_files()
        return self._wires

    def _in_dialect(self, message: Message) -> bool:
        """Whether a message of this API is written as the target's dialect wants it: another provider may have made it."""
        facts, dialect = facts_of(message), self._dialect
        if facts & REASONING and any(
            part.type == "reasoning" and field_for(part, dialect) != stood_in(part) for part in message.parts
        ):
            return False
        if dialect.function_calls_only and not _holds_function_calls_only(message):
            return False
        if facts & OPAQUE and any(self._is_foreign(part) for part in message.parts):
            return False
        in_result = message.role == "tool"
        return not facts & FILES or all(
            takes_file(part, dialect, in_result=in_result) for part in files_of(message)
        )

    def _send_files(self) -> None:
        if self._files:
            content = [self._file(part, message) for part, message in self._files]
            self._wires.append({"role": "user", "content": content})
            self._files = []

    def _fresh(self, message: Message) -> None:
        self._losses.fields_of((message, *message.parts))
        options = self._options(message)
        if message.role == "assistant":
            wire = self._assistant(message)
            if not message.parts or _says_something(wire) or any(sent(options).values()):
                if CONTENT not in options and wire.get("content") is None and not _stands_for_content(wire):
                    wire["content"] = ""
                self._wires.append(with_extras(wire, options))
            # Else nothing in it was for this wire, as `changes` says: an empty answer would be refused.
        elif message.role == "tool":
            for part in message.parts:
                self._result(part, message, options)
        else:
            wire = {"role": message.role, **self._content(message, options), **sent(options)}
            self._wires.append(wire)

    def _options(self, message: Message) -> Wire:
        """A message's own fields, without a text that repeats reasoning which goes to another field."""
        options = options_of(message, API)
        foreign = MIRRORS - {*self._dialect.reasoning_fields}
        if not options.keys() & foreign or self._in_dialect(message):
            return options
        return {key: value for key, value in options.items() if key not in foreign}

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
        if form != "list" and len(parts) == 1 and _is_plain_text(parts[0]):
            return {"content": parts[0]["text"]}
        return {"content": parts}

    def _content_part(self, part: Any, message: Message) -> list[Wire]:
        own = _own_wire(part)
        if self._is_foreign(part):
            refusal = part.value.get("refusal")
            text = TextPart(refusal) if isinstance(refusal, str) else None
            self._losses.part("not-supported-here", message, part, text)
            return [] if text is None else [{"type": "text", "text": text.text}]
        if own is not None and part.type in ("text", "opaque"):
            return [own]
        match part.type:
            case "text":
                return [with_extras({"type": "text", "text": part.text}, options_of(part, API))]
            case "file" if not self._is_spoken(part):
                return [self._file(part, message)]
            case "opaque" if FIELD not in options_of(part, API):
                return [part.value if part.api == API else self._stub(part, message)]
            case "reasoning" if field_for(part, self._dialect) == "thinking":
                if stood_in(part) == "thinking":
                    return [own if own is not None else thinking_chunk(part)]
                return [thinking_chunk(part)] if part.text else []
            case _:
                return []

    def _is_foreign(self, part: Part) -> bool:
        """Whether it is a part of this API that only another provider has."""
        value = part.value if part.type == "opaque" and part.api == API else None
        kind = value.get("type") if isinstance(value, dict) else None
        return kind in SAID_PARTS and kind not in self._dialect.said

    def _is_spoken(self, part: FilePart) -> bool:
        """Whether a file goes into the field of a spoken answer."""
        stood_there = options_of(part, API).get(TYPE) == "audio"
        return stood_there and takes_file(part, self._dialect, in_result=False)

    def _stub(self, part: FilePart | OpaquePart, message: Message) -> Wire:
        text = file_stub(part) if part.type == "file" else opaque_stub(part)
        self._losses.part("not-supported-here", message, part, TextPart(text))
        return {"type": "text", "text": text}

    def _file(self, part: FilePart, message: Message) -> Wire:
        wire = self._written_file(part) if _may_hold_files(message, part) else None
        if wire is None:
            return self._stub(part, message)
        if wire.get("type") not in _NAMED:
            self._losses.filename(part)
        return wire

    def _written_file(self, part: FilePart) -> Wire | None:
        """A file as it stood on this wire if the dialect takes that, else in a part that it has, if any."""
        if TYPE not in options_of(part, API) or not takes_file(part, self._dialect, in_result=False):
            return new_file(part, self._dialect, by_hand=self._by_hand)
        own = _own_wire(part)
        return own if own is not None else file_as_it_was(part)

    # --- assistant --------------------------------------------------------------------------------------------

    def _assistant(self, message: AssistantMessage) -> Wire:
        wire: Wire = {"role": "assistant", **self._content(message, options_of(message, API))}
        wire.update(self._reasoning(message))
        calls: list[Any] = []
        for part in message.parts:
            options = options_of(part, API)
            if _was_executed(part) and SERVER not in options:
                self._losses.part("provider-executed-tool", message, part)
            elif part.type == "tool_result":
                self._losses.part("result-in-an-answer", message, part)
            elif part.type == "tool_call" and LEGACY in options and not self._dialect.function_calls_only:
                wire["function_call"] = _function(part)
            elif part.type == "tool_call":
                calls.append(self._call(part, message))
            elif part.type == "file" and self._is_spoken(part):
                wire["audio"] = {"id": part.file_id, **options.get("audio", _NOTHING)}
            elif part.type == "opaque" and options.get(FIELD) == "refusal" and not self._is_foreign(part):
                wire["refusal"] = part.value.get("refusal") if isinstance(part.value, dict) else part.value
        return {**wire, "tool_calls": calls} if calls else wire

    def _reasoning(self, message: AssistantMessage) -> Wire:
        """The fields that hold reasoning; what goes into chunks of the content is written there."""
        fields: Wire = {}
        for part in message.parts:
            if part.type != "reasoning":
                continue
            field, old = field_for(part, self._dialect), stood_in(part)
            if field is None or not (part.text or field in (old, *_LISTED)):
                self._losses.part("no-field-for-reasoning", message, part)
                continue
            if old not in (None, field):
                self._losses.part("reasoning-field", message, part, {field: part.text})
            elif old is None:
                self._losses.state_of(part, *_STATE.get(field, ()))
            if field in _LISTED:
                own = _own_wire(part) if old == field else None
                fields.setdefault(field, []).append(_LISTED[field](part) if own is None else own)
            elif field != "thinking":
                fields[field] = f"{fields[field]}\n\n{part.text}" if fields.get(field) else part.text
        return fields

    def _call(self, part: ToolCallPart, message: AssistantMessage) -> Any:
        own, dialect = _own_wire(part), self._dialect
        if own is not None and not (dialect.function_calls_only and _is_custom(part)):
            return own
        wire = _written_call(part, dialect)
        if wire.get("type") != "custom" and (is_free_text(part, API) or _is_custom(part)):
            # As arguments it is a JSON string, which few servers read.
            self._losses.part(
                "input-is-no-object", message, part, {"arguments": wire["function"]["arguments"]}
            )
        return wire

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
        part = model_facing(part)
        if part.is_error and not part.synthesized:
            self._losses.field("is_error")
        legacy = part.tool_call_id is None and self._answers_legacy_call()
        role = "function" if legacy else options.get("role", "tool")
        wire: Wire = {"role": "tool" if self._dialect.function_calls_only else role}
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
        self._losses.fields_of(part.content)
        items: list[Wire] = []
        for item in part.content:
            if item.type == "file" and not self._stays_in_result(item) and self._written_file(item):
                self._files.append((item, message))
                text = follows_text(item)
                self._losses.part("file-follows-tool-result", message, item, TextPart(text))
                items.append({"type": "text", "text": text})
            else:
                items.extend(self._content_part(item, message))
        # From this API: a list it was, a list it stays.
        if form == "list" or any(item.get("type") != "text" for item in items):
            return items
        return "\n".join(item["text"] for item in items)

    def _stays_in_result(self, part: FilePart) -> bool:
        """Whether a file may stand in a tool result; where nobody knows, one that stood in a result of this API."""
        known = self._dialect.media_in_results
        return TYPE in options_of(part, API) if known is None else known


def _may_hold_files(message: Message, part: FilePart) -> bool:
    return message.role in ("user", "tool") or TYPE in options_of(part, API)


def _own_wire(part: Any) -> Any:
    """The wire object that a part was read from, if that was this API's."""
    wire, piece = wire_of(part)
    return wire if piece is not None and piece.api == API else None


def _is_plain_text(wire: Any) -> bool:
    return isinstance(wire, dict) and wire.keys() == {"type", "text"} and wire["type"] == "text"


def _says_something(wire: Wire) -> bool:
    return not wire.keys() <= _COMMON or wire.get("content") not in (None, [])


def _stands_for_content(wire: Wire) -> bool:
    """Whether an answer says in another field what it says: then its content may be null."""
    return any(wire.get(field) is not None for field in ("tool_calls", "function_call", "audio", "refusal"))


def _has_older_calls(prompt: Prompt) -> bool:
    return any(LEGACY in options_of(part, API) for message in prompt.messages for part in message.parts)


def _was_executed(part: Any) -> bool:
    return part.type in ("tool_call", "tool_result") and part.provider_executed


def _is_custom(part: Any) -> bool:
    return part.type == "tool_call" and options_of(part, API).get(TYPE) == "custom"


def _holds_function_calls_only(message: Message) -> bool:
    """Whether an answer has no call, and a result answers none, in another form than that of a function's call."""
    return options_of(message, API).get("role") != "function" and not any(
        _is_custom(part) or LEGACY in options_of(part, API) for part in message.parts
    )


def _written_call(part: ToolCallPart, dialect: Dialect) -> Wire:
    options = options_of(part, API)
    if dialect.function_calls_only and _is_custom(part):
        options = {key: value for key, value in options.items() if key not in (TYPE, "custom")}
    custom = dialect.custom_tools and is_free_text(part, API)
    kind = options.get(TYPE, "custom" if custom else "function")
    wire: Wire = {} if part.tool_call_id is None else {"id": part.tool_call_id}
    if kind != "$absent":
        wire["type"] = kind
    more = options.get("custom", _NOTHING)
    if kind == "custom" and isinstance(more, dict):
        wire["custom"] = {**more, "name": part.tool_name, "input": part.input}
    else:
        wire["function"] = _function(part)
    return with_extras(wire, options)


def _function(part: ToolCallPart) -> Wire:
    options = options_of(part, API)
    wire: Wire = {"name": part.tool_name, **written_arguments(part, options)}
    return {**options.get("function", _NOTHING), **wire}
