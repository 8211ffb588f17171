"""``replayable explain``: what a rejection means."""

from __future__ import annotations

import argparse
from typing import Any, Final

from ..compat.explaining import explain
from ..provider_error import ProviderError
from .inputs import read_entries
from .options import add_model
from .screen import Screen

__all__ = ["add", "run"]

_KNOWN: Final = 0
_UNKNOWN: Final = 1


def add(commands: Any) -> None:
    """Declare the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "explain",
        help="say what a provider's error means",
        description="Say what a provider's rejection means: the cause in the history, the provider's own words, the repair.",
        epilog="Exit status: 0 when the error is known, 1 when it is not.",
    )
    parser.add_argument(
        "text",
        metavar="ERROR",
        help="the error's text, as an SDK, a gateway or the provider gave it; - reads it from standard input",
    )
    add_model(
        parser,
        required=False,
        purpose="the model that the request was for: where providers share their words, its own provider's are meant",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Explain the error, or say that nothing is known of it."""
    screen = Screen()
    text = arguments.text if arguments.text != "-" else _standard_input()
    found = explain(ProviderError.of(text), model=arguments.model)
    if found is None:
        screen.out(("Nothing is known of this error.", "bad"))
        screen.out(
            "Either it is not about the history (parameters, authentication, limits, a server's own trouble), or nobody"
            " has catalogued it. replayable check FILE --model MODEL tells what is known against the request itself."
        )
        return _UNKNOWN
    screen.fields(
        [
            ("cause", found.cause),
            ("words", found.words),
            ("repair", found.remedy if found.rule is None else f"{found.rule}: {found.remedy}"),
            (
                "do",
                _advice(arguments.model) if found.rule is not None else "no rule cures it: see the repair",
            ),
            ("kind", found.entry or ""),
            ("seen", found.link),
        ]
    )
    return _KNOWN


def _standard_input() -> str:
    (entry,) = read_entries("-", jsonl=False, advance=lambda _: None)
    # A terminal's paste or a log may hold anything.
    return entry.raw.decode("utf-8", "replace")


def _advice(model: str | None) -> str:
    return f"replayable fix FILE --model {model or 'MODEL'}"
