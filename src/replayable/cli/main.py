"""Where the command begins and ends: exit statuses, and one line for whatever goes wrong."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from .failures import CommandError, reason
from .text import line_for

__all__ = ["main"]

_UNUSABLE: Final = 2
_BUG: Final = 70  # EX_SOFTWARE of sysexits.h
_UNWRITTEN: Final = 74  # EX_IOERR
_INTERRUPTED: Final = 130  # 128 + SIGINT, as shells have it
_BROKEN_PIPE: Final = 141  # 128 + SIGPIPE


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns:
        The exit status: what the subcommand says (0, or 1 for findings); 2 for unusable input or arguments; 70 for a bug
        of replayable; 74 when the output can't be written; 130 when interrupted; 141 when the reader of the output went
        away.
    """
    _open_closed_streams()
    try:
        status = _status(argv)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        status = _BROKEN_PIPE
    except OSError as error:
        # What is read, and what files are written, have errors of their own.
        with suppress(OSError):
            _say(f"the output can't be written: {error.strerror}")
        status = _UNWRITTEN
    _silence()
    return status


def _status(argv: Sequence[str] | None) -> int:
    try:
        # The library itself: Ctrl-C while it loads is one like any other.
        from .parser import make_parser

        arguments = make_parser().parse_args(argv)
        status: int = arguments.run(arguments)
        return status
    except KeyboardInterrupt:
        _say("interrupted")
        return _INTERRUPTED
    except OSError:
        raise
    except CommandError as error:
        _say(str(error))
        return _UNUSABLE
    except Exception as error:
        _say(reason(error))
        return _BUG


def _say(what: str) -> None:
    print(line_for(sys.stderr, f"replayable: {what}"), file=sys.stderr)


def _open_closed_streams() -> None:
    """A stream that was closed by the caller (``>&-``) takes what it is given, and forgets it."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - open until the end


def _silence() -> None:
    """Nobody reads any more: what is still buffered must not be written, and complained about, at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        if (descriptor := _descriptor(stream)) is not None and _is_broken(stream):
            os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _is_broken(stream: Any) -> bool:
    try:
        stream.flush()
    except OSError:
        return True
    return False


def _descriptor(stream: Any) -> int | None:
    try:
        descriptor: int = stream.fileno()
    except (AttributeError, OSError, ValueError):
        return None
    return descriptor
