"""``replayable show``: the conversation as a person reads it."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

from ..checking import Finding, check, prompt_for
from ..json_value import json_text
from ..messages import (
    FilePart,
    Message,
    Messages,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from ..model_ref import ModelRef
from ..turns import matched_results
from .inputs import Entry, read_entries, size_of, sources
from .options import add_at, add_command, add_files, add_formats, add_jsonl, add_model, model_of
from .reports import kind_of
from .screen import Line, Piece, Screen
from .text import clipped, counted
from .unreadable import Unreadable
from .wrapping import Find, finder

__all__ = ["add", "run"]

_OK: Final = 0
_UNUSABLE: Final = 2
_CLIPPED: Final = 400
_MOST_LINES: Final = 12
_INDENT: Final = 4


def add(commands: Any) -> None:
    """Declare the subcommand."""
    parser = add_command(
        commands,
        "show",
        summary="show a conversation as a person reads it",
        description="Show a conversation: its messages, the calls with their results, reasoning folded, long texts cut."
        " With --model, what its provider would reject is marked where it stands.",
        examples=(
            "replayable show request.json",
            "replayable show request.json --model anthropic/claude-sonnet-5 | less",
        ),
        exit_status="Exit status: 0, or 2 when something can't be read as a request.",
    )
    add_files(parser)
    add_model(parser, required=False, purpose="mark what this model's provider would reject")
    parser.add_argument("--full", action="store_true", help="show reasoning and long texts in full")
    add_formats(parser)
    add_jsonl(parser)
    add_at(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Show every conversation; those that can't be read are told of, and the others go on."""
    screen = Screen()
    model = model_of(arguments, screen) if arguments.model is not None else None
    files = sources(arguments.files)
    unreadable = Unreadable(screen.fail)
    show = partial(
        _shown, find=finder(arguments.at), model=model, source=arguments.source, full=arguments.full
    )
    with screen.progress(size_of(files)) as advance:
        for file in files:
            with unreadable.file(file):
                for entry in read_entries(file, jsonl=arguments.jsonl, advance=advance):
                    screen.lines(unreadable.attempt(show, entry) or ())
    screen.hint()
    return _UNUSABLE if unreadable.count else _OK


def _shown(entry: Entry, *, find: Find, model: ModelRef | None, source: str | None, full: bool) -> list[Line]:
    wrapped = find(entry.value())
    with wrapped.errors_placed():
        prompt = prompt_for(wrapped.request, model=model, source=source)
    findings = check(prompt, model=model) if model is not None else []
    tools = f", {counted(len(prompt.tools), 'tool')}" if prompt.tools else ""
    title = f"{entry.place}: {prompt.api}, {counted(len(prompt.messages), 'message')}{tools}"
    return [(0, [(title, "strong")]), *_Conversation(prompt.messages, findings, full).lines()]


