"""``replayable check``: what a model's provider would reject in requests."""

from __future__ import annotations

import argparse
import shlex
from functools import partial
from typing import Any, Final

from ..changes import describe
from ..checking import Finding, check, prompt_for
from ..model_ref import ModelRef
from ..places import Places
from ..prompt import Prompt
from .inputs import Entry, read_entries, size_of, sources
from .options import add_at, add_command, add_files, add_formats, add_jsonl, add_model, model_of
from .reports import REPORTS, Found
from .screen import Screen
from .unreadable import Unreadable
from .wrapping import Find, finder

__all__ = ["add", "run"]

_CLEAN: Final = 0
_FINDINGS: Final = 1
_UNUSABLE: Final = 2


def add(commands: Any) -> None:
    """Declare the subcommand."""
    parser = add_command(
        commands,
        "check",
        summary="tell what a model's provider would reject",
        description="Tell what the model's provider would reject in requests, why, and what the repair does.",
        examples=(
            "replayable check request.json --model anthropic/claude-sonnet-5",
            "replayable check tests/histories --model openai/gpt-5 --format github",
            "tail -n 100 requests.jsonl | replayable check - --jsonl --model openrouter/z-ai/glm-4.6",
        ),
        exit_status="Exit status: 0 when nothing is known against any request, 1 when there are findings, 2 when something"
        " can't be read as a request.",
    )
    add_files(parser)
    add_model(parser, purpose="who reads it next, e.g. anthropic/claude-sonnet-5")
    parser.add_argument(
        "--format",
        choices=sorted(REPORTS),
        default="text",
        help="text for people (the default), json for programs, github for annotations in GitHub Actions",
    )
    add_formats(parser)
    add_jsonl(parser)
    add_at(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Check every request; those that can't be read are told of, and the others go on."""
    screen = Screen()
    model = model_of(arguments, screen)
    files = sources(arguments.files)
    report = REPORTS[arguments.format](screen, repair=_repair(arguments, files))
    unreadable = Unreadable(report.fail)
    look = partial(_found, find=finder(arguments.at), model=model, source=arguments.source)
    requests = findings = 0
    with screen.progress(size_of(files)) as advance:
        for file in files:
            with unreadable.file(file):
                for entry in read_entries(file, jsonl=arguments.jsonl, advance=advance):
                    found = unreadable.attempt(look, entry)
                    requests += found is not None
                    if found:
                        findings += len(found)
                        report.tell(entry, found)
    report.end(requests, findings, unreadable.count)
    return _UNUSABLE if unreadable.count else _FINDINGS if findings else _CLEAN


def _found(entry: Entry, *, find: Find, model: ModelRef, source: str | None) -> list[Found]:
    wrapped = find(entry.value())
    with wrapped.errors_placed():
        prompt = prompt_for(wrapped.request, model=model, source=source)
    findings = check(prompt, model=prompt.model)
    if not findings:
        return []
    places = Places(wrapped.request, prompt)
    paths = [wrapped.place_of(places.of(finding.message_index, finding.part_index)) for finding in findings]
    lines = entry.lines_at(paths)
    return [
        Found(entry=entry, path=path, line=lines[path], what=_what(finding, prompt), finding=finding)
        for finding, path in zip(findings, paths, strict=True)
    ]


def _what(finding: Finding, prompt: Prompt) -> str:
    if finding.message_index is None:
        return "request"
    message = prompt.messages[finding.message_index]
    return describe(message if finding.part_index is None else message.parts[finding.part_index])


def _repair(arguments: argparse.Namespace, files: list[str]) -> str:
    """The command that repairs what is found."""
    options = [
        *(["--from", arguments.source] if arguments.source else []),
        *(["--jsonl"] if arguments.jsonl else []),
        *([] if arguments.at is None else ["--at", arguments.at]),
        *(["--in-place"] if files != arguments.files or len(files) > 1 else []),
    ]
    return shlex.join(["replayable", "fix", *arguments.files, "--model", arguments.model, *options])
