"""Recorded histories, and the fixture that runs a test for each: in pytest itself, as a user has it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from replayable import ConfigurationError, HistoryFormatError
from replayable.testing import NotReplayable, RecordedHistory, assert_replayable, recorded_histories

GOOD = {"model": "gpt-5", "messages": [{"role": "user", "content": "Hello"}]}
BAD = {
    "model": "gpt-5",
    "messages": [*GOOD["messages"], {"role": "tool", "tool_call_id": "a", "content": "4"}],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of three histories in two files, and a file that is none."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "good.json").write_text(json.dumps(GOOD))
    (tmp_path / "sub" / "lines.jsonl").write_text(f"{json.dumps(GOOD)}\n\n{json.dumps(BAD)}\n")
    (tmp_path / "README.md").write_text("No history.")
    return tmp_path


class TestRecordedHistories:
    """What a folder holds."""

    def test_every_file_and_line(self, folder: Path) -> None:
        """By name, folders in it included; blank lines hold nothing."""
        found = list(recorded_histories(folder))
        assert [(one.path.relative_to(folder).as_posix(), one.line) for one in found] == [
            ("good.json", None),
            ("sub/lines.jsonl", 1),
            ("sub/lines.jsonl", 3),
        ]
        assert [one.request for one in found] == [GOOD, GOOD, BAD]
        assert list(recorded_histories(folder / "good.json")) == found[:1]

    def test_requests_are_read_anew(self, folder: Path) -> None:
        """What a test does to one is not seen by the next."""
        history = next(recorded_histories(folder))
        history.request["messages"].clear()
        assert history.request == GOOD

    def test_a_failure_names_file_and_line(self, folder: Path) -> None:
        """The diagnosis begins with where the history stands."""
        *_, bad = recorded_histories(folder)
        with pytest.raises(NotReplayable) as caught:
            assert_replayable(bad, model="openai/gpt-5")
        assert str(caught.value).startswith(f"{folder}/sub/lines.jsonl:3: openai/gpt-5 would reject")

    def test_what_is_no_json_names_file_and_line(self, folder: Path) -> None:
        """The others are read all the same."""
        (folder / "good.json").write_text("{")
        broken, *others = recorded_histories(folder)
        with pytest.raises(
            HistoryFormatError, match=r"good\.json: expected JSON, found a file that is not JSON"
        ):
            _ = broken.request
        assert others[1].request == BAD

    def test_nothing_is_an_error(self, tmp_path: Path) -> None:
        """A folder without files, a file without lines, and no file at all."""
        with pytest.raises(ConfigurationError, match="holds no file"):
            list(recorded_histories(tmp_path))
        (tmp_path / "empty.jsonl").write_text("\n")
        (tmp_path / "good.json").write_text("[]")
        with pytest.raises(
            HistoryFormatError, match=r"empty\.jsonl: expected JSON, found a file that is empty"
        ):
            list(recorded_histories(tmp_path))
        with pytest.raises(HistoryFormatError, match="can't be read"):
            list(recorded_histories(tmp_path / "missing.json"))

    def test_records_are_values(self, folder: Path) -> None:
        """Equal by what they hold."""
        assert RecordedHistory(path=folder, line=1, raw=b"{}") == RecordedHistory(
            path=folder, line=1, raw=b"{}"
        )


def run_pytest(folder: Path, test: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run pytest on one test file in a folder, as its user does."""
    (folder / "test_agent.py").write_text(test)
    command = [sys.executable, "-m", "pytest", "-q", "--strict-markers", "-p", "no:cacheprovider", *options]
    # The options of the run that this test belongs to (its coverage, its workers) are none of the user's.
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV"))}
    return subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=120
    )


TEST = """
import pytest
from replayable.testing import assert_replayable

{mark}
def test_replayable(recorded_history):
    assert_replayable(recorded_history, model="openai/gpt-5")
"""


class TestFixture:
    """`recorded_history`, in a pytest of its own."""

    def test_one_test_for_each_history(self, folder: Path) -> None:
        """From `histories` beside the test; ids say which, and the failure is the diagnosis, without our own lines."""
        here = folder / "tests"
        here.mkdir()
        (folder / "sub").rename(here / "histories")
        done = run_pytest(here, TEST.format(mark=""), "-rA")
        assert "PASSED test_agent.py::test_replayable[lines.jsonl:1]" in done.stdout
        assert "FAILED test_agent.py::test_replayable[lines.jsonl:3]" in done.stdout
        assert "result-without-call (repaired by clean-messages)" in done.stdout
        assert "in assert_replayable" not in done.stdout
        assert "Hello" not in done.stdout
        assert "1 failed, 1 passed" in done.stdout

    def test_the_marker_says_where(self, folder: Path) -> None:
        """Files and folders, seen from the test's own."""
        mark = '@pytest.mark.recorded_histories("good.json", "sub")'
        done = run_pytest(folder, TEST.format(mark=mark))
        assert "1 failed, 2 passed" in done.stdout

    @pytest.mark.parametrize("mark", ["", '@pytest.mark.recorded_histories("none.json")'])
    def test_nothing_to_test_is_an_error(self, tmp_path: Path, mark: str) -> None:
        """No pass, no skip, and no traceback of ours."""
        done = run_pytest(tmp_path, TEST.format(mark=mark))
        assert done.returncode == 2, done.stdout
        assert "test_agent.py::test_replayable: " in done.stdout
        assert "Traceback" not in done.stdout

    def test_it_is_told_of(self, tmp_path: Path) -> None:
        """`pytest --fixtures` and `--markers`."""
        assert "recorded_history" in run_pytest(tmp_path, "", "--fixtures").stdout
        assert "recorded_histories(*places)" in run_pytest(tmp_path, "", "--markers").stdout

    def test_nobody_else_pays_for_it(self, tmp_path: Path) -> None:
        """pytest starts without the library, and the library without pytest."""
        test = "def test_x():\n    import sys\n    assert 'replayable' not in sys.modules\n"
        assert "1 passed" in run_pytest(tmp_path, test).stdout
        code = "import sys, replayable.testing; sys.exit('pytest' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
