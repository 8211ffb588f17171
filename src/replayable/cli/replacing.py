"""Files that appear whole or not at all. What can't be written is an error that says where."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import BinaryIO

from .failures import CommandError

__all__ = ["Draft", "drafted"]


class Draft:
    """What is to become a file: written beside it under another name."""

    def __init__(self, stream: BinaryIO, path: Path) -> None:
        self._stream = stream
        self._path = path

    def write(self, data: bytes) -> None:
        """Write on."""
        with _in_words(self._path.parent):
            self._stream.write(data)

    def replace(self, target: Path) -> Path:
        """Put the draft in the place of a file, which is kept under a name that was free; return that name."""
        with _in_words(self._path.parent):
            self._finish()
            shutil.copymode(target, self._path)
            backup = _kept(target)
            os.replace(self._path, target)
            return backup

    def add(self, target: Path) -> Path:
        """Give the draft a name beside the target that was free (``target``, ``target.1`` …); return it."""
        with _in_words(self._path.parent):
            self._finish()
            return _linked(self._path, target)

    def _finish(self) -> None:
        self._stream.flush()
        os.fsync(self._stream.fileno())


@contextmanager
def drafted(beside: Path) -> Generator[Draft]:
    """Hold a draft in the folder of a file; whatever happens in the block, nothing of it is left over.

    Raises:
        CommandError: Nothing can be written there; so do the draft's methods.
    """
    with _in_words(beside.parent):
        descriptor, name = tempfile.mkstemp(dir=beside.parent, prefix=f".{beside.name[:100]}.", suffix=".tmp")
    stream = open(descriptor, "wb")  # noqa: SIM115 - closed below, without a word on what could not be written
    try:
        yield Draft(stream, Path(name))
    finally:
        with suppress(OSError):
            stream.close()
        with suppress(FileNotFoundError):
            os.unlink(name)


@contextmanager
def _in_words(folder: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise CommandError(f"can't be written: {error.strerror} (in the folder {folder})") from None


def _kept(target: Path) -> Path:
    return _linked(target, target.with_name(f"{target.name}.bak"))


def _linked(path: Path, wanted: Path) -> Path:
    """Give a file a second name, never one that is taken: what stands there may be the only copy."""
    for number in count():
        name = wanted if number == 0 else wanted.with_name(f"{wanted.name}.{number}")
        try:
            os.link(path, name)
        except FileExistsError:
            continue
        except OSError:
            # A file system without links. Created by us alone, or the next name is tried.
            try:
                with open(name, "xb") as copy, open(path, "rb") as original:
                    shutil.copyfileobj(original, copy)
            except FileExistsError:
                continue
        return name
    raise AssertionError("count() has no end")
