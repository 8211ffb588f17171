"""``check_rule``: what must be true of every rule, tried on histories."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from ..changes import differ
from ..checking import prompt_for
from ..compat.evidence import Evidence
from ..compat.rule import CompatRule
from ..errors import ConfigurationError, ReplayableError
from ..facts import facts_of_all
from ..messages import Messages, messages_to_json, validate_messages
from ..model_ref import ModelRef
from ..pairing import clean_messages
from ..prompt import Prompt, with_messages
from ..provider_error import ProviderError
from .recorded import RecordedHistory, request_in

__all__ = ["RuleFault", "check_rule"]

# Of one history; spread evenly where it is longer.
_BEGINNINGS: Final = 20
_VARIES: Final = re.compile(r"\{[^{}]*\}")


class RuleFault(ReplayableError, AssertionError):  # noqa: N818 - a test that failed, not an error
    """A rule lacks what every rule must have.

    Args:
        message: Each fault on a line: on which history, what it did, what it should do.
        faults: The same lines.
    """

    def __init__(self, message: str, faults: Sequence[str] = ()) -> None:
        self.faults: tuple[str, ...] = tuple(faults)
        super().__init__(message)


def check_rule(
    rule: CompatRule,
    *,
    histories: Iterable[Any] = (),
    accepted: Iterable[Any] = (),
    model: Any = None,
    rewrites_user_text: bool = False,
) -> None:
    """Fail when a rule breaks what holds for every rule, on its examples or on the histories given.

    On each history, and on each beginning of it, the rule must

    - raise nothing, leave what it was given as it was, and give the same twice;
    - return None when it changes nothing, and keep the very messages that it does not change;
    - change nothing the second time;
    - leave each call with its result, and all that the user wrote;
    - have nothing to do where none of the facts in ``needs`` occurs, since it is not called there.

    It must turn its examples into what they say, quote a provider, and recognise its own evidence after a rejection.

    Args:
        rule: The rule.
        histories: Histories of any kind, broken ones included, in any form that ``assert_replayable`` takes.
        accepted: Histories that the provider has accepted: before a call the rule must leave them alone.
        model: The model that they are for, where the rule looks at it.
        rewrites_user_text: The rule changes what the user wrote, and is meant to.

    Raises:
        RuleFault: Something does not hold; an ``AssertionError`` that lists everything.
        ConfigurationError: There is neither a history nor an example to try it on.
        HistoryFormatError: A history is not of the shape that its format has.
    """
    # pytest shows the line of the test, not this one.
    __tracebackhide__ = True
    ref = ModelRef.of(model)
    taken = list(_tried("accepted", accepted, ref))
    examples = [
        _Tried(f"example {example.title or number}", Prompt(messages=example.before, model=ref))
        for number, example in enumerate(rule.examples)
    ]
    tried = [*examples, *_tried("histories", histories, ref), *taken]
    if not tried:
        raise ConfigurationError(
            f"nothing to try rule {rule.name!r} on: give it examples, or give histories or accepted"
        )
    faults = [
        *_of_the_record(rule),
        *_of_examples(rule, ref),
        *_of_accepted(rule, taken),
        *chain.from_iterable(_of_history(rule, one, rewrites_user_text) for one in tried),
    ]
    if faults:
        raise RuleFault(f"rule {rule.name!r}:\n" + "\n".join(f"- {fault}" for fault in faults), faults)


@dataclass(frozen=True, slots=True)
class _Tried:
    """A history, and what to call it."""

    name: str
    prompt: Prompt

    def beginnings(self) -> Iterator[_Tried]:
        """The history itself, then shorter ones: a rule meets a conversation at every length."""
        yield self
        messages = self.prompt.messages
        step = max(len(messages) // _BEGINNINGS, 1)
        for length in range(0, len(messages), step):
            yield _Tried(
                f"the first {length} messages of {self.name}", with_messages(self.prompt, messages[:length])
            )


def _tried(kind: str, histories: Iterable[Any], model: ModelRef) -> Iterator[_Tried]:
    for number, history in enumerate(histories):
        name = str(history) if isinstance(history, RecordedHistory) else f"{kind}[{number}]"
        yield _Tried(name, prompt_for(request_in(history), model=model))


# --- the record --------------------------------------------------------------------------------------------------


def _of_the_record(rule: CompatRule) -> Iterator[str]:
    if not rule.evidence:
        yield "it quotes no provider: give it evidence"
    for evidence in rule.evidence:
        if not evidence.text.strip() or not evidence.link.startswith(("https://", "http://")):
            yield f"evidence needs the provider's words and a link to where they were seen: {evidence.text!r}"
    if rule.fix is not None and rule.evidence and not any(rule.matches(_rejection(e)) for e in rule.evidence):
        yield "no pattern of it finds any of the words that it quotes: it would never run after a rejection"


def _rejection(evidence: Evidence) -> ProviderError:
    """The provider's words, with something in place of what varies."""
    return ProviderError.of(_VARIES.sub("1", evidence.text))


def _of_examples(rule: CompatRule, model: ModelRef) -> Iterator[str]:
    for number, example in enumerate(rule.examples):
        name = f"example {example.title or number}"
        prompt = Prompt(messages=example.before, model=model)
        if rule.needs is not None and not facts_of_all(example.before) & rule.needs:
            yield f"{name}: it holds none of the facts in needs, so that the rule would never be called on it"
        changed = [outcome.messages for way in _ways(rule) if (outcome := way.outcome(prompt)) is not None]
        if not changed:
            yield f"{name}: the rule does not change it (for the model {model.raw!r})"
        if any(differ(messages, example.after) for messages in changed):
            yield f"{name}: what the rule makes of it is not its after"


