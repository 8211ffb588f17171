"""``ToolCallFilter``: keeps old tool calls, and what their tools answered, out of the prompt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from typing_extensions import override

from ._node import make
from .edits import with_parts
from .errors import ConfigurationError
from .facts import CALLS, IRREGULAR, RESULTS, SERVER_TOOLS, facts_of, facts_of_all
from .messages import AssistantMessage, Message, Messages, Part, TextPart, ToolCallPart, ToolResultPart
from .model_output import model_output_text
from .processor import InputArgs, InputStepArgs, LLMRequestArgs, Processor
from .prompt import Prompt, with_messages
from .turns import match_results, run_end

__all__ = ["ToolCallFilter"]

_TOOLS = CALLS | RESULTS | SERVER_TOOLS | IRREGULAR

# Message index, part index.
_Place: TypeAlias = tuple[int, int]
_Call: TypeAlias = tuple[_Place, ToolCallPart]
_Result: TypeAlias = tuple[_Place, ToolResultPart]


class ToolCallFilter(Processor):
    """Filters tool calls with their results: as pairs, by id, in every state; everything else stays.

    A message that this leaves with nothing is removed. By default the filter works on the history that the run starts
    with, and leaves alone the calls that the run itself makes.

    Args:
        exclude: The names of the tools to filter; None for all tools, an empty list for none.
        filter_after_tool_steps: Keep the calls and results of this many of the most recent tool-producing steps, and
            filter older ones, before every model call too. A step is one assistant turn's worth of calls, whoever's
            tools they are; 0 keeps none. None: no step is spared, and a running loop is not filtered.
        preserve_model_output: A finished result with a ``model_output`` leaves the text ``"<tool> result:\\n<text>"`` where
            its call stood. Raw input and raw output never survive.
        transient: Filter the outgoing prompt only (``process_llm_request``), not the run's history.

    Raises:
        ConfigurationError: ``exclude`` is no list of names, or ``filter_after_tool_steps`` is negative or no whole number.
    """

    id = "tool-call-filter"

    def __init__(
        self,
        exclude: Sequence[str] | None = None,
        *,
        filter_after_tool_steps: int | None = None,
        preserve_model_output: bool = False,
        transient: bool = False,
    ) -> None:
        if exclude is not None and not _are_names(exclude):
            raise ConfigurationError(f"exclude must be a list of tool names or None, not {exclude!r}")
        steps = filter_after_tool_steps
        if steps is not None and (isinstance(steps, bool) or not isinstance(steps, int) or steps < 0):
            raise ConfigurationError(
                f"filter_after_tool_steps must be a whole number of 0 or more, or None, not {steps!r}"
            )
        self.exclude: frozenset[str] | None = None if exclude is None else frozenset(exclude)
        self.filter_after_tool_steps = steps
        self.preserve_model_output = preserve_model_output
        self.transient = transient

    @override
    def process_input(self, args: InputArgs) -> Messages | None:
        return None if self.transient else self._filtered(args.messages, len(args.messages))

    @override
    def process_input_step(self, args: InputStepArgs) -> Messages | None:
        if self.transient or self.filter_after_tool_steps is None:
            return None
        return self._filtered(args.messages, len(args.messages))

    @override
    def process_llm_request(self, args: LLMRequestArgs) -> Prompt | None:
        if not self.transient:
            return None
        messages = args.prompt.messages
        filtered = self._filtered(messages, _start_of_run(messages, args.new_messages))
        return None if filtered is None else with_messages(args.prompt, filtered)

    def _filtered(self, messages: Messages, end: int) -> Messages | None:
        """The messages without the tools to filter among the old ones; None when there is nothing to filter.

        Args:
            messages: The history.
            end: Where the old messages end unless ``filter_after_tool_steps`` says it.
        """
        if self.exclude is not None and not self.exclude:
            return None
        if self.filter_after_tool_steps is not None:
            end = _start_of_steps(messages, self.filter_after_tool_steps)
        if not facts_of_all(messages[:end]) & _TOOLS:
            return None
        call_of = _calls_of_results(messages)
        everywhere = range(len(messages))
        calls = dict(_calls(messages, everywhere))
        leaving = {place for place, call in calls.items() if place[0] < end and self._filters(call.tool_name)}
        told: dict[_Place, TextPart] = {}
        for place, result in _results(messages, everywhere):
            where = call_of.get(place, place)
            if where in calls:
                leaves = where in leaving
            else:
                leaves = place[0] < end and self._filters(result.tool_name)
            if not leaves:
                continue
            leaving.add(place)
            if self.preserve_model_output and where not in told:
                text = _preserved(result, calls.get(where))
                if text is not None:
                    told[where] = text
        return _written(messages, leaving, told) if leaving else None

    def _filters(self, tool_name: str | None) -> bool:
        return self.exclude is None or tool_name in self.exclude


def _are_names(value: Any) -> bool:
    # An iterator would be empty after the first look at it.
    if isinstance(value, str | Mapping) or not isinstance(value, Collection):
        return False
    return all(isinstance(name, str) for name in value)


# --- what is old --------------------------------------------------------------------------------------------------


def _start_of_steps(messages: Messages, count: int) -> int:
    """Where the ``count`` most recent tool-producing steps start; 0 when there are fewer of them."""
    if not count:
        return len(messages)
    starts: list[int] = []
    after_call = False
    for index, message in enumerate(messages):
        calls = any(part.type == "tool_call" for part in message.parts)
        if calls and not after_call:
            # Neighbouring answers with calls are one turn's worth: some wires write parallel calls that way.
            starts.append(index)
        if calls or message.role != "assistant":
            after_call = calls
    return starts[-count] if count <= len(starts) else 0


def _start_of_run(messages: Messages, new: Messages) -> int:
    """Where the run's own messages start in the prompt, of which earlier processors may have changed some."""
    number_of = {id(message): number for number, message in enumerate(new)}
    for index, message in enumerate(messages):
        number = number_of.get(id(message))
        if number is not None:
            # Those before it were changed, so they stand before it as others.
            return max(index - number, 0)
    return max(len(messages) - len(new), 0)


