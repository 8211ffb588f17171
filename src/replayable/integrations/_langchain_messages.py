"""Between LangChain's messages and ours: what nobody touched goes back as the very object that came."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any, Final, TypeAlias

from langchain_core import messages as lc

from .._node import build, defaults, piece_of, wire_of
from ..compat.rules.thought_signatures import NO_SIGNATURE
from ..facts import build_message
from ..formats.pieces import intact_wires
from ..formats.rewriting import Losses
from ..formats.wire import Encoded, options_of, text_of_json
from ..json_value import parse_json
from ..media import opaque_stub
from ..messages import (
    AssistantMessage,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from ..model_ref import ModelRef
from ..prompt import Prompt, remember_list, unchanged_list
from ._langchain_blocks import (
    API,
    BLOCK,
    ORIGINAL,
    answers_call,
    call_fields,
    call_id_of,
    node,
    original_of,
    read_block,
    written_call_block,
)
from ._langchain_items import (
    RESPONSES,
    in_todays_form,
    is_lost,
    item_blocks,
    mark_call,
    read_item,
    written_call_item,
    written_item,
)

__all__ = ["LangChainMessages"]

_FIELD: Final = "$field"
"""On reasoning: its key in ``additional_kwargs``."""
# Their classes put the system messages at the start of the list beside it.
_HOISTS_SYSTEM: Final = frozenset({"anthropic", "bedrock", "gemini"})
# Reasoning beside the content; the first is the usual one, and what the others hold is the same.
_REASONING_KEYS: Final = ("reasoning_content", "reasoning", "reasoning_details")
# Where langchain-google-genai keeps the signatures of calls, by call id.
_SIGNATURES: Final = "__gemini_function_call_thought_signatures__"
# Spellings of ``model_provider`` that are not replayable's own.
_PROVIDERS: Final = {
    "amazon_bedrock": "bedrock",
    "anthropic_bedrock": "bedrock",
    "google_anthropic_vertex": "vertex",
}

_Said: TypeAlias = type[SystemMessage] | type[UserMessage]


class LangChainMessages:
    """Reads and writes lists of LangChain's messages for the model that reads them next.

    Args:
        model: That model: how LangChain sends some things depends on it.
        server_state: Whether the provider holds part of the history.
    """

    def __init__(self, model: ModelRef, *, server_state: bool = False) -> None:
        self._model = model
        self._server_state = server_state

    def decode(self, request: Any) -> Prompt:
        """Read a list of ``BaseMessage``; it is borrowed and never changed."""
        messages: list[Message] = []
        for message in request:
            match message:
                case lc.SystemMessage():
                    leading = self._model.api in _HOISTS_SYSTEM and all(
                        one.role == "system" for one in messages
                    )
                    parts = self._content(message.content)
                    messages.append(
                        _whole(SystemMessage, message, parts, placement="top" if leading else "list")
                    )
                case lc.HumanMessage():
                    messages += self._human(message)
                case lc.AIMessage():
                    messages.append(self._answer(message))
                case lc.ToolMessage():
                    messages.append(_whole(ToolMessage, message, [self._result(message)]))
                case lc.ChatMessage():
                    messages.append(_whole(UserMessage, message, self._content(message.content)))
                case _:
                    unknown = node(
                        OpaquePart, message, api=self._model.api or API, value={"type": _name_of(message)}
                    )
                    messages.append(_whole(UserMessage, message, [unknown]))
        fields = defaults(Prompt) | {
            "messages": tuple(messages),
            "api": API,
            "server_state": self._server_state or None,
        }
        prompt = build(Prompt, fields, request, piece_of(API))
        if any(self._is_foreign(message, part) for message in messages for part in message.parts):
            return prompt
        return remember_list(prompt, request)

    def encode(self, prompt: Prompt) -> Encoded:
        """Write a prompt as a list of ``BaseMessage``."""
        unchanged = unchanged_list(prompt, API)
        if unchanged is not None:
            return Encoded(request=unchanged)
        losses = Losses(API, prompt.messages)
        intact = intact_wires(prompt.messages, API)
        written: list[Any] = []
        for index, message in enumerate(prompt.messages):
            if any(self._is_foreign(message, part) or is_lost(part) for part in message.parts):
                written += self._written(self._in_words(message, losses))
            elif intact[index] > 0:
                written.append(wire_of(message)[0])
            elif not intact[index]:
                written += self._written(message)
        return Encoded(request=written, changes=tuple(losses.changes))

    # --- reading --------------------------------------------------------------------------------------------------

    def _content(self, content: Any, api: str | None = None) -> list[Part]:
        whose = api or self._model.api or API
        if isinstance(content, str):
            return [read_block(content, whose)] if content else []
        return [read_block(block, whose) for block in content]

    def _human(self, message: lc.HumanMessage) -> list[Message]:
        """A message of the user; with results between its blocks, several of ours."""
        if isinstance(message.content, str) or not any(map(answers_call, message.content)):
            return [_whole(UserMessage, message, self._content(message.content))]
        stretches = [(kind, list(blocks)) for kind, blocks in groupby(message.content, answers_call)]
        pieces: list[Message] = []
        for index, (results, blocks) in enumerate(stretches):
            kind: Any = ToolMessage if results else UserMessage
            parts = [self._result_block(block) for block in blocks] if results else self._content(blocks)
            fields = _fields(kind, message, parts)
            pieces.append(build_message(kind, fields, message, piece_of(API, index, len(stretches))))
        return pieces

    def _result_block(self, block: Any) -> ToolResultPart:
        said = block.get("content")
        fields: dict[str, Any] = (
            {"output": said} if isinstance(said, str) else {"content": tuple(self._content(said or []))}
        )
        part: ToolResultPart = node(ToolResultPart, block, tool_call_id=block.get("tool_use_id"), **fields)
        return part

    def _result(self, message: lc.ToolMessage) -> ToolResultPart:
        fields: dict[str, Any] = {"output": message.content}
        if not isinstance(message.content, str):
            fields = {"content": tuple(self._content(message.content))}
        part: ToolResultPart = node(
            ToolResultPart,
            message,
            tool_call_id=message.tool_call_id,
            tool_name=message.name,
            is_error=True if message.status == "error" else None,
            **fields,
        )
        return part

    def _answer(self, given: lc.AIMessage) -> AssistantMessage:
        maker = _maker(given)
        message = in_todays_form(given) if self._model.api == RESPONSES else given
        entries = [(call, False) for call in message.tool_calls] + [
            (call, True) for call in message.invalid_tool_calls
        ]
        parts: list[Part] = _reasoning_beside(message)
        whose = maker.api or self._model.api or API
        content = [message.content] if isinstance(message.content, str) else message.content
        for blocks in (
            item_blocks(content) if self._model.api == RESPONSES else ([block] for block in content)
        ):
            block = blocks[0]
            call_id = call_id_of(block)
            if call_id is not None:
                entry = next((entry for entry in entries if entry[0].get("id") == call_id), None)
                if entry is not None:
                    entries.remove(entry)
                parts.append(self._call(entry, block, message))
            elif block and self._model.api == RESPONSES:
                parts.append(read_item(blocks, parts[-1] if parts else None, whose))
            elif block:
                parts.append(read_block(block, whose))
        parts += [self._call(entry, None, message) for entry in entries]
        for part in parts:
            if part.type == "reasoning" and part.provider_options is not None:
                # Rules ask of which API a thought is.
                part.provider_options.setdefault(whose, {})
        made_by = {"provider": maker.provider, "api": maker.api, "model": maker.model}
        fields = _fields(AssistantMessage, message, parts, **made_by)
        return build_message(AssistantMessage, fields, given, piece_of(API))

    def _call(self, entry: Any, block: Any, message: lc.AIMessage) -> ToolCallPart:
        call, invalid = entry or (None, False)
        notes = {BLOCK: block} if block is not None else {}
        fields: dict[str, Any]
        if call is None:
            fields = call_fields(block)
        else:
            fields = {
                "tool_call_id": call.get("id"),
                "tool_name": call.get("name") or "",
                "input": call.get("args"),
            }
        if invalid:
            text = fields["input"] or ""
            is_json, value = parse_json(text)
            fields |= {"input": value} if is_json else {"input": None, "raw_input": text}
        part: ToolCallPart = node(ToolCallPart, call, notes, **fields)
        if self._model.api == RESPONSES:
            mark_call(part, block)
        if self._model.api == "gemini" and part.provider_options is not None:
            # Their class signs each call that has no signature of its own.
            kept = message.additional_kwargs.get(_SIGNATURES) or {}
            part.provider_options["gemini"] = {
                "thoughtSignature": kept.get(part.tool_call_id) or NO_SIGNATURE
            }
        return part

    # --- what only another provider knows -------------------------------------------------------------------------

    def _is_foreign(self, message: Message, part: Part) -> bool:
        """Whether a part of an answer belongs to another API than that of the model that reads it next."""
        if part.type != "opaque" or message.role != "assistant" or self._model.api is None:
            return False
        # The two APIs of OpenAI share their class, which knows the blocks of both.
        return part.api.partition("_")[0] not in (API, self._model.api.partition("_")[0])

    def _in_words(self, message: Message, losses: Losses) -> Message:
        parts: list[Any] = []
        for part in message.parts:
            if part.type == "opaque" and self._is_foreign(message, part):
                stub = TextPart(opaque_stub(part))
                losses.part("not-supported-here", message, part, stub)
                parts.append(stub)
            elif is_lost(part):
                losses.part("not-supported-here", message, part)
            else:
                parts.append(part)
        return build_message(type(message), {**message.__dict__, "parts": tuple(parts)})

    # --- writing --------------------------------------------------------------------------------------------------

    def _written(self, message: Message) -> list[Any]:
        if message.role == "tool":
            return [_written_result(part) for part in message.parts]
        original = options_of(message, API).get(ORIGINAL)
        if message.role == "assistant":
            return _written_answer(message, original)
        kind: Any = lc.SystemMessage if message.role == "system" else lc.HumanMessage
        written: list[Any] = []
        for whole, group in groupby(
            message.parts, lambda part: isinstance(original_of(part)[0], lc.BaseMessage)
        ):
            if whole:
                written += [original_of(part)[0] for part in group]
            else:
                written.append(_like(original, kind, content=_written_content(list(group), original)))
        return written if message.parts else [_like(original, kind, content="")]


def _name_of(message: Any) -> str:
    return f"{API}.{type(message).__name__}"


def _fields(kind: Any, message: Any, parts: Sequence[Part], **fields: Any) -> dict[str, Any]:
    notes = {API: {ORIGINAL: message}}
    return defaults(kind) | fields | {"parts": tuple(parts), "id": message.id, "provider_options": notes}


def _whole(kind: Any, message: Any, parts: Sequence[Part], **fields: Any) -> Any:
    return build_message(kind, _fields(kind, message, parts, **fields), message, piece_of(API))


def _maker(message: lc.AIMessage) -> ModelRef:
    """Who made an answer, as far as it tells."""
    about = message.response_metadata
    provider, name = about.get("model_provider"), about.get("model_name") or about.get("model")
    if not isinstance(provider, str) or not provider:
        return ModelRef()
    model = name if isinstance(name, str) else None
    known = ModelRef.of({"provider": _PROVIDERS.get(provider, provider), "model": model})
    if known.provider == "openai" and model is not None and known.maker not in ("openai", None):
        # OpenAI's class is used for whoever speaks its API.
        known = ModelRef.of(model).model_copy(update={"api": known.api})
    is_response = str(about.get("id")).startswith("resp_") or about.get("object") == "response"
    return known.model_copy(update={"api": "openai_responses"}) if is_response else known


def _reasoning_beside(message: lc.AIMessage) -> list[Part]:
    for key in _REASONING_KEYS:
        value = message.additional_kwargs.get(key)
        if isinstance(value, str) and value:
            part = node(ReasoningPart, value, {_FIELD: key}, text=value)
            part.provider_options["openai_chat"] = {_FIELD: key}
            return [part]
        if isinstance(value, dict | list) and value:
            part = (
                read_block(value | {"type": "reasoning"}, API)
                if isinstance(value, dict)
                else node(ReasoningPart, value)
            )
            options_of(part, API)[_FIELD] = key
            return [part]
    return []


# --- writing ----------------------------------------------------------------------------------------------------------


def _like(original: Any, kind: Any, **fields: Any) -> Any:
    """A message like another one; of another kind, it keeps the other one's name and id."""
    if isinstance(original, kind | lc.ChatMessage):
        return original.model_copy(update=fields)
    kept = {} if original is None else {"id": original.id, "name": original.name}
    return kind(**kept, **fields)


