"""``assert_replayable``: a test of a history, whose failure says what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from ..changes import describe
from ..checking import Finding, check, prompt_for
from ..compat.provider import Provider
from ..compat.providers import PROVIDERS, providers_of
from ..errors import ConfigurationError, ReplayableError
from ..model_ref import ModelRef
from ..places import Places
from ..prompt import Prompt
from .recorded import RecordedHistory, request_in

__all__ = ["NotReplayable", "assert_replayable"]

# Of one kind of fault; a history may have thousands.
_MOST_PLACES: Final = 5


class NotReplayable(ReplayableError, AssertionError):  # noqa: N818 - a test that failed, not an error
    """A model's provider would reject a history.

    Args:
        message: The diagnosis: each kind of fault, where it stands, the provider's words, and the repair.
        findings: What ``check`` found.
    """

    def __init__(self, message: str, findings: Sequence[Finding] = ()) -> None:
        self.findings: tuple[Finding, ...] = tuple(findings)
        super().__init__(message)


def assert_replayable(
    history: Any,
    *,
    model: Any,
    source: str | None = None,
    providers: Sequence[Provider] | None = None,
    without_rules: Sequence[str] = (),
) -> None:
    """Fail when something is known for which the model's provider would reject a history.

    Args:
        history: A request body, a list of messages (plain dicts of a wire, or message models), a ``Prompt``, or a
            ``RecordedHistory``.
        model: The model that will read it; anything that ``ModelRef.of`` accepts.
        source: The format of a plain request; recognised when left out.
        providers: The rows to choose from; the built-in ones unless given.
        without_rules: Names of rules that are not asked.

    Raises:
        NotReplayable: It would be rejected; an ``AssertionError`` that reads as a diagnosis.
        ConfigurationError: No row knows the model, so that the test would pass whatever the history holds; the history is
            empty; or there is no such format or rule.
        HistoryFormatError: The history is not of the shape that its format has.
    """
    # pytest shows the line of the test, not this one.
    __tracebackhide__ = True
    ref = ModelRef.of(model)
    if not providers_of(ref, PROVIDERS if providers is None else tuple(providers)):
        raise ConfigurationError(
            f"nothing is known of the model {_named(ref)}, so that no fault of its provider's would be found: name it as"
            " provider/model, e.g. anthropic/claude-sonnet-5, or give a row of your own in providers"
        )
    request = request_in(history)
    prompt = prompt_for(request, model=ref, source=source)
    findings = check(prompt, model=prompt.model, providers=providers, without_rules=without_rules)
    if not prompt.messages and not findings:
        raise ConfigurationError("the history holds no message, so that nothing was tested: was it recorded?")
    if findings:
        whose = f"{history}: " if isinstance(history, RecordedHistory) else ""
        told = "\n".join(_diagnosis(findings, prompt, Places(request, prompt), _named(ref)))
        raise NotReplayable(whose + told, findings)


def _named(model: ModelRef) -> str:
    return model.raw if isinstance(model.raw, str) else "/".join(filter(None, (model.provider, model.model)))


def _diagnosis(findings: Iterable[Finding], prompt: Prompt, places: Places, model: str) -> Iterator[str]:
    kinds: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        kinds.setdefault((finding.rule, finding.fault), []).append(finding)
    yield f"{model} would reject this history, for {len(kinds)} {'reason' if len(kinds) == 1 else 'reasons'}."
    for number, ((rule, fault), found) in enumerate(kinds.items(), 1):
        yield f"\n{number}. {fault}" + ("" if fault == rule else f" (repaired by {rule})")
        for finding in islice(found, _MOST_PLACES):
            yield f"   at      {_place(finding, prompt, places)}"
        if len(found) > _MOST_PLACES:
            yield f"   and     {len(found) - _MOST_PLACES} more"
        for evidence in found[0].evidence[:1]:
            if evidence.cause:
                yield f"   cause   {evidence.cause}"
            yield f'   says    "{evidence.text}"'
            yield f"           {evidence.link}"
        yield f"   repair  {found[0].summary}"
    yield f"\nfix(history, model={model!r}).request is the history with these repairs."


def _place(finding: Finding, prompt: Prompt, places: Places) -> str:
    index, part_index = finding.message_index, finding.part_index
    if index is None:
        return "the request"
    message = prompt.messages[index]
    what = describe(message if part_index is None else message.parts[part_index])
    known = f"message {index}" if part_index is None else f"message {index}, part {part_index}"
    return f"{places.of(index, part_index) or known}: {what}"
