"""Mistral's own checks: they take plain histories, refuse broken ones, and take those after the repair."""

from __future__ import annotations

from collections import Counter

import pytest

pytest.importorskip("mistral_common", reason="the extra `judges` brings it")

from tests.judges.histories import BROKEN, GOOD, request, requests
from tests.judges.mistral import VERSIONS, mistral_error, tokenizes
from tests.judges.verdicts import verdicts
from tests.recorded.rows import rows

_EVERYWHERE = frozenset(
    {
        "answer last",
        "no result",
        "odd name",
        "one of two results",
        "result alone",
        "result twice",
        "system late",
    }
)
_EMPTY = frozenset({"answer without content", "blank answer"})
_REFUSED = {
    "v3": _EVERYWHERE | _EMPTY | {"content and thinking", "long id"},
    "v7": _EVERYWHERE | {"content and thinking", "long id"},
    "v11": _EVERYWHERE | {"long id", "two calls of one id"},
    "v13": _EVERYWHERE | {"two calls of one id"},
    "v15": _EVERYWHERE | {"two calls of one id"},
}
# Mistral's API takes such names of earlier calls, in recorded traffic, and text beside calls, which only v3 refused.
_UNREPAIRED = frozenset({"odd name"})
_UNREPAIRED_V3 = _UNREPAIRED | {"content and thinking"}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", GOOD)
def test_plain_histories_are_accepted(version: str, name: str) -> None:
    """Nothing is wrong with a plain history, in any version."""
    assert mistral_error(request(GOOD[name]), version) is None


@pytest.mark.parametrize("name", GOOD)
def test_plain_histories_become_tokens(name: str) -> None:
    """What the checks accept, the tokenizer reads."""
    assert tokenizes(request(GOOD[name]))


@pytest.mark.parametrize("version", VERSIONS)
def test_broken_histories_are_refused_until_repaired(version: str) -> None:
    """Each version refuses its list of broken histories, and takes them after the repair."""
    found = verdicts(
        lambda body: mistral_error(body, version),
        requests(BROKEN),
        name=f"mistral-common {version}",
        model="mistral/mistral-large-latest",
        format="openai_chat",
    )
    assert found.raw == _REFUSED[version]
    assert found.repaired == (_UNREPAIRED_V3 if version == "v3" else _UNREPAIRED)


def test_every_refusal_is_in_a_list() -> None:
    """The lists name histories that exist."""
    assert frozenset().union(*_REFUSED.values(), _UNREPAIRED_V3) <= BROKEN.keys()


def test_recorded_requests() -> None:
    """Of the requests that the real API accepted, each version takes most; the API is wider than its package."""
    accepted = [row.request for row in rows("accepted", "openai_chat") if row.provider == "mistral"]
    taken = Counter(
        version for version in VERSIONS for body in accepted if mistral_error(body, version) is None
    )
    print(f"mistral-common: of {len(accepted)} accepted requests {dict(taken)} taken")
    assert all(taken[version] > len(accepted) * 0.7 for version in VERSIONS if accepted)
