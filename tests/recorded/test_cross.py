"""Accepted requests sent to the other API: typed as its SDK says, accepted by the oracle, and nothing lost silently."""

from __future__ import annotations

from typing import Final

import pytest

from replayable import Fixed, fix
from replayable.changes import Change
from tests.judges.sdk_types import anthropic_errors, openai_chat_errors
from tests.oracle import violations
from tests.recorded.conversation import differences, read
from tests.recorded.differences import Difference
from tests.recorded.rows import Row
from tests.recorded.wires import FORMATS, OTHER, accepted, own

# Which changes may explain a difference of a kind.
EXPLAINED_BY: Final = {
    "system": {"not-supported-here", "anthropic-system-position", "system-stands-beside-the-list"},
    "user_text": {"not-supported-here", "anthropic-system-position", "anthropic-drop-empty"},
    "assistant_text": {"not-supported-here"},
    "call_input": {"input-is-no-object"},
    "call_output": {"not-supported-here", "file-follows-tool-result"},
    "call_media": {"not-supported-here", "file-follows-tool-result"},
    "call_error": {"fields-left-out"},
    "media": {"not-supported-here", "file-follows-tool-result"},
    "other": {"not-supported-here"},
    "server_call": {"provider-executed-tool", "strip-foreign-provider-executed-tools"},
}


def judged(row: Row, fixed: Fixed) -> list[str]:
    """What the other API's SDK types and the oracle have against a converted request."""
    api, model = OTHER[row.api]
    provider, _, name = model.partition("/")
    typed = (anthropic_errors if api == "anthropic_messages" else openai_chat_errors)(fixed.request)
    found = violations(fixed.request, api=api, provider=provider, model=name)
    return [*typed, *(f"{violation.entry} at {violation.path}" for violation in found)]


def unexplained(found: list[Difference], changes: tuple[Change, ...]) -> list[Difference]:
    """The differences that no listed change accounts for: each change explains those of its kind."""
    rules = {change.rule for change in changes}
    return [difference for difference in found if not EXPLAINED_BY.get(difference.kind, set()) & rules]


def test_accepted_requests_suit_the_other_api() -> None:
    """Every one validates, satisfies the oracle, and says the same, or its difference is listed."""
    tried, different = 0, 0
    for row in accepted():
        tried += 1
        api, model = OTHER[row.api]
        fixed = fix(row.request, model=model, source=FORMATS[row.api])
        assert judged(row, fixed) == [], row.id
        found = differences(read(row.request, row.api), read(fixed.request, api), blank_as_absent=True)
        different += bool(found)
        assert unexplained(found, fixed.changes) == [], row.id
        # Without a listed change of a message there is no difference at all.
        if not any(
            change.message_index is not None or change.rule == "fields-left-out" for change in fixed.changes
        ):
            assert found == [], row.id
    print(f"{tried} requests were sent to the other API, {different} with differences, all of them listed")
    assert tried


def test_there_and_back_keeps_the_conversation() -> None:
    """What went to the other API and comes back says what it said there."""
    for row in accepted():
        api, model = OTHER[row.api]
        there = fix(row.request, model=model, source=FORMATS[row.api])
        back = fix(there.request, model=OTHER[api][1], source=FORMATS[api])
        found = differences(read(there.request, api), read(back.request, row.api), blank_as_absent=True)
        assert unexplained(found, back.changes) == [], row.id


def _damaged(row: Row) -> list[tuple[str, list[object]]]:
    """Ways in which agents break a history: each is a list of messages."""
    messages = row.request["messages"]
    results = [index for index, message in enumerate(messages) if _holds_results(message)]
    cuts: list[tuple[str, list[object]]] = [("cut at the front", messages[len(messages) // 2 :])]
    if results:
        at = results[0]
        cuts.append(("a result is lost", messages[:at] + messages[at + 1 :]))
        cuts.append(("a result is there twice", [*messages[: at + 1], messages[at], *messages[at + 1 :]]))
        late = {"role": "user", "content": "Still there?"}
        cuts.append(("a user message came first", [*messages[:at], late, *messages[at:]]))
        cuts.append(("the result came first", [messages[at], *messages[:at], *messages[at + 1 :]]))
        cuts.append(("it broke off", messages[:at]))
    return cuts


def _holds_results(message: dict[str, object]) -> bool:
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return message.get("role") == "tool" or any(
        isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks
    )


@pytest.mark.parametrize("api", sorted(FORMATS))
def test_broken_histories_come_out_whole(api: str) -> None:
    """Whatever was lost, doubled or misplaced: the oracle of the other API accepts what comes out."""
    tried = 0
    for number, row in enumerate(accepted()):
        # Every fifth recorded one keeps this quick; the project's own are all tried.
        if row.api != api or (number % 5 and not row.id.startswith("good-")):
            continue
        for damage, messages in _damaged(row):
            if not any(isinstance(message, dict) and message.get("role") == "user" for message in messages):
                continue
            tried += 1
            _, model = OTHER[row.api]
            fixed = fix({**row.request, "messages": messages}, model=model, source=FORMATS[row.api])
            found = [text for text in judged(row, fixed) if "prefill" not in text]
            assert found == [], (row.id, damage)
    print(f"{tried} damaged requests of {api} came out whole")
    assert tried


def test_the_main_job_on_own_broken_histories() -> None:
    """Each shipped broken history comes out as the other API accepts it, with changes listed."""
    for row in own("broken"):
        fixed = fix(row.request, model=OTHER[row.api][1])
        assert judged(row, fixed) == [], row.id
        assert fixed.changes
