"""``replayable fix``: requests that the model's provider accepts."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ..changes import Change
from ..compat.explaining import explain
from ..fixing import fix
from ..model_ref import ModelRef
from ..provider_error import ProviderError
from .diffs import differences
from .failures import CommandError
from .inputs import STANDARD_INPUT, Entry, read_entries, size_of, sources
from .options import add_at, add_command, add_formats, add_jsonl, add_model, error_text, model_of
from .replacing import Draft, drafted
from .screen import Line, Screen
from .text import can_write, is_terminal, json_for, terminal_json
from .unreadable import Unreadable
from .wrapping import Find, finder

__all__ = ["add", "run"]

_OK: Final = 0
_NOT_REPAIRED: Final = 1
_UNUSABLE: Final = 2


def add(commands: Any) -> None:
    """Declare the subcommand."""
    parser = add_command(
        commands,
        "fix",
        summary="repair a request for a model",
        description="Print the repaired request as JSON on standard output, and each change as a line on standard error."
        " Of a file of lines, each line is repaired on its own; a line that is no request is told of by its number"
        " and kept in FILE.rejected.",
        examples=(
            "replayable fix request.json --model anthropic/claude-sonnet-5 > fixed.json",
            "replayable fix request.json --model anthropic/claude-sonnet-5 --error - < error.txt > fixed.json",
            "replayable fix request.json --model google/gemini-3-pro --diff",
            "replayable fix threads/ --model openai/gpt-5 --in-place",
        ),
        exit_status="Exit status: 0 when every request came out, 1 when --error was given and nothing in a request was"
        " repaired, 2 when something can't be read as a request or can't be written.",
    )
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="a request or a list of messages as JSON, or one on each line of a .jsonl file; - is standard input;"
        " several files, or directories of them, with --in-place",
    )
    add_model(parser, purpose="who reads it next, e.g. anthropic/claude-sonnet-5")
    parser.add_argument(
        "--error",
        metavar="ERROR",
        help="what the provider answered to the request: repairs that need a rejection act, too, on each request; - reads it from standard"
        " input, where no quotes are needed",
    )
    add_formats(parser, to=True)
    add_jsonl(parser)
    add_at(parser)
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument(
        "--in-place",
        action="store_true",
        help="write the repaired requests into the files, each of which appears whole or not at all; what stood there is"
        " kept in FILE.bak",
    )
    kinds.add_argument(
        "--diff",
        action="store_true",
        help="show each change before and after, content included, in place of the request",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Repair every request; those that can't be read are told of, and the others go on."""
    screen = Screen()
    files = sources(arguments.files)
    if not (arguments.in_place or arguments.diff) and (len(files) > 1 or files != arguments.files):
        raise CommandError("several requests can't share standard output: say --in-place, or give one FILE")
    if arguments.in_place and STANDARD_INPUT in files:
        raise CommandError("standard input has no place to write to: leave --in-place out")
    if arguments.error == STANDARD_INPUT and STANDARD_INPUT in files:
        raise CommandError("standard input can't hold both the request and the error: name a FILE")
    find = finder(arguments.at)
    model = model_of(arguments, screen)
    rejection = _rejection(arguments, model, screen)
    unreadable = Unreadable(screen.fail)
    as_they_were = 0
    with screen.progress(size_of(files)) as advance:
        for file in files:
            with unreadable.file(file):
                repair = _Repair(file, arguments, find, model, rejection, screen, unreadable)
                repair.run(advance)
                as_they_were += repair.as_they_were
    if unreadable.count:
        return _UNUSABLE
    return _NOT_REPAIRED if as_they_were else _OK


def _rejection(arguments: argparse.Namespace, model: ModelRef, screen: Screen) -> ProviderError | None:
    """What the provider answered; say so where nothing is known of it."""
    if arguments.error is None:
        return None
    text = error_text(arguments.error)
    if not text.strip():
        raise CommandError("--error is empty: give the error's text, or - and the text on standard input")
    rejection = ProviderError.of(text)
    found = explain(rejection, model=model)
    if found is None:
        screen.err(
            "replayable: nothing is known of this error; what else is known against the request is repaired"
        )
    elif found.rule is None:
        screen.err(f"replayable: no rule cures this error: {found.remedy}")
    return rejection


@dataclass(frozen=True, slots=True, kw_only=True)
class _Repaired:
    """What becomes of one request: its changes, and either the JSON text with its line's end, or the changes at length."""

    changes: tuple[Change, ...]
    altered: bool
    text: str = ""
    diff: Sequence[Line] = ()