# --- which result answers which call ------------------------------------------------------------------------------


def _calls_of_results(messages: Messages) -> dict[_Place, _Place]:
    """Say for each result whose call is there which one it answers: one of its own turn, else one by its id."""
    call_of: dict[_Place, _Place] = {}
    for index, message in enumerate(messages):
        facts = facts_of(message)
        if facts & CALLS:
            # What the client answers stands behind the message, what a server answers stands in it.
            end = run_end(messages, index)
            _match(messages, index, range(index + 1, end), call_of, by_server=False)
        if facts & SERVER_TOOLS:
            _match(messages, index, range(index, index + 1), call_of, by_server=True)
    _match_strays(messages, call_of)
    return call_of


def _match(
    messages: Messages, index: int, where: range, call_of: dict[_Place, _Place], *, by_server: bool
) -> None:
    calls = [
        (place, part)
        for place, part in _calls(messages, range(index, index + 1))
        if part.provider_executed is by_server
    ]
    results = [
        (place, part) for place, part in _results(messages, where) if part.provider_executed is by_server
    ]
    _pair(calls, results, call_of)


def _pair(calls: Sequence[_Call], results: Sequence[_Result], call_of: dict[_Place, _Place]) -> None:
    matches = match_results([part for _, part in calls], [part for _, part in results])
    for (place, _), match in zip(results, matches, strict=True):
        if match is not None:
            call_of[place] = calls[match][0]


def _match_strays(messages: Messages, call_of: dict[_Place, _Place]) -> None:
    """Pair the results that stand outside of their call's turn, as ``clean_messages`` does.

    By id: with the nearest call before it that nobody answers, else with the latest before it, else with the next after
    it that nobody answers. Without an id: by position with what nobody answers of the last turn before it.
    """
    answered = set(call_of.values())
    latest: dict[str, _Place] = {}
    unanswered: dict[str, list[_Place]] = defaultdict(list)
    early: dict[str, list[_Place]] = defaultdict(list)
    by_position: list[tuple[list[_Call], list[_Result]]] = []
    for index, message in enumerate(messages):
        if not facts_of(message) & _TOOLS:
            continue
        here = range(index, index + 1)
        calls = list(_calls(messages, here))
        turn = [(place, call) for place, call in calls if not call.provider_executed]
        if turn:
            by_position.append((turn, []))
        for place, call in calls:
            if not call.tool_call_id:
                continue
            latest[call.tool_call_id] = place
            if place in answered:
                continue
            if call.tool_call_id in early:
                call_of.update(dict.fromkeys(early.pop(call.tool_call_id), place))
            else:
                unanswered[call.tool_call_id].append(place)
        for place, result in _results(messages, here):
            if place in call_of:
                continue
            if not result.tool_call_id:
                if by_position and not result.provider_executed:
                    by_position[-1][1].append((place, result))
            elif unanswered[result.tool_call_id]:
                call_of[place] = unanswered[result.tool_call_id].pop()
            elif result.tool_call_id in latest:
                call_of[place] = latest[result.tool_call_id]
            else:
                early[result.tool_call_id].append(place)
    answered.update(call_of.values())
    for turn, strays in by_position:
        if strays:
            _pair([(place, call) for place, call in turn if place not in answered], strays, call_of)


def _calls(messages: Messages, where: range) -> Iterator[_Call]:
    for index in where:
        for at, part in enumerate(messages[index].parts):
            if part.type == "tool_call":
                yield (index, at), part


def _results(messages: Messages, where: range) -> Iterator[_Result]:
    for index in where:
        for at, part in enumerate(messages[index].parts):
            if part.type == "tool_result":
                yield (index, at), part


# --- what is written ----------------------------------------------------------------------------------------------


def _written(messages: Messages, leaving: set[_Place], told: dict[_Place, TextPart]) -> Messages:
    """The messages without what leaves, with what is told in its place."""
    out: list[Message] = []
    # A tool message can't hold text: what is told there becomes an answer of its own, behind the results around it.
    answers: list[Message] = []
    for index, message in enumerate(messages):
        if answers and message.role != "tool":
            out.extend(answers)
            answers.clear()
        if not any((index, at) in leaving for at in range(len(message.parts))):
            out.append(message)
            continue
        parts: list[Part] = []
        texts: list[Part] = []
        for at, part in enumerate(message.parts):
            if (index, at) not in leaving:
                parts.append(part)
            elif (index, at) in told:
                (texts if message.role == "tool" else parts).append(told[index, at])
        if parts:
            out.append(with_parts(message, parts))
        if texts:
            common = {"id": message.id, "created_at": message.created_at}
            answers.append(make(AssistantMessage, parts=tuple(texts), **common))
    return (*out, *answers)


def _preserved(result: ToolResultPart, call: ToolCallPart | None) -> TextPart | None:
    """The text that a finished result leaves behind, if it has a compact output."""
    if result.is_error or result.synthesized or (call is not None and call.state != "complete"):
        return None
    text = model_output_text(result.model_output)
    name = call.tool_name if call is not None else result.tool_name or "tool"
    return TextPart(f"{name} result:\n{text}") if text else None