class _Conversation:
    """Messages on their way to lines."""

    def __init__(self, messages: Messages, findings: Sequence[Finding], full: bool) -> None:
        self._messages = messages
        self._full = full
        # Where each fault stands.
        self._faults: dict[tuple[int | None, int | None], list[Finding]] = defaultdict(list)
        for finding in findings:
            self._faults[finding.message_index, finding.part_index].append(finding)
        self._explained: set[str] = set()
        # The places of the results that stand under the call that they answer, by the call's identity.
        self._answers: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._under_calls: set[tuple[int, int]] = set()
        self._match()

    def _match(self) -> None:
        places = {
            id(part): (index, number)
            for index, message in enumerate(self._messages)
            for number, part in enumerate(message.parts)
            if part.type == "tool_result"
        }
        for index in range(len(self._messages)):
            for result, _, call in matched_results(self._messages, index):
                place = places[id(result)]
                self._answers[id(call)].append(place)
                self._under_calls.add(place)

    def lines(self) -> Iterator[Line]:
        yield from self._marks(None, None, 0)
        for index, message in enumerate(self._messages):
            here = [
                (number, part)
                for number, part in enumerate(message.parts)
                if (index, number) not in self._under_calls
            ]
            if not here and message.parts and not self._faults.get((index, None)):
                continue  # each of its results stands under its call
            yield 0, [(f"{index} {message.role}", "name"), (_made_by(message), "faint")]
            yield from self._marks(index, None, _INDENT)
            for number, part in here:
                yield from self._part(index, number, part, _INDENT)

    def _part(self, index: int, number: int, part: Part, indent: int) -> Iterator[Line]:
        yield from self._told(index, number, part, indent)
        yield from self._marks(index, number, indent)
        for answer, place in self._answers.get(id(part), ()):
            yield from self._part(answer, place, self._messages[answer].parts[place], indent + _INDENT)

    def _told(self, index: int, number: int, part: Part, indent: int) -> Iterator[Line]:
        match part:
            case ReasoningPart():
                yield from self._reasoning(part, indent)
            case ToolCallPart():
                given = part.raw_input if part.raw_input is not None else json_text(part.input)
                tool: Piece = (part.tool_name, "strong")
                yield indent, ["-> ", tool, f" {self._line(given)}", (_note(part), "faint")]
            case ToolResultPart():
                first, *others = self._cut(_said(part))
                below = (index, number) in self._under_calls
                note = f"  (message {index})" if below else f"  (id {part.tool_call_id})"
                mark: Piece = ("<- error: ", "bad") if part.is_error else "<- "
                yield indent, [mark, first, (note, "faint")]
                yield from ((indent + 3, [line]) for line in others)
            case TextPart():
                yield from ((indent, [line]) for line in self._cut(part.text))
            case FilePart():
                where = part.filename or part.file_id or part.url or ""
                size = f", {len(part.data)} characters of base64" if part.data else ""
                told = f"[file {part.media_type or 'of unknown type'} {clipped(where, 80)}{size}]"
                yield indent, [(told, "faint")]
            case OpaquePart():
                yield indent, [(f"[{part.api}] {self._line(json_text(part.value))}", "faint")]

    def _reasoning(self, part: ReasoningPart, indent: int) -> Iterator[Line]:
        sealed = ", sealed by its provider" if part.signature or part.encrypted else ""
        yield indent, [(f"[reasoning of {counted(len(part.text), 'character')}{sealed}]", "faint")]
        if self._full and part.text:
            for line in self._cut(part.text):
                yield indent + _INDENT, [(line, "faint")]

    def _line(self, text: str) -> str:
        return text if self._full else clipped(text, _CLIPPED)

    def _cut(self, text: str) -> list[str]:
        """The text's lines, of which there is at least one."""
        lines = self._line(text).splitlines() or [""]
        if self._full or len(lines) <= _MOST_LINES:
            return lines
        more = len(text.splitlines()) - _MOST_LINES
        return [*lines[:_MOST_LINES], f"... ({counted(more, 'line')} more)"]

    def _marks(self, index: int | None, number: int | None, indent: int) -> Iterator[Line]:
        for finding in self._faults.get((index, number), ()):
            kind = kind_of(finding)
            yield indent, [(f"!! {kind}", "bad")]
            if kind not in self._explained:
                self._explained.add(kind)
                if finding.evidence:
                    yield indent + 3, [(f'the provider says: "{finding.evidence[0].text}"', "bad")]
                yield indent + 3, [(f"repair: {finding.summary}", "bad")]


def _made_by(message: Message) -> str:
    model = getattr(message, "model", None)
    return f" ({model})" if model else ""


def _note(call: ToolCallPart) -> str:
    state = "" if call.state == "complete" else f", {call.state}"
    by = ", run by the provider" if call.provider_executed else ""
    return f"  (id {call.tool_call_id}{state}{by})"


def _said(result: ToolResultPart) -> str:
    if result.content is not None:
        return " ".join(part.text if part.type == "text" else f"[{part.type}]" for part in result.content)
    return result.output if isinstance(result.output, str) else json_text(result.output)