class _Repair:
    """The repair of what one file holds."""

    def __init__(
        self,
        file: str,
        arguments: argparse.Namespace,
        find: Find,
        model: ModelRef,
        rejection: ProviderError | None,
        screen: Screen,
        unreadable: Unreadable,
    ) -> None:
        # How many requests had nothing that answers the rejection.
        self.as_they_were = 0
        self._file = file
        # The file itself, so that a link to it stays a link.
        self._target = Path(os.path.realpath(file)) if arguments.in_place else None
        self._arguments = arguments
        self._find = find
        self._model = model
        self._rejection = rejection
        self._screen = screen
        self._unreadable = unreadable

    def run(self, advance: Callable[[int], None]) -> None:
        altered = False
        if self._target is not None and self._target.exists() and not self._target.is_file():
            raise CommandError("is no regular file, which alone can be replaced: leave --in-place out")
        with ExitStack() as stack:
            rejected = _Rejected(self._file, stack, needed=self._target is not None)
            draft = stack.enter_context(drafted(self._target)) if self._target is not None else None
            for entry in read_entries(self._file, jsonl=self._arguments.jsonl, advance=advance):
                done = self._unreadable.attempt(self._repaired, entry)
                if done is not None:
                    altered = altered or done.altered
                    self._tell(entry, done, draft)
                elif not self._arguments.diff:
                    rejected.keep(entry)
            rejected.tell(self._screen)
            # A file that is one broken request stays as it is.
            if draft is not None and self._target is not None and (altered or rejected.kept):
                backup = draft.replace(self._target)
                self._screen.err(f"replayable: {self._file}: repaired; what stood there is in {backup}")

    def _repaired(self, entry: Entry) -> _Repaired:
        wrapped = self._find(entry.value())
        arguments = self._arguments
        with wrapped.errors_placed():
            fixed = fix(
                wrapped.request,
                model=self._model,
                to=arguments.to,
                source=arguments.source,
                error=self._rejection,
            )
        altered = fixed.request is not wrapped.request
        if arguments.diff:
            return _Repaired(changes=fixed.changes, altered=altered, diff=list(differences(fixed.changes)))
        stream = None if arguments.in_place else sys.stdout
        # A line that needed no change stays the very same one.
        text = None if entry.line is None or altered else entry.text.rstrip("\r\n")
        if text is None or not can_write(text, stream):
            text = json_for(stream, wrapped.around(fixed.request), indent=2 if entry.line is None else None)
        elif is_terminal(stream):
            text = terminal_json(text)
        return _Repaired(changes=fixed.changes, altered=altered, text=f"{text}\n")

    def _tell(self, entry: Entry, done: _Repaired, draft: Draft | None) -> None:
        if self._rejection is not None and not done.changes:
            self.as_they_were += 1
            outcome = "only its format changes" if done.altered else "it stays as it is"
            self._screen.err(
                f"replayable: {entry.place}: nothing in it is known to provoke the error; {outcome}"
            )
        if self._arguments.diff:
            changed = "" if done.changes else ": nothing to change"
            self._screen.out((f"{entry.place}{changed}", "strong"))
            self._screen.lines(done.diff)
            return
        prefix = "" if entry.line is None and draft is None else f"{entry.place}: "
        for change in done.changes:
            self._screen.err(f"{prefix}{change}")
        if draft is None:
            self._screen.raw(done.text)
        else:
            draft.write(done.text.encode())


class _Rejected:
    """The lines of a file that are no requests, kept aside so that nothing is lost.

    Args:
        file: The file that they stand in.
        stack: Closes what is open in the end.
        needed: The file is written anew without them; otherwise they stay where they are, too.
    """

    def __init__(self, file: str, stack: ExitStack, *, needed: bool) -> None:
        self.kept = 0
        self._file = file
        self._stack = stack
        self._needed = needed
        self._draft: Draft | None = None
        self._why_not: str | None = None

    def keep(self, entry: Entry) -> None:
        if entry.line is None or self._file == STANDARD_INPUT or self._why_not is not None:
            return  # what is not in a file of lines stays where it is
        try:
            if self._draft is None:
                self._draft = self._stack.enter_context(drafted(Path(self._file)))
            self._draft.write(entry.raw if entry.raw.endswith(b"\n") else entry.raw + b"\n")
            self.kept += 1
        except CommandError as error:
            if self._needed:
                raise
            self._why_not = str(error)

    def tell(self, screen: Screen) -> None:
        """Keep them for good, and say where."""
        if self._why_not is not None:
            screen.err(f"replayable: {self._file}: what is no request is not kept aside: it {self._why_not}")
        elif self._draft is not None:
            name = self._draft.add(Path(f"{self._file}.rejected"))
            lines = "1 line is" if self.kept == 1 else f"{self.kept} lines are"
            screen.err(f"replayable: {self._file}: {lines} no request; kept in {name}")
