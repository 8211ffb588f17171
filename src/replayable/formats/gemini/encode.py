"""From a prompt to a Gemini request."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from operator import itemgetter
from typing import Any, Final

from ..._node import wire_of
from ...compat.rules.system_messages import system_as_user
from ...messages import Message, SystemMessage
from ...prompt import Prompt, ProviderTool
from ..rewriting import (
    Losses,
    list_as_it_came,
    renewed_fields,
    renewed_list,
    renewed_request,
    take_output_limit,
)
from ..user_turns import write_turns
from ..wire import Encoded, Wire, options_of, with_extras
from .answers import answers_of
from .config import CONFIG, config_of
from .decode import SYSTEM
from .names import ABSENT, API, CONTENTS, FORM, SNAKE
from .spelling import snake_case
from .tools import encode_tool_choice, encode_tools
from .write import Writer

__all__ = ["encode"]

_SYSTEM_KEY: Final = "systemInstruction"
# Behind all results of a turn.
_LAST: Final = sys.maxsize


def encode(prompt: Prompt) -> Encoded:
    """Write a prompt as a request body, or as a bare list of contents when it came from one.

    What nobody touched comes back as the very object that was decoded. From another API the messages, the declared
    function tools and the tool choice are converted; what this wire can't express is listed in ``changes``. The
    model's name is no part of the body: it stands in the URL. The leading system messages become the
    ``systemInstruction``; later ones stay where they are, as the user's words between ``<system>`` tags.

    Results follow the order of their calls, so that they find them by position; ids go along, except to Vertex, whose
    older endpoints refuse them.
    """
    losses = Losses(API, prompt.messages)
    system, listed = _split_system(prompt.messages)
    writer = Writer(losses, prompt)
    system_wire = _system_wire(system, writer, losses)
    wires = list_as_it_came(prompt, losses) or _contents(listed, prompt, writer, losses)
    if prompt.request is None:
        if system_wire is not None:
            losses.value("system-stands-beside-the-list", {"system": None}, {"system": system_wire})
        losses.request({})
        return Encoded(request=renewed_list(prompt, wires), changes=tuple(losses.changes), system=system_wire)
    if prompt.api != API:
        return _converted(prompt, system_wire, wires, losses)
    one = len(wires) == 1 and bool(listed) and CONTENTS in options_of(listed[0], API)
    fields = {"contents": wires[0] if one else wires}
    given, _ = wire_of(prompt)
    holder = given if isinstance(given, dict) else None
    config = config_of(prompt.request if holder is None else holder)
    about_tools = partial(_about_tools, prompt, losses)
    if config is None:
        fields[_system_key(holder, system)] = system_wire
        request = renewed_request(prompt, fields, losses, tools=about_tools)
        return Encoded(request=request, changes=tuple(losses.changes))
    if holder is None:
        declared, foreign = about_tools()
        losses.tools(foreign)
        config = {**config, **declared}
    key = _system_key(None if holder is None else config, system)
    renewed = renewed_fields(config, {key: system_wire})
    fields[CONFIG] = renewed if holder is None or renewed is not config else holder[CONFIG]
    request = renewed_request(prompt, fields, losses, tools=lambda: ({}, []))
    return Encoded(request=request, changes=tuple(losses.changes))


def _about_tools(prompt: Prompt, losses: Losses) -> tuple[Wire, list[ProviderTool]]:
    tools, foreign = encode_tools(prompt)
    choice, complete = encode_tool_choice(prompt.tool_choice, has_tools=bool(tools.get("tools")))
    if not complete:
        losses.value("tool-choice", prompt.tool_choice, choice)
    return tools | choice, foreign


def _converted(prompt: Prompt, system: Any, wires: list[Any], losses: Losses) -> Encoded:
    source = prompt.request or {}
    request: Wire = {"contents": wires}
    if system is not None:
        request[_SYSTEM_KEY] = system
    about_tools, foreign = _about_tools(prompt, losses)
    request.update(about_tools)
    limit, left = take_output_limit(source)
    if limit is not None:
        request["generationConfig"] = {"maxOutputTokens": limit}
    for tool in prompt.tools or ():
        if tool.type == "function":
            losses.fields_of((tool,))
            if tool.strict:
                losses.field("strict")
    losses.request(left, kept={"model"}, foreign=foreign)
    return Encoded(request=request, changes=tuple(losses.changes))


# --- system -----------------------------------------------------------------------------------------------------


def _split_system(messages: Sequence[Message]) -> tuple[list[SystemMessage], list[Message]]:
    system: list[SystemMessage] = []
    for message in messages:
        # One that stood among the contents goes back there, under its role.
        if message.role != "system" or _has_role(message):
            break
        system.append(message)
    return system, list(messages[len(system) :])


def _has_role(message: SystemMessage) -> bool:
    return message.placement == "list" and "role" in options_of(message, API)


def _system_key(holder: Wire | None, system: list[SystemMessage]) -> str:
    """The field of the system instruction, spelled as it was; ``holder`` is where it stood, if that is known."""
    snake = snake_case(_SYSTEM_KEY)
    if holder is not None:
        return snake if snake in holder and _SYSTEM_KEY not in holder else _SYSTEM_KEY
    noted = options_of(system[0], API).get(SNAKE) if system else None
    return snake if isinstance(noted, list) and _SYSTEM_KEY in noted else _SYSTEM_KEY


def _system_wire(system: list[SystemMessage], writer: Writer, losses: Losses) -> Any:
    if not system:
        return None
    options = options_of(system[0], API) if len(system) == 1 else {}
    if len(system) == 1:
        wire, piece = wire_of(system[0])
        if piece is SYSTEM:
            return wire
    losses.fields_of(node for message in system for node in (message, *message.parts))
    parts = [part for message in system for part in writer.parts(message.parts, message)]
    form = options.get(FORM)
    if form == "list":
        return parts
    if form in ("text", "bare") and len(parts) == 1:
        return parts[0]["text"] if form == "text" and isinstance(parts[0], dict) else parts[0]
    if not parts and any(message.parts for message in system):
        return None
    return with_extras(_with_parts({}, parts, form), options)


def _with_parts(wire: Wire, parts: list[Any], form: Any) -> Wire:
    """A content with its parts, in the form that they had."""
    if form == "object" and len(parts) == 1:
        return {**wire, "parts": parts[0]}
    if not parts and form in ("absent", "null"):
        return wire if form == "absent" else {**wire, "parts": None}
    return {**wire, "parts": parts}


# --- contents -----------------------------------------------------------------------------------------------------


def _contents(messages: list[Message], prompt: Prompt, writer: Writer, losses: Losses) -> list[Any]:
    """The list of contents; a run of results is one of them, since Gemini counts the responses in it."""
    foreign = prompt.api != API
    answers = answers_of(messages)

    def parts(message: Message) -> list[tuple[int, Any]]:
        """The parts of a message, each with its place in its turn: results stand in the order of their calls."""
        if message.role == "tool":
            placed: list[tuple[int, Any]] = []
            for part in message.parts:
                place, name = answers.get(id(part), (_LAST, None))
                wires = writer.result(part, message, name)
                placed.extend((place if foreign else 0, wire) for wire in wires)
            return [*placed, *((_LAST, wire) for wire in writer.take_files())]
        if message.role == "system" and not _has_role(message):
            as_user = system_as_user(message)
            losses.part("system-stands-in-a-user-turn", message, message, as_user)
            message = as_user
        # What the user says may share the turn with the results before it.
        return [(_LAST if foreign else 0, wire) for wire in writer.parts(message.parts, message)]

    def content(message: Message, placed: list[tuple[int, Any]]) -> Any:
        wires = [wire for _, wire in sorted(placed, key=itemgetter(0))]
        options = options_of(message, API)
        form = options.get(FORM)
        if form == "bare":
            return wires
        wire: Wire = {}
        if "role" not in options.get(ABSENT, ()):
            wire["role"] = options.get("role", "model" if message.role == "assistant" else "user")
        return with_extras(_with_parts(wire, wires, form), options)

    written = write_turns(messages, losses, api=API, blocks=parts, turn=content)
    # Parts without a content around them stand in the list one by one.
    return [item for wire in written for item in (wire if isinstance(wire, list) else (wire,))]
