"""From a prompt to an OpenAI Responses request."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from ..._node import wire_of
from ...messages import AssistantMessage, Message, Part, ToolCallPart, ToolMessage, ToolResultPart
from ...prompt import Prompt, ProviderTool
from ..pieces import intact_pieces
from ..rewriting import (
    Losses,
    list_as_it_came,
    renewed_list,
    renewed_request,
    take_output_limit,
    with_ids,
)
from ..wire import Encoded, Wire, options_of, sent, target_model, with_extras
from .calls import kind_of_call, write_call, write_output
from .content import stub, write_part
from .decode import INSTRUCTIONS, WHOLE_INPUT
from .names import API, CONTENT, CONTINUES, INPUT, RESULT, SAID, TYPE
from .reasoning import is_own_reasoning, write_reasoning
from .tools import encode_tool_choice, encode_tools

__all__ = ["LEAST_MAX_OUTPUT_TOKENS", "encode"]

LEAST_MAX_OUTPUT_TOKENS: Final = 16
"""OpenAI: "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16"; less is raised to it."""


def encode(prompt: Prompt) -> Encoded:
    """Write a prompt as a request body, or as a bare list of input items when it came from one.

    What nobody touched comes back as the very objects that were decoded. From another API the messages, the declared
    function tools and the tool choice are converted; what this wire can't express is listed in ``changes``. Reasoning
    goes back only to the API that made it.
    """
    losses = Losses(API, prompt.messages)
    unchanged = list_as_it_came(prompt, losses)
    messages = with_ids(prompt, losses)
    if prompt.request is None:
        items = unchanged or _Items(losses).encode(messages)
        if prompt.api == API:
            return Encoded(request=renewed_list(prompt, items), changes=tuple(losses.changes))
        losses.request({})
        return Encoded(request=items, changes=tuple(losses.changes))
    instructions, listed = _split_instructions(messages, losses)
    given = unchanged or _whole_input(listed)
    if given is None:
        given = _Items(losses).encode(listed)
    if prompt.api != API:
        return _converted(prompt, instructions, given, losses)
    wire = wire_of(prompt)[0]
    if not given and (wire if isinstance(wire, dict) else prompt.request).get("input") is None:
        # The server holds all of it.
        given = None
    fields = {"input": given, "instructions": instructions}
    request = renewed_request(prompt, fields, losses, tools=lambda: _about_tools(prompt, losses))
    return Encoded(request=request, changes=tuple(losses.changes))


def _about_tools(prompt: Prompt, losses: Losses) -> tuple[Wire, list[ProviderTool]]:
    tools, foreign = encode_tools(prompt)
    choice = encode_tool_choice(prompt.tool_choice, has_tools=bool(tools.get("tools")))
    if prompt.tool_choice is not None and prompt.tool_choice.type in ("required", "tool") and not choice:
        losses.value("tool-choice", prompt.tool_choice, choice)
    return tools | choice, foreign


def _converted(prompt: Prompt, instructions: str | None, given: Any, losses: Losses) -> Encoded:
    source = prompt.request or {}
    request: Wire = {}
    model = target_model(prompt)
    if model is not None:
        request["model"] = model
    if instructions is not None:
        request["instructions"] = instructions
    request["input"] = given
    about_tools, foreign = _about_tools(prompt, losses)
    request.update(about_tools)
    limit, left = take_output_limit(source)
    if limit is not None:
        request["max_output_tokens"] = max(limit, LEAST_MAX_OUTPUT_TOKENS)
        if limit < LEAST_MAX_OUTPUT_TOKENS:
            losses.value("max-output-tokens-raised", {"limit": limit}, {"limit": LEAST_MAX_OUTPUT_TOKENS})
    losses.fields_of(tool for tool in prompt.tools or () if tool.type == "function")
    losses.request(left, kept={"model"}, foreign=foreign)
    return Encoded(request=request, changes=tuple(losses.changes))


def _split_instructions(messages: Sequence[Message], losses: Losses) -> tuple[str | None, Sequence[Message]]:
    """The ``instructions`` and the list: a system message that stood at the top and is one plain text goes there."""
    first = messages[0] if messages else None
    if first is None or first.role != "system" or first.placement != "top":
        return None, messages
    wire, piece = wire_of(first)
    if piece == INSTRUCTIONS and isinstance(wire, str):
        return wire, messages[1:]
    if len(first.parts) != 1 or first.parts[0].type != "text" or _stands_at_top(messages[1:]):
        return None, messages
    losses.fields_of((first, *first.parts))
    return first.parts[0].text, messages[1:]


def _stands_at_top(messages: Sequence[Message]) -> bool:
    return bool(messages) and messages[0].role == "system" and messages[0].placement == "top"


def _whole_input(messages: Sequence[Message]) -> Any:
    """The input as the string that it was; None when it has to be a list."""
    if len(messages) != 1 or messages[0].role != "user":
        return None
    wire, piece = wire_of(messages[0])
    if piece == WHOLE_INPUT:
        return wire
    parts = messages[0].parts
    plain = len(parts) == 1 and parts[0].type == "text" and not options_of(parts[0], API)
    return (
        parts[0].text if plain and parts[0].type == "text" and INPUT in options_of(messages[0], API) else None
    )


class _Items:
    """Writes messages as items, one by one; an answer becomes as many items as it has pieces."""

    def __init__(self, losses: Losses) -> None:
        self._losses = losses
        self._items: list[Any] = []
        self._answer: AssistantMessage | None = None
        self._kinds: dict[str | None, str] | None = None
        # The item that was written last, as long as the next part may belong to it: what was said, or a call with its
        # id, whose result may stand in the same item.
        self._said: Wire | None = None
        self._called: tuple[str | None, Wire] | None = None

    def encode(self, messages: Sequence[Message]) -> list[Any]:
        for message in messages:
            if message.role == "assistant":
                self._answer, self._kinds = message, None
            wire, piece = wire_of(message)
            if piece is None or piece.api != API:
                self._said = self._called = None
                self._losses.blaming(message, partial(self._fresh, message))
            elif isinstance(wire, list):
                self._items.extend(wire)
            else:
                self._items.append(wire)
        return self._items

    def _fresh(self, message: Message) -> None:
        self._losses.fields_of((message, *message.parts))
        if message.role == "assistant":
            self._assistant(message)
        elif message.role == "tool":
            for part in message.parts:
                self._result(part, message)
        else:
            options = options_of(message, API)
            if options.get(CONTENT) == "item":
                self._items.extend(part.value for part in message.parts if part.type == "opaque")
                return
            wire = {**_typed(options), "role": message.role, **self._content(message, options)}
            self._items.append({**wire, **sent(options)})

    def _content(self, message: Message, options: Wire) -> Wire:
        """The ``content`` of a message, in the form that it had; absent where it was absent."""
        parts = [write_part(part, message, self._losses) for part in message.parts]
        form = options.get(CONTENT)
        if parts:
            return {"content": _compact(parts, form, "input_text")}
        if form == "absent":
            return {}
        return {"content": [] if form == "list" else None if form == "null" else ""}

    # --- answers ------------------------------------------------------------------------------------------------

    def _assistant(self, message: AssistantMessage) -> None:
        if not message.parts:
            options = options_of(message, API)
            self._items.append(
                {**_typed(options), "role": "assistant", **self._content(message, options), **sent(options)}
            )
            return
        index = 0
        while index < len(message.parts):
            pieces = intact_pieces(message.parts, index, API)
            if pieces:
                self._add(wire_of(message.parts[index])[0])
            else:
                self._part(message.parts[index], message)
            index += pieces or 1

    def _part(self, part: Part, message: AssistantMessage) -> None:
        options = options_of(part, API)
        known = API in (part.provider_options or {})
        match part.type:
            case "text":
                entry = {"type": "output_text", "text": part.text, **options.get("content", {})}
                self._say(entry, options)
            case "opaque" if part.api == API and SAID in options:
                self._say(part.value, options)
            case "opaque" if part.api == API:
                self._add(part.value)
            case "opaque" | "file":
                self._say({"type": "output_text", "text": stub(part, message, self._losses)}, options)
            case "reasoning" if is_own_reasoning(part, message):
                self._add(write_reasoning(part))
            case "reasoning":
                self._losses.part("foreign-reasoning", message, part)
            case "tool_call" if part.provider_executed and not known:
                self._losses.part("provider-executed-tool", message, part)
            case "tool_call":
                self._call(part)
            case "tool_result" if self._completes_call(part, options):
                pass
            case "tool_result" if part.provider_executed and TYPE in options:
                self._add(write_output(part, message, self._losses, ""))
            case "tool_result":
                rule = "provider-executed-tool" if part.provider_executed else "result-in-an-answer"
                self._losses.part(rule, message, part)

    def _add(self, item: Any) -> None:
        self._items.append(item)
        self._said = self._called = None

    def _call(self, part: ToolCallPart) -> None:
        item = write_call(part)
        self._add(item)
        self._called = part.tool_call_id, item

    def _completes_call(self, part: ToolResultPart, options: Wire) -> bool:
        """Put a result into the item of its call, if that is where it stood."""
        field = options.get(RESULT)
        if not isinstance(field, str) or self._called is None or self._called[0] != part.tool_call_id:
            return False
        self._called[1][field] = part.output
        return True

    def _say(self, entry: Wire, options: Wire) -> None:
        """Put a part into a message item: into the last one, if it stood in the same."""
        if CONTINUES in options and self._said is not None:
            said = self._said["content"]
            if isinstance(said, str):
                self._said["content"] = said = [{"type": "output_text", "text": said}]
            said.append(entry)
            return
        content = _compact([entry], options.get(CONTENT), "output_text")
        more = {key: value for key, value in options.items() if key != "content"}
        item = with_extras({**_typed(options), "role": "assistant", "content": content}, more)
        self._add(item)
        self._said = item

    # --- results ------------------------------------------------------------------------------------------------

    def _result(self, part: Any, message: ToolMessage) -> None:
        if part.type == "opaque":
            if part.api == API:
                self._items.append(part.value)
            else:
                self._losses.part("not-supported-here", message, part)
        elif part.provider_executed and API not in (part.provider_options or {}):
            self._losses.part("provider-executed-tool", message, part)
        else:
            wire, piece = wire_of(part)
            own = piece is not None and piece.api == API
            self._items.append(
                wire if own else write_output(part, message, self._losses, self._answered(part.tool_call_id))
            )

    def _answered(self, tool_call_id: str | None) -> str:
        """The type of the call that a result answers; each has results of a type of its own."""
        if self._kinds is None:
            parts = self._answer.parts if self._answer is not None else ()
            self._kinds = {
                part.tool_call_id: kind_of_call(part) for part in parts if part.type == "tool_call"
            }
        return self._kinds.get(tool_call_id, "function_call")


def _typed(options: Wire) -> Wire:
    return {"type": options[TYPE]} if TYPE in options else {}


def _compact(entries: list[Any], form: Any, kind: str) -> Any:
    """A single plain text goes back as a string, unless it stood in a list."""
    if (
        form != "list"
        and len(entries) == 1
        and entries[0].keys() == {"type", "text"}
        and entries[0]["type"] == kind
    ):
        return entries[0]["text"]
    return entries
