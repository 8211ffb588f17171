"""From a prompt to a Gemini request."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from ..._node import wire_of
from ...compat.rules.system_messages import system_as_user
from ...messages import Message, SystemMessage
from ...prompt import Prompt, ProviderTool
from ..pieces import intact_wires
from ..rewriting import Losses, renewed_list, renewed_request, take_output_limit
from ..wire import Encoded, Wire, options_of, with_extras
from .answers import Answers
from .decode import SYSTEM
from .names import ABSENT, API, CONTENTS, CONTINUES, FORM, SNAKE, STARTS
from .spelling import snake_case
from .tools import encode_tool_choice, encode_tools
from .write import Writer

__all__ = ["encode"]

_SYSTEM_KEY: Final = "systemInstruction"


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
    wires = _Contents(listed, writer, losses, by_position=prompt.api != API).encode()
    if prompt.request is None:
        if system_wire is not None:
            losses.value("system-stands-beside-the-list", {"system": None}, {"system": system_wire})
        losses.request({})
        return Encoded(request=renewed_list(prompt, wires), changes=tuple(losses.changes), system=system_wire)
    if prompt.api != API:
        return _converted(prompt, system_wire, wires, losses)
    one = len(wires) == 1 and bool(listed) and CONTENTS in options_of(listed[0], API)
    fields = {"contents": wires[0] if one else wires, _system_key(prompt, system): system_wire}
    request = renewed_request(prompt, fields, losses, tools=lambda: _about_tools(prompt, losses))
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
        if message.role != "system":
            break
        system.append(message)
    return system, list(messages[len(system) :])


def _system_key(prompt: Prompt, system: list[SystemMessage]) -> str:
    """The field of the system instruction, spelled as it was."""
    snake = snake_case(_SYSTEM_KEY)
    given, _ = wire_of(prompt)
    if isinstance(given, dict):
        return snake if snake in given and _SYSTEM_KEY not in given else _SYSTEM_KEY
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


class _Contents:
    """Writes the list of contents.

    Several of our messages may be one on the wire: a run of tool messages is one content, since Gemini counts the
    responses in it, and what stood in one content goes back into one.
    """

    def __init__(self, messages: list[Message], writer: Writer, losses: Losses, *, by_position: bool) -> None:
        self._messages = messages
        self._writer = writer
        self._losses = losses
        self._intact = intact_wires(messages, API)
        self._answers = Answers(messages if 0 in self._intact else (), in_call_order=by_position)
        self._wires: list[Any] = []
        # Whether the message written last is parts without a content around them.
        self._bare = False

    def encode(self) -> list[Any]:
        index = 0
        last_fresh: Message | None = None
        while index < len(self._messages):
            message = self._messages[index]
            if self._intact[index]:
                wire = wire_of(message)[0]
                # Parts without a content around them stood in the list one by one.
                self._wires.extend(wire if isinstance(wire, list) else (wire,))
                index += self._intact[index]
                last_fresh = None
                continue
            if message.role == "tool":
                end = self._run_end(index)
                self._results(self._messages[index:end], last_fresh)
                index, last_fresh = end, self._messages[end - 1]
                continue
            if self._fresh(message, last_fresh):
                last_fresh = message
            index += 1
        return self._wires

    def _run_end(self, index: int) -> int:
        """Where the content ends that the results from this message on make up."""
        end = index + 1
        while end < len(self._messages):
            message = self._messages[end]
            if self._intact[end] or message.role != "tool" or options_of(message, API).get(STARTS):
                break
            end += 1
        return end

    def _fresh(self, message: Message, before: Message | None) -> bool:
        """Write a message; False when nothing in it was for this wire."""
        options = options_of(message, API)
        if message.role == "system":
            as_user = system_as_user(message)
            self._losses.part("system-stands-in-a-user-turn", message, message, as_user)
            message = as_user
        self._losses.fields_of((message, *message.parts))
        parts = self._losses.blaming(message, lambda: self._writer.parts(message.parts, message))
        if message.parts and not parts:
            return False
        self._put(message, parts, options, before)
        return True

    def _results(self, run: Sequence[Message], before: Message | None) -> None:
        self._losses.fields_of(node for message in run for node in (message, *message.parts))
        parts: list[Any] = []
        for message, part in self._answers.of_run(run):
            name = self._answers.name_of(part)
            parts.extend(self._losses.blaming(message, partial(self._writer.result, part, message, name)))
        parts.extend(self._writer.take_files())
        if parts or not any(message.parts for message in run):
            self._put(run[0], parts, options_of(run[0], API), before)

    def _put(self, message: Message, parts: list[Any], options: Wire, before: Message | None) -> None:
        form = options.get(FORM)
        if before is not None and CONTINUES in options and before.role != "assistant":
            if self._bare:
                self._wires.extend(parts)
            else:
                last = self._wires[-1]
                last["parts"] = [*last["parts"], *parts]
            return
        self._bare = form == "bare"
        if self._bare:
            self._wires.extend(parts)
            return
        wire: Wire = {}
        if "role" not in options.get(ABSENT, ()):
            wire["role"] = options.get("role", "model" if message.role == "assistant" else "user")
        self._wires.append(with_extras(_with_parts(wire, parts, form), options))
