"""A request shows the model the compact output that a tool made for it, on every wire; stored messages keep both."""

from __future__ import annotations

import json
from typing import Any

import pytest

from replayable import (
    AssistantMessage,
    ModelRef,
    Prompt,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from replayable.formats import FORMATS, format_named
from replayable.formats.model_facing import model_facing
from replayable.messages import FilePart, TextPart

_RAW = "all 40,000 rows"
_STORED = {"mastra", "ai_sdk"}


def _prompt(**fields: Any) -> Prompt:
    result = ToolResultPart(tool_call_id="c1", tool_name="rows", output=_RAW, **fields)
    return Prompt(
        messages=(
            UserMessage("How many?"),
            AssistantMessage([ToolCallPart(tool_call_id="c1", tool_name="rows", input={})]),
            ToolMessage([result]),
        ),
        model=ModelRef.of("openai/gpt-4o"),
    )


@pytest.mark.parametrize("name", sorted(FORMATS.keys() - _STORED))
@pytest.mark.parametrize("compact", ["two kinds", {"type": "text", "value": "two kinds"}])
def test_the_model_reads_the_compact_output(name: str, compact: Any) -> None:
    """It reads what it would read if the tool had answered nothing else."""
    wire = format_named(name)
    plain = _prompt()
    answered = plain.messages[2].model_copy(
        update={"parts": (ToolResultPart(tool_call_id="c1", tool_name="rows", output="two kinds"),)}
    )
    expected = wire.encode(plain.model_copy(update={"messages": (*plain.messages[:2], answered)}))
    assert "two kinds" in json.dumps(expected.request)
    assert wire.encode(_prompt(model_output=compact)) == expected


def test_stored_messages_keep_both() -> None:
    """What is stored for later turns loses nothing."""
    written = json.dumps(format_named("mastra").encode(_prompt(model_output="two kinds")).request)
    assert _RAW in written
    assert "two kinds" in written


def test_what_the_output_is_typed_as_counts() -> None:
    """A list of content becomes content, an error an error; anything else is JSON. A result without one stays the object."""
    content = {
        "type": "content",
        "value": [{"type": "text", "text": "a"}, {"type": "file-url", "url": "https://x.test/a"}],
    }
    read = model_facing(ToolResultPart(tool_call_id="c1", output=_RAW, model_output=content))
    assert read.output is None
    assert read.content is not None
    assert [type(item) for item in read.content] == [TextPart, FilePart]
    failed = {"type": "error-text", "value": "no"}
    assert model_facing(ToolResultPart(output=_RAW, model_output=failed)) == ToolResultPart(
        output="no", is_error=True
    )
    rows = {"rows": 2}
    assert model_facing(ToolResultPart(output=_RAW, model_output=rows)) == ToolResultPart(output=rows)
    plain = ToolResultPart(output=_RAW)
    assert model_facing(plain) is plain


def test_the_form_of_the_raw_output_is_not_that_of_the_compact_one() -> None:
    """A JSON answer of Bedrock's that has a compact text goes out as text."""
    noted = {"bedrock": {"$content": "json", "cachePoint": 1}}
    part = ToolResultPart(output={"rows": 2}, model_output="two", provider_options=noted)
    assert model_facing(part).provider_options == {"bedrock": {"cachePoint": 1}}
