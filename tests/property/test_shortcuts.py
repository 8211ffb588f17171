"""Every shortcut that makes the usual case quick says what the plain way says."""

from __future__ import annotations

import copy
import json
import re
from itertools import dropwhile
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from replayable import (
    PROVIDERS,
    Dialect,
    HistoryFormatError,
    Message,
    ModelRef,
    Prompt,
    ProviderHistoryCompat,
    messages_to_json,
)
from replayable import facts as f
from replayable._node import build, wire_of
from replayable.compat.providers import COMMON, bound_to, dialect_of, providers_of
from replayable.facts import facts_of, ids_of
from replayable.formats import FORMATS
from replayable.json_value import parse_json
from replayable.messages import Messages
from replayable.prompt import unchanged_list, with_messages, with_model

from .strategies import MODELS, histories

# Some formats have many forms, and there are many formats.
fewer = settings(max_examples=25)
every_format = pytest.mark.parametrize("name", FORMATS)


def decoded(name: str, history: Messages) -> Prompt:
    """The history as a request of a format, read again."""
    try:
        encoded = FORMATS[name].encode(Prompt(messages=history, request={}))
        return FORMATS[name].decode(copy.deepcopy(encoded.request))
    except HistoryFormatError:
        # An opaque part of this API may be anything, even what the API doesn't have.
        assume(False)
        raise


def text_of(request: Any) -> str:
    """The request as text; Bedrock's holds bytes."""
    return json.dumps(request, default=repr)


def plain_facts(message: Message) -> int:
    """The facts, each by its own definition."""
    parts = message.parts
    is_tool = message.role == "tool"
    calls = [part for part in parts if part.type == "tool_call"]
    results = [part for part in parts if part.type == "tool_result"]
    own_calls = [part for part in calls if not part.provider_executed]
    own_results = [part for part in results if not part.provider_executed]
    ids = [part.tool_call_id for part in parts if part.type in ("tool_call", "tool_result")]
    own_ids = plain_ids(message)
    behind_calls = list(dropwhile(lambda part: part not in own_calls, parts))
    names = [part.tool_name for part in own_calls]
    names += [part.tool_name for part in own_results if part.tool_name is not None]
    texts = [part.text for part in parts if part.type == "text"]
    texts += [item.text for part in own_results for item in part.content or () if item.type == "text"]
    items = [*parts, *(item for part in results for item in part.content or ())]
    facts = {
        f.SYSTEM: message.role == "system",
        f.USER: message.role == "user",
        f.ASSISTANT: message.role == "assistant",
        f.TOOL: is_tool,
        f.CALLS: bool(own_calls),
        f.RESULTS: bool(own_results) and is_tool,
        f.SERVER_TOOLS: len(own_calls) + len(own_results) < len(ids),
        f.REASONING: any(part.type == "reasoning" for part in parts),
        f.FILES: any(item.type == "file" for item in items),
        f.OPAQUE: any(part.type == "opaque" for part in parts),
        f.BLANK: not parts or not all(text.strip() for text in texts),
        f.ODD_IDS: any(not re.fullmatch("[a-zA-Z0-9_-]+", tool_call_id or "") for tool_call_id in ids),
        f.IRREGULAR: not all(ids)
        or len(set(own_ids)) < len(own_ids)
        or (bool(own_results) and not is_tool)
        or (is_tool and not parts),
        f.UNSETTLED: any(part.state != "complete" for part in calls),
        f.NOT_AN_OBJECT: any(not isinstance(part.input, dict) for part in calls),
        f.WIRE_FIELDS: message.provider_options is not None,
        f.PART_FIELDS: any(item.provider_options is not None for item in items),
        f.ODD_NAMES: not all(re.fullmatch("[a-zA-Z_][a-zA-Z0-9_-]{0,63}", name) for name in names),
        f.BEHIND_CALLS: any(part.type in ("text", "file", "opaque") for part in behind_calls),
        f.SILENT_RESULTS: any(
            part.content == ()
            or (part.content is None and not str("" if part.output is None else part.output).strip())
            for part in own_results
        ),
        f.SEVERAL: len(parts) > len(plain_ids(message)) + 1
        or any(part.content is not None for part in results),
        f.LONG_IDS: any(len(tool_call_id or "") > 40 for tool_call_id in ids),
    }
    return sum(fact for fact, holds in facts.items() if holds)


def plain_ids(message: Message) -> tuple[str | None, ...]:
    """The ids that ``ids_of`` promises."""
    return tuple(
        part.tool_call_id
        for part in message.parts
        if (part.type == "tool_call" or (part.type == "tool_result" and message.role == "tool"))
        and not part.provider_executed
    )


@given(histories())
def test_facts_of_messages_made_by_hand(history: Messages) -> None:
    """Facts and ids are what their definitions say."""
    for message in history:
        assert (facts_of(message), ids_of(message)) == (plain_facts(message), plain_ids(message))


@every_format
@fewer
@given(history=histories())
def test_facts_that_a_decoder_tells(name: str, history: Messages) -> None:
    """What a decoder notes while it builds is what the definitions say of what it built."""
    for message in decoded(name, history).messages:
        assert (facts_of(message), ids_of(message)) == (plain_facts(message), plain_ids(message))


