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

__all__ = ["REPORTS", "Found", "Report"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A finding, and where it stands in the request's JSON.

    Args:
        entry: The request.
        path: Where in the request it stands: ``messages[1].tool_calls[0]``; empty where it is about the whole.
        finding: What ``check`` found.
    """

    entry: Entry
    path: str
    finding: Finding

    @property
    def where(self) -> str:
        """Which message, and which part of it, for people."""
        finding = self.finding
        place = "request" if finding.message_index is None else f"message {finding.message_index}"
        return place if finding.part_index is None else f"{place}, part {finding.part_index}"

    @property
    def kind(self) -> str:
        """The rule, and what is wrong where the rule repairs several things."""
        finding = self.finding
        return finding.rule if finding.fault == finding.rule else f"{finding.rule}: {finding.fault}"

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


class Report(ABC):
    """Tells findings as they come, so that nothing is held."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen

    @abstractmethod
    def tell(self, entry: Entry, found: Sequence[Found]) -> None:
        """Tell the findings of one request, of which there are some."""

    @abstractmethod
    def end(self, requests: int, findings: int, unusable: int) -> None:
        """Tell that this was all, with the number of requests that could be read, and of what could not."""


class _Text(Report):
    @override
    def tell(self, entry: Entry, found: Sequence[Found]) -> None:
        self._screen.out((f"{entry.place}: {_count(len(found), 'finding')}", "bad"))
        self._screen.table(
            ("where", "rule", "says", "repair"),
            [
                (
                    f"{item.where} ({item.path})" if item.path else item.where,
                    item.kind,
                    item.says,
                    item.finding.summary,
                )
                for item in found
            ],
        )

    @override
    def end(self, requests: int, findings: int, unusable: int) -> None:
        if requests:
            told = f"{_count(findings, 'finding') if findings else 'nothing found'} in {_count(requests, 'request')}"
            unread = f"; {unusable} could not be read" if unusable else ""
            self._screen.out((told + unread, "bad" if findings or unusable else "good"))
        self._screen.hint()


class _Json(Report):
    """One list of objects, which grows as requests are read."""

    def __init__(self, screen: Screen) -> None:
        super().__init__(screen)
        self._started = False

    @override
    def tell(self, entry: Entry, found: Sequence[Found]) -> None:
        for item in found:
            self._screen.raw(("," if self._started else "[") + "\n  " + _record(item))
            self._started = True

    @override
    def end(self, requests: int, findings: int, unusable: int) -> None:
        self._screen.raw("\n]\n" if self._started else "[]\n")


def _record(item: Found) -> str:
    finding = item.finding
    # Only ASCII: whatever the terminal's encoding, and however broken the ids.
    return json.dumps(
        {
            "file": item.entry.file,
            "line": item.entry.line,
            "path": item.path,
            "message": finding.message_index,
            "part": finding.part_index,
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
            words = f'{item.path or item.where}: "{item.says}" Repair: {item.finding.summary}'
            properties = f"file={_property(entry.file)},line={entry.line or 1},title={_property(item.kind)}"
            self._screen.raw(f"::error {properties}::{_data(words)}\n")

    @override
    def end(self, requests: int, findings: int, unusable: int) -> None:
        pass


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


REPORTS: Final[dict[str, type[Report]]] = {"text": _Text, "json": _Json, "github": _GitHub}
