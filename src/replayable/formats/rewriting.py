"""Steps that the encoders share: back to the API that a history came from, and over to another one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from itertools import count
from typing import Any, Final, TypeVar

from .._node import replace, wire_of
from ..changes import Action, Change
from ..edits import map_parts
from ..errors import HistoryFormatError
from ..facts import RESULTS, SERVER_TOOLS, facts_of
from ..messages import (
    FilePart,
    Message,
    Messages,
    Part,
    ReasoningPart,
    SystemMessage,
    ToolCallPart,
    ToolResultPart,
)
from ..prompt import Prompt, ProviderTool, adopted_in, unchanged_list
from ..tool_call_ids import readable_id, reissue_ids
from .wire import LIST, Wire, sent, wire_model

__all__ = [
    "OF_ANOTHER_API",
    "Losses",
    "changes_of_adopted",
    "fill_missing_ids",
    "list_as_it_came",
    "renewed_fields",
    "renewed_list",
    "renewed_request",
    "split_system",
    "take_output_limit",
    "with_ids",
]

T = TypeVar("T")

OF_ANOTHER_API: Final = "of-another-api"
"""Names the change of what is of another API than the list in which it stands."""

_LIMITS: Final = (
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "maxOutputTokens",
    "maxTokens",
    "num_predict",
)
_LIMIT_HOLDERS: Final = ("generationConfig", "generation_config", "config", "inferenceConfig", "options")


def list_as_it_came(prompt: Prompt, losses: Losses) -> list[Any] | None:
    """Return the list that a prompt was read from, as long as it is to stay; else None, and note what in it is of another
    API: there that is written anew.
    """
    unchanged = unchanged_list(prompt, losses.api)
    if unchanged is None and prompt.api == losses.api:
        losses.changes += changes_of_adopted(prompt, processor=losses.processor)
    return unchanged


def changes_of_adopted(prompt: Prompt, *, processor: str) -> list[Change]:
    """Return a change for each message of another API, or with parts of one, in the list that a prompt was read from."""
    return [
        Change(
            processor=processor,
            rule=OF_ANOTHER_API,
            action="changed",
            message_id=adopted.after.id,
            message_index=index,
            before=adopted.before,
            after=adopted.after,
        )
        for index, adopted in adopted_in(prompt)
    ]


def with_ids(prompt: Prompt, losses: Losses) -> Messages:
    """Return the messages, with ids for the calls and results that have none if another API made them."""
    if prompt.api == losses.api and not adopted_in(prompt):
        return prompt.messages
    return fill_missing_ids(prompt.messages, losses)


def renewed_list(prompt: Prompt, wires: list[Any]) -> Any:
    """Return the bare list (or tuple) that a prompt was read from if it holds just these messages, else the new one."""
    given, _ = wire_of(prompt)
    return given if _same(given, wires) else wires


def renewed_request(
    prompt: Prompt,
    fields: Wire,
    losses: Losses,
    *,
    tools: Callable[[], tuple[Wire, list[ProviderTool]]],
    model_field: str = "model",
) -> Wire:
    """Return the request for the API that it was read from; the very same object when nothing changed.

    Args:
        prompt: What goes back; it came from a whole request.
        fields: The fields that hold the messages, as they are to be now; None for one that is not to be.
        losses: Where a change of the model is noted.
        tools: Writes the fields about tools; called only when the request has to be put together anew.
        model_field: The field that names the model, where the request has it.
    """
    given, _ = wire_of(prompt)
    if isinstance(given, dict):
        request: Wire = given
    else:
        # Something beside the messages was touched, or the prompt comes from a store.
        about_tools, foreign = tools()
        request = {**(prompt.request or {}), **about_tools}
        losses.tools(foreign)
    model = wire_model(prompt, model_field)
    if model is not None and model_field in request:
        losses.value("model", {model_field: request[model_field]}, {model_field: model})
        fields = {**fields, model_field: model}
    return renewed_fields(request, fields)


def renewed_fields(wire: Wire, fields: Wire) -> Wire:
    """Return an object with fields as they are to be now, None for one that is not to be; itself when nothing changed."""
    changed = {key: value for key, value in fields.items() if not _same(wire.get(key), value)}
    if not changed:
        return wire
    return {
        key: value for key, value in {**wire, **changed}.items() if value is not None or key not in changed
    }


def split_system(
    messages: Sequence[Message], *, as_placed: bool
) -> tuple[list[SystemMessage], Sequence[Message]]:
    """Return the system messages that stand at the top, and the list.

    Args:
        messages: The messages.
        as_placed: Whether their ``placement`` counts; of those from another API, the leading ones stand at the top.
    """
    top: list[SystemMessage] = []
    for message in messages:
        if message.role != "system" or (as_placed and message.placement == "list"):
            break
        top.append(message)
    return top, messages[len(top) :]


def take_output_limit(request: Wire) -> tuple[int | None, Wire]:
    """Return the limit that a request sets to the length of the answer, and the request without it.

    Gemini, Bedrock and Ollama keep it in an object of its own; that goes with it if it held nothing else.
    """
    for holder in (None, *_LIMIT_HOLDERS):
        fields = request if holder is None else request.get(holder)
        if not isinstance(fields, dict):
            continue
        for name in _LIMITS:
            limit = fields.get(name)
            if isinstance(limit, int) and not isinstance(limit, bool):
                left = {key: value for key, value in fields.items() if key != name}
                return limit, left if holder is None else {**request, holder: left or None}
    return None, request


def _same(old: Any, new: Any) -> bool:
    if old is new:
        return True
    return (
        isinstance(old, LIST)
        and isinstance(new, LIST)
        and len(old) == len(new)
        and all(one is other for one, other in zip(old, new, strict=True))
    )


def _is_null(value: Any) -> bool:
    """Whether a field says nothing: it is null, or an object in which all is null, as a dump of an SDK's object has them."""
    return value is None or (isinstance(value, dict) and all(item is None for item in value.values()))


