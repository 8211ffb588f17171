"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import BinaryIO

__all__ = ["Draft", "drafted"]


class Draft:
    """What is to become a file: written beside it under another name."""

    def __init__(self, stream: BinaryIO, path: Path) -> None:
        self.stream = stream
        self._path = path

    def replace(self, target: Path) -> Path:
        """Put the draft in the place of a file, which is kept under a name that was free; return that name."""
        self._finish()
        shutil.copymode(target, self._path)
        backup = _kept(target)
        os.replace(self._path, target)
        return backup

    def add(self, target: Path) -> Path:
        """Give the draft a name beside the target that was free (``target``, ``target.1`` …); return it."""
        self._finish()
        return _linked(self._path, target)

    def _finish(self) -> None:
        self.stream.flush()
        os.fsync(self.stream.fileno())


@contextmanager
def drafted(beside: Path) -> Generator[Draft]:
    """Hold a draft in the folder of a file; whatever happens in the block, nothing of it is left over."""
    descriptor, name = tempfile.mkstemp(dir=beside.parent, prefix=f".{beside.name[:100]}.", suffix=".tmp")
    try:
        with open(descriptor, "wb") as stream:
            yield Draft(stream, Path(name))
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)


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
