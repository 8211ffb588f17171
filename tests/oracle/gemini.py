"""Requests in the format of Gemini's generateContent: Google's API and Vertex, which differ."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.oracle.gemini_parts import check_content
from tests.oracle.gemini_reading import read_contents, version
from tests.oracle.gemini_turns import check_calls, check_end, check_signatures
from tests.oracle.violation import Violation


def check(request: Mapping[str, Any], provider: str, model: str | None) -> Iterator[Violation]:
    """Every reason for a rejection, content by content first, then for the conversation as a whole."""
    contents, faults = read_contents(request)
    yield from faults
    release = version(model)
    for content in contents:
        yield from check_content(content, provider, release)
    yield from check_calls(contents, release)
    yield from check_signatures(contents, provider, release)
    yield from check_end(contents, model, release)
