"""``check``: what the next model's provider would reject in a history, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

from .change_log import ChangeLog
from .changes import Change
from .compat.evidence import Evidence
from .compat.pairing_faults import (
    CALL_WITHOUT_ID,
    CALL_WITHOUT_RESULT,
    REPEATED_CALL_ID,
    REPEATED_RESULT,
    RESULT_OUT_OF_PLACE,
    RESULT_WITHOUT_CALL,
    PairingFault,
)
from .compat.processor import ProviderHistoryCompat
from .compat.provider import Provider
from .compat.providers import PROVIDERS, bound_to, takes_unanswered_turns, takes_unpaired
from .compat.rule import CompatRule
from .facts import facts_of_all
from .formats import FORMATS, detect, format_named
from .formats.rewriting import OF_ANOTHER_API, changes_of_adopted
from .messages import MessageBase, Messages, validate_messages
from .model_ref import ModelRef
from .pairing import clean_messages
from .prompt import Prompt, with_messages, with_model

__all__ = ["Finding", "check", "prompt_for"]

_PAIRING: Final = "clean-messages"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fault that the provider would reject.

    Args:
        rule: The rule that would repair it, ``clean-messages``, or ``of-another-api`` for what writing the request does.
        fault: What is wrong, where the rule repairs several things (``call-without-result``); else the rule's name.
        message_index: Where it stands: an index into ``prompt.messages``; None where it is about the request as a whole.
        part_index: Which part of that message; None where it is about the whole message.
        summary: What the repair does, in one sentence.
        evidence: The provider's own words, the target's first.
        changes: What the repair would change.
    """

    rule: str
    fault: str
    message_index: int | None
    part_index: int | None
    summary: str
    evidence: tuple[Evidence, ...]
    changes: tuple[Change, ...]

    def __str__(self) -> str:
        place = "request" if self.message_index is None else f"message {self.message_index}"
        if self.part_index is not None:
            place += f", part {self.part_index}"
        said = f' "{self.evidence[0].text}"' if self.evidence else ""
        return f"{place}: {self.fault}:{said} Repair: {self.summary}"


def check(
    request: Any,
    *,
    model: Any,
    source: str | None = None,
    providers: Sequence[Provider] | None = None,
    without_rules: Sequence[str] = (),
) -> list[Finding]:
    """Tell what a model's provider would reject in a request: empty when nothing is known against it.

    The findings come from the repairs themselves: each rule of the model's provider, and ``clean_messages``, is asked
    what it would change in the request as it is, in the order in which they run: a fault is named by the first rule that
    repairs it. Faults that only the provider can see give none: ``explain`` says what
    its rejection means.

    Args:
        request: A request body, a list of messages (plain dicts of a wire, or message models), or a ``Prompt``.
        model: The model that will read it; anything that ``ModelRef.of`` accepts.
        source: The format of a plain request; recognised when left out.
        providers: The rows to choose from; the built-in ones unless given.
        without_rules: Names of rules that are not asked.

    Raises:
        HistoryFormatError: The request is not of the shape that its format has.
        ConfigurationError: There is no such format, or no such rule.
    """
    rows = PROVIDERS if providers is None else providers
    compat = ProviderHistoryCompat(providers=rows, without_rules=without_rules)
    prompt = bound_to(prompt_for(request, model=model, source=source), compat.providers)
    findings = [*_of_other_apis(prompt), *_unpaired(prompt)]
    facts = facts_of_all(prompt.messages)
    mended, log = prompt, ChangeLog(prompt.messages)
    for rule in compat.rules_for(prompt.model):
        if rule.apply_to_prompt is None or (rule.needs is not None and not facts & rule.needs):
            continue
        changed = rule.apply_to_prompt(prompt)
        if changed is None or changed is prompt:
            continue
        # What a former rule has repaired is that rule's finding.
        after = rule.apply_to_prompt(mended) or mended
        left = {_index(change) for change in _told(log, mended, after, rule.name)}
        findings.extend(found for found in _found(rule, prompt, changed) if found.message_index in left)
        mended = after
    return sorted(findings, key=_place)


def prompt_for(request: Any, *, model: Any, source: str | None = None) -> Prompt:
    """Return the prompt that ``check`` looks at, the model in it; its arguments and errors are those of ``check``."""
    ref = ModelRef.of(model)
    if isinstance(request, Prompt):
        return with_model(request, ref)
    if (
        isinstance(request, list | tuple)
        and all(isinstance(item, MessageBase) for item in request)
        # An empty list may be of any wire; a tuple is ours.
        and (request or isinstance(request, tuple))
    ):
        return Prompt(messages=validate_messages(request), model=ref)
    spoken = ref.api if ref.api in FORMATS else None
    read_as = format_named(source).name if source is not None else detect(request, prefer=spoken)
    return with_model(format_named(read_as).decode(request), ModelRef.of(ref, api=spoken or read_as))


def _place(finding: Finding) -> tuple[int, int]:
    return (
        -1 if finding.message_index is None else finding.message_index,
        -1 if finding.part_index is None else finding.part_index,
    )


