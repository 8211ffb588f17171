"""``clean_messages``: every tool call is answered by exactly one result, directly after it; every result has its call.

What providers say when it is not so (one of many; the catalogue of rejections holds the others): "`tool_use` ids were
found without `tool_result` blocks immediately after", "An assistant message with 'tool_calls' must be followed by tool
messages responding to each 'tool_call_id'", "messages with role 'tool' must be a response to a preceeding message with
'tool_calls'".

The work is done in passes, each linear, in this order because each relies on the one before:

1. ``_read``: find the turns, drop the repeated calls of a turn, name apart different calls that share an id.
2. ``_match_locally``: results that stand in their turn's own run belong to its calls.
3. ``_match_displaced``: what is left over, by id, to the nearest earlier call that nobody answers, else to a later one.
4. ``_match_calls_without_ids``: what no call of the history has the id of, by position, to calls of its turn that lost theirs.
5. ``_choose``: of several results for one call, one.
6. ``_write``: the new list; untouched messages are the same objects.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, cast

from ._node import make
from .edits import replace, with_parts
from .errors import ConfigurationError
from .facts import CALLS, IRREGULAR, SERVER_TOOLS, TOOL, UNPAIRED, facts_of, facts_of_all
from .json_value import json_text
from .messages import Message, MessageBase, Part, ToolCallPart, ToolMessage, ToolResultPart
from .turns import client_results, match_results, run_end

__all__ = ["MissingResults", "clean_messages", "is_paired", "placeholder_for"]

MissingResults: TypeAlias = Literal["drop", "placeholder"]

NO_RESULT: Final = "No result of this tool call was recorded; whether the tool ran is not known."
DENIED: Final = "This tool call was not approved."


def clean_messages(
    messages: Sequence[MessageBase],
    *,
    missing_results: MissingResults = "drop",
    open_ended: bool = False,
    keep_pending: bool = False,
    keep_unanswered_turns: bool = False,
) -> Sequence[Message]:
    """Repair orphaned tool calls and results.

    A result that stands elsewhere is moved to its call. Of several results for one call the first real one stays (a
    real one beats an error, an error beats a placeholder). Within one turn a repeated identical call is dropped unless it
    came to something else; different calls that share an id are renamed, each with its own result by position. A call without an id takes that
    of the result behind it. A result without a call is dropped. The same id in different turns is fine, and so are results in another order than their calls. Calls that
    the provider executed are left alone.

    Args:
        messages: The history; any of the four message classes (a list of several of them is one of their base class
            to a type checker).
        missing_results: What becomes of a call without a result: ``"drop"`` removes the call (its message's text
            stays; a message that this empties goes, unless it holds reasoning that its provider wants back),
            ``"placeholder"`` answers it with an error result marked ``synthesized``.
        open_ended: The provider holds part of the history: calls and results that have no partner here stay.
        keep_pending: A call without a result stays if the result may yet come: it broke off or waits for approval, or
            nothing but results follows it. For histories that are to be stored.
        keep_unanswered_turns: Calls stay as they are where none of their turn has a result and the user speaks before the
            model calls again. For providers that take such a turn: the user may have answered it in words.

    Returns:
        The very same object when nothing needed repair, else a tuple. Idempotent, deterministic, linear.

    Raises:
        ConfigurationError: ``missing_results`` is neither of the two.
    """
    given = cast("Sequence[Message]", messages)
    if missing_results not in ("drop", "placeholder"):
        raise ConfigurationError(f"missing_results must be 'drop' or 'placeholder', not {missing_results!r}")
    if is_paired(given):
        return given
    history = _read(given, open_ended)
    _match_locally(history)
    _match_displaced(history)
    if not open_ended:
        _match_calls_without_ids(history)
    _choose(history)
    return _write(history, missing_results, open_ended, keep_pending, keep_unanswered_turns)


def is_paired(messages: Sequence[Message]) -> bool:
    """Tell whether calls and results are paired by plain ids; False also means "this needs a closer look"."""
    return not facts_of_all(messages) & UNPAIRED


@dataclass(slots=True, eq=False)
class _Result:
    part: ToolResultPart
    index: int
    part_index: int
    # Stands in the run directly after its call's message.
    at_home: bool = False


@dataclass(slots=True, eq=False)
class _Call:
    part: ToolCallPart
    index: int
    part_index: int
    new_id: str | None = None
    results: list[_Result] = field(default_factory=list)
    chosen: _Result | None = None


@dataclass(slots=True, eq=False)
class _Turn:
    index: int
    end: int
    calls: list[_Call] = field(default_factory=list)
    # Ids of calls that the provider executed.
    server_ids: set[str | None] = field(default_factory=set)
    displaced: list[_Result] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class _History:
    messages: Sequence[Message]
    turns: dict[int, _Turn] = field(default_factory=dict)
    # Results outside of every turn's run, by message index.
    strays: dict[int, list[_Result]] = field(default_factory=dict)
    # What leaves, and which call each kept result answers, by (message index, part index).
    dropped_calls: set[tuple[int, int]] = field(default_factory=set)
    kept: dict[tuple[int, int], _Call] = field(default_factory=dict)
    # Results that a client gave to calls that the provider executed: they stay, but none is needed.
    server_answers: set[tuple[int, int]] = field(default_factory=set)
    # Results that nothing in this history calls for.
    orphans: set[tuple[int, int]] = field(default_factory=set)


# --- 1. read ----------------------------------------------------------------------------------------------------


def _read(messages: Sequence[Message], open_ended: bool) -> _History:
    history = _History(messages)
    # Results without a call stay where the history is open-ended: a new name must not turn one into an answer.
    claimed = (
        {part.tool_call_id for message in messages for _, part in client_results(message)}
        if open_ended
        else set()
    )
    index = 0
    while index < len(messages):
        facts = facts_of(messages[index])
        if facts & (CALLS | SERVER_TOOLS | IRREGULAR) and not facts & TOOL:
            turn = _Turn(index, run_end(messages, index))
            _read_calls(messages, turn, history, claimed)
            history.turns[index] = turn
            index = turn.end
            continue
        if facts & TOOL:
            history.strays[index] = _results(messages[index], index)
        index += 1
    return history


def _results(message: Message, index: int) -> list[_Result]:
    return [
        _Result(part, index, part_index)
        for part_index, part in enumerate(message.parts)
        if part.type == "tool_result" and not part.provider_executed
    ]


def _read_calls(
    messages: Sequence[Message], turn: _Turn, history: _History, claimed: set[str | None]
) -> None:
    message = messages[turn.index]
    shared = _shared_ids(message)
    outcomes = _outcomes(messages[turn.index + 1 : turn.end]) if shared else {}
    taken = claimed.union(part.tool_call_id for part in message.parts if part.type == "tool_call")
    seen: set[tuple[str, str, str]] = set()
    used: set[str | None] = set()
    counts: dict[str, int] = {}
    for part_index, part in enumerate(message.parts):
        if part.type != "tool_call":
            continue
        if part.provider_executed:
            turn.server_ids.add(part.tool_call_id)
            continue
        call = _Call(part, turn.index, part_index)
        # Calls without ids belong by position, however alike they are. Like calls with one id are one, recorded twice, unless
        # there are several outcomes.
        if part.tool_call_id and part.tool_call_id in shared:
            key = (part.tool_call_id, part.tool_name, _arguments(part))
            if key in seen and len(outcomes.get(part.tool_call_id, ())) < 2:
                history.dropped_calls.add((turn.index, part_index))
                continue
            seen.add(key)
            if part.tool_call_id in used:
                call.new_id = _next_id(part.tool_call_id, counts, taken)
            used.add(part.tool_call_id)
        turn.calls.append(call)
    # A client's result inside an assistant message is nowhere accepted: it belongs behind it. What answers a call of the
    # provider's own there is the provider's, whether or not it says so.
    own = turn.server_ids.difference(call.part.tool_call_id for call in turn.calls)
    turn.displaced.extend(
        result
        for result in _results(message, turn.index)
        if not (result.part.tool_call_id and result.part.tool_call_id in own)
    )


def _shared_ids(message: Message) -> set[str | None]:
    seen: set[str | None] = set()
    shared: set[str | None] = set()
    for part in message.parts:
        if part.type == "tool_call" and not part.provider_executed:
            (shared if part.tool_call_id in seen else seen).add(part.tool_call_id)
    return shared


def _outcomes(run: Sequence[Message]) -> dict[str | None, set[str]]:
    """What real results say, each once, by the id of their call."""
    outcomes: dict[str | None, set[str]] = defaultdict(set)
    for message in run:
        for _, part in client_results(message):
            if not (part.is_error or part.synthesized):
                outcomes[part.tool_call_id].add(_output(part))
    return outcomes


def _output(part: ToolResultPart) -> str:
    try:
        return part.model_dump_json(include={"output", "content"})
    except (RecursionError, ValueError):
        # As below.
        return f"\0{id(part)}"


def _arguments(part: ToolCallPart) -> str:
    if part.input is None and part.raw_input is not None:
        return part.raw_input
    try:
        return json_text(part.input)
    except (RecursionError, ValueError, TypeError):
        # Nested deeper than Python can follow, a number of thousands of digits, or no JSON in a borrowed request: no two
        # are taken for the same.
        return f"\0{id(part.input)}"


def _next_id(tool_call_id: str, counts: dict[str, int], taken: set[str | None]) -> str:
    number = counts.get(tool_call_id, 1)
    while True:
        number += 1
        candidate = f"{tool_call_id}-{number}"
        if candidate not in taken:
            counts[tool_call_id] = number
            taken.add(candidate)
            return candidate


# --- 2. to 4. match -----------------------------------------------------------------------------------------------


def _match_locally(history: _History) -> None:
    for turn in history.turns.values():
        results = [
            result
            for index in range(turn.index + 1, turn.end)
            for result in _results(history.messages[index], index)
        ]
        matches = match_results([call.part for call in turn.calls], [result.part for result in results])
        for result, match in zip(results, matches, strict=True):
            if match is not None:
                result.at_home = True
                turn.calls[match].results.append(result)
            elif result.part.tool_call_id and result.part.tool_call_id in turn.server_ids:
                history.server_answers.add((result.index, result.part_index))
            else:
                turn.displaced.append(result)


def _match_displaced(history: _History) -> None:
    unanswered: dict[str, list[_Call]] = defaultdict(list)
    latest: dict[str, _Call] = {}
    early: dict[str, deque[_Result]] = defaultdict(deque)
    without_id: dict[int, list[_Result]] = defaultdict(list)
    last_turn: _Turn | None = None

    def place(result: _Result) -> None:
        tool_call_id = result.part.tool_call_id
        if not tool_call_id:
            if last_turn is None:
                history.orphans.add((result.index, result.part_index))
            else:
                without_id[last_turn.index].append(result)
        elif unanswered[tool_call_id]:
            unanswered[tool_call_id].pop().results.append(result)
        elif tool_call_id in latest:
            latest[tool_call_id].results.append(result)
        else:
            early[tool_call_id].append(result)

    for index in sorted({*history.turns, *history.strays}):
        turn = history.turns.get(index)
        if turn is None:
            for result in history.strays[index]:
                place(result)
            continue
        last_turn = turn
        for call in turn.calls:
            tool_call_id = call.part.tool_call_id
            if not tool_call_id:
                continue
            latest[tool_call_id] = call
            if call.results:
                continue
            if early[tool_call_id]:
                call.results.append(early[tool_call_id].popleft())
            else:
                unanswered[tool_call_id].append(call)
        for result in turn.displaced:
            place(result)

    for tool_call_id, results in early.items():
        for result in results:
            if tool_call_id in latest:
                latest[tool_call_id].results.append(result)
            else:
                history.orphans.add((result.index, result.part_index))
    for index, results_without_id in without_id.items():
        free = [call for call in history.turns[index].calls if not call.results]
        matches = match_results([call.part for call in free], [result.part for result in results_without_id])
        for result, match in zip(results_without_id, matches, strict=True):
            if match is None:
                history.orphans.add((result.index, result.part_index))
            else:
                free[match].results.append(result)


def _match_calls_without_ids(history: _History) -> None:
    """Give calls without ids those of the results in their run: a wire or a store lost the ids on one side alone."""
    for turn in history.turns.values():
        nameless = [call for call in turn.calls if not call.part.tool_call_id and not call.results]
        strangers = [
            result
            for result in turn.displaced
            if result.index != turn.index and (result.index, result.part_index) in history.orphans
        ]
        if not nameless or not strangers:
            continue
        by_position = [replace(result.part, tool_call_id=None) for result in strangers]
        matches = match_results([call.part for call in nameless], by_position)
        counts: dict[str, int] = {}
        taken = {call.part.tool_call_id for call in turn.calls} | turn.server_ids
        for result, match in zip(strangers, matches, strict=True):
            if match is None:
                continue
            call, tool_call_id = nameless[match], result.part.tool_call_id or ""
            call.new_id = tool_call_id if tool_call_id not in taken else _next_id(tool_call_id, counts, taken)
            taken.add(call.new_id)
            call.results.append(result)
            result.at_home = True
            history.orphans.discard((result.index, result.part_index))


# --- 5. choose ---------------------------------------------------------------------------------------------------


def _choose(history: _History) -> None:
    for turn in history.turns.values():
        for call in turn.calls:
            if call.results:
                call.chosen = min(call.results, key=_preference)
                history.kept[call.chosen.index, call.chosen.part_index] = call


def _preference(result: _Result) -> tuple[int, bool, int, int]:
    rank = 2 if result.part.synthesized else 1 if result.part.is_error else 0
    return rank, not result.at_home, result.index, result.part_index


# --- 6. write ----------------------------------------------------------------------------------------------------


def _write(
    history: _History,
    missing_results: MissingResults,
    open_ended: bool,
    keep_pending: bool,
    keep_unanswered_turns: bool,
) -> Sequence[Message]:
    messages = history.messages
    left_behind = _left_behind(messages) if keep_unanswered_turns else set[int]()
    out: list[Message] = []
    index = 0
    while index < len(messages):
        turn = history.turns.get(index)
        if turn is None:
            _append(out, _stay(messages[index], index, history, open_ended))
            index += 1
            continue
        unanswered = [call for call in turn.calls if call.chosen is None]
        nobody_answered = len(unanswered) == len(turn.calls) and turn.index in left_behind
        if open_ended or nobody_answered:
            unanswered = []
        elif keep_pending:
            unanswered = [call for call in unanswered if not _is_pending(call, turn, history)]
        if missing_results == "drop":
            history.dropped_calls.update((call.index, call.part_index) for call in unanswered)
        _append(out, _assistant(messages[index], turn, history, open_ended))
        placed = _placed(turn, history, unanswered if missing_results == "placeholder" else [])
        out.extend(placed[turn.index])
        for run_index in range(turn.index + 1, turn.end):
            _append(out, _stay(messages[run_index], run_index, history, open_ended))
            out.extend(placed[run_index])
        index = turn.end
    if len(out) == len(messages) and all(new is old for new, old in zip(out, messages, strict=True)):
        return messages
    return tuple(out)


def _left_behind(messages: Sequence[Message]) -> set[int]:
    """Where calls stand behind which the user spoke, before the model called again."""
    found: set[int] = set()
    user_spoke = False
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if facts_of(message) & CALLS:
            if user_spoke:
                found.add(index)
            user_spoke = False
        elif message.role == "user" and _says_something(message):
            user_spoke = True
    return found


def _says_something(message: Message) -> bool:
    """Whether no provider's rules take it for an empty one."""
    return any(part.type != "text" or part.text.strip() for part in message.parts)


