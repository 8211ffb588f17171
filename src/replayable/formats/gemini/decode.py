"""From a Gemini request to a prompt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import groupby
from typing import Any, Final

from ..._node import build, defaults, fields_of, piece_of, wire_of
from ...errors import HistoryFormatError
from ...facts import build_message
from ...messages import (
    AssistantMessage,
    Message,
    Part,
    SystemMessage,
    ToolCallPart,
    ToolResultPart,
)
from ...prompt import Prompt, remember_list
from ..mixed import reads_other_apis
from ..user_turns import split_turn
from ..wire import LIST, MISSING, Wire, as_list, as_object, fault, options_of, read_each, rest, sdk_object
from .config import CONFIG, config_of
from .names import ABSENT, API, CONTENTS, FORM, SNAKE
from .parts import model_part, system_part, user_part
from .spelling import camel_case, snake_case
from .tools import decode_tool_choice, decode_tools

__all__ = ["SYSTEM", "decode"]

_WHOLE: Final = piece_of(API)
SYSTEM: Final = piece_of(f"{API}.system")
"""The piece of a system message whose wire object is the request's own ``systemInstruction``."""
_CONTENT: Final = frozenset({"role", "parts"})
_PARTS: Final = frozenset({"parts"})
_ROLES: Final = "a role (a string), or none"
# Roles of other APIs, which this one refuses: what they mean is known all the same.
_OF_THE_MODEL: Final = ("model", "assistant")
_OF_THE_SYSTEM: Final = ("system", "developer")
# Whoever else speaks is a user.
_READERS: Final[dict[str | None, Callable[[Any], Part]]] = {
    **dict.fromkeys(_OF_THE_MODEL, model_part),
    **dict.fromkeys(_OF_THE_SYSTEM, system_part),
}


@reads_other_apis(API)
def decode(request: Any, *, provider: str | None = None, model: str | None = None) -> Prompt:
    """Read a request body, the arguments of google-genai's ``generate_content``, or a bare list of contents.

    ``contents`` and ``systemInstruction`` may have any form that the SDK takes: a text, one content, parts. A content
    with function responses and other parts becomes several messages; they go back as one. Calls without ids keep
    none: they and their responses belong together by name and position. An id that tells nothing, since another call of
    the turn has it too, is kept beside.

    Args:
        request: The body as it would be sent; it is borrowed, not copied, and never changed.
        provider: Who made the model's contents, if known; else they are known by their API alone.
        model: The model that made them; Gemini's requests name none.

    Raises:
        HistoryFormatError: Something in it is not of the shape that this API has.
    """
    reader = _Reader(provider, model)
    if isinstance(request, LIST):
        listed = as_list(request, "")
        messages = reader.read(listed, "")
        fields = {**defaults(Prompt), "messages": tuple(messages), "api": API}
        return remember_list(build(Prompt, fields, request, _WHOLE), listed)
    wire = as_object(request, "", "a request (an object with contents) or a list of contents")
    config = config_of(wire)
    holder = wire if config is None else config
    snake: list[str] = []
    fields = camel_case(holder, snake)
    try:
        system = _system(fields.get("systemInstruction"), snake)
    except HistoryFormatError as error:
        raise (error if config is None else error.under(CONFIG)) from None
    contents = wire.get("contents", MISSING)
    messages = reader.read_any(contents)
    tools = decode_tools(fields.get("tools"))
    choice = decode_tool_choice(holder)
    read = {
        "systemInstruction": bool(system),
        "tools": tools is not None,
        "toolConfig": choice is not None,
    }
    known = frozenset(snake_case(key) if key in snake else key for key, was_read in read.items() if was_read)
    others = rest(wire, known | {"contents"})
    values = {
        **defaults(Prompt),
        "messages": (*system, *messages),
        "tools": tools,
        "tool_choice": choice,
        "thinking": _thinking(fields.get("generationConfig") if config is None else config),
        # What was cached stands before the contents.
        "server_state": True if fields.get("cachedContent") else None,
        "api": API,
        "request": others if config is None else {**others, CONFIG: rest(config, known)},
    }
    prompt = build(Prompt, values, wire, _WHOLE)
    return remember_list(prompt, as_list(contents, "contents")) if isinstance(contents, LIST) else prompt


