"""The ``replayable`` command, a file for each subcommand. Nothing that ``import replayable`` needs stands here."""

from __future__ import annotations

from .main import main

__all__ = ["main"]
