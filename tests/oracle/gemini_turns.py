"""The order of Gemini turns, and their calls and responses."""

from collections.abc import Iterator
from itertools import pairwise, takewhile

from tests.oracle.gemini_reading import Content
from tests.oracle.violation import Violation

# Recorded: 1.5 takes two user turns in a row.
_ALTERNATION_ENDS = (1, 5)
# gemini-3.5-flash-lite, and everything from 3.6 on.
_NO_PREFILL_BEGINS = (3, 6)
_NO_PREFILL_LITE = (3, 5)

_MISSING_SIGNATURE = {
    "google": (
        "gemini-missing-thought-signature",
        "Function call is missing a thought_signature in functionCall parts.",
    ),
    "vertex": (
        "gemini-vertex-missing-thought-signature",
        "Unable to submit request because function call is missing a `thought_signature`.",
    ),
}


def check_calls(contents: list[Content], release: tuple[int, int] | None) -> Iterator[Violation]:
    """Where call turns and response turns stand, and how many parts answer a call turn."""
    for index, content in enumerate(contents):
        before = contents[index - 1] if index else None
        if content.calls and content.responses:
            reason = "function_call part which can not be mixed with function_response parts"
            yield Violation("gemini-call-response-mixed", content.path, reason)
        elif content.calls:
            if before is None or before.role == "model":
                reason = "function call turn comes immediately after a user turn or a function response turn"
                yield Violation("gemini-call-turn-order", content.path, reason)
            yield from _check_count(content, contents[index + 1 :], release)
        elif content.responses and (before is None or not before.calls):
            reason = "function response turn comes immediately after a function call turn"
            yield Violation("gemini-response-turn-order", content.path, reason)


def _check_count(
    turn: Content, following: list[Content], release: tuple[int, int] | None
) -> Iterator[Violation]:
    answering = takewhile(lambda content: content.responses and not content.calls, following)
    found = sum(len(content.responses) for content in answering)
    # Before Gemini 3, a call turn that nobody answered is accepted.
    tolerates_none = release is None or release < (3, 0) or not following
    if found != len(turn.calls) and (found or not tolerates_none):
        reason = "the number of function response parts is equal to the number of function call parts"
        yield Violation("gemini-response-count", turn.path, reason)


def check_signatures(
    contents: list[Content], provider: str, release: tuple[int, int] | None
) -> Iterator[Violation]:
    """From Gemini 3 on: the first call of each call turn behind the last real user turn has a signature."""
    if release is None or release < (3, 0):
        return
    asked = [
        index
        for index, content in enumerate(contents)
        if content.role != "model" and content.parts and not content.responses
    ]
    entry, reason = _MISSING_SIGNATURE.get(provider, _MISSING_SIGNATURE["google"])
    for content in contents[asked[-1] if asked else 0 :]:
        if content.role == "model" and content.calls and not content.calls[0].has_signature:
            yield Violation(entry, content.calls[0].path, reason)


def check_end(
    contents: list[Content], model: str | None, release: tuple[int, int] | None
) -> Iterator[Violation]:
    """What the last turn may be; the first models wanted strict alternation, too."""
    if not contents or release is None:
        return
    last = contents[-1]
    is_lite = "lite" in (model or "") and release >= _NO_PREFILL_LITE
    if release < _ALTERNATION_ENDS:
        for before, content in pairwise(contents):
            if before.role == content.role:
                reason = "Please ensure that multiturn requests alternate between user and model."
                yield Violation("gemini-multiturn-end", content.path, reason)
        if last.role == "model":
            reason = "Please ensure that multiturn requests ends with a user role or a function response."
            yield Violation("gemini-multiturn-end", last.path, reason)
    elif last.role == "model" and (release >= _NO_PREFILL_BEGINS or is_lite):
        reason = "Requests ending with a model turn are not supported."
        yield Violation("gemini-ends-with-model", last.path, reason)
