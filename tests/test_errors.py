"""The errors: data as attributes, words that name the place, and all of it through pickle and copy."""

from __future__ import annotations

import copy
import pickle

import pytest

from replayable import ConfigurationError, HistoryFormatError, ReplayableError
from replayable.errors import ProcessorError, RunAborted

_ERRORS = (
    ConfigurationError("no such format"),
    HistoryFormatError(path="messages[1].role", found="nothing", expected="a role", remedy="give one"),
    ProcessorError("mine", "process_llm_request", "KeyError('x')"),
    RunAborted("too long", "mine", "process_input"),
)


@pytest.mark.parametrize("error", _ERRORS, ids=lambda error: type(error).__name__)
def test_they_survive_copies(error: ReplayableError) -> None:
    """Workers and queues pickle exceptions: the words and the data stay."""
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(other) is type(error)
        assert str(other) == str(error)
        assert vars(other) == vars(error)


@pytest.mark.parametrize(
    ("path", "remedy", "text"),
    [
        ("", "", "the input: expected a list, found null"),
        ("messages[0]", "", "messages[0]: expected a list, found null"),
        ("[0].content", "give one", "[0].content: expected a list, found null; give one"),
    ],
)
def test_words_of_a_format_error(path: str, remedy: str, text: str) -> None:
    """The place, what should stand there, what does, and what to do."""
    error = HistoryFormatError(path=path, found="null", expected="a list", remedy=remedy)

    assert str(error) == text


@pytest.mark.parametrize(
    ("path", "prefix", "joined"),
    [
        ("role", "messages[0]", "messages[0].role"),
        ("", "messages[0]", "messages[0]"),
        ("[2]", "content", "content[2]"),
        ("[0].text", "content[1]", "content[1][0].text"),
    ],
)
def test_a_path_grows_outwards(path: str, prefix: str, joined: str) -> None:
    """Each floor of a decoder puts its own place in front."""
    error = HistoryFormatError(path=path, found="null", expected="a list", remedy="give one").under(prefix)

    assert (error.path, error.found, error.expected, error.remedy) == (joined, "null", "a list", "give one")


def test_words_of_a_run_that_failed() -> None:
    """The processor and the hook are named."""
    assert [str(error) for error in _ERRORS[2:]] == [
        "processor 'mine' raised in process_llm_request: KeyError('x')",
        "processor 'mine' stopped the run in process_input: too long",
    ]