def _of_other_apis(prompt: Prompt) -> Iterator[Finding]:
    for change in changes_of_adopted(prompt, processor="check"):
        yield Finding(
            rule=OF_ANOTHER_API,
            fault=OF_ANOTHER_API,
            message_index=change.message_index,
            part_index=None,
            summary="A message of another API than the rest, or with parts of one, is written as the rest is.",
            evidence=(),
            changes=(change,),
        )


def _found(rule: CompatRule, before: Prompt, after: Prompt) -> Iterator[Finding]:
    """One finding for each place; what a message changes as a whole goes with what its parts do."""
    places: dict[tuple[int | None, int | None], list[Change]] = {}
    for change in _changes(before, after, rule.name):
        # What has to come in, a message or a part, stands nowhere yet.
        index = _index(change)
        part_index = None if change.action == "added" else change.part_index
        of_message = [place for place in places if place[0] == index]
        place = of_message[-1] if part_index is None and of_message else (index, part_index)
        places.setdefault(place, []).append(change)
    for (message_index, part_index), changes in places.items():
        yield Finding(
            rule=rule.name,
            fault=rule.name,
            message_index=message_index,
            part_index=part_index,
            summary=rule.summary,
            evidence=_told_by(rule.evidence, before.model),
            changes=tuple(changes),
        )


def _index(change: Change) -> int | None:
    return None if change.added_message else change.message_index


def _changes(before: Prompt, after: Prompt, rule: str) -> list[Change]:
    return _told(ChangeLog(before.messages), before, after, rule)


def _told(log: ChangeLog, before: Prompt, after: Prompt, rule: str) -> list[Change]:
    """What differs between two versions of a prompt, at the places of the log's messages."""
    told = len(log.changes)
    log.record(before, after, processor="check", rule=rule)
    return log.changes[told:]


def _told_by(evidence: tuple[Evidence, ...], model: ModelRef | None) -> tuple[Evidence, ...]:
    """The words, those of the model's provider first, then those of its API, other providers' own last."""
    provider, api = (None, None) if model is None else (model.provider, model.api)

    def distance(said: Evidence) -> int:
        if said.provider is not None:
            return 0 if said.provider == provider else 3
        return 1 if said.api == api else 2

    return tuple(sorted(evidence, key=distance))


# --- pairing -----------------------------------------------------------------------------------------------------


def _unpaired(prompt: Prompt) -> Iterator[Finding]:
    messages = tuple(
        clean_messages(
            prompt.messages,
            missing_results="placeholder",
            open_ended=bool(prompt.server_state) or takes_unpaired(prompt.model),
            keep_unanswered_turns=takes_unanswered_turns(prompt.model),
        )
    )
    answered = {
        part.tool_call_id
        for message in messages
        for part in message.parts
        if part.type == "tool_result" and not part.synthesized
    }
    changes = _changes(prompt, with_messages(prompt, messages), _PAIRING)
    for change in chain.from_iterable(map(_singly, changes)):
        fault = _fault_of(change, answered)
        place: tuple[int | None, int | None] = (change.message_index, change.part_index)
        if fault is CALL_WITHOUT_RESULT:
            place = _call(prompt.messages, change.after) or place
        yield Finding(
            rule=_PAIRING,
            fault=fault.name,
            message_index=place[0],
            part_index=place[1],
            summary=fault.summary,
            evidence=_told_by(fault.evidence, prompt.model),
            changes=(change,),
        )


def _singly(change: Change) -> Iterator[Change]:
    """A change part by part; a result in whose place another call's placeholder came is two."""
    if change.action == "changed" and getattr(change.after, "synthesized", False):
        yield replace(change, action="removed", after=None)
        yield replace(change, action="added", before=None)
    elif change.action == "added" and (added := getattr(change.after, "parts", ())):
        yield from (replace(change, part_index=index, after=part) for index, part in enumerate(added))
    elif change.action == "removed" and (removed := getattr(change.before, "parts", ())):
        yield from (replace(change, part_index=index, before=part) for index, part in enumerate(removed))
    else:
        yield change


def _fault_of(change: Change, answered: set[str | None]) -> PairingFault:
    if change.action == "added":
        return CALL_WITHOUT_RESULT
    kind = getattr(change.before, "type", None)
    if change.action == "removed" and kind == "tool_result":
        return REPEATED_RESULT if change.before.tool_call_id in answered else RESULT_WITHOUT_CALL
    if kind == "tool_call" and change.action == "changed" and not change.before.tool_call_id:
        return CALL_WITHOUT_ID
    if kind == "tool_call" or change.action == "changed":
        return REPEATED_CALL_ID
    return RESULT_OUT_OF_PLACE


def _call(messages: Messages, result: Any) -> tuple[int, int] | None:
    """Where the call stands that a placeholder answers: the last one of its id."""
    wanted = getattr(result, "tool_call_id", None)
    places = [
        (index, part_index)
        for index, message in enumerate(messages)
        for part_index, part in enumerate(message.parts)
        if part.type == "tool_call" and not part.provider_executed and part.tool_call_id == wanted
    ]
    return places[-1] if places else None