def _thinking(generation: Any) -> bool | None:
    """Whether thinking is on; a budget of 0 switches it off: https://ai.google.dev/gemini-api/docs/thinking."""
    fields = sdk_object(generation) or generation
    given = camel_case(fields, []).get("thinkingConfig") if isinstance(fields, dict) else None
    thinking = sdk_object(given) or given
    if not isinstance(thinking, dict):
        return None
    config = camel_case(thinking, [])
    budget = config.get("thinkingBudget")
    if isinstance(budget, int) and not isinstance(budget, bool):
        return budget != 0
    return True if isinstance(config.get("thinkingLevel"), str) else None


# --- system -----------------------------------------------------------------------------------------------------


def _system(value: Any, snake: list[str]) -> tuple[SystemMessage, ...]:
    if value is None:
        return ()
    path = "system_instruction" if "systemInstruction" in snake else "systemInstruction"
    options: Wire = {SNAKE: ["systemInstruction"]} if "systemInstruction" in snake else {}
    try:
        wire = sdk_object(value) or value
        if _is_content(wire):
            parts, form = _parts_of(wire, system_part)
            options |= rest(wire, _PARTS)
        else:
            parts = (
                tuple(read_each(wire, "", system_part)) if isinstance(wire, LIST) else (system_part(wire),)
            )
            form = "list" if isinstance(wire, LIST) else "text" if isinstance(wire, str) else "bare"
    except HistoryFormatError as error:
        raise error.under(path) from None
    if form:
        options[FORM] = form
    values = {
        **defaults(SystemMessage),
        "parts": parts,
        "placement": "top",
        "provider_options": {API: options} if options else None,
    }
    return (build_message(SystemMessage, values, value, SYSTEM),)


# --- contents -----------------------------------------------------------------------------------------------------


def _is_content(value: Any) -> bool:
    return isinstance(value, dict) and ("parts" in value or "role" in value or not value)


def _parts_of(content: Wire, read: Any) -> tuple[tuple[Part, ...], str | None]:
    """The parts of a content, and the form of its list where that is none."""
    given = content.get("parts")
    if given is None:
        return (), "null" if "parts" in content else "absent"
    if isinstance(given, dict):
        # The API takes one object where a list of them belongs.
        try:
            return (read(given),), "object"
        except HistoryFormatError as error:
            raise error.under("parts") from None
    return tuple(read_each(as_list(given, "parts", "a list of parts"), "parts", read)), None


