"""What several subcommands ask for."""

from __future__ import annotations

import argparse
from typing import Any

from ..compat.providers import providers_of
from ..formats import FORMATS
from ..model_ref import ModelRef
from .inputs import STANDARD_INPUT, read_entries
from .screen import Screen

__all__ = ["add_at", "add_files", "add_formats", "add_jsonl", "add_model", "error_text", "model_of"]


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