def _written_content(parts: Sequence[Part], original: Any) -> Any:
    """A content: a text where it was one, or is of nothing else and new, else a list of blocks."""
    blocks = [block for part in parts for block in written_item(part)]
    if original is None or isinstance(original.content, str):
        texts = [block if isinstance(block, str) else block.get("text") for block in blocks]
        plain = all(isinstance(block, str) or set(block) == {"type", "text"} for block in blocks)
        if len(blocks) <= 1 and plain:
            return "".join(str(text) for text in texts)
    return blocks


def _written_result(part: Any) -> Any:
    original, same = original_of(part)
    if same and isinstance(original, lc.BaseMessage):
        return original
    if part.type != "tool_result":
        return original if isinstance(original, lc.BaseMessage) else lc.HumanMessage(written_item(part))
    fields: dict[str, Any] = {"tool_call_id": part.tool_call_id or "", "name": part.tool_name}
    before = original if isinstance(original, lc.ToolMessage) else None
    if part.content is not None:
        fields["content"] = _written_content(part.content, before)
    else:
        fields["content"] = (
            text_of_json(part.output, "output") if not isinstance(part.output, str) else part.output
        )
    fields["status"] = (
        "error" if part.is_error or (isinstance(original, dict) and original.get("is_error")) else "success"
    )
    return _like(before, lc.ToolMessage, **fields)


