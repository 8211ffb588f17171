"""``replayable explain``: what a rejection means."""

from __future__ import annotations

import argparse
import os
from typing import Any, Final

from ..compat.explaining import Explanation, explain
from ..provider_error import ProviderError
from .failures import CommandError
from .inputs import STANDARD_INPUT
from .options import add_command, add_model, error_text
from .screen import Screen

__all__ = ["add", "run"]

_KNOWN: Final = 0
_UNKNOWN: Final = 1


def add(commands: Any) -> None:
    """Declare the subcommand."""
    parser = add_command(
        commands,
        "explain",
        summary="say what a provider's error means",
        description="Say what a provider's rejection means: the cause in the history, the provider's own words, the repair.",
        examples=(
            "replayable explain --model anthropic/claude-sonnet-5 < error.txt",
            'replayable explain \'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row\'',
        ),
        exit_status="Exit status: 0 when the error is known, 1 when it is not, 2 when there is no text.",
    )
    parser.add_argument(
        "words",
        metavar="ERROR",
        nargs="*",
        help="the error's text, as an SDK, a gateway, a log or the provider gave it; - or nothing reads it from standard"
        " input, where no quotes are needed",
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
    text = error_text(" ".join(arguments.words) or STANDARD_INPUT)
    if not text.strip():
        raise CommandError(
            "no error text was given; name it behind explain, or pipe it in: replayable explain < FILE"
        )
    found = explain(ProviderError.of(text), model=arguments.model)
    if found is None:
        _tell_nothing(screen, text, arguments.model)
        return _UNKNOWN
    screen.fields(
        [
            ("cause", found.cause),
            ("provider says", found.words),
            ("repair", _repair(found, arguments.model)),
            ("kind of error", found.entry or ""),
            ("source", found.link),
        ]
    )
    screen.hint()
    return _KNOWN


def _repair(found: Explanation, model: str | None) -> list[str]:
    if found.rule is None:
        return [f"no rule cures it: {found.remedy}"]
    return [f"{found.rule}: {found.remedy}", f"replayable fix FILE --model {model or 'MODEL'} --error ERROR"]


def _tell_nothing(screen: Screen, text: str, model: str | None) -> None:
    screen.out(("Nothing is known of this error.", "bad"))
    if _is_file(text):
        screen.out(f"Was the file of that name meant? replayable explain < {text}")
        return
    screen.out(
        "Either it is not about the history (parameters, authentication, limits, a server's own trouble), or nobody has"
        " catalogued it. What is known against the request itself, tells:"
    )
    screen.out(f"replayable check FILE --model {model or 'MODEL'}", indent=2)


def _is_file(name: str) -> bool:
    try:
        return os.path.isfile(name)
    except ValueError:  # no file can have that name
        return False
