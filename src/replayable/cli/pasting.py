"""What a person pastes into the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

__all__ = ["read_pasted"]

_END: Final = b"\x04"  # Ctrl-D
_RUBOUT: Final = 0x7F
_MODES: Final = 3  # where `termios.tcgetattr` has the local modes
_CHUNK: Final = 65536


def read_pasted() -> bytes:
    """Read from the terminal up to Ctrl-D, however long the lines are.

    In its usual mode a terminal cuts a line after 4,095 bytes without a word, so that a request on one line would lose
    its end: here each byte is read as it comes.
    """
    print("replayable: reading from the terminal: paste, then press Ctrl-D", file=sys.stderr, flush=True)
    data = bytearray()
    with _byte_by_byte() as descriptor:
        while chunk := os.read(descriptor, _CHUNK):
            text, end, _ = chunk.partition(_END)
            for byte in text:
                if byte != _RUBOUT:
                    data.append(byte)
                elif data:
                    data.pop()
            if end:
                break
    print(file=sys.stderr)
    return bytes(data)


@contextmanager
def _byte_by_byte() -> Generator[int]:
    descriptor = sys.stdin.fileno()
    try:
        import termios
    except ModuleNotFoundError:  # Windows, whose consoles end the input by themselves
        yield descriptor
        return
    before = termios.tcgetattr(descriptor)
    modes = [*before]
    modes[_MODES] &= ~termios.ICANON
    termios.tcsetattr(descriptor, termios.TCSANOW, modes)
    try:
        yield descriptor
    finally:
        termios.tcsetattr(descriptor, termios.TCSANOW, before)