def _append(out: list[Message], message: Message | None) -> None:
    if message is not None:
        out.append(message)


def _assistant(message: Message, turn: _Turn, history: _History, open_ended: bool) -> Message | None:
    """The turn's own message without what leaves it; None when that leaves nothing worth sending."""
    new_ids = {call.part_index: call.new_id for call in turn.calls if call.new_id is not None}
    leaving = {
        result.part_index
        for result in turn.displaced
        if result.index == turn.index
        and not (open_ended and (result.index, result.part_index) in history.orphans)
    }
    leaving.update(
        part_index
        for part_index in range(len(message.parts))
        if (turn.index, part_index) in history.dropped_calls
    )
    if not new_ids and not leaving:
        return message
    parts: list[Part] = []
    for part_index, part in enumerate(message.parts):
        if part_index in leaving:
            continue
        parts.append(replace(part, tool_call_id=new_ids[part_index]) if part_index in new_ids else part)
    if leaving and all(part.type == "reasoning" and not _must_be_replayed(part) for part in parts):
        return None
    return with_parts(message, parts)


def _must_be_replayed(part: Part) -> bool:
    return part.type == "reasoning" and any(
        state is not None for state in (part.signature, part.encrypted, part.id)
    )


def _stay(message: Message, index: int, history: _History, open_ended: bool) -> Message | None:
    """A message outside the calls: its results stay where they are the chosen ones and stand at home."""
    if not facts_of(message) & TOOL:
        return message
    parts: list[Part] = []
    for part_index, part in enumerate(message.parts):
        if part.type != "tool_result" or part.provider_executed:
            parts.append(part)
            continue
        place = (index, part_index)
        call = history.kept.get(place)
        if call is None:
            if place in history.server_answers or (open_ended and place in history.orphans):
                parts.append(part)
        elif call.chosen is not None and call.chosen.at_home:
            parts.append(_named(part, call))
    if not parts:
        # One that arrived empty says nothing either, on no wire.
        return None
    if len(parts) == len(message.parts) and all(
        new is old for new, old in zip(parts, message.parts, strict=True)
    ):
        return message
    return with_parts(message, parts)


