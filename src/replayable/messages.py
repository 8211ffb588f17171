"""The message models: one family for the stored history and for the outgoing prompt.

A history is a sequence of ``Message``; each message holds a tuple of parts. All models are frozen and refuse unknown
fields. They are pleasant to write by hand::

    history = [
        UserMessage("What's the weather in Oslo?"),
        AssistantMessage(parts=[ToolCallPart(tool_call_id="c1", tool_name="weather", input={"city": "Oslo"})]),
        ToolMessage(parts=[ToolResultPart(tool_call_id="c1", output="4 degrees, rain")]),
    ]

``provider_options[<api>]`` carries what one wire API says beyond these fields, verbatim, and goes back to that same
API only. Keys in it that start with ``$`` are replayable's own notes about the wire's form (for example that a text
stood in a list of blocks); they are never sent.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

from pydantic import BeforeValidator, Field, TypeAdapter, model_validator
from typing_extensions import TypedDict, Unpack

from ._node import Node
from .json_value import Json, JsonObject, Text

__all__ = [
    "AssistantMessage",
    "AssistantPart",
    "CallState",
    "ContentPart",
    "FilePart",
    "Message",
    "MessageStatus",
    "Messages",
    "OpaquePart",
    "Part",
    "ProviderOptions",
    "ReasoningPart",
    "SystemMessage",
    "TextPart",
    "ToolCallPart",
    "ToolMessage",
    "ToolResultPart",
    "UserMessage",
    "messages_from_json",
    "messages_to_json",
    "validate_messages",
]

ProviderOptions: TypeAlias = dict[Text, JsonObject]
"""Per API name, the fields that this API's wire carries beyond the model's own."""

CallState: TypeAlias = Literal["complete", "partial", "awaiting-approval", "denied"]
MessageStatus: TypeAlias = Literal["complete", "aborted", "error"]


# --- parts ----------------------------------------------------------------------------------------------------


class TextPart(Node):
    """Text that the user, the assistant or the system said."""

    type: Literal["text"] = "text"
    text: Text
    provider_options: ProviderOptions | None = None

    if not TYPE_CHECKING:

        def __init__(self, text: Any = ..., /, **fields: Any) -> None:
            super().__init__(**({"text": text} if text is not ... else {}), **fields)
    else:

        def __init__(self, text: str, *, provider_options: ProviderOptions | None = None) -> None: ...


class ReasoningPart(Node):
    """What the model thought: readable text, opaque state that its provider wants back, or both.

    Args:
        text: The readable reasoning; empty where the provider shows none.
        signature: What proves to the provider that the text is its own (Anthropic's ``signature``).
        encrypted: Opaque state in place of the text (Anthropic's ``redacted_thinking.data``, OpenAI's
            ``encrypted_content``).
        id: The reasoning item's id on the provider's server.
        provider: Who made it, when that differs from the message's provider.
    """

    type: Literal["reasoning"] = "reasoning"
    text: Text = ""
    signature: Text | None = None
    encrypted: Text | None = None
    id: Text | None = None
    provider: Text | None = None
    provider_options: ProviderOptions | None = None


def _base64(value: Any) -> Any:
    return b64encode(value).decode("ascii") if isinstance(value, bytes) else value


class FilePart(Node):
    """An image, a document, audio or any other file.

    Args:
        media_type: IANA media type; ``image/*`` and the like where only the kind is known.
        data: The content in base64; ``bytes`` are encoded for you.
        url: Where the content is to be fetched.
        file_id: The id of a file that was uploaded to the provider before.
        filename: Its name.
    """

    type: Literal["file"] = "file"
    media_type: Text | None = None
    data: Annotated[Text | None, BeforeValidator(_base64)] = None
    url: Text | None = None
    file_id: Text | None = None
    filename: Text | None = None
    provider_options: ProviderOptions | None = None

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            media_type: str | None = None,
            data: str | bytes | None = None,
            url: str | None = None,
            file_id: str | None = None,
            filename: str | None = None,
            provider_options: ProviderOptions | None = None,
        ) -> None: ...


class ToolCallPart(Node):
    """A tool call that the model made.

    Args:
        tool_call_id: Pairs the call with its result; None where the wire has no ids.
        tool_name: The tool.
        input: The parsed arguments; None when they were not valid JSON.
        raw_input: The arguments' own text where the wire carried text, so that they go back letter by letter. It
            counts as long as it still means ``input``: change ``input`` and the new value is sent.
        state: ``complete``; ``partial`` (the stream broke inside the call); ``awaiting-approval``; ``denied``.
        provider_executed: The provider's own server ran the tool.
    """

    type: Literal["tool_call"] = "tool_call"
    tool_call_id: Text | None = None
    tool_name: Text
    input: Json = None
    raw_input: Text | None = None
    state: CallState = "complete"
    provider_executed: bool = False
    provider_options: ProviderOptions | None = None


class OpaquePart(Node):
    """A part that replayable doesn't know, verbatim; it goes back to the API that it came from.

    Args:
        api: The API whose part this is, e.g. ``anthropic``.
        value: The wire object.
    """

    type: Literal["opaque"] = "opaque"
    api: Text
    value: Json
    provider_options: ProviderOptions | None = None


ContentPart: TypeAlias = Annotated[TextPart | FilePart | OpaquePart, Field(discriminator="type")]
"""What the content list of a tool result, and a user message, may hold."""


class ToolResultPart(Node):
    """What a tool answered.

    Args:
        tool_call_id: The call it answers; None where the wire has no ids (then it belongs by position).
        tool_name: The tool, where the wire names it.
        output: The answer: text as ``str``, anything else as JSON. Give a list of parts (text, files) instead and it
            becomes ``content``.
        content: The answer as a content list; then ``output`` is None.
        is_error: The tool failed; None where the wire does not say.
        model_output: A compact model-facing form of the output, kept beside the raw one: what is stored holds both, what is
            sent to a model this one alone.
        provider_executed: The provider's own server ran the tool.
        synthesized: Made by replayable, not by a tool.
    """

    type: Literal["tool_result"] = "tool_result"
    tool_call_id: Text | None = None
    tool_name: Text | None = None
    output: Json = None
    content: tuple[ContentPart, ...] | None = None
    is_error: bool | None = None
    model_output: Json = None
    provider_executed: bool = False
    synthesized: bool = False
    provider_options: ProviderOptions | None = None

    @model_validator(mode="before")
    @classmethod
    def _content_given_as_output(cls, data: Any) -> Any:
        if isinstance(data, dict):
            output = data.get("output")
            if isinstance(output, list | tuple) and output and all(isinstance(part, Node) for part in output):
                if data.get("content") is not None:
                    raise ValueError("give either output or content, not both")
                return {**data, "output": None, "content": tuple(output)}
        return data

    @model_validator(mode="after")
    def _one_answer(self) -> ToolResultPart:
        if self.content is not None and self.output is not None:
            raise ValueError("give either output or content, not both")
        return self


UserPart: TypeAlias = ContentPart
AssistantPart: TypeAlias = Annotated[
    TextPart | ReasoningPart | FilePart | ToolCallPart | ToolResultPart | OpaquePart,
    Field(discriminator="type"),
]
ToolPart: TypeAlias = Annotated[ToolResultPart | OpaquePart, Field(discriminator="type")]
SystemPart: TypeAlias = ContentPart
Part: TypeAlias = TextPart | ReasoningPart | FilePart | ToolCallPart | ToolResultPart | OpaquePart


# --- messages -------------------------------------------------------------------------------------------------


def _parts(value: Any) -> Any:
    """Accept a bare string, and strings among the parts, as text."""
    if isinstance(value, str):
        return ({"type": "text", "text": value},)
    if isinstance(value, list | tuple):
        return tuple({"type": "text", "text": item} if isinstance(item, str) else item for item in value)
    return value


class _Common(TypedDict, total=False):
    id: str | None
    created_at: datetime | None
    metadata: dict[str, Any] | None
    provider_options: ProviderOptions | None


class _AssistantFields(_Common, total=False):
    provider: str | None
    api: str | None
    model: str | None
    status: MessageStatus


class _SystemFields(_Common, total=False):
    placement: Literal["top", "list"] | None


_SECONDS_IN_OFFSET: Final = re.compile(r"[+-]\d\d:\d\d:\d\d(?:\.\d{1,6})?\Z")


def _time(value: Any) -> Any:
    """Read a time whose UTC offset has seconds, as local times before about 1900 have: pydantic reads none."""
    if isinstance(value, str) and len(value) <= 64 and _SECONDS_IN_OFFSET.search(value):
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            pass
    return value


class MessageBase(Node):
    """What every message has.

    Args:
        parts: The parts, in order; a string stands for one text part. Also the one positional argument.
        id: The id of the *stored* message; several messages that came from one stored message share it.
        created_at: When it was said.
        metadata: The caller's own data.
        provider_options: What one wire API says beyond these fields, by API name.
    """

    # What is known about the parts (see `facts`), computed once.
    __slots__ = ("_known",)

    id: Text | None = None
    created_at: Annotated[datetime | None, BeforeValidator(_time)] = None
    metadata: JsonObject | None = None
    provider_options: ProviderOptions | None = None

    if not TYPE_CHECKING:

        def __init__(self, parts: Any = ..., /, **fields: Any) -> None:
            super().__init__(**({"parts": parts} if parts is not ... else {}), **fields)


class SystemMessage(MessageBase):
    """Instructions; ``placement`` remembers whether they stood beside the list of messages or in it."""

    role: Literal["system"] = "system"
    parts: Annotated[tuple[SystemPart, ...], BeforeValidator(_parts)] = ()
    placement: Literal["top", "list"] | None = None

    if TYPE_CHECKING:

        def __init__(
            self,
            parts: str | Iterable[TextPart | FilePart | OpaquePart | str] = (),
            **fields: Unpack[_SystemFields],
        ) -> None: ...


class UserMessage(MessageBase):
    """What the user said."""

    role: Literal["user"] = "user"
    parts: Annotated[tuple[UserPart, ...], BeforeValidator(_parts)] = ()

    if TYPE_CHECKING:

        def __init__(
            self,
            parts: str | Iterable[TextPart | FilePart | OpaquePart | str] = (),
            **fields: Unpack[_Common],
        ) -> None: ...


class AssistantMessage(MessageBase):
    """What the model answered.

    Args:
        provider: Who served it, e.g. ``anthropic``; None when unknown.
        api: The wire API it was read from, e.g. ``openai_chat``.
        model: The model that wrote it.
        status: ``aborted`` or ``error`` when the answer broke off.
    """

    role: Literal["assistant"] = "assistant"
    parts: Annotated[tuple[AssistantPart, ...], BeforeValidator(_parts)] = ()
    provider: Text | None = None
    api: Text | None = None
    model: Text | None = None
    status: MessageStatus = "complete"

    if TYPE_CHECKING:

        def __init__(
            self, parts: str | Iterable[Part | str] = (), **fields: Unpack[_AssistantFields]
        ) -> None: ...


class ToolMessage(MessageBase):
    """What tools answered to the calls of the assistant message before."""

    role: Literal["tool"] = "tool"
    parts: Annotated[tuple[ToolPart, ...], BeforeValidator(_parts)] = ()

    if TYPE_CHECKING:

        def __init__(
            self, parts: Iterable[ToolResultPart | OpaquePart] = (), **fields: Unpack[_Common]
        ) -> None: ...


Message: TypeAlias = Annotated[
    SystemMessage | UserMessage | AssistantMessage | ToolMessage, Field(discriminator="role")
]
Messages: TypeAlias = tuple[SystemMessage | UserMessage | AssistantMessage | ToolMessage, ...]


# --- in and out -----------------------------------------------------------------------------------------------


@cache
def _adapter() -> TypeAdapter[Messages]:
    # Built at first use, not at import.
    return TypeAdapter(tuple[Message, ...])


def validate_messages(messages: Iterable[Any]) -> Messages:
    """Return the messages as a tuple of models; plain dicts validate too, models keep their identity.

    Raises:
        pydantic.ValidationError: Something in it is not a message.
    """
    if isinstance(messages, str | bytes | dict | Node) or not isinstance(messages, Iterable):
        # A string would iterate as characters, a dict as its keys, a model as its fields; pydantic names the mistake.
        return _adapter().validate_python(messages)
    given = tuple(messages)
    # Told by their types first, which is quicker than to ask each whether it is one.
    if all(issubclass(kind, MessageBase) for kind in set(map(type, given))):
        return given
    return _adapter().validate_python(given)


def messages_to_json(messages: Sequence[MessageBase], *, indent: int | None = None) -> str:
    """Return the messages as JSON text, to be stored and read back by ``messages_from_json`` without loss.

    Fields at their defaults are left out. Unlike pydantic's ``model_dump_json`` this keeps lone surrogates and nests as
    deep as ``json.dumps`` does.
    """
    return json.dumps([_plain(message) for message in messages], indent=indent)


def messages_from_json(text: str | bytes) -> Messages:
    """Read what ``messages_to_json`` wrote.

    Raises:
        ValueError: The text is not JSON, nests deeper than Python can follow, or is not a list of messages
            (``pydantic.ValidationError``, a ``ValueError``).
    """
    try:
        plain = json.loads(text)
    except RecursionError as error:
        raise ValueError("the JSON text nests deeper than Python can follow") from error
    return _adapter().validate_python(plain)


def _plain(node: Node) -> dict[str, Any]:
    fields = type(node).model_fields
    plain: dict[str, Any] = {}
    for name, value in node.__dict__.items():
        if name in ("type", "role"):
            plain[name] = value
        elif isinstance(value, tuple):
            plain[name] = [_plain(item) for item in value]
        elif isinstance(value, datetime):
            plain[name] = value.isoformat()
        elif fields[name].is_required() or (
            value is not None and (isinstance(value, dict | list) or value != fields[name].default)
        ):
            plain[name] = value
    return plain
