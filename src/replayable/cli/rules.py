"""``replayable rules``: what is done for whom."""

from __future__ import annotations

import argparse
from typing import Any

from ..compat.providers import COMMON_RULES, PROVIDERS
from ..compat.rule import CompatRule
from .failures import CommandError
from .options import add_command
from .screen import Screen

__all__ = ["add", "run"]


def add(commands: Any) -> None:
    """Declare the subcommand."""
    parser = add_command(
        commands,
        "rules",
        summary="list the built-in rules",
        description="List the built-in rules in the order in which they run, with what each repairs.",
        examples=("replayable rules --provider anthropic",),
        exit_status="Exit status: 0, or 2 when there is no such provider.",
    )
    parser.add_argument("--provider", metavar="PROVIDER", help="only those of this provider")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """List the rules of every row, or of one."""
    screen = Screen()
    rows = {row.name: row.all_rules() for row in PROVIDERS}
    if arguments.provider is not None and arguments.provider not in rows:
        raise CommandError(
            f"no provider is called {arguments.provider!r}; there are: {', '.join(sorted(rows))}"
        )
    for name, rules in [("every provider", COMMON_RULES), *rows.items()]:
        if rules and arguments.provider in (None, name):
            screen.out((name, "strong"))
            screen.fields([(rule.name, _told(rule)) for rule in rules], indent=2)
    screen.hint()
    return 0


def _told(rule: CompatRule) -> str:
    return rule.summary if rule.apply_to_prompt is not None else f"{rule.summary} (after a rejection)"
