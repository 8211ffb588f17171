"""The command's arguments."""

from __future__ import annotations

import argparse

from .._version import __version__
from . import check, explain, fix, rules, show

__all__ = ["make_parser"]


def make_parser() -> argparse.ArgumentParser:
    """Return the parser; what it returns has a ``run`` that takes it and gives the exit status."""
    parser = argparse.ArgumentParser(
        prog="replayable",
        description="Make any LLM agent's message history acceptable to the model that reads it next.",
        epilog="On a terminal there are colours, tables and a progress bar where rich is installed (replayable[cli]); NO_COLOR=1"
        " leaves the colours out. Exit status, beside what each COMMAND says of its own: 2 for unusable input or arguments,"
        " 70 for a bug of replayable, 74 when the output can't be written, 130 when interrupted, 141 when the reader of the"
        " output went away.",
    )
    parser.add_argument("--version", action="version", version=f"replayable {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for subcommand in (check, fix, explain, show, rules):
        subcommand.add(commands)
    return parser
