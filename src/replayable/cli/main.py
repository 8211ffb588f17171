"""Where the command begins and ends: exit statuses, and one line for whatever goes wrong."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final, NoReturn

from .failures import CommandError, reason
from .text import line_for

__all__ = ["main"]

_UNUSABLE: Final = 2
_BUG: Final = 70  # EX_SOFTWARE of sysexits.h
_UNWRITTEN: Final = 74  # EX_IOERR
_INTERRUPTED: Final = 130  # 128 + SIGINT, as shells have it
_BROKEN_PIPE: Final = 141  # 128 + SIGPIPE
# What a cancelled job, a container that stops and a connection that closes send; Windows has no SIGHUP.
_ENDS: Final = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns:
        The exit status: what the subcommand says (0, or 1 for findings); 2 for unusable input or arguments; 70 for a bug
        of replayable; 74 when the output can't be written; 130 when interrupted (128 and the number of another signal
        that ends it); 141 when the reader of the output went away.
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
        with _ended_in_order():
            from .parser import make_parser

            arguments = make_parser().parse_args(argv)
            status: int = arguments.run(arguments)
            return status
    except _Ended as end:
        # Whoever closed the connection reads nothing any more.
        with suppress(OSError):
            _say("interrupted")
        return 128 + end.number
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


class _Ended(KeyboardInterrupt):
    """A signal ends the process, as Ctrl-C does."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def _ended_in_order() -> Generator[None]:
    """Let a signal that would end the process at once leave nothing half written, which holds what people said."""
    if threading.current_thread() is not threading.main_thread():
        yield  # which alone may say what signals do
        return

    def end(number: int, _: object) -> NoReturn:
        raise _Ended(number)

    # What is ignored stays so: that is what nohup is for.
    ours = [number for number in _ENDS if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


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
