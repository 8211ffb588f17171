"""The oracle covers the whole catalogue of recorded rejections."""

import json
from pathlib import Path

from tests.oracle.cases import CASES
from tests.oracle.undecidable import UNDECIDABLE, reason_for

_EVIDENCE = Path(__file__).parents[3] / "shared" / "evidence" / "errors.json"


def _categories() -> dict[str, str]:
    """Id and category of each entry; nothing where the catalogue is absent."""
    entries = json.loads(_EVIDENCE.read_text(encoding="utf-8")) if _EVIDENCE.exists() else []
    return {entry["id"]: entry["category"] for entry in entries}


def test_every_entry_has_an_example_or_a_reason() -> None:
    """Each entry of the catalogue is shown by an example, or a reason says why no request can show it."""
    shown = {case.entry for case in CASES}
    covered = {
        entry: (entry in shown) != (reason_for(entry, category) is not None)
        for entry, category in _categories().items()
    }
    print(f"catalogue: {len(covered)} entries, {len(shown & set(covered))} shown by {len(CASES)} examples")
    assert [name for name, is_covered in covered.items() if not is_covered] == []


def test_no_entry_is_both_shown_and_undecidable() -> None:
    """A reason stands only for what has no example."""
    assert UNDECIDABLE.keys() & {case.entry for case in CASES} == set()


def test_examples_name_entries_of_the_catalogue() -> None:
    """An example's entry is one of the catalogue, or marked as recorded traffic or a schema fault."""
    known = _categories().keys()
    named = {
        case.entry for case in CASES if not case.entry.startswith(("recorded-", "reported-", "malformed"))
    }
    assert not known or named <= known
