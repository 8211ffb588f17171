"""Rule makers for tool call ids."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from typing_extensions import Unpack

from ...facts import CALLS, IRREGULAR, ODD_IDS, ids_of, known_of_all
from ...messages import Messages
from ...pairing import clean_messages
from ...prompt import Prompt, with_messages
from ...provider_error import ProviderError
from ...tool_call_ids import readable_id, reissue_ids
from ...turns import client_calls, client_results
from ..rule import CompatRule, Evidence, Example
from .making import RuleFields, message_rule
from .wire_fields import options_of

__all__ = [
    "MakeId",
    "present_ids",
    "reissued_repeats",
    "tool_call_id_format",
    "unique_over_history",
    "with_missing_ids",
]

MakeId: TypeAlias = Callable[[str], str]
"""From a seed to an id: deterministic."""


def tool_call_id_format(
    name: str,
    *,
    pattern: str,
    max_length: int = 64,
    summary: str,
    evidence: tuple[Evidence, ...],
    examples: tuple[Example, ...] = (),
    needs: int = 0,
    fill_missing: bool = True,
    error_patterns: tuple[str, ...] = (),
    make_id: MakeId | None = None,
    when: Callable[[Prompt], bool] | None = None,
) -> CompatRule:
    """Rewrite the ids that don't match ``pattern``, empty and missing ones too; a valid id never changes.

    Args:
        name: The rule's name.
        pattern: What a whole id must match. Every id of ``[a-zA-Z0-9_-]`` up to ``max_length`` must match it.
        max_length: The longest id to make.
        summary: The rule's summary.
        evidence: The provider's words.
        examples: Before and after.
        needs: Facts that say that there may be such ids, besides missing ones and those with other characters.
        fill_missing: Whether missing ids are filled in, too.
        error_patterns: With these, or patterns of the evidence, the rule also repairs the stored history after such a
            rejection.
        make_id: Makes an id that matches from a seed, the same one each time; by default a readable one.
        when: For which prompts it runs before a call; all of them unless given.
    """
    valid = re.compile(pattern).fullmatch
    made: MakeId = make_id or (lambda seed: readable_id(seed, max_length=max_length))

    def reformat(messages: Messages) -> Messages | None:
        # A made id must not meet one that stands in the history already, now or made for another id.
        standing = _ids(messages)
        owners: dict[str, object] = {}

        def new_id(old: str, occurrence: int) -> str:
            if old and valid(old):
                return old
            seed = old or f"call {occurrence}"
            # For whom: the call without an id is another one than the call whose id reads like its seed.
            owner = old or occurrence
            candidate, attempt = made(seed), 0
            while candidate in standing or owners.setdefault(candidate, owner) != owner:
                attempt += 1
                candidate = made(f"{seed}\0{attempt}")
            return candidate

        return reissue_ids(messages, new_id, fill_missing=fill_missing)

    def apply_to_prompt(prompt: Prompt) -> Prompt | None:
        if when is not None and not when(prompt):
            return None
        messages = reformat(prompt.messages)
        return None if messages is None else with_messages(prompt, messages)

    def repair(messages: Messages, _error: ProviderError) -> Messages | None:
        # Calls of one turn that share an id get other ones here: clean_messages, before each call, knows no form of ids.
        return reformat(tuple(clean_messages(messages, open_ended=True)))

    answers = bool(error_patterns) or any(said.pattern is not None for said in evidence)
    return CompatRule(
        name=name,
        summary=summary,
        apply_to_prompt=apply_to_prompt,
        # A history may lack ids without having any other fault.
        needs=needs | ODD_IDS if fill_missing else needs,
        error_patterns=error_patterns,
        fix=repair if answers else None,
        evidence=evidence,
        examples=examples,
    )


def _ids(messages: Messages) -> set[str | None]:
    """The ids of the client's calls and results."""
    ids: set[str | None] = set()
    for message, (facts, own) in zip(messages, known_of_all(messages), strict=True):
        ids.update(own)
        if facts & IRREGULAR:
            # A result may stand in an assistant message, whose ids are those of its calls.
            ids.update(result.tool_call_id for _, result in client_results(message))
    return ids


def present_ids(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Give ids to calls and results that lack them, by position; histories in the older form of OpenAI's wire need none."""

    def change(messages: Messages) -> Messages | None:
        legacy = any(
            options_of(call, "openai_chat").get("$legacy")
            for message in messages
            for _, call in client_calls(message)
        )
        return None if legacy else with_missing_ids(messages)

    return message_rule(name, change, needs=ODD_IDS, **fields)


def with_missing_ids(messages: Messages) -> Messages | None:
    """Give ids to calls and results that lack them, by position."""
    taken = _ids(messages)

    def new_id(old: str, occurrence: int) -> str:
        if old:
            return old
        attempt = 0
        while (candidate := readable_id(f"call {occurrence}" + "\0" * attempt, max_length=40)) in taken:
            attempt += 1
        return candidate

    return reissue_ids(messages, new_id)


def unique_over_history(name: str, **fields: Unpack[RuleFields]) -> CompatRule:
    """Give later calls other ids than earlier ones, call and result together; the first call of an id keeps it."""
    return message_rule(name, reissued_repeats, needs=CALLS, **fields)


def reissued_repeats(messages: Messages) -> Messages | None:
    """Rename the calls whose id an earlier call of the history has."""
    calls = [
        tool_call_id for message in messages if message.role != "tool" for tool_call_id in ids_of(message)
    ]
    if len(calls) == len(set(calls)):
        return None
    taken = _ids(messages)

    def new_id(old: str, occurrence: int) -> str:
        if not old or not occurrence:
            return old
        attempt = occurrence
        while (candidate := readable_id(f"{old}\0{attempt}", max_length=40)) in taken:
            attempt += 1
        taken.add(candidate)
        return candidate

    return reissue_ids(messages, new_id, fill_missing=False)
