"""``ToolCallFilter``: keeps old tool calls, and what their tools answered, out of the prompt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from typing_extensions import override

from ._node import make
from .edits import with_parts
from .errors import ConfigurationError
from .facts import ASSISTANT, CALLS, IRREGULAR, RESULTS, SERVER_TOOLS, UNPAIRED, facts_of, facts_of_all
from .messages import AssistantMessage, Message, Messages, Part, TextPart, ToolCallPart, ToolResultPart
from .model_output import model_output_text
from .processor import InputArgs, InputStepArgs, LLMRequestArgs, Processor
from .prompt import Prompt, with_messages
from .turns import client_calls, client_results, match_results, run_end

__all__ = ["ToolCallFilter"]

_TOOLS = CALLS | RESULTS | SERVER_TOOLS | IRREGULAR

# Message index, part index.
_Place: TypeAlias = tuple[int, int]
_Call: TypeAlias = tuple[_Place, ToolCallPart]
_Result: TypeAlias = tuple[_Place, ToolResultPart]
# A use of a tool: where its call stands (or a result whose call is gone), the tool, the call, the result.
_Use: TypeAlias = tuple[_Place, str | None, ToolCallPart | None, _Result | None]


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
        facts = facts_of_all(messages)
        if not end or not facts & _TOOLS:
            return None
        uses = _all_uses(messages) if facts & (UNPAIRED | SERVER_TOOLS) else _uses_by_turn(messages, end)
        leaving: dict[int, set[int]] = defaultdict(set)
        told: dict[_Place, TextPart] = {}
        for place, tool_name, call, result in uses:
            if place[0] >= end or not self._filters(tool_name):
                continue
            if call is not None:
                leaving[place[0]].add(place[1])
            if result is not None:
                (index, at), answer = result
                leaving[index].add(at)
                if self.preserve_model_output and place not in told:
                    text = _preserved(answer, call)
                    if text is not None:
                        told[place] = text
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
    awaiting = False
    for index, facts in enumerate(map(facts_of, messages)):
        if not facts & ASSISTANT:
            awaiting = False
        elif facts & CALLS or (facts & SERVER_TOOLS and _has_calls(messages[index])):
            if not awaiting:
                starts.append(index)
            # Answers with calls before any result are one turn's worth: some wires write parallel calls that way.
            awaiting = bool(facts & CALLS)
    return starts[-count] if count <= len(starts) else 0


def _has_calls(message: Message) -> bool:
    return any(part.type == "tool_call" for part in message.parts)


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


def _uses_by_turn(messages: Messages, end: int) -> Iterator[_Use]:
    """Yield the old uses where the history is paired: all results stand in the turns of their calls."""
    for index in range(end):
        if facts_of(messages[index]) & CALLS:
            calls = {call.tool_call_id: (at, call) for at, call in client_calls(messages[index])}
            for result_index in range(index + 1, run_end(messages, index)):
                for result_at, result in client_results(messages[result_index]):
                    at, call = calls[result.tool_call_id]
                    yield (index, at), call.tool_name, call, ((result_index, result_at), result)


def _all_uses(messages: Messages) -> Iterator[_Use]:
    """Yield the uses of every tool: those with a result in the order of the results, then those without."""
    everywhere = range(len(messages))
    call_of = _calls_of_results(messages)
    calls = dict(_calls(messages, everywhere))
    for place, result in _results(messages, everywhere):
        where = call_of.get(place)
        if where is None:
            yield place, result.tool_name, None, (place, result)
        else:
            yield where, calls[where].tool_name, calls[where], (place, result)
    answered = set(call_of.values())
    for where, call in calls.items():
        if where not in answered:
            yield where, call.tool_name, call, None


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


def _written(
    messages: Messages, leaving: Mapping[int, set[int]], told: Mapping[_Place, TextPart]
) -> Messages:
    """The messages without what leaves (part indexes by message index), with what is told in its place."""
    out: list[Message] = []
    # A tool message can't hold text: what is told there becomes an answer of its own, behind the results around it.
    answers: list[Message] = []
    for index, message in enumerate(messages):
        if answers and message.role != "tool":
            out.extend(answers)
            answers.clear()
        if index not in leaving:
            out.append(message)
            continue
        parts: list[Part] = []
        texts: list[Part] = []
        for at, part in enumerate(message.parts):
            if at not in leaving[index]:
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