def _of_accepted(rule: CompatRule, accepted: Iterable[_Tried]) -> Iterator[str]:
    apply = rule.apply_to_prompt
    if apply is None:
        return
    for one in accepted:
        if _Way("before a call", apply).outcome(one.prompt) is not None:
            yield f"{one.name}: the rule changes it, though the provider has accepted it"


# --- what it does ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Way:
    """One way in which a rule acts: before a call, or after one of the rejections."""

    name: str
    act: Callable[[Prompt], Any]

    def outcome(self, prompt: Prompt) -> Prompt | None:
        """Return what becomes of a prompt; None where nothing does, or where the rule fails, which is told elsewhere."""
        try:
            outcome = self.act(prompt)
        except Exception:
            return None
        return outcome if isinstance(outcome, Prompt) and outcome is not prompt else None


def _ways(rule: CompatRule) -> Iterator[_Way]:
    if rule.apply_to_prompt is not None:
        yield _Way("before a call", rule.apply_to_prompt)
    fix = rule.fix
    if fix is None:
        return
    errors = {"after a rejection": ProviderError()} | {
        f"after {evidence.text!r}": _rejection(evidence) for evidence in rule.evidence
    }
    for name, error in errors.items():

        def act(prompt: Prompt, error: ProviderError = error) -> Any:
            messages = fix(prompt.messages, error)
            if messages is None or messages is prompt.messages:
                return None
            return with_messages(prompt, validate_messages(messages))

        yield _Way(name, act)


def _of_history(rule: CompatRule, tried: _Tried, rewrites_user_text: bool) -> Iterator[str]:
    ways = list(_ways(rule))
    # One fault of a kind is enough, so that the list stays short.
    told: set[tuple[str, str]] = set()
    for one in tried.beginnings():
        faults = chain(
            ((way.name, fault) for way in ways for fault in _of_outcome(way, one.prompt, rewrites_user_text)),
            (("before a call", fault) for fault in _of_needs(rule, one.prompt)),
        )
        for way_name, fault in faults:
            if (way_name, fault) not in told:
                told.add((way_name, fault))
                yield f"{one.name}, {way_name}: {fault}"


def _of_outcome(way: _Way, prompt: Prompt, rewrites_user_text: bool) -> Iterator[str]:
    before = messages_to_json(prompt.messages)
    try:
        outcome = way.act(prompt)
        again = way.act(prompt)
    except Exception as error:
        yield f"it raises {type(error).__name__}: {error}"
        return
    if messages_to_json(prompt.messages) != before:
        yield "it changes what it was given: make new messages (replayable.edits)"
        return
    if outcome is None or outcome is prompt:
        if again is not None and again is not prompt:
            yield "it gives different things for the same history"
        return
    if not isinstance(outcome, Prompt):
        yield f"it returns {type(outcome).__name__}: return a Prompt (from fix: messages), or None for unchanged"
        return
    if not isinstance(again, Prompt) or not _same(outcome, again):
        yield "it gives different things for the same history"
        return
    if _same(prompt, outcome):
        yield "it returns a copy of what it was given: return None for unchanged"
        return
    if _copies(prompt.messages, outcome.messages):
        yield "it copies messages that it does not change: keep the same objects"
    if way.outcome(outcome) is not None:
        yield "it changes its own outcome once more: a second call must find nothing to do"
    if not rewrites_user_text and not _hold_in_order(_said(outcome.messages), _said(prompt.messages)):
        yield "something that the user wrote is gone (if that is meant, say rewrites_user_text=True)"
    yield from _of_pairs(way, prompt)


def _copies(before: Messages, after: Messages) -> bool:
    """Whether a message became another object that says the same, for no reason.

    There may be one where its neighbour changed: a copy forgets the wire message that it was read from, and the two may be
    written as one.
    """
    if len(before) != len(after):
        return False
    same = [
        messages_to_json([old]) == messages_to_json([new]) for old, new in zip(before, after, strict=True)
    ]
    return any(
        new is not old and all(same[max(index - 1, 0) : index + 2])
        for index, (old, new) in enumerate(zip(before, after, strict=True))
    )


def _of_pairs(way: _Way, prompt: Prompt) -> Iterator[str]:
    paired = with_messages(prompt, clean_messages(prompt.messages, missing_results="placeholder"))
    outcome = way.outcome(paired)
    if outcome is None:
        return
    repaired = clean_messages(outcome.messages, missing_results="placeholder")
    if repaired is not outcome.messages:
        yield "it tears calls from their results: change both, or neither"


def _of_needs(rule: CompatRule, prompt: Prompt) -> Iterator[str]:
    if rule.apply_to_prompt is None or rule.needs is None or facts_of_all(prompt.messages) & rule.needs:
        return
    if _Way("before a call", rule.apply_to_prompt).outcome(prompt) is not None:
        yield "it has something to do where none of the facts in needs occurs: it would not be called, so name the fact"


def _same(one: Prompt, other: Prompt) -> bool:
    """Whether two prompts say the same, as JSON does: in Python 1 == True."""
    return messages_to_json(one.messages) == messages_to_json(other.messages) and not differ(
        with_messages(one, ()), with_messages(other, ())
    )


def _said(messages: Messages) -> list[str]:
    return [
        part.text
        for message in messages
        if message.role == "user"
        for part in message.parts
        if part.type == "text" and part.text.strip()
    ]


def _hold_in_order(texts: Sequence[str], wanted: Iterable[str]) -> bool:
    """Whether the wanted texts stand in others, in order, alone or joined."""
    everything, start = "\0".join(texts), 0
    for text in wanted:
        start = everything.find(text, start)
        if start < 0:
            return False
        start += len(text)
    return True
