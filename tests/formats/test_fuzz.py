"""However odd a request is, `HistoryFormatError` is all that comes out of what reads it, and the request stays as it was."""

from __future__ import annotations

import random
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.damage import JUNK, MEMBERS, damaged
from tests.formats.fuzz import MODELS, REQUESTS, main, put_through

# Of each request; `python -m tests.formats.fuzz` takes as many as one likes.
_EACH: Final = 15


@pytest.mark.parametrize("name", REQUESTS)
def test_damaged_requests(name: str) -> None:
    """Detected, read and written by every format, fixed and checked: a refusal names its place, what is there and what should be."""
    draw = random.Random(name)
    counts = [put_through(damaged(REQUESTS[name], draw), draw.sample(MODELS, 1)) for _ in range(_EACH)]
    # Tolerant where it can be: much of the damage does not make a request unreadable.
    assert sum(count["decode: read"] for count in counts) > _EACH / 3


_VALUES: Final = st.recursive(
    st.integers(0, len(JUNK) - 1).map(lambda index: JUNK[index]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "role",
                    "content",
                    "type",
                    "text",
                    "tool_calls",
                    "function",
                    "id",
                    "input",
                    "source",
                    "call_id",
                    "name",
                    "arguments",
                    "output",
                    "summary",
                    "tools",
                    "parts",
                    "tool_plan",
                    "document",
                    "image",
                    *MEMBERS,
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(_VALUES)
def test_anything_at_all(value: Any) -> None:
    """Whatever is handed in as a request, a list or a message."""
    for request in (
        value,
        [value],
        {"messages": value},
        {"messages": [{"role": "user", "content": value}]},
        {"input": value},
        {
            "input": [{"type": value, "call_id": "c"}],
            "instructions": value,
            "tools": value,
            "tool_choice": value,
        },
        {"contents": value},
        {"contents": [{"role": "model", "parts": value}], "tools": value, "toolConfig": value},
        {"messages": [], "system": value, "toolConfig": value, "additionalModelRequestFields": value},
        {"messages": [{"role": "assistant", "content": value, "tool_calls": value, "tool_plan": value}]},
        {"messages": [{"role": "user", "content": [{"toolResult": value}, {"image": value}]}]},
    ):
        put_through(request, models=())


def test_the_command_counts(capsys: pytest.CaptureFixture[str]) -> None:
    """The same inputs come again from the same seed, without a fault."""
    main(1, 6)
    printed = capsys.readouterr().out
    assert "fault" not in printed
    assert "detect: " in printed
    main(1, 6)
    assert capsys.readouterr().out == printed
