"""``replayable check``: what a model's provider would reject in requests."""

from __future__ import annotations

import argparse
from typing import Any, Final

from ..checking import check, prompt_for
from ..model_ref import ModelRef
from ..places import Places
from .failures import CommandError, reason
from .inputs import Entry, read_entries, size_of, sources
from .options import add_formats, add_jsonl, add_model, model_of
from .reports import REPORTS, Found, Report
from .screen import Screen

__all__ = ["add", "run"]

_CLEAN: Final = 0
_FINDINGS: Final = 1
_UNUSABLE: Final = 2


def add(commands: Any) -> None:
    """Declare the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "check",
        help="tell what a model's provider would reject",
        description="Tell what the model's provider would reject in requests, why, and what the repair does.",
        epilog="Exit status: 0 when nothing is known against any request, 1 when there are findings, 2 when something"
        " can't be read as a request.",
    )
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="a request or a list of messages as JSON, one on each line of a .jsonl file, or a directory of such files;"
        " - is standard input",
    )
    add_model(parser, purpose="who reads it next, e.g. anthropic/claude-sonnet-5")
    parser.add_argument(
        "--format",
        choices=sorted(REPORTS),
        default="text",
        help="text for people (the default), json for programs, github for annotations in GitHub Actions",
    )
    add_formats(parser)
    add_jsonl(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Check every request; those that can't be read are told of, and the others go on."""
    screen = Screen()
    model = model_of(arguments, screen)
    report: Report = REPORTS[arguments.format](screen)
    files = sources(arguments.files)
    requests = findings = unusable = 0
    with screen.progress(size_of(files)) as advance:
        for file in files:
            try:
                for entry in read_entries(file, jsonl=arguments.jsonl, advance=advance):
                    try:
                        found = _check(entry, model, arguments.source)
                    except Exception as error:
                        unusable += 1
                        screen.err(f"replayable: {entry.place}: {reason(error)}")
                        continue
                    requests += 1
                    findings += len(found)
                    if found:
                        report.tell(entry, found)
            except CommandError as error:
                unusable += 1
                screen.err(f"replayable: {file}: {error}")
    report.end(requests, findings, unusable)
    return _UNUSABLE if unusable else _FINDINGS if findings else _CLEAN


def _check(entry: Entry, model: ModelRef, source: str | None) -> list[Found]:
    request = entry.value()
    prompt = prompt_for(request, model=model, source=source)
    findings = check(prompt, model=prompt.model)
    if not findings:
        return []
    places = Places(request, prompt)
    return [
        Found(entry=entry, path=places.of(finding.message_index, finding.part_index), finding=finding)
        for finding in findings
    ]
