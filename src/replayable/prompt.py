"""The prompt: the messages and what rules must know of the request around them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import is_
from typing import Any, Literal, NamedTuple

from ._node import Node, build, fields_of, wire_of
from .facts import Survey, survey
from .json_value import Json, JsonObject, Text
from .messages import Message, Messages, ProviderOptions
from .model_ref import ModelRef

__all__ = [
    "Adopted",
    "Prompt",
    "ProviderTool",
    "ToolChoice",
    "ToolDefinition",
    "adopted_in",
    "facts_of_prompt",
    "read_from",
    "remember_list",
    "unchanged_list",
    "with_messages",
    "with_model",
    "with_more_messages",
]


class ToolDefinition(Node):
    """A function tool that the request declares.

    Args:
        name: The tool's name.
        description: What it does, for the model.
        parameters: JSON Schema of its input; None when the wire has none.
        strict: Whether the provider is to enforce the schema; None when the wire does not say.
    """

    type: Literal["function"] = "function"
    name: Text
    description: Text | None = None
    parameters: JsonObject | None = None
    strict: bool | None = None
    provider_options: ProviderOptions | None = None


class ProviderTool(Node):
    """A tool that only one API knows (web search, code execution, …), verbatim."""

    type: Literal["provider"] = "provider"
    api: Text
    value: Json


class ToolChoice(Node):
    """Which tool the model must call.

    Args:
        type: ``auto``, ``none``, ``required`` (any of them) or ``tool`` (the one in ``tool_name``).
        tool_name: The tool, for ``tool``.
        allowed: The names among which it may choose; None for all.
        parallel: Whether it may make several calls at once; None when the wire does not say.
    """

    type: Literal["auto", "none", "required", "tool"] = "auto"
    tool_name: Text | None = None
    allowed: tuple[Text, ...] | None = None
    parallel: bool | None = None
    provider_options: ProviderOptions | None = None


class Prompt(Node):
    """The outgoing request, as far as rules need to know it. What is unknown is None, never a guess.

    Args:
        messages: The history, the system prompt included.
        model: The model that will read it.
        tools: The declared tools.
        tool_choice: Which of them the model must call.
        thinking: Whether reasoning is switched on in this request.
        server_state: Whether the provider holds part of the history (``previous_response_id``, a conversation): then
            calls and results may find their partners there.
        api: The format that the request was read from.
        request: Everything else in the request, verbatim; None for a bare list of messages.
    """

    # What is known about the messages (see `facts`), computed once; and what they were read from.
    __slots__ = ("_reading", "_survey")

    messages: tuple[Message, ...] = ()
    model: ModelRef | None = None
    tools: tuple[ToolDefinition | ProviderTool, ...] | None = None
    tool_choice: ToolChoice | None = None
    thinking: bool | None = None
    server_state: bool | None = None
    api: Text | None = None
    request: dict[str, Any] | None = None


class Adopted(NamedTuple):
    """A message of another API than the list that it stands in, or one with parts of another API.

    Attributes:
        before: What stands there on the wire; of a message of the list's own API, what that API's reader made of it.
        after: As what it was read.
    """

    before: Any
    after: Message


class _Reading(NamedTuple):
    """Which messages a list of wire messages was read as. The list is the caller's and may change, so its items too."""

    messages: Messages
    wires: list[Any]
    items: tuple[Any, ...]
    adopted: tuple[Adopted, ...]


_set_survey = Prompt.__dict__["_survey"].__set__
_get_survey = Prompt.__dict__["_survey"].__get__
_set_reading = Prompt.__dict__["_reading"].__set__
_get_reading = Prompt.__dict__["_reading"].__get__


