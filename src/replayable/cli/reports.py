"""How findings are told: to people, to programs, and to GitHub Actions."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from typing_extensions import override

from ..checking import Finding
from .inputs import Entry
from .screen import Screen
from .text import counted, printable

__all__ = ["JSON_FIELDS", "REPORTS", "Found", "Report", "kind_of"]

# Places of one fault in one request that are told to people; the number of the others is.
_MOST_PLACES: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A finding, and where it stands in the request's JSON.

    Args:
        entry: The request.
        path: Where in the request it stands: ``messages[1].tool_calls[0]``; empty where it is about the whole.
        line: The line of the file on which that begins, starting at 1.
        what: What stands there, without its content: ``tool call 'weather' (id 'call:1')``.
        finding: What ``check`` found.
    """

    entry: Entry
    path: str
    line: int
    what: str
    finding: Finding

    @property
    def where(self) -> str:
        """Which message and part, and where in the file, for people."""
        finding = self.finding
        if finding.message_index is None:
            return "the request as a whole"
        part = "" if finding.part_index is None else f", part {finding.part_index}"
        line = f"line {self.line}" if self.entry.line is None else ""
        inside = ", ".join(filter(None, (self.path, line)))
        return f"message {finding.message_index}{part}{f' ({inside})' if inside else ''}: {self.what}"

    @property
    def says(self) -> str:
        """The provider's own words; empty where there are none."""
        evidence = self.finding.evidence
        return evidence[0].text if evidence else ""

    @property
    def link(self) -> str:
        """Where those were seen."""
        evidence = self.finding.evidence
        return evidence[0].link if evidence else ""


def kind_of(finding: Finding) -> str:
    """Return the rule's name, with what is wrong where the rule repairs several things."""
    return finding.rule if finding.fault == finding.rule else f"{finding.rule}: {finding.fault}"


class Report(ABC):
    """Tells findings as they come, so that nothing is held.

    Args:
        screen: Where they go.
        repair: The command that repairs what is found.
    """

    def __init__(self, screen: Screen, *, repair: str) -> None:
        self._screen = screen
        self._repair = repair

    @abstractmethod
    def tell(self, entry: Entry, found: Sequence[Found]) -> None:
        """Tell the findings of one request, of which there are some."""

    def fail(self, file: str, line: int | None, why: str) -> None:
        """Tell that something can't be read as a request."""
        self._screen.fail(file, line, why)

    @abstractmethod
    def end(self, requests: int, findings: int, unreadable: int) -> None:
        """Tell that this was all: how many requests were read, what was found in them, how many could not be read."""


class _Text(Report):
    """One row for each kind of fault in a request: a history with hundreds of odd ids has one thing wrong with it."""

    @override
    def tell(self, entry: Entry, found: Sequence[Found]) -> None:
        self._screen.out((f"{entry.place}: {counted(len(found), 'finding')}", "bad"))
        kinds: dict[str, list[Found]] = {}
        for item in found:
            kinds.setdefault(kind_of(item.finding), []).append(item)
        self._screen.table(
            ("rule", "where", "provider says", "repair"),
            [
                (kind, _places(items), _words(items[0]), items[0].finding.summary)
                for kind, items in kinds.items()
            ],
        )

    @override
    def end(self, requests: int, findings: int, unreadable: int) -> None:
        if requests:
            told = f"{counted(findings, 'finding') if findings else 'nothing found'} in {counted(requests, 'request')}"
            unread = f"; {unreadable} could not be read" if unreadable else ""
            self._screen.out((told + unread, "bad" if findings or unreadable else "good"))
        if findings:
            self._screen.command("to repair: ", self._repair)
        self._screen.hint()


def _places(items: Sequence[Found]) -> list[str]:
    places = [item.where for item in items[:_MOST_PLACES]]
    more = len(items) - len(places)
    return [*places, f"and {counted(more, 'place')} more"] if more else places


def _words(item: Found) -> list[str]:
    return [item.says, item.link] if item.says else []


class _Json(Report):
    """One list of objects, which grows as requests are read."""

    def __init__(self, screen: Screen, *, repair: str) -> None:
        super().__init__(screen, repair=repair)
        self._started = False

    @override
    def tell(self, entry: Entry, found: Sequence[Found]) -> None:
        for item in found:
            self._screen.raw(("," if self._started else "[") + "\n  " + _record(item))
            self._started = True

    @override
    def end(self, requests: int, findings: int, unreadable: int) -> None:
        self._screen.raw("\n]\n" if self._started else "[]\n")


JSON_FIELDS: Final = {
    "file": ("string", "the file as it was named; `-` is standard input"),
    "line": ("integer", "the line of the file where it begins, starting at 1"),
    "path": ("string", "where in the request it stands: `messages[1].tool_calls[0]`; empty for the whole"),
    "message": ("integer or null", "which message, starting at 0; null where it is about the whole request"),
    "part": (
        "integer or null",
        "which part of the message, starting at 0; null where it is about the whole message",
    ),
    "what": ("string", "what stands there, without its content"),
    "rule": ("string", "the rule that repairs it"),
    "fault": ("string", "what is wrong, where the rule repairs several things; else the rule's name"),
    "says": ("string", "the provider's own words; empty where there are none"),
    "link": ("string", "where those were seen; empty where there are none"),
    "repair": ("string", "what the repair does"),
}
"""The fields of a finding in ``--format json``: the JSON type and the meaning of each."""


def _record(item: Found) -> str:
    finding = item.finding
    # Only ASCII: whatever the terminal's encoding, and however broken the ids.
    return json.dumps(
        {
            "file": item.entry.file,
            "line": item.line,
            "path": item.path,
            "message": finding.message_index,
            "part": finding.part_index,
            "what": item.what,
            "rule": finding.rule,
            "fault": finding.fault,
            "says": item.says,
            "link": item.link,
            "repair": finding.summary,
        }
    )


class _GitHub(Report):
    """Workflow commands, which GitHub Actions shows beside the file.

    Source: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
    """

    @override
    def tell(self, entry: Entry, found: Sequence[Found]) -> None:
        for item in found:
            says = f' The provider says: "{item.says}"' if item.says else ""
            words = f"{item.where}.{says} Repair: {item.finding.summary}"
            self._annotate(entry.file, item.line, kind_of(item.finding), words)

    @override
    def fail(self, file: str, line: int | None, why: str) -> None:
        self._annotate(file, line, "not a request", why)

    @override
    def end(self, requests: int, findings: int, unreadable: int) -> None:
        if findings:
            self._screen.raw_line(f"To repair: {self._repair}")

    def _annotate(self, file: str, line: int | None, title: str, words: str) -> None:
        properties = f"file={_property(file)},line={line or 1},title={_property(title)}"
        self._screen.raw_line(f"::error {properties}::{_data(words)}")


def _data(text: str) -> str:
    return printable(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


REPORTS: Final[dict[str, type[Report]]] = {"text": _Text, "json": _Json, "github": _GitHub}
