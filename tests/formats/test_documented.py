"""Every documented kind of message, item, part and block of each API: to every other format, and back."""

from __future__ import annotations

import json
import pickle
from typing import Final

import pytest

from replayable import fix
from replayable.formats import FORMATS, detect, format_named
from tests.formats.documented import HISTORIES
from tests.formats.marks import lost, plain
from tests.recorded.targets import TARGETS, Target


def _format(name: str) -> str:
    return "openai_chat" if name == "mistral" else name


_EACH: Final = pytest.mark.parametrize("name", HISTORIES)
_EACH_PAIR: Final = pytest.mark.parametrize(
    ("name", "other"), [(name, other) for name in HISTORIES for other in FORMATS if other != _format(name)]
)


@_EACH
def test_it_is_recognised_and_goes_back(name: str) -> None:
    """As the very object; written anew from a copy that remembers no wire, it says the same to the letter."""
    history, codec = HISTORIES[name], format_named(_format(name))
    assert detect(history) == codec.name

    prompt = codec.decode(history)
    anew = codec.encode(pickle.loads(pickle.dumps(prompt)))

    assert codec.encode(prompt).request is history
    assert anew.changes == ()
    assert json.loads(plain(anew.request)) == json.loads(plain(history))


@_EACH_PAIR
def test_nothing_is_lost_silently(name: str, other: str) -> None:
    """What another format does not say stands in the changes: as the part that left, or as the field that did."""
    source, target = format_named(_format(name)), format_named(other)

    over = target.encode(source.decode(HISTORIES[name]))
    back = source.encode(target.decode(over.request))

    assert lost(HISTORIES[name], [over.system, over.request], over.changes) == []
    assert lost(over.request, [back.system, back.request], back.changes) == []


@pytest.mark.parametrize(
    ("name", "target"),
    [
        pytest.param(name, target, id=f"{name}-{target.name}")
        for name in HISTORIES
        for target in TARGETS
        if target.format != _format(name)
    ],
)
def test_it_suits_every_other_api(name: str, target: Target) -> None:
    """By the types of the target's SDK and by the oracle; and what is not there is told."""
    given = HISTORIES[name]
    if name == "openai_chat":
        # Half a character is nothing that these parse.
        given = json.loads(json.dumps(given).replace("\\ud83d", ""))
    elif isinstance(given, list):
        given = {"messages": given}

    fixed = fix(given, model=f"{target.provider}/{target.model}", source=_format(name), to=target.format)

    assert (target.judge(fixed.request) if target.judge is not None else []) == []
    assert target.violations(fixed.request) == []
    assert lost(given, fixed.request, fixed.changes) == []


@_EACH_PAIR
def test_each_change_of_a_part_has_its_place(name: str, other: str) -> None:
    """Even where calls got ids that they had not, so that their messages are new ones."""
    prompt = format_named(_format(name)).decode(HISTORIES[name])

    for change in format_named(other).encode(prompt).changes:
        if change.rule in ("not-supported-here", "provider-executed-tool", "foreign-reasoning"):
            assert change.message_index is not None
            assert change.message_index < len(prompt.messages)


@_EACH
def test_what_a_server_ran_has_ids_where_they_are_needed(name: str) -> None:
    """Gemini's code has none; the AI SDK and Mastra know each call by its id."""
    prompt = format_named(_format(name)).decode(HISTORIES[name])
    for other in ("ai_sdk", "mastra"):
        read = format_named(other).decode(format_named(other).encode(prompt).request)
        parts = [part for message in read.messages for part in message.parts]
        calls = [part for part in parts if part.type in ("tool_call", "tool_result")]
        assert calls
        assert all(part.tool_call_id for part in calls)


@pytest.mark.parametrize("to", ["openai_responses", "anthropic", "bedrock", "cohere_v2", "ollama_chat"])
def test_another_api_is_told_the_bare_name_of_the_model(to: str) -> None:
    """A prefix, as LiteLLM has it, names who serves the model: nothing that the API itself would know."""
    request = {"model": "acme/large-1", "messages": [{"role": "user", "content": "Hi"}]}

    fixed = fix(request, model="acme/large-1", source="openai_chat", to=to)

    assert fixed.request["modelId" if to == "bedrock" else "model"] == "large-1"
    assert fix(request, model="acme/large-1", source="openai_chat").request is request