def _named(part: ToolResultPart, call: _Call) -> ToolResultPart:
    return part if call.new_id in (None, part.tool_call_id) else replace(part, tool_call_id=call.new_id)


def _is_pending(call: _Call, turn: _Turn, history: _History) -> bool:
    return call.part.state in ("partial", "awaiting-approval") or turn.end == len(history.messages)


def _placed(turn: _Turn, history: _History, replaced: list[_Call]) -> dict[int, list[Message]]:
    """What is put into the turn's run, by the message index behind which it goes: in the order of the calls."""
    placed: dict[int, list[Message]] = defaultdict(list)
    places = {call.part_index for call in replaced}
    behind = turn.index
    for call in turn.calls:
        chosen = call.chosen
        if chosen is None:
            if call.part_index in places:
                placed[behind].append(_placeholder(call))
        elif chosen.at_home:
            behind = max(behind, chosen.index)
        else:
            placed[behind].append(_moved(history.messages[chosen.index], chosen, call))
    return placed


def _moved(source: Message, result: _Result, call: _Call) -> Message:
    part = _named(result.part, call)
    if len(source.parts) == 1 and facts_of(source) & TOOL:
        return source if part is result.part else with_parts(source, (part,))
    return _tool_message(part, source)


def placeholder_for(call: ToolCallPart) -> ToolResultPart:
    """Return the result that says of a call that it has none."""
    return make(
        ToolResultPart,
        tool_call_id=call.tool_call_id,
        tool_name=call.tool_name,
        output=DENIED if call.state == "denied" else NO_RESULT,
        is_error=True,
        synthesized=True,
    )


def _placeholder(call: _Call) -> ToolMessage:
    part = placeholder_for(call.part)
    return _tool_message(part if call.new_id is None else replace(part, tool_call_id=call.new_id), None)


def _tool_message(part: ToolResultPart, source: Message | None) -> ToolMessage:
    if source is None:
        return make(ToolMessage, parts=(part,))
    return make(
        ToolMessage, parts=(part,), id=source.id, created_at=source.created_at, metadata=source.metadata
    )
