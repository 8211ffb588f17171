"""Writes the generated reference pages from the code; ``--check`` fails when the pages on disk differ from it."""

from __future__ import annotations

import argparse
import ast
import inspect
import re
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from differences import ODDITIES, repairs
from probes import MEANINGS, PROBES, outcome
from typing_extensions import override

import replayable
import replayable.errors
import replayable.testing
from replayable.cli.parser import make_parser
from replayable.cli.reports import JSON_FIELDS
from replayable.compat.catalogue import catalogue
from replayable.compat.evidence import KnownRejection
from replayable.compat.provider import Dialect
from replayable.compat.providers import COMMON_RULES, PROVIDERS
from replayable.compat.rule import CompatRule
from replayable.formats import FORMATS
from replayable.messages import messages_to_json

_HERE: Final = Path(__file__).parent / "reference"
_NOTE: Final = "<!-- Written by docs/generate.py; change the code instead. -->\n\n"


def api() -> str:
    """Every public name with its signature and docstring."""
    intro = (
        "Everything here is imported from `replayable`; formats live in `replayable.formats`, what tests use in"
        " [`replayable.testing`](testing.md), the errors on [a page of their own](errors.md)."
    )
    pages = [f"# Python API\n\n{intro}\n"]
    for name in sorted(replayable.__all__, key=str.lower):
        value = getattr(replayable, name)
        if name == "__version__" or name in replayable.errors.__all__:
            continue
        pages.append(f"## `{name}`\n")
        if inspect.isclass(value) or inspect.isfunction(value):
            pages.append(f"```text\n{_documented(value)}\n```\n")
            pages.extend(_methods(value))
        elif name == "PROVIDERS":
            pages.append(
                "The built-in provider rows, in the order in which they are asked: see [Rules](rules.md).\n"
            )
        else:
            pages.append("A union of the message classes, discriminated by `role`.\n")
    return "\n".join(pages)


def testing() -> str:
    """What tests use."""
    intro = (
        "Everything here is imported from `replayable.testing`. The fixture and the marker are there in pytest wherever"
        " replayable is installed: see [how to test your agent's histories](../howto/test-histories.md)."
    )
    pages = [f"# Testing\n\n{intro}\n"]
    for name in replayable.testing.__all__:
        value = getattr(replayable.testing, name)
        pages.append(f"## `{name}`\n\n```text\n{_documented(value)}\n```\n")
    return "\n".join(pages)


def errors() -> str:
    """The errors, with what they hold and what they inherit from."""
    intro = (
        "Every error that is raised on purpose is a `ReplayableError` and holds its data as attributes. What your own"
        " `send` raised, and what no rule repairs, reaches you as the same object."
    )
    lines = [f"# Errors\n\n{intro}\n", "| error | is also a | raised when |", "|---|---|---|"]
    found = [getattr(replayable.errors, name) for name in replayable.errors.__all__]
    found += [value for value in vars(replayable.testing).values() if _is_error(value)]
    for error in found:
        bases = [
            base.__name__ for base in error.__bases__ if base not in (replayable.ReplayableError, Exception)
        ]
        also = ", ".join(f"`{name}`" for name in bases)
        lines.append(
            f"| [`{error.__name__}`](#{error.__name__.lower()}) | {also} | {_cell(_summary(error))} |"
        )
    lines.append("")
    for error in found:
        lines.append(f"## `{error.__name__}`\n\n```text\n{_documented(error)}\n```\n")
    return "\n".join(lines)


def _is_error(value: Any) -> bool:
    return inspect.isclass(value) and issubclass(value, replayable.ReplayableError)