def _written_answer(message: AssistantMessage, original: Any) -> list[Any]:
    blocks: list[Part] = []
    calls: list[Any] = []
    invalid: list[Any] = []
    beside: dict[str, Any] = {}
    for part in message.parts:
        if part.type == "tool_call" and not part.provider_executed:
            block = options_of(part, API).get(BLOCK)
            if block is None or original_of(part)[0] is not None:
                (invalid if not isinstance(part.input, dict) else calls).append(_written_call(part))
            if block is not None:
                blocks.append(node(OpaquePart, _block_of(part, block), api=API, value=None))
        elif part.type == "reasoning" and (field := _field_of(part)) is not None:
            beside[field] = part.text if not original_of(part)[1] else original_of(part)[0]
        else:
            blocks.append(part)
    kwargs = _renewed_kwargs(original, message, beside)
    content = _written_content(blocks, original)
    if message.parts and not content and not calls and not invalid and not beside:
        return []
    fields = {
        "content": content,
        "tool_calls": calls,
        "invalid_tool_calls": invalid,
        "additional_kwargs": kwargs,
    }
    if isinstance(original, lc.AIMessageChunk):
        # They are what the calls were put together from.
        fields["tool_call_chunks"] = []
    return [_like(original, lc.AIMessage, **fields)]


