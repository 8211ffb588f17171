"""Accepted is sacred: what a provider accepted gives no finding for that provider and model, and passes as it is."""

from __future__ import annotations

from replayable import ModelRef, check, fix
from tests.recorded.rows import SEALS_BLANKED, Row, rows
from tests.recorded.wires import FORMATS, own


def served(row: Row) -> ModelRef:
    """The model that a request was sent to, as the rows recognise it."""
    name = row.request.get("model") or row.model
    return ModelRef.of(ModelRef.of({"provider": row.provider, "model": name}), api=FORMATS[row.api])


def test_accepted_requests_have_no_findings_and_stay_as_they_are() -> None:
    """The same object comes back, and no change is listed: recorded ones, but for two with blanked seals, and our own."""
    found: dict[str, list[str]] = {}
    changed: list[str] = []
    seen = 0
    for row in (*rows("accepted", *FORMATS), *own("good")):
        if row.id in SEALS_BLANKED:
            continue
        name, model = FORMATS[row.api], served(row)
        seen += 1
        findings = check(row.request, model=model, source=name)
        if findings:
            found[row.id] = [str(finding) for finding in findings]
        fixed = fix(row.request, model=model, source=name, to=name)
        if fixed.request is not row.request or fixed.changes:
            changed.append(row.id)
    print(f"{seen} accepted requests: {len(found)} with findings, {len(changed)} changed")
    assert (found, changed) == ({}, [])
    assert seen