class _Reader:
    """Reads contents in order; of the model's last calls it knows which ids tell them apart."""

    def __init__(self, provider: str | None, model: str | None) -> None:
        self._provider = provider
        self._model = model
        self._messages: list[Message] = []
        self._ids: set[str | None] = set()
        self._has_nameless = False

    def read_any(self, contents: Any) -> list[Message]:
        """Read the field ``contents`` in whatever form it has."""
        if isinstance(contents, LIST):
            return self.read(as_list(contents, "contents"), "contents")
        wire = sdk_object(contents) or contents
        if not isinstance(wire, dict | str):
            raise fault("contents", contents, "a list of contents")
        if isinstance(wire, dict) and _is_content(wire):
            try:
                self._content(wire, contents)
            except HistoryFormatError as error:
                raise error.under("contents") from None
        else:
            self._bare([contents], ["contents"])
        if self._messages:
            self._note(0, CONTENTS, "one")
        return self._messages

    def read(self, contents: list[Any], path: str) -> list[Message]:
        """Read a list of contents; parts that stand in it without one are taken together, as the SDK does."""
        bare: list[Any] = []
        places: list[str] = []
        for index, given in enumerate(contents):
            value = given if isinstance(given, dict) else sdk_object(given) or given
            if isinstance(value, str) or (isinstance(value, dict) and not _is_content(value)):
                bare.append(given)
                places.append(f"{path}[{index}]")
                continue
            if bare:
                self._bare(bare, places)
                bare, places = [], []
            try:
                self._content(as_object(value, "", "a content (an object with role and parts)"), given)
            except HistoryFormatError as error:
                raise error.under(f"{path}[{index}]") from None
        if bare:
            self._bare(bare, places)
        return self._messages

    def _note(self, index: int, name: str, value: Any) -> None:
        """Add a note to a message that was read before."""
        message = self._messages[index]
        options = {API: {**options_of(message, API), name: value}}
        noted = {**fields_of(message), "provider_options": options}
        self._messages[index] = build_message(type(message), noted, *wire_of(message))

    def _content(self, wire: Wire, given: Any) -> None:
        """Read a content; ``given`` is what its messages remember: the content itself, or the SDK's object."""
        role = wire.get("role")
        if not (role is None or isinstance(role, str)):
            raise fault("role", role, _ROLES)
        parts, form = _parts_of(wire, _READERS.get(role, user_part))
        options = _noted(wire, form)
        if "role" not in wire:
            options[ABSENT] = ["role"]
        elif role not in ("user", "model"):
            options["role"] = role
        if role in _OF_THE_MODEL:
            self._assistant(parts, options, given)
        elif role in _OF_THE_SYSTEM:
            self._system(parts, options, given)
        else:
            self._user(parts, options, given)

    def _bare(self, wires: list[Any], places: list[str]) -> None:
        """Parts without a content: the SDK puts calls into a content of the model's, and others into one of the user's."""
        read: list[tuple[bool, Any, Part]] = []
        for wire, place in zip(wires, places, strict=True):
            try:
                part = model_part(wire)
                is_call = part.type == "tool_call"
                read.append((is_call, wire, part if is_call else user_part(wire)))
            except HistoryFormatError as error:
                raise error.under(place) from None
        for is_call, group in groupby(read, lambda item: item[0]):
            _, stretch, parts = zip(*group, strict=True)
            take = self._assistant if is_call else self._user
            take(parts, {FORM: "bare"}, list(stretch))

    def _assistant(self, parts: tuple[Part, ...], options: Wire, wire: object) -> None:
        ids = [
            part.tool_call_id for part in parts if type(part) is ToolCallPart and not part.provider_executed
        ]
        if ids:
            self._ids = set(ids)
            if len(self._ids) < len(ids):
                self._ids = {tool_call_id for tool_call_id, count in Counter(ids).items() if count == 1}
                parts = tuple(self._identified(part, "functionCall") for part in parts)
            self._ids.discard(None)
            self._has_nameless = len(self._ids) < len(ids)
        values = defaults(AssistantMessage).copy()
        values["parts"], values["provider_options"] = parts, {API: options} if options else None
        values["provider"], values["api"], values["model"] = self._provider, API, self._model
        self._messages.append(build_message(AssistantMessage, values, wire, _WHOLE))

    def _system(self, parts: tuple[Part, ...], options: Wire, wire: object) -> None:
        values = {
            **defaults(SystemMessage),
            "parts": parts,
            "placement": "list",
            "provider_options": {API: options},
        }
        self._messages.append(build_message(SystemMessage, values, wire, _WHOLE))

    def _identified(self, part: Part, field: str) -> Part:
        """The part; one whose id tells no call apart keeps it beside."""
        if not isinstance(part, ToolCallPart | ToolResultPart) or part.provider_executed:
            return part
        if part.tool_call_id is None or part.tool_call_id in self._ids:
            return part
        options = options_of(part, API)
        inner = {**options.get(field, {}), "id": part.tool_call_id}
        values = {
            **fields_of(part),
            "tool_call_id": None,
            "provider_options": {API: {**options, field: inner}},
        }
        return build(type(part), values, *wire_of(part))

    def _user(self, parts: tuple[Part, ...], options: Wire, wire: object) -> None:
        """One message for each stretch of results, and of other parts, as they may stand in any order."""
        follows_results = bool(self._messages) and self._messages[-1].role == "tool"
        if self._has_nameless:
            parts = tuple(self._identified(part, "functionResponse") for part in parts)
        turn = split_turn(wire, parts, options, API, follows_results=follows_results)
        self._messages.extend(turn)


def _noted(wire: Wire, form: str | None) -> Wire:
    options = {} if _CONTENT.issuperset(wire) else rest(wire, _CONTENT)
    if form:
        options[FORM] = form
    return options
