"""For tests: of histories that have to be accepted, and of rules of one's own. Neither needs pytest."""

from __future__ import annotations

from .histories import NotReplayable, assert_replayable
from .recorded import RecordedHistory, recorded_histories
from .rules import RuleFault, check_rule

__all__ = [
    "NotReplayable",
    "RecordedHistory",
    "RuleFault",
    "assert_replayable",
    "check_rule",
    "recorded_histories",
]