def _summary(value: Any) -> str:
    return " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split()).replace("``", "`")


def _methods(value: Any) -> list[str]:
    if not inspect.isclass(value) or issubclass(value, Exception):
        return []
    pages = []
    for name, member in vars(value).items():
        if name.startswith("_") or not (
            inspect.isfunction(member) or isinstance(member, classmethod | property)
        ):
            continue
        call = name if isinstance(member, property) else f"{name}{_signature(getattr(value, name))}"
        doc = inspect.getdoc(member.fget if isinstance(member, property) else getattr(value, name))
        if doc and not doc.startswith("Usage docs"):
            pages.append(f"### `{value.__name__}.{name}`\n\n```text\n{call}\n\n{doc}\n```\n")
    return pages


class _Annotation(str):
    """An annotation as it stands in the source, which ``inspect`` would put into quotes."""

    __slots__ = ()

    @override
    def __repr__(self) -> str:
        return str(self)


def _signature(value: Any) -> str:
    signature = inspect.signature(value)

    def bare(annotation: Any) -> Any:
        return _Annotation(annotation) if isinstance(annotation, str) else annotation

    parameters = [
        parameter.replace(annotation=bare(parameter.annotation))
        for parameter in signature.parameters.values()
    ]
    returned = bare(signature.return_annotation)
    return str(signature.replace(parameters=parameters, return_annotation=returned))


def _documented(value: Any) -> str:
    doc = inspect.getdoc(value) or ""
    if inspect.isfunction(value):
        return f"{value.__name__}{_signature(value)}\n\n{doc}"
    return doc


def formats() -> str:
    """The formats by name, with what their modules say, what each can express, and the dialects of OpenAI Chat."""
    pages = ["# Formats\n\nNames for `fix(..., source=, to=)` and for `--from` and `--to`.\n"]
    pages.append("| name | what |\n|---|---|")
    pages.extend(f"| [`{known.name}`](#{known.name}) | {known.title} |" for known in FORMATS.values())
    pages.append(_expressed())
    pages.append(_dialects())
    for known in FORMATS.values():
        package = sys.modules[known.decode.__module__.rpartition(".")[0]]
        pages.append(f"## `{known.name}`\n\n{known.title}. {inspect.getdoc(package) or ''}\n")
        pages.append(f"Reading:\n\n```text\n{inspect.getdoc(known.decode) or ''}\n```\n")
        pages.append(f"Writing:\n\n```text\n{inspect.getdoc(known.encode) or ''}\n```\n")
    return "\n".join(pages)


def _expressed() -> str:
    """What each format can express, and what becomes of what it can't."""
    lines = [
        "\n## What each can express\n",
        "Found by writing one thing at a time in each format, for a model of which nothing is known. What came from a format",
        "goes back to it as it was, whatever the table says. Everything but *yes* is listed in `changes`:\n",
        *(f"- *{name}*: {meaning.replace('``', '`')}" for name, meaning in MEANINGS.items()),
        "",
        f"| | {' | '.join(f'`{name}`' for name in FORMATS)} |",
        f"|---|{'---|' * len(FORMATS)}",
    ]
    for probe in PROBES:
        cells = [outcome(probe, known) for known in FORMATS.values()]
        lines.append(f"| {probe.title} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _dialects() -> str:
    """Where the providers that speak OpenAI Chat differ, from their rows."""
    lines = [
        "\n## Dialects of `openai_chat`\n",
        "Which one is written depends on the model's provider. Reasoning goes into the first of the fields, and stays in any",
        "other of them; a file that none of the parts holds becomes a text. Where nothing is said, nobody knows: what came on",
        "this wire stays as it is.\n",
        "| provider | reasoning | files | files in tool results |\n|---|---|---|---|",
    ]
    for row in PROVIDERS:
        dialect = row.dialect
        if dialect == Dialect():
            continue
        reasoning = ", ".join(f"`{name}`" for name in dialect.reasoning_fields)
        media = (
            ""
            if dialect.media is None
            else ", ".join(f"`{name}`" for name in sorted(dialect.media)) or "none"
        )
        in_results = {None: "", True: "yes", False: "in a user turn behind them"}[dialect.media_in_results]
        lines.append(f"| {row.name} | {reasoning} | {media} | {in_results} |")
    return "\n".join(lines) + "\n"


def rules() -> str:
    """Every built-in rule under the same headings, from its record."""
    rows: dict[str, list[CompatRule]] = {"every provider": list(COMMON_RULES)}
    for row in PROVIDERS:
        if row.rules or row.structure:
            rows[row.name] = [*row.rules, *row.structure]
    pages = ["# Rules\n\nWhat `ProviderHistoryCompat` does for whom, and the provider's words for why.\n"]
    told: set[str] = set()
    for name, row_rules in rows.items():
        pages.append(f"## {name}\n")
        for rule in row_rules:
            if rule.name in told:
                pages.append(f"`{rule.name}`: see above.\n")
                continue
            told.add(rule.name)
            pages.extend(_rule(rule))
    return "\n".join(pages)


def _rule(rule: CompatRule) -> list[str]:
    acts = " and ".join(
        text
        for text, does in (("before a call", rule.apply_to_prompt), ("after a rejection", rule.fix))
        if does is not None
    )
    pages = [f"### `{rule.name}`\n\n{rule.summary}\n\n**Acts** {acts}.\n\n**Why**\n"]
    for evidence in rule.evidence:
        when = ", ".join(str(item) for item in (evidence.status, evidence.date) if item is not None)
        pages.append(f"> {_words(evidence.text)}\n>\n> — [{when or 'source'}]({evidence.link})\n")
    for example in rule.examples:
        before, after = messages_to_json(example.before, indent=1), messages_to_json(example.after, indent=1)
        pages.append(
            f"**Example**: {example.title}\n\nBefore:\n\n```json\n{before}\n```\n\nAfter:\n\n```json\n{after}\n```\n"
        )
    return pages


def rejections() -> str:
    """The catalogue: each kind of rejection, and what becomes of it."""
    intro = (
        "Every kind of rejection that is known, in the providers' words, with what repairs it and when. `explain` finds them"
        " in an error of any SDK; `check` finds those that a request shows. *Before the call* means that the prompt never"
        " holds the fault; *after the rejection*, that only the provider can see it; *both*, that a gateway may hide who"
        " serves, so that the repair also waits for the words. Where nothing repairs it, the reason is given."
    )
    lines = ["| kind | words | cause | repaired by | when |", "|---|---|---|---|---|"]
    for entry in sorted(
        catalogue(), key=lambda entry: (entry.evidence.entry is None, entry.evidence.entry or "")
    ):
        evidence, answer = entry.evidence, entry.answer
        repaired = (
            f"not repaired: {answer.reason} {answer.remedy}"
            if isinstance(answer, KnownRejection)
            else f"[`{answer.name}`](rules.md#{answer.name})"
            if isinstance(answer, CompatRule)
            else f"`clean-messages`: {answer.summary}"
        )
        kind = f"`{evidence.entry}`" if evidence.entry is not None else "(no name)"
        cells = (
            kind,
            f"[{_cell(_words(evidence.text))}]({evidence.link})",
            _cell(evidence.cause),
            _cell(repaired),
            entry.treatment,
        )
        lines.append("| " + " | ".join(cells) + " |")
    table = "\n".join(lines)
    return f"# Rejections\n\n{intro}\n\n{table}\n"


def differences() -> str:
    """What each provider does with one oddity at a time: the rows, asked."""
    sys.path.insert(0, str(_HERE.parents[1]))
    from tests.compat.test_catalogue import model_of

    intro = (
        "What one provider refuses another one demands. Each cell tells what is done to one odd thing in an otherwise plain"
        " history on its way to a model of that provider: the rule's name, without the provider's in front, which links to"
        " the provider's words. An empty cell: nothing is known against it, so that it goes as it is. *Italics*: the wire has"
        " no place for it, and says so in `changes`.\n\n"
        "The table is made by asking the rows. A provider may have further rules, for some of its models or for rarer"
        " things: see [the rules](../reference/rules.md)."
    )
    lines = [f"# Provider differences\n\n{intro}\n"]
    lines.append(
        "| provider, and the model that is asked for | "
        + " | ".join(oddity.title for oddity in ODDITIES)
        + " |"
    )
    lines.append("|---|" + "---|" * len(ODDITIES))
    for row in PROVIDERS:
        model = model_of(row)
        cells = [", ".join(_done_by(*one) for one in repairs(oddity, model)) for oddity in ODDITIES]
        lines.append(f"| **{row.name}** {model.model} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _done_by(processor: str, rule: str) -> str:
    if processor.startswith("formats."):
        return f"*{rule}*"
    _, _, short = rule.partition("-")
    return f"[{short}](../reference/rules.md#{rule})"


def _words(text: str) -> str:
    """A provider's words, in which brackets and the like mean nothing to Markdown; backticks are theirs."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(
        piece
        if piece.startswith("`") and len(piece) > 1
        else re.sub(r"([\\\[\]*<]|(?<!\w)_|_(?!\w))", r"\\\1", piece)
        for piece in pieces
    )


def _cell(text: str) -> str:
    """Text in a cell of a table."""
    return re.sub(r"(?<!\\)<", "&lt;", text.replace("|", "\\|")).replace("\n", " ")


# Columns that a block of the site shows without a break.
_WIDTH: Final = 85


def command_line() -> str:
    """The help of the command and of its subcommands."""
    parser = make_parser()
    parser.formatter_class = lambda prog: argparse.HelpFormatter(prog, width=_WIDTH)
    pages = ["# Command line\n", f"```text\n{parser.format_help()}```\n"]
    for name, subparser in _subparsers(parser).items():
        made: Any = subparser.formatter_class
        subparser.formatter_class = partial(made, width=_WIDTH)
        pages.append(f"## `replayable {name}`\n\n```text\n{subparser.format_help()}```\n")
    pages.append(
        "## `replayable check --format json`\n\nOne list on standard output, empty where nothing is known; for each finding an"
        " object with these fields:\n"
    )
    rows = [f"| `{name}` | {kind} | {_cell(meaning)} |" for name, (kind, meaning) in JSON_FIELDS.items()]
    pages.append("\n".join(["| field | type | meaning |", "|---|---|---|", *rows]) + "\n")
    return "\n".join(pages)


def integrations() -> str:
    """The adapters, and the scenarios that the tests run for each."""
    # The tests are the source: a row stands here because a test of that name runs.
    sys.path.insert(0, str(_HERE.parents[1]))
    from replayable.integrations import collect_changes, unguarded
    from tests.frameworks.adapters import FRAMEWORKS
    from tests.integrations.adapters import FRAMEWORK_SCENARIOS, MODULES, SCENARIOS

    pages = [
        "# Integrations\n\nEach is imported from `replayable.integrations.<name>` and needs the extra of that name.\n"
    ]
    frameworks = [framework.name.replace("-", "_") for framework in FRAMEWORKS]
    for name in (*(module.__name__.rpartition(".")[2] for module in MODULES), *frameworks):
        pages += _integration(name)
    pages.append("## Around single calls\n\nFrom `replayable.integrations`.\n")
    for value in (collect_changes, unguarded):
        pages.append(f"```text\n{value.__name__}{_signature(value)}\n\n{inspect.getdoc(value)}\n```\n")
    pages.append(
        "## What is tested\n\nAgainst the real packages, over HTTP, with a provider that refuses what the real one refuses.\n"
    )
    pages.append(_scenarios(SCENARIOS))
    pages.append(
        "Where it says *its own doing*, the framework sees to it in its way before an adapter sees it, or behind it: ADK leaves"
        " out what has no partner, others give an answer, or rename.\n"
    )
    pages.append(_scenarios(FRAMEWORK_SCENARIOS))
    return "\n".join(pages)


_FUNCTIONS: Final = ast.FunctionDef | ast.AsyncFunctionDef


def _integration(name: str) -> Iterator[str]:
    """An integration as its source documents it: the package that it adapts may not be installed here."""
    source = _HERE.parents[1] / "src" / "replayable" / "integrations" / f"{name}.py"
    module = ast.parse(source.read_text("utf-8"))
    yield f"## `{name}`\n\n{ast.get_docstring(module) or ''}\n"
    for node in module.body:
        if isinstance(node, ast.ClassDef | _FUNCTIONS) and not node.name.startswith("_"):
            function = node
            if isinstance(node, ast.ClassDef):
                methods = {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}
                function = methods.get("__init__", node)
            signature = f"({ast.unparse(function.args)})" if isinstance(function, _FUNCTIONS) else ""
            returns = (
                f" -> {ast.unparse(node.returns)}" if isinstance(node, _FUNCTIONS) and node.returns else ""
            )
            name = f"await {node.name}" if isinstance(node, ast.AsyncFunctionDef) else node.name
            yield f"```text\n{name}{signature.replace('(self, ', '(')}{returns}\n\n{ast.get_docstring(node) or ''}\n```\n"


def _scenarios(scenarios: Sequence[Any]) -> str:
    names = list(dict.fromkeys(name for scenario in scenarios for name in scenario.cells))
    lines = ["| scenario | " + " | ".join(names) + " |", "|" + " --- |" * (len(names) + 1)]
    for scenario in scenarios:
        cells = [(scenario.cells.get(name, "-"), name in scenario.by_itself) for name in names]
        texts = [
            cell if isinstance(cell, str) else ", ".join(cell) + " (its own doing)" * by_itself
            for cell, by_itself in cells
        ]
        lines.append(f"| {scenario.title} | " + " | ".join(texts) + " |")
    return "\n".join(lines) + "\n"


def _subparsers(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    found: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found.update(action.choices)
    return found


PAGES: Final = {
    "api.md": api,
    "testing.md": testing,
    "errors.md": errors,
    "formats.md": formats,
    "rules.md": rules,
    "rejections.md": rejections,
    "integrations.md": integrations,
    "command-line.md": command_line,
    "../explanation/provider-differences.md": differences,
}


def main(arguments: list[str]) -> int:
    """Write the pages, or with ``--check`` tell which differ."""
    stale = []
    for name, page in PAGES.items():
        path, text = _HERE / name, _NOTE + page()
        if path.is_file() and path.read_text("utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in arguments:
            path.write_text(text, "utf-8")
    if stale and "--check" in arguments:
        print(f"docs/reference is not what the code says: {', '.join(stale)}; run python docs/generate.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