def fill_missing_ids(messages: Messages, losses: Losses) -> Messages:
    """Give ids to calls and results that came from a wire without them; the same messages when all have one.

    ``losses`` is told, so that it knows the new messages' places.
    """

    def new_id(old: str, occurrence: int) -> str:
        return old or readable_id(f"call {occurrence}")

    filled = reissue_ids(messages, new_id) or messages
    if any(facts_of(message) & SERVER_TOOLS for message in filled):
        occurrences = count()
        filled = tuple(_with_server_ids(message, occurrences) for message in filled)
    strays = count()

    def with_stray_id(_message: Message, part: Part) -> Part:
        if part.type != "tool_result" or part.provider_executed or part.tool_call_id is not None:
            return part
        return replace(part, tool_call_id=readable_id(f"stray result {next(strays)}"))

    # No call asked for these.
    filled = map_parts(filled, with_stray_id, needs=RESULTS) or filled
    losses.stand_at(filled)
    return filled


def _with_server_ids(message: Message, occurrences: Iterator[int]) -> Message:
    """Give ids to what a server ran without them (Gemini's code): a result belongs to the call before it."""
    if not facts_of(message) & SERVER_TOOLS:
        return message
    parts: list[Part] = []
    latest: str | None = None
    for part in message.parts:
        nameless = (
            isinstance(part, ToolCallPart | ToolResultPart)
            and part.provider_executed
            and part.tool_call_id is None
        )
        if nameless:
            if latest is None or part.type == "tool_call":
                latest = readable_id(f"server call {next(occurrences)}")
            part = replace(part, tool_call_id=latest)
        parts.append(part)
    return replace(message, parts=tuple(parts)) if latest is not None else message


class Losses:
    """Collects what an encoder could not express.

    Args:
        api: The format's name.
        messages: The messages of the prompt, to tell where something stood.
    """

    def __init__(self, api: str, messages: Messages) -> None:
        self.processor: str = f"formats.{api}"
        self.changes: list[Change] = []
        self._messages = messages
        self._index: dict[int, int] | None = None
        self.api = api
        self._fields: Counter[str] = Counter()

    def stand_at(self, messages: Messages) -> None:
        """Tell places by these messages from now on: they stand where those of the prompt do."""
        self._messages, self._index = messages, None

    def _place(self, message: Message) -> int | None:
        if self._index is None:
            self._index = {id(item): index for index, item in enumerate(self._messages)}
        return self._index.get(id(message))

    def part(self, rule: str, message: Message, before: Any, after: Any = None) -> None:
        """Note that a part left, or became another one."""
        part_index = next((index for index, part in enumerate(message.parts) if part is before), None)
        self.changes.append(
            Change(
                processor=self.processor,
                rule=rule,
                action="removed" if after is None else "changed",
                message_id=message.id,
                message_index=self._place(message),
                part_index=part_index,
                before=before,
                after=after,
            )
        )

    def blaming(self, message: Message, write: Callable[[], T]) -> T:
        """Write a message; what can't be written is an error that names the message's place."""
        try:
            return write()
        except HistoryFormatError as error:
            raise error.under(f"messages[{self._place(message)}]") from None

    def value(self, rule: str, before: Any, after: Any = None) -> None:
        """Note that something of the request around the messages left, changed, or was demanded."""
        action: Action = "removed" if after is None else "added" if before is None else "changed"
        self.changes.append(
            Change(processor=self.processor, rule=rule, action=action, before=before, after=after)
        )

    def fields_of(self, nodes: Iterable[Any]) -> None:
        """Count the fields that only other APIs know; they are listed once, by name."""
        for node in nodes:
            for api, options in (node.provider_options or {}).items():
                if api != self.api:
                    self._fields.update(
                        f"{api}.{key}" for key, value in sent(options).items() if not _is_null(value)
                    )

    def state_of(self, part: ReasoningPart, *kept: str) -> None:
        """Count what some reasoning holds beside its text, but for the fields that were written."""
        for name in ("id", "signature", "encrypted"):
            if getattr(part, name) is not None and name not in kept:
                self.field(name)

    def signature_of(self, part: ReasoningPart) -> str | None:
        """Return the signature of reasoning that can be read, and count the rest of its state.

        What seals it beside its text may be one: OpenAI Agents keep Claude's as ``encrypted_content``.
        """
        # What came with an empty signature keeps it, unless there is a better one.
        kept = "encrypted" if part.encrypted and not part.signature else "signature"
        self.state_of(part, kept)
        signature: str | None = getattr(part, kept)
        return signature

    def filename(self, part: FilePart) -> None:
        """Count the name of a file that was written without it."""
        if part.filename is not None:
            self.field("filename")

    def field(self, name: str) -> None:
        """Count a field that the wire has no place for."""
        self._fields[name] += 1

    def request(
        self, fields: Wire, *, kept: Set[str] = frozenset(), foreign: Sequence[ProviderTool] = ()
    ) -> None:
        """Note the request's fields that were left out, the tools that only another API knows, and the counted fields.

        A field that was null said nothing, nor did an object of such fields.
        """
        left = {key: value for key, value in fields.items() if key not in kept and not _is_null(value)}
        if left:
            self.value("request-fields-left-out", left)
        self.tools(foreign)
        if self._fields:
            self.value("fields-left-out", dict(sorted(self._fields.items())))

    def tools(self, foreign: Sequence[ProviderTool]) -> None:
        """Note the tools that only another API knows."""
        for tool in foreign:
            self.value("provider-tool-left-out", tool)
