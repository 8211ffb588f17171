"""``ToolCallFilter``: keeps old tool calls, and what their tools answered, out of the prompt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TypeAlias

from typing_extensions import override

from ._node import make
from .edits import with_parts
from .errors import ConfigurationError
from .facts import CALLS, IRREGULAR, RESULTS, SERVER_TOOLS, facts_of, facts_of_all
from .messages import AssistantMessage, Message, Messages, Part, TextPart, ToolCallPart, ToolResultPart
from .model_output import model_output_text
from .processor import InputArgs, InputStepArgs, LLMRequestArgs, Processor
from .prompt import Prompt, with_messages
from .turns import client_results, match_results, run_end

__all__ = ["ToolCallFilter"]

_Place: TypeAlias = tuple[int, int]
_TOOLS = CALLS | RESULTS | SERVER_TOOLS | IRREGULAR


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
        if isinstance(exclude, str) or not all(isinstance(name, str) for name in exclude or ()):
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
        end = len(messages)
        if self.filter_after_tool_steps is None:
            end = _start_of_run(messages, args.new_messages)
        filtered = self._filtered(messages, end)
        return None if filtered is None else with_messages(args.prompt, filtered)

    def _filtered(self, messages: Messages, end: int) -> Messages | None:
        """The messages without the tools to filter among the first ``end``; None when there is nothing to filter."""
        if self.exclude is not None and not self.exclude:
            return None
        if not facts_of_all(messages[:end]) & _TOOLS:
            return None
        return _Filter(messages, end, self._is_filtered_tool, self.filter_after_tool_steps or 0).run(
            preserve=self.preserve_model_output
        )

    def _is_filtered_tool(self, name: str | None) -> bool:
        return self.exclude is None or name in self.exclude


def _start_of_run(messages: Messages, new: Messages) -> int:
    """Where the run's own messages start in the prompt, which earlier processors may have changed."""
    own = {id(message) for message in new}
    found = next((index for index, message in enumerate(messages) if id(message) in own), None)
    return max(len(messages) - len(new), 0) if found is None else found


class _Filter:
    """One pass over a history: which result answers which call, which steps are spared, what leaves, what is written."""

    def __init__(
        self, messages: Messages, end: int, is_filtered_tool: Callable[[str | None], bool], spared_steps: int
    ) -> None:
        self._messages = messages
        self._end = end
        self._is_filtered_tool = is_filtered_tool
        self._call_of: dict[_Place, _Place] = {}
        self._result_of: dict[_Place, ToolResultPart] = {}
        self._step_of: list[int] = []
        self._match()
        self._first_spared = self._steps - spared_steps + 1

    # --- which result answers which call -------------------------------------------------------------------------

    def _match(self) -> None:
        """Pair each result with its call: inside its turn first, else the latest call before it, else the next after it."""
        latest: dict[str, _Place] = {}
        waiting: dict[str, list[_Place]] = defaultdict(list)
        self._steps = 0
        after_call = False
        index = 0
        while index < len(self._messages):
            message = self._messages[index]
            calls = [(index, at) for at, part in enumerate(message.parts) if part.type == "tool_call"]
            if calls and not after_call:
                # Neighbouring answers with calls are one turn's worth: some wires write parallel calls that way.
                self._steps += 1
            if calls or message.role != "assistant":
                after_call = bool(calls)
            self._step_of.append(self._steps)
            for place in calls:
                tool_call_id = self._call(place).tool_call_id
                if tool_call_id:
                    latest[tool_call_id] = place
                    for early in waiting.pop(tool_call_id, ()):
                        self._pair(early, place)
            if calls:
                self._match_run(index, calls)
            for at, part in enumerate(message.parts):
                place = (index, at)
                if part.type != "tool_result" or place in self._call_of or not part.tool_call_id:
                    continue
                if part.tool_call_id in latest:
                    self._pair(place, latest[part.tool_call_id])
                else:
                    waiting[part.tool_call_id].append(place)
            index += 1

    def _match_run(self, index: int, calls: list[_Place]) -> None:
        """Pair what the client answered; results of calls that a server executed are told by their ids alone."""
        own = [place for place in calls if not self._call(place).provider_executed]
        answers = [
            ((at, part_index), result)
            for at in range(index + 1, run_end(self._messages, index))
            for part_index, result in client_results(self._messages[at])
        ]
        matches = match_results([self._call(place) for place in own], [result for _, result in answers])
        for (place, _), match in zip(answers, matches, strict=True):
            if match is not None:
                self._pair(place, own[match])

    def _pair(self, result: _Place, call: _Place) -> None:
        self._call_of[result] = call
        part = self._messages[result[0]].parts[result[1]]
        if part.type == "tool_result":
            self._result_of.setdefault(call, part)

    def _call(self, place: _Place) -> ToolCallPart:
        part = self._messages[place[0]].parts[place[1]]
        if part.type != "tool_call":
            raise TypeError(f"no tool call at {place}")
        return part

    # --- what leaves ----------------------------------------------------------------------------------------------

    def _leaves(self, place: _Place) -> bool:
        part = self._messages[place[0]].parts[place[1]]
        if part.type == "tool_result":
            call = self._call_of.get(place)
            if call is not None:
                return self._leaves(call)
            return self._is_filtered_tool(part.tool_name) and self._is_old(place[0])
        return part.type == "tool_call" and self._is_filtered_tool(part.tool_name) and self._is_old(place[0])

    def _is_old(self, index: int) -> bool:
        return index < self._end and self._step_of[index] < self._first_spared

    # --- what is written ------------------------------------------------------------------------------------------

    def run(self, *, preserve: bool) -> Messages | None:
        out: list[Message] = []
        changed = False
        for index, message in enumerate(self._messages):
            new = self._filtered(message, index, preserve) if facts_of(message) & _TOOLS else [message]
            changed = changed or len(new) != 1 or new[0] is not message
            out.extend(new)
        return tuple(out) if changed else None

    def _filtered(self, message: Message, index: int, preserve: bool) -> list[Message]:
        leaving = [at for at in range(len(message.parts)) if self._leaves((index, at))]
        if not leaving:
            return [message]
        parts: list[Part] = []
        told: list[Part] = []
        for at, part in enumerate(message.parts):
            if at not in leaving:
                parts.append(part)
            elif preserve and part.type == "tool_call" and (index, at) in self._result_of:
                parts.extend(_preserved(self._result_of[index, at], part))
            elif preserve and part.type == "tool_result" and (index, at) not in self._call_of:
                told.extend(_preserved(part, None))
        written: list[Message] = [with_parts(message, parts)] if parts else []
        if told:
            # The calls of these results are gone, so there is no answer for the text to stand in.
            written.append(
                make(AssistantMessage, parts=tuple(told), id=message.id, created_at=message.created_at)
            )
        return written


def _preserved(result: ToolResultPart, call: ToolCallPart | None) -> list[Part]:
    """The text that a finished result leaves behind, if it has a compact output."""
    finished = not result.is_error and not result.synthesized and (call is None or call.state == "complete")
    text = model_output_text(result.model_output) if finished else ""
    if not text:
        return []
    name = call.tool_name if call is not None else result.tool_name or "tool"
    return [TextPart(f"{name} result:\n{text}")]
