"""The ``replayable`` command."""

from __future__ import annotations

import argparse
import json
import sys
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from ._version import __version__
from .errors import ReplayableError
from .fixing import fix
from .formats import FORMATS

__all__ = ["main"]

_OK: Final = 0
_UNUSABLE: Final = 2
_TOO_DEEP: Final = "nests too deep to be a request"


class _InputError(Exception):
    """The file can't be read as JSON; the message says why and what to do."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status: 0 when a request came out, 2 for unusable input."""
    arguments = _parser().parse_args(argv)
    try:
        return _fix(arguments)
    except (_InputError, ReplayableError) as error:
        print(_line(f"replayable: {arguments.file}: {error}"), file=sys.stderr)
        return _UNUSABLE
    except BrokenPipeError:
        # The reader (`head`, say) has seen enough; nothing may be written at exit either.
        sys.stdout = None
        return _OK


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="replayable",
        description="Make any LLM agent's message history acceptable to the model that reads it next.",
    )
    parser.add_argument("--version", action="version", version=f"replayable {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    fix_parser = commands.add_parser(
        "fix",
        help="repair a request for a model",
        description="Print the repaired request as JSON on standard output, and each change as a line on standard error.",
    )
    names = sorted(FORMATS)
    fix_parser.add_argument(
        "file", metavar="FILE", help="a request or a list of messages as JSON; - is standard input"
    )
    fix_parser.add_argument(
        "--model", required=True, help="who reads it next, e.g. anthropic/claude-sonnet-4-5"
    )
    fix_parser.add_argument(
        "--to", metavar="FORMAT", choices=names, help=f"the format to write: {', '.join(names)}"
    )
    fix_parser.add_argument(
        "--from",
        dest="source",
        metavar="FORMAT",
        choices=names,
        help="the format to read; recognised when left out",
    )
    return parser


def _fix(arguments: argparse.Namespace) -> int:
    fixed = fix(_read(arguments.file), model=arguments.model, to=arguments.to, source=arguments.source)
    text = _json(fixed.request)
    for change in fixed.changes:
        print(_line(str(change)), file=sys.stderr)
    print(text)
    return _OK


def _json(request: Any) -> str:
    """The request as JSON text that standard output can write."""
    try:
        text = json.dumps(request, indent=2, ensure_ascii=False, allow_nan=False, default=_in_base64)
        if not _can_write(text, sys.stdout):
            # JSON's own escapes for what it can't (lone surrogates, a narrow encoding).
            text = json.dumps(request, indent=2, allow_nan=False, default=_in_base64)
    except ValueError:
        raise _InputError("holds a number that JSON can't hold (NaN or an infinite one)") from None
    except RecursionError:
        raise _InputError(_TOO_DEEP) from None
    return text


def _in_base64(value: Any) -> str:
    """Bytes, which boto3 takes as such, as they are sent."""
    if isinstance(value, bytes):
        return b64encode(value).decode("ascii")
    raise TypeError(f"{type(value).__name__} is no JSON value")


def _read(name: str) -> Any:
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise _InputError(f"can't be read: {error.strerror}") from None
    except ValueError as error:
        raise _InputError(f"can't be read: no file has that name ({error})") from None
    try:
        return json.loads(data, parse_constant=_refuse)
    except UnicodeDecodeError as error:
        raise _InputError(
            f"is not text: byte {error.start} is not UTF-8; save the request as JSON in UTF-8"
        ) from None
    except RecursionError:
        raise _InputError(_TOO_DEEP) from None
    except ValueError as error:
        raise _InputError(f"is not JSON: {error}; give one request, or one list of messages") from None


def _refuse(constant: str) -> Any:
    raise ValueError(f"it holds {constant}, which only Python takes for JSON")


def _line(text: str) -> str:
    """The text as one line that standard error can write, with escapes for what would break it or can't be written."""
    text = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
    return text if _can_write(text, sys.stderr) else text.encode("ascii", "backslashreplace").decode("ascii")


def _can_write(text: str, stream: Any) -> bool:
    try:
        text.encode(stream.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
