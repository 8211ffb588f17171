"""``replayable show``: the conversation as a person reads it."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ..checking import Finding, check, prompt_for
from ..json_value import json_text
from ..messages import (
    FilePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from ..prompt import Prompt
from ..turns import matched_results
from .failures import CommandError, reason
from .inputs import Entry, read_entries, size_of, sources
from .options import add_formats, add_jsonl, add_model, model_of
from .screen import Piece, Screen
from .text import clipped

__all__ = ["add", "run"]

_OK: Final = 0
_UNUSABLE: Final = 2
_CLIPPED: Final = 400
_INDENT: Final = "    "


def add(commands: Any) -> None:
    """Declare the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "show",
        help="show a conversation as a person reads it",
        description="Show a conversation: its messages, the calls with their results, reasoning folded, long texts cut."
        " With --model, what its provider would reject is marked where it stands.",
        epilog="Exit status: 0, or 2 when something can't be read as a request.",
    )
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="a request or a list of messages as JSON, one on each line of a .jsonl file, or a directory of such files;"
        " - is standard input",
    )
    add_model(parser, required=False, purpose="mark what this model's provider would reject")
    parser.add_argument("--full", action="store_true", help="show reasoning and long texts in full")
    add_formats(parser)
    add_jsonl(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Show every conversation; those that can't be read are told of, and the others go on."""
    screen = Screen()
    model = model_of(arguments, screen) if arguments.model is not None else None
    files = sources(arguments.files)
    usable = True
    with screen.progress(size_of(files)) as advance:
        for file in files:
            try:
                for entry in read_entries(file, jsonl=arguments.jsonl, advance=advance):
                    try:
                        lines = _shown(entry, model, arguments.source, arguments.full)
                    except Exception as error:
                        usable = False
                        screen.err(f"replayable: {entry.place}: {reason(error)}")
                        continue
                    for pieces in lines:
                        screen.out(*pieces)
            except CommandError as error:
                usable = False
                screen.err(f"replayable: {file}: {error}")
    screen.hint()
    return _OK if usable else _UNUSABLE


def _shown(entry: Entry, model: Any, source: str | None, full: bool) -> list[list[Piece]]:
    prompt = prompt_for(entry.value(), model=model, source=source)
    findings = check(prompt, model=prompt.model) if model is not None else []
    count = len(prompt.messages)
    title = f"{entry.place}: {prompt.api}, {count} {'message' if count == 1 else 'messages'}"
    return [[(title, "strong")], *_Conversation(prompt, findings, full).lines()]


class _Conversation:
    """A prompt on its way to lines."""

    def __init__(self, prompt: Prompt, findings: Sequence[Finding], full: bool) -> None:
        self._messages = prompt.messages
        self._full = full
        # Where each fault stands; results stand under the call that they answer.
        self._faults: dict[tuple[int | None, int | None], list[Finding]] = defaultdict(list)
        for finding in findings:
            self._faults[finding.message_index, finding.part_index].append(finding)
        self._answers: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._under_calls: set[int] = set()
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
                self._answers[id(call)].append(places[id(result)])
                self._under_calls.add(id(result))

    def lines(self) -> Iterator[list[Piece]]:
        yield from self._marks(None, None, "")
        for index, message in enumerate(self._messages):
            parts = [
                (number, part)
                for number, part in enumerate(message.parts)
                if id(part) not in self._under_calls
            ]
            if not parts and message.parts and not self._faults.get((index, None)):
                continue  # each of its results stands under its call
            yield [(f"{index} {message.role}", "name"), _made_by(message)]
            yield from self._marks(index, None, _INDENT)
            for number, part in parts:
                yield from self._part(index, number, part, _INDENT)

    def _part(self, index: int, number: int, part: Part, indent: str) -> Iterator[list[Piece]]:
        yield from self._told(part, indent)
        yield from self._marks(index, number, indent)
        for place in self._answers.get(id(part), ()):
            yield from self._part(*place, self._messages[place[0]].parts[place[1]], indent + _INDENT)

    def _told(self, part: Part, indent: str) -> Iterator[list[Piece]]:
        match part:
            case ReasoningPart():
                yield from self._reasoning(part, indent)
            case ToolCallPart():
                given = part.raw_input if part.raw_input is not None else json_text(part.input)
                yield [
                    indent,
                    "-> ",
                    (part.tool_name, "strong"),
                    f" {self._cut(given)}",
                    (_note(part), "faint"),
                ]
            case ToolResultPart():
                mark = "<- error: " if part.is_error else "<- "
                yield from self._text(_said(part), indent, mark)
            case TextPart():
                yield from self._text(part.text, indent)
            case FilePart():
                where = part.filename or part.file_id or part.url or ""
                size = f", {len(part.data)} characters of base64" if part.data else ""
                yield [
                    indent,
                    (f"[file {part.media_type or 'of unknown type'} {clipped(where, 80)}{size}]", "faint"),
                ]
            case OpaquePart():
                yield [indent, (f"[{part.api}] {self._cut(json_text(part.value))}", "faint")]

    def _reasoning(self, part: ReasoningPart, indent: str) -> Iterator[list[Piece]]:
        sealed = ", sealed by its provider" if part.signature or part.encrypted else ""
        yield [indent, (f"[reasoning of {len(part.text)} characters{sealed}]", "faint")]
        if self._full and part.text:
            yield from self._text(part.text, indent + _INDENT)

    def _text(self, text: str, indent: str, mark: str = "") -> Iterator[list[Piece]]:
        for line in self._cut(text).splitlines() or [""]:
            yield [indent, mark, line]
            mark = " " * len(mark)

    def _cut(self, text: str) -> str:
        return text if self._full else clipped(text, _CLIPPED)

    def _marks(self, index: int | None, number: int | None, indent: str) -> Iterator[list[Piece]]:
        for finding in self._faults.get((index, number), ()):
            said = f' "{finding.evidence[0].text}"' if finding.evidence else ""
            name = finding.rule if finding.rule == finding.fault else f"{finding.rule}, {finding.fault}"
            yield [indent, (f"!! {name}:{said} Repair: {finding.summary}", "bad")]


def _made_by(message: Message) -> Piece:
    model = getattr(message, "model", None)
    return (f" ({model})", "faint") if model else ""


def _note(call: ToolCallPart) -> str:
    state = "" if call.state == "complete" else f", {call.state}"
    by = ", run by the provider" if call.provider_executed else ""
    return f"  (id {call.tool_call_id}{state}{by})"


def _said(result: ToolResultPart) -> str:
    if result.content is not None:
        return " ".join(part.text if part.type == "text" else f"[{part.type}]" for part in result.content)
    return result.output if isinstance(result.output, str) else json_text(result.output)
