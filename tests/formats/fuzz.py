"""Damaged requests through everything that reads them: ``python -m tests.formats.fuzz SEED INPUTS`` for as many as one likes."""

from __future__ import annotations

import json
import pickle
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

from replayable import HistoryFormatError, check, fix
from replayable.formats import FORMATS, Format, detect
from tests.formats.damage import damaged
from tests.formats.documented import HISTORIES
from tests.recorded.wires import accepted, own

__all__ = ["MODELS", "REQUESTS", "convert", "decode", "put_through"]

MODELS: Final = (
    "anthropic/claude-sonnet-5",
    "openai/gpt-4o",
    "openai.responses/gpt-5",
    "google/gemini-2.5-flash",
    "google/gemini-3-pro",
    "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "cohere/command-a-03-2025",
    "ollama/qwen3:4b",
    "mistral/mistral-large-latest",
    "deepseek/deepseek-reasoner",
    "groq/llama-3.3-70b",
    "moonshotai/kimi-k2",
    "xai/grok-4",
    "cerebras/qwen-3-32b",
)
REQUESTS: Final = {
    **HISTORIES,
    **{row.id: row.request for kind in ("good", "broken") for row in own(kind)},
}
"""What is damaged: every documented kind of each API, and our own fixtures."""

_STEP: Final = re.compile(r"\.?([^.\[\]]+)|\[(\d+)\]")
_NOTHING: Final = object()
# Where what was found is said of all that stands there: marks of several formats, something within that is no JSON.
_OF_THE_WHOLE: Final = ("marks of one format", "a JSON value")


def put_through(request: Any, models: Iterable[str], targets: Iterable[str] = FORMATS) -> Counter[str]:
    """Detect, decode with every format, encode to each target, fix and check for each model; count what came of it.

    Raises:
        HistoryFormatError: A prompt that was read can't be written, though all of it is JSON.
        AssertionError: An error doesn't name its place, what stands there and what to do; the request changed; or what nobody
            touched came back as another object.
    """
    before = pickle.dumps(request)
    counts: Counter[str] = Counter()

    def call(name: str, run: Callable[[], Any]) -> Any:
        try:
            result = run()
        except HistoryFormatError as error:
            counts[f"{name}: refused"] += 1
            _check_words(error)
            if name == "detect":
                _check_place(error, request)
            return None
        counts[f"{name}: read"] += 1
        return result

    call("detect", partial(detect, request))
    for known in FORMATS.values():
        prompt = decode(known, request)
        counts["decode: refused" if prompt is None else "decode: read"] += 1
        if prompt is not None:
            convert(known, prompt, request, targets)
    for model in models:
        fixed = call("fix", partial(fix, request, model=model))
        assert fixed is None or all(str(change).isprintable() for change in fixed.changes)
        found = call("check", partial(check, request, model=model))
        assert found is None or all(str(finding).isprintable() for finding in found)
    assert pickle.dumps(request) == before, "the request changed"
    return counts


def decode(known: Format, request: Any) -> Any:
    """The prompt, or None where it can't be read and the error says all that it is to say."""
    try:
        return known.decode(request)
    except HistoryFormatError as error:
        _check_words(error)
        _check_place(error, request)
        return None


def convert(known: Format, prompt: Any, request: Any, targets: Iterable[str]) -> None:
    """Write a prompt as it came, and for each target; only what no JSON text can hold may be refused there."""
    assert known.encode(prompt).request is request
    for target in targets:
        try:
            FORMATS[target].encode(prompt.model_copy())
            FORMATS[target].encode(prompt)
        except HistoryFormatError as error:
            _check_words(error)
            if _is_json(request):
                raise


def _is_json(request: Any) -> bool:
    try:
        json.dumps(request)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _check_words(error: HistoryFormatError) -> None:
    assert str(error) == f"{error.path or 'the input'}: expected {error.expected}, found {error.found}" + (
        f"; {error.remedy}" if error.remedy else ""
    )
    assert error.expected.strip()
    assert error.found.strip()
    assert str(error).isprintable()


def _check_place(error: HistoryFormatError, request: Any) -> None:
    """The path leads to a place in the request, and what is said to stand there does."""
    if error.expected in _OF_THE_WHOLE:
        return
    value = request
    for key, index in _STEP.findall(error.path):
        value = _at(value, int(index) if index else key)
    assert value is not _NOTHING or error.found == "nothing", f"no such place: {error}"
    assert _describes(error.found, value), f"not what stands there: {error}"


def _at(value: Any, key: Any) -> Any:
    if hasattr(value, "model_dump"):
        value = value.model_dump()
    try:
        return value[key]
    except (LookupError, TypeError):
        return _NOTHING


def _describes(found: str, value: Any) -> bool:
    if value is _NOTHING:
        return found == "nothing"
    if isinstance(value, str):
        return found.startswith("string ")
    if isinstance(value, list | tuple | bytes):
        return found == f"list of {len(value)}"
    if isinstance(value, dict):
        return found.startswith("object with keys ") if value else found == "empty object"
    if value is None:
        return found == "null"
    return found == "a large int" or found.startswith(type(value).__name__)


def main(seed: int, inputs: int) -> None:
    """Put so many damaged requests through and print each fault and the counts; short recorded requests are among them."""
    recorded = [row.request for row in accepted() if len(json.dumps(row.request)) < 12_000]
    counts: Counter[str] = Counter()
    for number in range(inputs):
        # Each input can be had again by itself.
        draw = random.Random(f"{seed} {number}")
        request = damaged(draw.choice(recorded if recorded and number % 2 else list(REQUESTS.values())), draw)
        try:
            counts += put_through(request, draw.sample(MODELS, 1), draw.sample(list(FORMATS), 2))
        except Exception as error:
            counts["faults"] += 1
            print(f"input {number}: {type(error).__name__}: {str(error)[:200]}", flush=True)
    print(
        f"{inputs:,} inputs of seed {seed}, of {len(REQUESTS)} own and {len(recorded):,} recorded requests:"
    )
    for name, count in sorted(counts.items()):
        print(f"  {name}: {count:,}")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:3]))
