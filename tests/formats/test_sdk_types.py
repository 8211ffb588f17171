"""Every type that the installed SDKs declare for messages, items, parts and blocks, in all of its variants."""

from __future__ import annotations

import json
import pickle
from typing import Final

import pytest

from replayable import fix
from replayable.formats import FORMATS, detect, format_named
from tests.formats.marks import lost, plain
from tests.formats.sdk_histories import KINDS, Kind
from tests.recorded.targets import TARGETS

_EACH: Final = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.format}-{kind.name}")


def test_the_types_that_came_last_are_among_them() -> None:
    """The walk through the SDKs' unions finds them: no test of the others would miss them."""
    names = {(kind.format, kind.name) for kind in KINDS}
    assert {
        ("anthropic", "BetaRequestToolAdditionBlockParam-system"),
        ("anthropic", "BetaFallbackBlockParam-assistant"),
        ("openai_responses", "Program"),
        ("gemini", "toolResponse-model"),
        ("bedrock", "toolRemoval-system"),
    } <= names
    assert len(names) > 150


@_EACH
def test_it_goes_back_as_it_was(kind: Kind) -> None:
    """It is read, recognised and given back as the very object; written anew, it says the same to the letter."""
    codec = format_named(kind.format)
    for request in kind.requests:
        prompt = codec.decode(request)
        anew = codec.encode(pickle.loads(pickle.dumps(prompt)))

        assert codec.encode(prompt).request is request
        assert anew.changes == ()
        assert json.loads(plain(anew.request)) == json.loads(plain(request))
        assert detect(request, prefer=kind.format) == kind.format


@_EACH
def test_another_format_says_it_or_tells_what_is_missing(kind: Kind) -> None:
    """Each text and name in it is found in the other format's request or in the changes, there and on the way back."""
    source = format_named(kind.format)
    for request in kind.requests:
        prompt = source.decode(request)
        for name in FORMATS.keys() - {kind.format}:
            target = format_named(name)
            over = target.encode(prompt)
            back = source.encode(target.decode(over.request))

            assert lost(request, [over.system, over.request], over.changes) == [], name
            assert lost(over.request, [back.system, back.request], back.changes) == [], name


@_EACH
def test_another_api_takes_what_became_of_it(kind: Kind) -> None:
    """By the types of its SDK and by the oracle."""
    for request in kind.requests:
        for target in TARGETS:
            if target.format == kind.format and target.name != "mistral":
                continue
            model = f"{target.provider}/{target.model}"
            fixed = fix(request, model=model, source=kind.format, to=target.format)

            assert (target.judge(fixed.request) if target.judge is not None else []) == [], target.name
            assert target.violations(fixed.request) == [], target.name
            assert lost(request, fixed.request, fixed.changes) == [], target.name
