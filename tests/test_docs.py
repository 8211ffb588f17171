"""README and docs: every python block runs and prints what the page says, links resolve, generated pages are current."""

from __future__ import annotations

import ast
import importlib
import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from replayable import Prompt, explain, fix
from replayable.formats import FORMATS
from tests.doc_blocks import BLOCK, ROOT, run_python_blocks
from tests.oracle import violations

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", [path for path in PAGES if path.parent.name != "frameworks"], ids=_name)
def test_python_blocks_run_and_print_what_the_page_says(path: Path) -> None:
    """A framework's page is run where that is installed."""
    run_python_blocks(path)


@pytest.mark.parametrize("path", PAGES, ids=_name)
def test_commands_run_and_print_what_the_page_says(path: Path) -> None:
    """Shell blocks that call `replayable` succeed, or print the text block behind them."""
    blocks = BLOCK.findall(path.read_text("utf-8"))
    for number, (language, code) in enumerate(blocks):
        if language != "sh" or "replayable " not in code:
            continue
        # What installs the command beforehand is left out: it would fetch packages.
        command = re.sub(r"(?m)^.*\.venv/bin/replayable ", "replayable ", code)
        done = subprocess.run(
            ["sh", "-c", f'replayable() {{ "$PYTHON" -m replayable "$@"; }}\n{command}'],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            env={**os.environ, "PYTHON": sys.executable, "PYTHONWARNINGS": "error"},
        )
        if number + 1 < len(blocks) and blocks[number + 1][0] == "text":
            assert done.stdout == blocks[number + 1][1]
        else:
            assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", PAGES, ids=_name)
def test_relative_links_resolve(path: Path) -> None:
    """Every link to a file of the project leads to one."""
    prose = BLOCK.sub("", path.read_text("utf-8"))
    targets = [link.partition("#")[0] for link in _LINK.findall(prose) if "://" not in link]
    assert [target for target in targets if target and not (path.parent / target).exists()] == []


@pytest.mark.parametrize("path", PAGES, ids=_name)
def test_links_to_elsewhere_have_their_form(path: Path) -> None:
    """They can't be followed here, but a slip of the pen shows: no scheme but https, a host, nothing behind it that ends a link."""
    prose = BLOCK.sub("", path.read_text("utf-8"))
    links = [link for link in re.findall(r"\]\(([^)]*)\)", prose) if ":" in link.partition("/")[0]]
    assert [link for link in links if not re.fullmatch(r"https://[\w.-]+\.[a-z]+(/[^\s<>\"]*)?", link)] == []


def _floor_of(module: str, floors: dict[str, int]) -> int | None:
    """The floor of ``a/b/c``: that of its own row entry, or of the nearest folder that the table names."""
    if module in floors:
        return floors[module]
    folders = [module[: index + 1] for index, char in enumerate(module) if char == "/"]
    return next((floors[folder] for folder in reversed(folders) if folder in floors), None)


def test_imports_point_down_the_floors_of_the_design() -> None:
    """Every module stands on a floor of the design page's table, and imports from no higher one."""
    page = (ROOT / "docs/explanation/design.md").read_text("utf-8")
    rows = re.findall(r"^\| (?!floor)(\w+) \| (.*?) \|", page, re.MULTILINE)
    floors = {
        name: number for number, (_, files) in enumerate(rows) for name in re.findall(r"`([\w/]+)`", files)
    }
    source = ROOT / "src/replayable"
    wrong = []
    for path in sorted(source.rglob("*.py")):
        module = path.relative_to(source).with_suffix("").as_posix()
        if module in ("__init__", "__main__", "_version", "compat/__init__"):
            continue
        floor = _floor_of(module, floors)
        if floor is None:
            wrong.append(f"{module} stands on no floor")
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.ImportFrom) or not node.level:
                continue
            names = [node.module] if node.module else [alias.name for alias in node.names]
            package = module.split("/")[:-1]
            base = package[: len(package) - node.level + 1]
            for name in names:
                target = "/".join([*base, *name.split(".")])
                reached = _floor_of(target, floors)
                # The package's `__init__` counts as its folder.
                reached = _floor_of(f"{target}/", floors) if reached is None else reached
                if reached is not None and reached < floor:
                    wrong.append(f"{module} imports {target}")
    assert (len(rows), wrong) == (6, [])


