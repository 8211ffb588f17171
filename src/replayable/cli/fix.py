"""``replayable fix``: requests that the model's provider accepts."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from ..fixing import Fixed, fix
from ..model_ref import ModelRef
from .diffs import differences
from .failures import CommandError, reason
from .inputs import Entry, read_entries, size_of, sources
from .options import add_formats, add_jsonl, add_model, model_of
from .replacing import Draft, drafted
from .screen import Screen
from .text import is_terminal, json_for, terminal_json

__all__ = ["add", "run"]

_OK: Final = 0
_UNUSABLE: Final = 2


def add(commands: Any) -> None:
    """Declare the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "fix",
        help="repair a request for a model",
        description="Print the repaired request as JSON on standard output, and each change as a line on standard error.",
        epilog="Of a file of lines, each line is repaired on its own; a line that is no request is told of by its number"
        " and kept in FILE.rejected. Exit status: 0 when every request came out, 2 when something can't be read as a"
        " request.",
    )
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="a request or a list of messages as JSON, or one on each line of a .jsonl file; - is standard input;"
        " several files, or directories of them, with --in-place",
    )
    add_model(parser, purpose="who reads it next, e.g. anthropic/claude-sonnet-5")
    add_formats(parser, to=True)
    add_jsonl(parser)
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
    if not arguments.in_place and (len(arguments.files) > 1 or sources(arguments.files) != arguments.files):
        raise CommandError("several requests can't share standard output: say --in-place, or give one FILE")
    if arguments.in_place and "-" in arguments.files:
        raise CommandError("standard input has no place to write to: leave --in-place out")
    model = model_of(arguments, screen)
    files = sources(arguments.files)
    usable = True
    with screen.progress(size_of(files)) as advance:
        for file in files:
            try:
                usable = _repair(file, arguments, model, screen, advance) and usable
            except BrokenPipeError:
                raise
            except OSError as error:
                usable = False
                screen.err(f"replayable: {file}: can't be written: {reason(error)}")
            except CommandError as error:
                usable = False
                screen.err(f"replayable: {file}: {error}")
    return _OK if usable else _UNUSABLE


def _repair(
    file: str,
    arguments: argparse.Namespace,
    model: ModelRef,
    screen: Screen,
    advance: Callable[[int], None],
) -> bool:
    """Repair what a file holds; tell whether all of it is usable."""
    changes = 0
    with ExitStack() as stack:
        kept = _Rejected(file, stack)
        draft = stack.enter_context(drafted(_real(file))) if arguments.in_place else None
        for entry in read_entries(file, jsonl=arguments.jsonl, advance=advance):
            try:
                value = entry.value()
                fixed = fix(value, model=model, to=arguments.to, source=arguments.source)
                shown = differences(fixed.changes) if arguments.diff else []
                text = _text(entry, value, fixed, None if draft is not None else sys.stdout)
            except Exception as error:
                screen.err(f"replayable: {entry.place}: {reason(error)}")
                kept.count += 1
                if not arguments.diff:
                    kept.add(entry)
                continue
            changes += len(fixed.changes)
            prefix = "" if entry.line is None and draft is None else f"{entry.place}: "
            if arguments.diff:
                for pieces in shown:
                    screen.out(prefix, *pieces)
                continue
            for change in fixed.changes:
                screen.err(f"{prefix}{change}")
            if draft is None:
                screen.raw(text)
            else:
                draft.stream.write(text.encode())
        kept.tell(screen)
        # A file that is one broken request stays as it is.
        if draft is not None and (changes or kept.kept):
            backup = draft.replace(_real(file))
            screen.err(f"replayable: {file}: repaired; what stood there is in {backup}")
    return not kept.count


def _real(file: str) -> Path:
    """The file itself, so that a link to it stays a link."""
    return Path(os.path.realpath(file))


def _text(entry: Entry, value: Any, fixed: Fixed, stream: Any) -> str:
    """The request as JSON text, with a line's end; a line that needed no change is the very same one."""
    if entry.line is None:
        return json_for(stream, fixed.request) + "\n"
    if fixed.request is not value:
        return json_for(stream, fixed.request, indent=None) + "\n"
    text = entry.raw.decode("utf-8-sig")
    text = text if text.endswith("\n") else f"{text}\n"
    return terminal_json(text) if is_terminal(stream) else text


class _Rejected:
    """The lines of a file that are no requests, kept aside so that nothing is lost."""

    def __init__(self, file: str, stack: ExitStack) -> None:
        self.count = 0
        self.kept = 0
        self._file = file
        self._stack = stack
        self._draft: Draft | None = None

    def add(self, entry: Entry) -> None:
        if entry.line is None or self._file == "-":
            return  # what is not in a file of lines stays where it is
        if self._draft is None:
            self._draft = self._stack.enter_context(drafted(Path(self._file)))
        self._draft.stream.write(entry.raw if entry.raw.endswith(b"\n") else entry.raw + b"\n")
        self.kept += 1

    def tell(self, screen: Screen) -> None:
        """Keep them for good, and say where."""
        if self._draft is not None:
            name = self._draft.add(Path(f"{self._file}.rejected"))
            lines = "1 line is" if self.kept == 1 else f"{self.kept} lines are"
            screen.err(f"replayable: {self._file}: {lines} no request; kept in {name}")