def remember_list(prompt: Prompt, wires: list[Any], adopted: tuple[Adopted, ...] = ()) -> Prompt:
    """Note from which list of wire messages a decoder read the messages of a prompt, and look at them; return the prompt.

    Args:
        prompt: The prompt.
        wires: The list.
        adopted: What in it is of another API.
    """
    _set_reading(prompt, _Reading(prompt.messages, wires, tuple(wires), adopted))
    _survey_of(prompt)
    return prompt


def adopted_in(prompt: Prompt) -> list[tuple[int, Adopted]]:
    """Return what in the list that a prompt was read from is of another API, and which of the messages read from it that is."""
    reading: _Reading | None = _kept(_get_reading, prompt)
    if reading is None or not reading.adopted:
        return []
    places = {id(message): index for index, message in enumerate(reading.messages)}
    return [(places[id(new.after)], new) for new in reading.adopted if id(new.after) in places]


def read_from(prompt: Prompt, wire: object, wires: list[Any], messages: Messages) -> Prompt:
    """Return a prompt as if other messages had been read, from another wire object with the same fields beside its list.

    Args:
        prompt: What was read.
        wire: The wire object to remember.
        wires: Its list of wire messages.
        messages: What was read from it.
    """
    fields = fields_of(prompt) | {"messages": messages}
    return remember_list(build(Prompt, fields, wire, wire_of(prompt)[1]), wires)


def unchanged_list(prompt: Prompt, api: str) -> list[Any] | None:
    """Return the list from which the messages were read, if it was one of ``api`` and neither it nor they have changed.

    An encoder asks this first: else it has to look at each message. What is of another API may stay only as long as
    nobody says who reads it.
    """
    reading: _Reading | None = _kept(_get_reading, prompt)
    if reading is None or prompt.api != api or prompt.messages is not reading.messages:
        return None
    if reading.adopted and prompt.model is not None:
        return None
    wires, items = reading.wires, reading.items
    return wires if len(wires) == len(items) and all(map(is_, wires, items)) else None


def facts_of_prompt(prompt: Prompt) -> int:
    """Return the facts that occur anywhere in the messages, and whether they are ``UNPAIRED``."""
    return _survey_of(prompt).facts


def _survey_of(prompt: Prompt) -> Survey:
    known: Survey | None = _kept(_get_survey, prompt)
    if known is None:
        known = survey(prompt.messages)
        _set_survey(prompt, known)
    return known


def with_messages(prompt: Prompt, messages: Sequence[Message], known: Survey | None = None) -> Prompt:
    """Return the prompt with other messages. It still remembers its wire request, whose other fields are unchanged.

    Args:
        prompt: The prompt.
        messages: The other messages.
        known: Their survey, if it is known.
    """
    new = _with(prompt, "messages", _tuple(messages))
    if known is not None:
        _set_survey(new, known)
    return new


def with_more_messages(prompt: Prompt, messages: Messages) -> Prompt:
    """Return the prompt with further messages at its end. What is known about the others is not looked up again."""
    grown = prompt.messages + messages
    return with_messages(prompt, grown, survey(grown, _survey_of(prompt)))


def with_model(prompt: Prompt, model: ModelRef) -> Prompt:
    """Return the prompt for another model. It still remembers its wire request, in which the model is named anew."""
    return _with(prompt, "model", model)


def _with(prompt: Prompt, field: str, value: Any) -> Prompt:
    fields = fields_of(prompt).copy()
    fields[field] = value
    new = build(Prompt, fields, *wire_of(prompt))
    reading = _kept(_get_reading, prompt)
    if reading is not None:
        _set_reading(new, reading)
    known = _kept(_get_survey, prompt)
    if known is not None and new.messages is prompt.messages:
        _set_survey(new, known)
    return new


def _kept(slot: Callable[[Prompt], Any], prompt: Prompt) -> Any:
    """What is kept in a slot beside the fields; None where nothing is."""
    try:
        return slot(prompt)
    except AttributeError:
        return None


def _tuple(messages: Sequence[Message]) -> Messages:
    return messages if isinstance(messages, tuple) else tuple(messages)