def test_what_a_format_expresses_comes_back() -> None:
    """Where the reference says yes, reading what was written gives parts of the same kinds, and the same tool choice."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        probes = importlib.import_module("probes")
    finally:
        sys.path.remove(str(ROOT / "docs"))
    told = 0
    for probe, known in itertools.product(probes.PROBES, FORMATS.values()):
        if probes.outcome(probe, known) != "yes":
            continue
        told += 1
        prompt = Prompt(messages=probe.messages, request={"max_tokens": 100}, **probe.prompt)
        back = known.decode(known.encode(prompt).request)
        assert _kinds(back) == _kinds(prompt), (probe.title, known.name)
        choice, again = prompt.tool_choice, back.tool_choice
        if choice is not None:
            assert again is not None, (probe.title, known.name)
            # One of one allowed tool is that tool.
            same = (again.type, again.tool_name, again.parallel) == (
                choice.type,
                choice.tool_name,
                choice.parallel,
            )
            assert same or (again.type, again.tool_name) == ("tool", "look"), (probe.title, known.name)
    assert told > 100


def _kinds(prompt: Prompt) -> list[str]:
    parts = [part for message in prompt.messages for part in message.parts]
    # On some wires an answer that says nothing has an empty text.
    return sorted(part.type for part in parts if part.type != "text" or part.text)


def test_generated_pages_are_current() -> None:
    """`python docs/generate.py` would change nothing."""
    done = subprocess.run(
        [sys.executable, "docs/generate.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_the_readme_s_command_runs_the_main_job() -> None:
    """What the first command runs at its end prints a request and its changes."""
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    command = next(line for line in lines if line.startswith("python3 -m venv"))
    arguments = command.rpartition("replayable fix")[2].split()
    done = subprocess.run(
        [sys.executable, "-m", "replayable", "fix", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONWARNINGS": "error"},
    )
    assert done.returncode == 0, done.stderr
    assert '"tool_use_id": "functions_search_0_85c5207c10"' in done.stdout
    assert "clean-messages: removed message 1" in done.stderr


def test_the_request_of_the_debugging_page_is_refused_and_then_accepted() -> None:
    """By the judge that knows the providers' words and nothing of the library."""
    refused = json.loads((ROOT / "examples/histories/refused.json").read_text("utf-8"))

    def entries(request: dict[str, Any]) -> set[str]:
        found = violations(request, api="anthropic_messages", provider="anthropic", model="claude-sonnet-5")
        return {one.entry for one in found}

    assert entries(refused) == {"anthropic-tool-use-without-result", "anthropic-tool-id-pattern"}
    assert entries(fix(refused, model="anthropic/claude-sonnet-5").request) == set()


_REFUSED = {
    "openai-orphan-result": ("openai_chat", "openai", "gpt-5"),
    "gemini-call-turn": ("gemini", "google", "gemini-2.5-flash"),
    "anthropic-signature": ("anthropic_messages", "anthropic", "claude-sonnet-5"),
    "bedrock-blank-text": ("bedrock_converse", "bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
}


@pytest.mark.parametrize("name", _REFUSED)
def test_the_shipped_requests_are_refused_as_their_errors_say_and_then_accepted(name: str) -> None:
    """Text and request go together; of what only the provider can see, the signature is gone."""
    api, provider, model = _REFUSED[name]
    folder = ROOT / "examples/refused"
    error = (folder / f"{name}.txt").read_text("utf-8")
    request = json.loads((folder / f"{name}.json").read_text("utf-8"))

    explained = explain(error, model=f"{provider}/{model}")
    before = violations(request, api=api, provider=provider, model=model)
    repaired = fix(request, model=f"{provider}/{model}", error=error).request

    assert explained is not None
    assert {found.entry for found in before} == (
        {explained.entry} if name != "anthropic-signature" else set()
    )
    assert violations(repaired, api=api, provider=provider, model=model) == []
    assert "signature" not in json.dumps(repaired)
    assert fix(repaired, model=f"{provider}/{model}").changes == ()


def test_every_shipped_refusal_is_on_the_page() -> None:
    """Both files of each are used by the debugging page and judged here."""
    page = (ROOT / "docs/howto/debug-a-400.md").read_text("utf-8")
    files = {path.name for path in (ROOT / "examples/refused").iterdir()}
    assert files == {f"{name}.{kind}" for name in _REFUSED for kind in ("json", "txt")}
    assert [name for name in files if name not in page] == []
