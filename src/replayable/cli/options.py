"""What several subcommands ask for."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from typing_extensions import override

from ..compat.providers import providers_of
from ..formats import FORMATS
from ..model_ref import ModelRef
from .inputs import STANDARD_INPUT, read_entries
from .screen import Screen

__all__ = [
    "add_at",
    "add_command",
    "add_files",
    "add_formats",
    "add_jsonl",
    "add_model",
    "error_text",
    "model_of",
]


class _Help(argparse.HelpFormatter):
    """Wraps paragraphs, and leaves alone those that are indented."""

    @override
    def _fill_text(self, text: str, width: int, indent: str) -> str:
        wrap = argparse.HelpFormatter._fill_text
        paragraphs = text.split("\n\n")
        return "\n\n".join(
            paragraph if paragraph.startswith("  ") else wrap(self, paragraph, width, indent)
            for paragraph in paragraphs
        )


def add_command(
    commands: Any, name: str, *, summary: str, description: str, exit_status: str, examples: Sequence[str]
) -> argparse.ArgumentParser:
    """Declare a subcommand and return its parser.

    Args:
        commands: What ``add_subparsers`` returned.
        name: What it is called.
        summary: What it does, for the list of subcommands.
        description: What it does, in sentences.
        exit_status: What its exit statuses mean.
        examples: Command lines.
    """
    shown = "\n".join(f"  {example}" for example in examples)
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog=f"examples:\n\n{shown}\n\n{exit_status}",
        formatter_class=_Help,
    )
    return parser


def add_files(parser: argparse.ArgumentParser) -> None:
    """Ask for what is read."""
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="a request or a list of messages as JSON, one on each line of a .jsonl file, or a directory of such files;"
        " - is standard input",
    )


def add_model(parser: argparse.ArgumentParser, *, required: bool = True, purpose: str) -> None:
    """Ask for the model."""
    parser.add_argument("--model", required=required, metavar="MODEL", help=purpose)


def add_jsonl(parser: argparse.ArgumentParser) -> None:
    """Ask whether there is a request on each line."""
    parser.add_argument(
        "--jsonl",
        action="store_true",
        help="each line is a request (known by itself of files whose name ends in .jsonl or .ndjson)",
    )


def add_at(parser: argparse.ArgumentParser) -> None:
    """Ask where in a file or a line the request stands."""
    parser.add_argument(
        "--at",
        metavar="PATH",
        help="where in each file or line the request stands, e.g. request.body or data[0].request (known by itself in"
        " lines of batches, and under what logs and traces mostly call it: body, request, kwargs, input)",
    )


def add_formats(parser: argparse.ArgumentParser, *, to: bool = False) -> None:
    """Ask for the format that is read, and for the one that is written."""
    names = sorted(FORMATS)
    if to:
        parser.add_argument(
            "--to", metavar="FORMAT", choices=names, help=f"the format to write: {', '.join(names)}"
        )
    parser.add_argument(
        "--from",
        dest="source",
        metavar="FORMAT",
        choices=names,
        help="the format to read; recognised when left out",
    )


def error_text(given: str) -> str:
    """Return an error's text; ``-`` reads it from standard input."""
    if given != STANDARD_INPUT:
        return given
    (entry,) = read_entries(STANDARD_INPUT, jsonl=False, advance=lambda _: None)
    # A terminal's paste or a log may hold anything.
    return entry.raw.decode("utf-8", "replace")


def model_of(arguments: Any, screen: Screen) -> ModelRef:
    """Return the model; say so where nothing is known of it, since that is mostly a typing mistake."""
    model = ModelRef.of(arguments.model)
    if not providers_of(model):
        screen.err(
            f"replayable: nothing is known of the model {arguments.model!r}: only what holds for every provider is looked at;"
            " name it as provider/model, e.g. anthropic/claude-sonnet-5 (see replayable rules)"
        )
    return model