@every_format
@fewer
@given(history=histories())
def test_decoded_models_are_as_if_validated(name: str, history: Messages) -> None:
    """A decoder builds without validation just what validation would have made: equal both ways, and in its JSON."""
    for built in decoded(name, history).messages:
        made = type(built).model_validate(built.model_dump())
        # The text, since Python takes 1 for True, and NaN differs from itself.
        assert repr(built) == repr(made)
        assert [list(node.__dict__) for node in (built, *built.parts)] == [
            list(node.__dict__) for node in (made, *made.parts)
        ]
        assert messages_to_json([built]) == messages_to_json([made])
        assert built.model_fields_set == type(built).model_fields.keys()
        assert built.model_extra is None
        for part in built.parts:
            assert part.model_fields_set == type(part).model_fields.keys()


@every_format
@fewer
@given(history=histories(), model=st.sampled_from(MODELS))
def test_an_unchanged_list_goes_back_as_the_plain_way_writes_it(
    name: str, history: Messages, model: Any
) -> None:
    """The list that nobody changed is, message for message, what looking at each message gives."""
    prompt = with_model(decoded(name, history), ModelRef.of(model))
    forgetful = build(Prompt, dict(prompt.__dict__), *wire_of(prompt))
    assert unchanged_list(forgetful, name) is None
    quick, plain = FORMATS[name].encode(prompt), FORMATS[name].encode(forgetful)
    assert text_of(quick.request) == text_of(plain.request)
    assert [str(change) for change in quick.changes] == [str(change) for change in plain.changes]


@every_format
@fewer
@given(history=histories(), data=st.data())
def test_a_list_that_changed_is_not_given_back(name: str, history: Messages, data: st.DataObject) -> None:
    """Whether the caller's list or the prompt's messages change, what is written are the prompt's messages."""
    prompt = decoded(name, history)
    wires = unchanged_list(prompt, name)
    assume(wires and prompt.messages)
    assert wires is not None
    request = text_of(FORMATS[name].encode(prompt).request)
    place = data.draw(st.integers(0, len(prompt.messages) - 1))
    fewer = with_messages(prompt, prompt.messages[:place] + prompt.messages[place + 1 :])
    assert unchanged_list(fewer, name) is None
    assert unchanged_list(with_messages(fewer, prompt.messages), name) is wires

    kept = list(wires)
    change = data.draw(st.sampled_from(("append", "drop", "replace")))
    if change == "append":
        wires.append(wires[0])
    elif change == "drop":
        wires.pop()
    else:
        wires[-1] = dict(wires[-1])
    assert unchanged_list(prompt, name) is None
    assert text_of(FORMATS[name].encode(prompt).request) == request
    wires[:] = kept
    assert unchanged_list(prompt, name) is wires


@given(
    st.text(' \t\n\r{}[]"ae1.-,:\u00a0\ufeff', max_size=8)
    | st.sampled_from(("NaN", "-Infinity", " [1] x", "[" * 9999))
)
def test_arguments_are_parsed_as_json_says(text: str) -> None:
    """The quick parser takes what ``json.loads`` takes, save the constants that are no JSON, and nothing else."""

    def refuse(constant: str) -> Any:
        raise ValueError(constant)

    try:
        expected = (True, json.loads(text, parse_constant=refuse))
    except (ValueError, RecursionError):
        expected = (False, None)
    assert parse_json(text) == expected


@given(st.sampled_from(MODELS), st.sampled_from(MODELS), st.permutations(range(len(PROVIDERS))))
def test_rows_of_a_model(name: Any, other: Any, order: list[int]) -> None:
    """A model remembers who recognises it: the rows that were asked, in their order, whoever was asked before."""
    rows = [PROVIDERS[place] for place in order]
    model = ModelRef.of([name, other])
    for asked in (PROVIDERS, tuple(rows), tuple(rows[:5]), PROVIDERS):
        plain = [row for row in asked if any(map(row.recognise, model.candidates()))]
        for _ in range(2):
            assert list(providers_of(model, asked)) == plain
        own = next((row.dialect for row in asked if row.recognise(ModelRef.of(name))), Dialect())
        assert dialect_of(bound_to(Prompt(model=model), asked).model) == own
    assert providers_of(model) == providers_of(model, PROVIDERS)


@given(st.sampled_from(MODELS))
def test_rules_of_a_model(name: Any) -> None:
    """The rules that are kept for a model are those that its rows say, those alone that are for it and switched on."""
    model = ModelRef.of(name)
    rows = providers_of(model)
    said = [rule for row in (COMMON, *rows) for rule in row.rules]
    said += [rule for row in (*rows, COMMON) for rule in row.structure]
    plain = list(dict.fromkeys(rule.name for rule in said if rule.models is None or rule.models(model)))
    for without in ((), plain[:1]):
        for _ in range(2):
            kept = ProviderHistoryCompat(without_rules=without).rules_for(name)
            assert [rule.name for rule in kept] == [rule for rule in plain if rule not in without]
