"""Where a command's words go: plain lines, or colours, tables and a progress bar on a terminal that has ``rich``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from .text import is_terminal, line_for, printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = ["Cell", "Line", "Piece", "Screen", "Style"]

Style: TypeAlias = Literal["strong", "faint", "good", "bad", "name"]
Piece: TypeAlias = str | tuple[str, Style]
"""Some text, or some text and how it looks."""
Line: TypeAlias = tuple[int, Sequence[Piece]]
"""The columns by which a line is indented, and what stands on it."""
Cell: TypeAlias = str | Sequence[str]
"""A paragraph, or several."""

_STYLES: Final[dict[Style, str]] = {
    "strong": "bold",
    "faint": "dim",
    "good": "green",
    "bad": "red",
    "name": "cyan",
}
# The package itself: the extra can't be had by name where replayable came from a clone.
_HINT: Final = (
    "For colours, tables and a progress bar: pip install rich (it is all that the extra replayable[cli] adds)"
)
# Columns of a table; below, what would be a row is a block of lines.
_WIDE: Final = 120
# Bytes; what is shorter is read before anybody looks.
_LONG_WORK: Final = 4_000_000


class Screen:
    """Standard output and standard error.

    Whatever is not a terminal gets plain lines, so that what is piped is the same everywhere. Control characters never
    get through, whoever wrote them.
    """

    def __init__(self) -> None:
        self._out = _console(sys.stdout)
        self._err = _console(sys.stderr)
        self._hinted = False

    def out(self, *pieces: Piece, indent: int = 0) -> None:
        """Write a line on standard output."""
        self._write(self._out, sys.stdout, pieces, indent)

    def command(self, label: str, command: str) -> None:
        """Write a command on standard output: on one line, so that it can be copied from a narrow terminal too."""
        if self._out is not None:
            self._out.print(_text([label, (command, "strong")]), soft_wrap=True)
        else:
            self.out(label, command)

    def lines(self, lines: Iterable[Line]) -> None:
        """Write lines on standard output."""
        for indent, pieces in lines:
            self.out(*pieces, indent=indent)

    def err(self, *pieces: Piece) -> None:
        """Write a line on standard error."""
        self._write(self._err, sys.stderr, pieces, 0)

    def fail(self, file: str, line: int | None, why: str) -> None:
        """Tell on standard error what went wrong, and where."""
        self.err(f"replayable: {file if line is None else f'{file}:{line}'}: {why}")

    def raw(self, text: str) -> None:
        """Write text that is made for a program, as it is, on standard output."""
        sys.stdout.write(text)

    def raw_line(self, text: str) -> None:
        """Write a line that is made for a program on standard output: never wrapped, and one line whatever is in it."""
        print(line_for(sys.stdout, text))

    def hint(self) -> None:
        """Tell a person at a terminal, once, what to install for more."""
        if not self._hinted and self._out is None and is_terminal(sys.stdout) and not _is_dumb():
            self.err(_HINT)
        self._hinted = True

    def table(self, columns: Sequence[str], rows: Sequence[tuple[str, *tuple[Cell, ...]]]) -> None:
        """Write rows: as a table where there is room, else each as a block of lines under its first cell."""
        if self._out is not None and self._out.width >= _WIDE:
            self._out.print(_table(columns, rows))
            return
        for first, *others in rows:
            self.out((first, "strong"))
            self.fields(list(zip(columns[1:], others, strict=True)), indent=2)

    def fields(self, fields: Sequence[tuple[str, Cell]], *, indent: int = 0) -> None:
        """Write labels and what belongs to each, beside them where there is room; empty ones are left out."""
        told = [(label, _paragraphs(cell)) for label, cell in fields if cell]
        longest = max((len(label) for label, _ in told), default=0)
        if self._out is not None and longest > self._out.width // 3:
            for label, paragraphs in told:
                self.out((label, "name"), indent=indent)
                for paragraph in paragraphs:
                    self.out(paragraph, indent=indent + 4)
            return
        if self._out is not None:
            self._out.print(_grid(told, indent))
            return
        for label, paragraphs in told:
            for number, paragraph in enumerate(paragraphs):
                self.out(f"{'' if number else label:<{longest}}  {paragraph}", indent=indent)

    @contextmanager
    def progress(self, size: int) -> Generator[Callable[[int], None]]:
        """Show how much of a size in bytes is done, on a terminal and for long work: the block gets what to tell it."""
        console = self._out or self._err
        if size < _LONG_WORK or console is None:
            yield lambda _: None
            return
        from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

        bar = Progress(
            BarColumn(),
            DownloadColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            # What is written to a terminal goes above the bar; what is written elsewhere must not end up there.
            redirect_stdout=self._out is not None,
            redirect_stderr=self._err is not None,
        )
        with bar:
            task = bar.add_task("", total=size)
            yield lambda read: bar.advance(task, read)

    def _write(self, console: Console | None, stream: Any, pieces: Sequence[Piece], indent: int) -> None:
        if console is not None:
            console.print(_indented(_text(pieces), indent))
            return
        text = "".join(piece if isinstance(piece, str) else piece[0] for piece in pieces)
        print(line_for(stream, " " * indent + text), file=stream)


def _is_dumb() -> bool:
    """Whether the terminal says that it shows plain lines alone, so that nothing installed would change that."""
    return os.environ.get("TERM") == "dumb"


def _console(stream: Any) -> Console | None:
    if not is_terminal(stream) or _is_dumb():
        return None
    try:
        from rich.console import Console
    except ModuleNotFoundError:
        return None
    # Nothing in the text is markup, a link or an emoji's name: much of it is somebody else's.
    return Console(stderr=stream is sys.stderr, markup=False, emoji=False, highlight=False)


def _text(pieces: Sequence[Piece]) -> Text:
    from rich.text import Text

    text = Text(overflow="fold")
    for piece in pieces:
        words, style = (piece, None) if isinstance(piece, str) else piece
        text.append(printable(words), _STYLES[style] if style else None)
    return text


def _paragraphs(cell: Cell) -> Sequence[str]:
    return [cell] if isinstance(cell, str) else cell


def _table(columns: Sequence[str], rows: Sequence[tuple[str, *tuple[Cell, ...]]]) -> Any:
    from rich.table import Table

    table = Table(header_style="bold", show_lines=True)
    for name in columns:
        table.add_column(name, overflow="fold")
    for first, *others in rows:
        table.add_row(_text([(first, "strong")]), *(_lines(_paragraphs(cell)) for cell in others))
    return table


def _grid(fields: Sequence[tuple[str, Sequence[str]]], indent: int) -> Any:
    from rich.table import Table

    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for label, paragraphs in fields:
        grid.add_row(_text([(label, "faint")]), _lines(paragraphs))
    return _indented(grid, indent)


def _lines(paragraphs: Sequence[str]) -> Text:
    from rich.text import Text

    return Text("\n").join(_text([paragraph]) for paragraph in paragraphs)


def _indented(content: Any, indent: int) -> Any:
    from rich.padding import Padding

    # Unexpanded: what is copied from the terminal has no spaces at its end.
    return Padding(content, (0, 0, 0, indent), expand=False) if indent else content