def _field_of(part: ReasoningPart) -> str | None:
    """The key in ``additional_kwargs`` under which reasoning stands; None for a block."""
    for api in ("openai_chat", API):
        field = options_of(part, api).get(_FIELD)
        if isinstance(field, str):
            return field
    return None


def _written_call(part: ToolCallPart) -> Any:
    original, same = original_of(part)
    if same and original is not None:
        return original
    args = part.input if isinstance(part.input, dict) else part.raw_input
    if args is None:
        args = text_of_json(part.input, "input")
    written = {"name": part.tool_name, "args": args, "id": part.tool_call_id, "type": "tool_call"}
    if not isinstance(args, dict):
        written |= {"type": "invalid_tool_call", "error": None}
    kept = original if isinstance(original, dict) and original.get("type") in (written["type"], None) else {}
    return {**kept, **written}


def _block_of(part: ToolCallPart, block: Any) -> Any:
    return block if original_of(part)[1] else written_call_item(written_call_block(block, part), part)


def _renewed_kwargs(original: Any, message: AssistantMessage, beside: dict[str, Any]) -> dict[str, Any]:
    """The ``additional_kwargs`` for what the message has become: what stands there by call id follows the calls."""
    if original is None:
        return beside
    given: dict[str, Any] = original.additional_kwargs
    ids = {
        before["id"]: part.tool_call_id
        for part in message.parts
        if part.type == "tool_call" and isinstance(before := original_of(part)[0], dict) and before.get("id")
    }
    gone = {call.get("id") for call in (*original.tool_calls, *original.invalid_tool_calls)} - set(ids)
    changed = bool(gone) or any(old != new for old, new in ids.items())
    kwargs: dict[str, Any] = {}
    for key, value in given.items():
        if key in _REASONING_KEYS or (key == "tool_calls" and changed):
            continue
        if isinstance(value, dict) and changed:
            value = {ids.get(name, name): item for name, item in value.items() if name not in gone}
        kwargs[key] = value
    if beside and beside.keys() <= given.keys():
        # What repeats the reasoning stays with it.
        kwargs |= {key: given[key] for key in _REASONING_KEYS if key in given}
    return kwargs | beside
